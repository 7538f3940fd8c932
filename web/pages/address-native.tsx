// The staking tab of an address: what it has to do with the chain's modules.
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import {
  type CastVote,
  type Delegation,
  type Grant,
  type List,
  type NativeAccount,
  type Packet,
  type Redelegation,
  type Unbonding,
  useBlockVersion,
  useRead,
} from '../api.ts'
import { utcTime } from '../format.ts'
import { useBaseDenomination } from '../native/amounts.tsx'
import { CancelUnbonding, WithdrawAll } from '../native/own-stake.tsx'
import { packetTable } from '../native/packets.tsx'
import { Countdown, DecCoins, Pill, percent, ValidatorLink } from '../native/parts.tsx'
import { messageName, OPTION_NAMES, proposalStatus } from '../native/proposals.tsx'
import { delegationTable, redelegationTable, unbondingTable } from '../native/tables.tsx'
import { Address, Coins, Cut, Fields, Loaded, Rows, type Table, Time, TransactionLink } from '../parts.tsx'
import '../native/native.css'

/** Rows of each list; the API has all of them. */
const SHOWN = 100

export default function AddressNative({ hash }: { hash: string }) {
  const version = useBlockVersion()
  const path = `/native/addresses/${encodeURIComponent(hash)}`
  const base = useBaseDenomination()
  const reading = useRead<NativeAccount>(path, version)
  const list = <T,>(name: string, table: Table<T>, empty: string) => (
    <ListOf<T>
      name={name}
      path={`${path}/${name}?items_count=${SHOWN}`}
      table={table}
      empty={empty}
      version={version}
    />
  )
  return (
    <Loaded reading={reading}>
      {(of) => (
        <div class="native">
          <Summary of={of} />
          <Part name="Delegations">{list<Delegation>('delegations', delegationTable, 'It delegates to nobody.')}</Part>
          <Part name="Unbondings">
            {list<Unbonding>('unbondings', unbondingTable('validator'), 'No tokens are on their way back.')}
            {of.unbondings_count > 0 && <CancelUnbonding of={hash} version={version} />}
          </Part>
          <Part name="Redelegations">
            {list<Redelegation>('redelegations', redelegationTable(true), 'It has moved no tokens lately.')}
          </Part>
          {of.vesting !== null && (
            <Part name="Vesting">
              <Vesting of={of.vesting} />
            </Part>
          )}
          <Part name="Grants">{list<Grant>('grants', grantTable, 'Nobody acts for it, and it acts for nobody.')}</Part>
          <Part name="Votes">{list<CastVote>('votes', voteTable, 'It has not voted.')}</Part>
          <Part name="Transfers to other chains">
            {list<Packet>('transfers', packetTable(base), 'It has sent nothing over a channel.')}
          </Part>
        </div>
      )}
    </Loaded>
  )
}

const Part = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <section aria-label={name}>
    <h2>{name}</h2>
    {children}
  </section>
)

function ListOf<T>({
  name,
  path,
  table,
  empty,
  version,
}: {
  name: string
  path: string
  table: Table<T>
  empty: string
  version: number
}) {
  const reading = useRead<List<T>>(path, version)
  return (
    <Loaded reading={reading}>
      {({ items, total_count: total = items.length }) => (
        <>
          <Rows of={items} table={table} empty={empty} label={`Table of ${name}`} />
          {total > items.length && (
            <p class="note">
              {items.length} of {total.toLocaleString('en-US')} are shown; the API has all.
            </p>
          )}
        </>
      )}
    </Loaded>
  )
}

