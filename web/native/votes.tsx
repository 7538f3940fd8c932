// Parts of a network's pages: a block's votes and evidence, a validator's votes, and the state of CometBFT.
import { Link } from 'wouter-preact'
import { api, type Commit, useBlockVersion, useRead, type ValidatorVote } from '../api.ts'
import { utcTime, withCommas } from '../format.ts'
import { BlockLink, Cut, Fields, Loaded, Rows, type Table, Time } from '../parts.tsx'
import { Pill, percent, ValidatorLink } from './parts.tsx'

type Vote = Commit['votes'][number]
type Evidence = Commit['evidence'][number]

const VOTES = {
  commit: <Pill kind="ok">for the block</Pill>,
  nil: <Pill kind="plain">for no block</Pill>,
  absent: <Pill kind="bad">absent</Pill>,
  unknown: <Pill kind="plain">unknown</Pill>,
} as const

const FAULTS = {
  duplicate_vote: 'double vote',
  light_client_attack: 'light client attack',
  unknown: 'unknown',
} as const

/** A validator by its name; an unknown one by its consensus address. */
const Signer = ({ of: { validator, consensus_address } }: { of: Pick<Vote, 'validator' | 'consensus_address'> }) =>
  validator === null ? <Cut text={consensus_address} /> : <ValidatorLink of={validator} />

const voteTable: Table<Vote> = {
  keyOf: ({ consensus_address }) => consensus_address,
  columns: [
    ['Validator', (of) => <Signer of={of} />],
    ['Vote', ({ vote }) => VOTES[vote]],
    ['Power', ({ power }) => withCommas(power), 'number'],
  ],
}

const evidenceTable: Table<Evidence> = {
  keyOf: ({ consensus_address, type, height }) => `${consensus_address} ${type} ${height}`,
  columns: [
    ['Validator', (of) => <Signer of={of} />],
    ['Fault', ({ type }) => <Pill kind="bad">{FAULTS[type]}</Pill>],
    ['In block', ({ height }) => <BlockLink number={height} />],
    ['Time', ({ time }) => <Time at={time} full />],
    ['Power', ({ power }) => withCommas(power), 'number'],
  ],
}

export const validatorVoteTable: Table<ValidatorVote> = {
  keyOf: ({ block_number }) => block_number,
  columns: [
    ['Block', ({ voted_block_number }) => <BlockLink number={voted_block_number} />],
    ['Vote', ({ vote }) => (vote === null ? <span class="faint">not a validator</span> : VOTES[vote])],
    ['Power', ({ power }) => withCommas(power), 'number'],
    [
      'Included in',
      ({ block_number }) => (
        <Link class="faint" href={`/block/${block_number}?tab=votes`}>
          {block_number}
        </Link>
      ),
    ],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
  ],
}

/** A block's votes and evidence, for a tab of its page. */
export function BlockCommit({ number }: { number: number }) {
  const reading = useRead(
    api('/native/blocks/{block_hash_or_number_param}/commit', { block_hash_or_number_param: number }),
  )
  return (
    <Loaded reading={reading}>
      {(commit) => (
        <>
          <Fields
            of={{
              'Voted on': commit.voted_block_number === null ? null : <BlockLink number={commit.voted_block_number} />,
              'For the block':
                commit.votes.length === 0
                  ? null
                  : `${commit.signed_count} of ${commit.votes.length} validators, ${percent(commit.signed_power_share)} of the power`,
              Round: commit.round,
              'Time of the engine': commit.time === null ? null : utcTime(commit.time),
            }}
          />
          {commit.evidence.length > 0 && (
            <>
              <h2 class="apart">Evidence</h2>
              <Rows of={commit.evidence} table={evidenceTable} empty="" label="Evidence" />
              <h2 class="apart">Votes</h2>
            </>
          )}
          <Rows
            of={commit.votes}
            table={voteTable}
            empty={
              commit.engine === null
                ? 'One node made this block: there are no votes.'
                : 'The first block of a network comes without votes.'
            }
            label="Votes"
          />
        </>
      )}
    </Loaded>
  )
}

/** One line about the network, above its validators. */
export function NetworkLine() {
  const { data } = useRead(api('/native/network'), useBlockVersion())
  if (data === undefined || data.engine === null) return null
  const { peers_count: peers, syncing } = data
  const progress =
    peers === null
      ? 'its engine does not answer'
      : `${peers} ${peers === 1 ? 'peer' : 'peers'}, ${syncing === null ? 'in step with them' : `catching up: block ${withCommas(syncing.current_block)} of ${withCommas(syncing.highest_block)}`}`
  return (
    <p class="note">
      This node is part of a network ({data.engine}): {progress}.
    </p>
  )
}
