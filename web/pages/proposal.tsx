// The page of one proposal: its record, messages, the tally with its thresholds, votes and deposits.
import { api, type Proposal, type ProposalDeposit, type ProposalVote, useBlockVersion, useRead } from '../api.ts'
import { utcTime } from '../format.ts'
import { useTitle } from '../location.ts'
import { Countdown, percent, ShareBar } from '../native/parts.tsx'
import { messageName, OPTION_NAMES, proposalStatus, TallyBars } from '../native/proposals.tsx'
import { type GovRules, ProposalActions, useGovRules } from '../native/vote-forms.tsx'
import { MissingRecord } from '../parts/missing.tsx'
import {
  Address,
  Coins,
  Cut,
  Fields,
  LoadedPage,
  PaginatedTable,
  Raw,
  type Table,
  Tabs,
  Time,
  TransactionLink,
} from '../parts.tsx'
import '../native/native.css'

export default function ProposalPage({ id }: { id: string }) {
  const version = useBlockVersion()
  const reading = useRead(api('/native/proposals/{id}', { id }), version)
  useTitle(`Proposal ${id}`)
  return (
    <LoadedPage reading={reading} name={`Proposal ${id}`} missing={<MissingRecord asked={id} />}>
      {(of) => <Content of={of} version={version} />}
    </LoadedPage>
  )
}

function Content({ of, version }: { of: Proposal; version: number }) {
  const { id } = of
  const rules = useGovRules(of.is_expedited)
  return (
    <>
      <Record of={of} />
      <section class="card" aria-label="Tally">
        <h2>{of.tally.is_final ? 'Result' : 'Votes so far'}</h2>
        <TallyBars of={of.tally} />
        <Rules of={of} rules={rules} />
      </section>
      <ProposalActions of={of} rules={rules} />
      <Tabs
        of={[
          { name: 'Messages', count: of.messages.length, content: () => <Messages of={of} /> },
          {
            name: 'Votes',
            count: of.votes_count,
            content: () => (
              <PaginatedTable
                list={api('/native/proposals/{id}/votes', { id })}
                table={voteTable}
                empty="Nobody has voted."
                version={version}
              />
            ),
          },
          {
            name: 'Deposits',
            content: () => (
              <PaginatedTable
                list={api('/native/proposals/{id}/deposits', { id })}
                table={depositTable}
                empty="There are no deposits."
                version={version}
              />
            ),
          },
        ]}
      />
    </>
  )
}

function Record({ of }: { of: Proposal }) {
  const { status, seconds_left: left, voting_end_time: end } = of
  return (
    <section class="card">
      <h1>
        Proposal {of.id} <Cut text={of.title} /> {proposalStatus(of)}
      </h1>
      <Fields
        of={{
          Summary: of.summary === '' ? null : <p class="prose">{of.summary}</p>,
          Metadata: of.metadata === '' ? null : <p class="prose">{of.metadata}</p>,
          Failure: of.failure === null ? null : <span class="bad">{of.failure}</span>,
          Proposer: <Address of={of.proposer} full />,
          Kind: of.is_expedited ? 'expedited' : null,
          Submitted: utcTime(of.submit_time),
          Deposit: (
            <>
              <Coins value={of.total_deposit} digits={18} />{' '}
              <span class="faint">
                of <Coins value={of.min_deposit} digits={18} />
              </span>
            </>
          ),
          'Deposit period ends':
            status === 'deposit' ? <Countdown to={of.deposit_end_time} secondsLeft={left} /> : null,
          'Voting began': of.voting_start_time === null ? null : utcTime(of.voting_start_time),
          'Voting ends':
            end === null ? null : (
              <>
                {status === 'voting' && <Countdown to={end} secondsLeft={left} />}{' '}
                <span class="faint">{utcTime(end)}</span>
              </>
            ),
        }}
      />
    </section>
  )
}

const Rules = ({ of, rules }: { of: Proposal; rules: GovRules | undefined }) => (
  <Fields
    of={{
      Turnout:
        of.turnout === null ? null : (
          <ShareBar
            of={Number(of.turnout)}
            label={`${percent(of.turnout)} of the bonded tokens${rules === undefined ? '' : `; ${percent(String(rules.quorum))} must vote`}`}
          />
        ),
      'To pass':
        rules === undefined
          ? null
          : `more than ${percent(String(rules.threshold))} yes of the votes that do not abstain, and at most ${percent(String(rules.vetoThreshold))} veto`,
    }}
  />
)

function Messages({ of: { messages } }: { of: Proposal }) {
  if (messages.length === 0) return <p class="note">It is a text, and carries nothing out.</p>
  return (
    <>
      {messages.map(({ type, content }, i) => (
        // Messages of a proposal never change.
        <section key={i} aria-label={`Message ${i + 1}`}>
          <h2>{messageName(type)}</h2>
          <p class="prose mono faint">{type}</p>
          <Raw label={`Fields of message ${i + 1}`}>
            <pre class="prose mono">{JSON.stringify(content, null, 2)}</pre>
          </Raw>
        </section>
      ))}
    </>
  )
}

const voteTable: Table<ProposalVote> = {
  keyOf: ({ voter }) => voter.hash,
  columns: [
    ['Voter', ({ voter }) => <Address of={voter} full />],
    [
      'Vote',
      ({ options }) =>
        options
          .map(({ option, weight }) => {
            const name = OPTION_NAMES[option]
            return Number(weight) === 1 ? name : `${percent(weight)} ${name}`
          })
          .join(', '),
    ],
    [
      'Note',
      ({ metadata }) => (metadata === null || metadata === '' ? <span class="faint">—</span> : <Cut text={metadata} />),
    ],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['Transaction', ({ transaction_hash }) => <TransactionLink hash={transaction_hash} />],
  ],
}

const depositTable: Table<ProposalDeposit> = {
  keyOf: ({ depositor, transaction_hash }) => `${depositor.hash} ${transaction_hash}`,
  columns: [
    ['Depositor', ({ depositor }) => <Address of={depositor} full />],
    ['Amount', ({ amount }) => <Coins value={amount} digits={18} />, 'number'],
    ['Note', ({ is_initial }) => (is_initial ? <span class="faint">with the submission</span> : null)],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['Transaction', ({ transaction_hash }) => <TransactionLink hash={transaction_hash} />],
  ],
}
