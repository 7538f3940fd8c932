// The tables of stake: validators, delegations, unbondings, redelegations.
import { Link } from 'wouter-preact'
import type { Delegation, Redelegation, Unbonding, Validator } from '../api.ts'
import { share, units, utcTime, withCommas } from '../format.ts'
import { Address, BlockLink, Coins, Cut, Identicon, type Table } from '../parts.tsx'
import { Countdown, DecCoins, Pill, percent, ShareBar, ValidatorLink } from './parts.tsx'

const none = <span class="faint">—</span>

export const statusOf = ({ status, jailed, tombstoned }: Validator) =>
  tombstoned ? (
    <Pill kind="bad">tombstoned</Pill>
  ) : jailed ? (
    <Pill kind="bad">jailed</Pill>
  ) : (
    <Pill kind={status === 'bonded' ? 'ok' : 'plain'}>{status}</Pill>
  )

/** When a jailed validator can be unjailed; null if it is not jailed, or has no jail time. */
export const jailEnd = ({ jailed, jailed_until, tombstoned }: Validator): string | null =>
  tombstoned ? 'for ever' : jailed && jailed_until !== null ? utcTime(jailed_until) : null

/** Fraction of the counted votes that a validator has signed; undefined if none are counted. */
export function uptimeOf({ uptime }: Validator): string | undefined {
  if (uptime === null) return undefined
  const counted = uptime.signed + uptime.missed
  return counted === 0 ? undefined : `${((100 * uptime.signed) / counted).toFixed(2)} %`
}

export const validatorTable: Table<Validator> = {
  keyOf: ({ operator_address }) => operator_address,
  columns: [
    [
      'Validator',
      ({ address, moniker }) => (
        <span class="address">
          <Identicon of={address.hash} size={22} />
          <Link href={`/validator/${address.hash}`} title={address.hash}>
            <Cut text={moniker === '' ? address.hash : moniker} />
          </Link>
        </span>
      ),
    ],
    [
      'Status',
      (of) => (
        <span class="stack">
          {statusOf(of)}
          {!of.tombstoned && jailEnd(of) !== null && <span class="faint">until {jailEnd(of)}</span>}
        </span>
      ),
    ],
    ['Tokens', ({ tokens }) => <Coins value={tokens} />, 'number'],
    ['Voting power', ({ voting_power_share: part }) => <ShareBar of={Number(part)} label={percent(part)} />],
    ['Commission', ({ commission }) => percent(commission.rate), 'number'],
    ['Delegators', ({ delegators_count }) => withCommas(delegators_count), 'number'],
    [
      'Uptime',
      (of) =>
        uptimeOf(of) === undefined ? (
          none
        ) : (
          <span title={`${of.uptime?.missed} of the last ${of.uptime?.window} blocks missed`}>{uptimeOf(of)}</span>
        ),
      'number',
    ],
  ],
  lines: [
    ['Validator', 'Status'],
    ['Tokens', 'Voting power'],
    [{ named: 'Commission' }, { named: 'Delegators' }, { named: 'Uptime' }],
  ],
}

export const delegatorTable = ({ tokens }: Validator): Table<Delegation> => ({
  keyOf: ({ delegator }) => delegator.hash,
  columns: [
    ['Delegator', ({ delegator }) => <Address of={delegator} full />],
    ['Delegated', ({ balance }) => <Coins value={balance} />, 'number'],
    ['Share', ({ balance }) => share(balance, tokens) ?? none, 'number'],
    ['Rewards', ({ rewards }) => <DecCoins value={rewards} />, 'number'],
  ],
})

export const delegationTable: Table<Delegation> = {
  keyOf: ({ validator }) => validator.operator_address,
  columns: [
    ['Validator', ({ validator }) => <ValidatorLink of={validator} />],
    ['Delegated', ({ balance }) => <Coins value={balance} />, 'number'],
    ['Rewards', ({ rewards }) => <DecCoins value={rewards} />, 'number'],
    ['Shares', ({ shares }) => units(shares.split('.')[0] ?? '0', 18, 4), 'number'],
  ],
}

const entryKey = ({ creation_height, completion_time, initial_balance }: Omit<Unbonding, 'delegator' | 'validator'>) =>
  `${creation_height} ${completion_time} ${initial_balance}`

/** `party`: the column to show; the other party is the same in all rows. */
export const unbondingTable = (party: 'delegator' | 'validator'): Table<Unbonding> => ({
  keyOf: (of) => `${of.delegator.hash} ${of.validator.operator_address} ${entryKey(of)}`,
  columns: [
    party === 'delegator'
      ? ['Delegator', ({ delegator }) => <Address of={delegator} />]
      : ['Validator', ({ validator }) => <ValidatorLink of={validator} />],
    ['Tokens', ({ balance }) => <Coins value={balance} />, 'number'],
    ['Since block', ({ creation_height }) => <BlockLink number={creation_height} />],
    ['Paid', ({ completion_time, seconds_left }) => <Countdown to={completion_time} secondsLeft={seconds_left} />],
  ],
})

export const redelegationTable = (isOfDelegator: boolean): Table<Redelegation> => ({
  keyOf: (of) =>
    `${of.delegator.hash} ${of.source.operator_address} ${of.destination.operator_address} ${of.creation_height} ${of.initial_balance}`,
  columns: [
    isOfDelegator
      ? ['From', ({ source }) => <ValidatorLink of={source} />]
      : ['Delegator', ({ delegator }) => <Address of={delegator} />],
    ['To', ({ destination }) => <ValidatorLink of={destination} />],
    ['Tokens', ({ balance }) => <Coins value={balance} />, 'number'],
    ['Since block', ({ creation_height }) => <BlockLink number={creation_height} />],
    [
      'Answers for the first',
      ({ completion_time, seconds_left }) => <Countdown to={completion_time} secondsLeft={seconds_left} />,
    ],
  ],
})
