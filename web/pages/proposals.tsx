// The list of governance's proposals.
import { Link } from 'wouter-preact'
import { api, type Proposal, useBlockVersion } from '../api.ts'
import { useQuery } from '../location.ts'
import { Countdown } from '../native/parts.tsx'
import { messageName, proposalStatus } from '../native/proposals.tsx'
import { Choice } from '../parts/choice.tsx'
import { Cut, PaginatedTable, type Table, Time } from '../parts.tsx'
import '../native/native.css'

const proposalTable: Table<Proposal> = {
  keyOf: ({ id }) => id,
  columns: [
    ['#', ({ id }) => id],
    [
      'Title',
      ({ id, title }) => (
        <Link href={`/proposal/${id}`}>
          <Cut text={title === '' ? `Proposal ${id}` : title} />
        </Link>
      ),
    ],
    ['Status', proposalStatus],
    [
      'Messages',
      ({ messages }) => <Cut text={messages.map(({ type }) => messageName(type)).join(', ') || 'text only'} />,
    ],
    ['Submitted', ({ submit_time }) => <Time at={submit_time} />],
    [
      'Ends',
      ({ status, deposit_end_time, voting_end_time, seconds_left }) =>
        status === 'deposit' ? (
          <Countdown to={deposit_end_time} secondsLeft={seconds_left} />
        ) : status === 'voting' && voting_end_time !== null ? (
          <Countdown to={voting_end_time} secondsLeft={seconds_left} />
        ) : (
          <Time at={voting_end_time ?? deposit_end_time} />
        ),
    ],
  ],
}

export default function Proposals() {
  const version = useBlockVersion()
  const [{ status }] = useQuery()
  return (
    <section class="card">
      <h1>Proposals</h1>
      <div class="above">
        <Choice name="status" label="Status" of={['deposit', 'voting', 'passed', 'rejected', 'failed']} />
      </div>
      <PaginatedTable
        list={api('/native/proposals', { status })}
        table={proposalTable}
        empty="There are no proposals of this kind."
        version={version}
        order="rank"
      />
    </section>
  )
}