const Summary = ({ of }: { of: NativeAccount }) => (
  <>
    <Fields
      of={{
        Spendable: <Coins value={of.spendable} digits={6} />,
        Locked: of.locked === '0' ? null : <Coins value={of.locked} digits={6} />,
        Delegated: <Coins value={of.delegated} digits={6} />,
        Unbonding: of.unbonding === '0' ? null : <Coins value={of.unbonding} digits={6} />,
        Rewards: <DecCoins value={of.rewards} />,
        Commission: of.commission === null ? null : <DecCoins value={of.commission} />,
        'Rewards go to':
          of.withdraw_address.hash === of.address.hash ? null : <Address of={of.withdraw_address} full />,
        Validator: of.is_validator ? <Link href={`/validator/${of.address.hash}`}>{of.operator_address}</Link> : null,
      }}
    />
    {of.delegations_count > 0 && <WithdrawAll of={of} />}
  </>
)

const Vesting = ({ of }: { of: NonNullable<NativeAccount['vesting']> }) => (
  <>
    <Fields
      of={{
        Funder: <Address of={of.funder} full />,
        Began: utcTime(of.start_time),
        Granted: <Coins value={of.original} digits={6} />,
        Vested: <Coins value={of.vested} digits={6} />,
        Unlocked: <Coins value={of.unlocked} digits={6} />,
        'Governance may take it back': of.allows_governance_clawback ? 'yes' : 'no',
      }}
    />
    <Steps name="Vests" of={of.vesting} />
    <Steps name="Unlocks" of={of.lockup} />
  </>
)

type Step = NonNullable<NativeAccount['vesting']>['vesting'][number]

const stepTable = (name: string): Table<Step> => ({
  keyOf: ({ time, total }) => `${time} ${total}`,
  columns: [
    [name, ({ time }) => utcTime(time)],
    ['Amount', ({ amount }) => <Coins value={amount} digits={6} />, 'number'],
    ['In all', ({ total }) => <Coins value={total} digits={6} />, 'number'],
    ['State', ({ is_over }) => <Pill kind={is_over ? 'ok' : 'plain'}>{is_over ? 'done' : 'to come'}</Pill>],
  ],
})

const Steps = ({ name, of }: { name: string; of: readonly Step[] }) =>
  of.length === 0 ? null : <Rows of={of} table={stepTable(name)} empty="" label={name} />

const limitOf = ({ limit, allocations }: Grant): ComponentChildren => {
  if (allocations.length > 0) {
    return allocations
      .map(
        ({ source_channel, spend_limit }) =>
          `${source_channel}: ${spend_limit.map(({ amount, denom }) => `${amount} ${denom}`).join(', ') || 'any'}`,
      )
      .join('; ')
  }
  return limit === null ? <span class="faint">none</span> : <Coins value={limit} />
}

const grantTable: Table<Grant> = {
  keyOf: ({ granter, grantee, message }) => `${granter.hash} ${grantee.hash} ${message}`,
  columns: [
    ['From', ({ granter }) => <Address of={granter} />],
    ['To', ({ grantee }) => <Address of={grantee} />],
    ['May', ({ message }) => <span title={message}>{messageName(message)}</span>],
    ['Limit', limitOf, 'number'],
    [
      'With',
      ({ validators }) =>
        validators.length === 0 ? (
          <span class="faint">any validator</span>
        ) : (
          validators.map((one) => <ValidatorLink key={one.operator_address} of={one} />)
        ),
    ],
    ['Ends', ({ expiration, seconds_left }) => <Countdown to={expiration} secondsLeft={seconds_left} />],
  ],
}

const voteTable: Table<CastVote> = {
  keyOf: ({ transaction_hash, proposal }) => `${transaction_hash} ${proposal.id}`,
  columns: [
    [
      'Proposal',
      ({ proposal: { id, title } }) => (
        <Link href={`/proposal/${id}`}>
          <Cut text={`#${id} ${title ?? ''}`} />
        </Link>
      ),
    ],
    ['State', ({ proposal: { status } }) => (status === null ? '—' : proposalStatus({ status }))],
    [
      'Vote',
      ({ options }) =>
        options
          .map(({ option, weight }) => `${Number(weight) === 1 ? '' : `${percent(weight)} `}${OPTION_NAMES[option]}`)
          .join(', '),
    ],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['Transaction', ({ transaction_hash }) => <TransactionLink hash={transaction_hash} />],
  ],
}
