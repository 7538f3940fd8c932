// The staking tab of an address: its delegations, unbondings, vesting, grants, votes and transfers to other chains.
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import {
  type ApiRead,
  api,
  type CastVote,
  type Grant,
  type List,
  type NativeAccount,
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

/** Maximum rows of each list; the API has all of them. */
const SHOWN = 100

export default function AddressNative({ hash: address }: { hash: string }) {
  const version = useBlockVersion()
  const base = useBaseDenomination()
  const reading = useRead(api('/native/addresses/{address}', { address }), version)
  const first = { address, items_count: SHOWN }
  const list = <T,>(name: string, rows: ApiRead<List<T>>, table: Table<T>, empty: string) => (
    <ListOf name={name} list={rows} table={table} empty={empty} version={version} />
  )
  return (
    <Loaded reading={reading}>
      {(of) => (
        <div class="native">
          <Summary of={of} />
          <Part name="Delegations">
            {list(
              'delegations',
              api('/native/addresses/{address}/delegations', first),
              delegationTable,
              'It delegates to nobody.',
            )}
          </Part>
          <Part name="Unbondings">
            {list(
              'unbondings',
              api('/native/addresses/{address}/unbondings', first),
              unbondingTable('validator'),
              'No tokens are on their way back.',
            )}
            {of.unbondings_count > 0 && <CancelUnbonding of={address} version={version} />}
          </Part>
          <Part name="Redelegations">
            {list(
              'redelegations',
              api('/native/addresses/{address}/redelegations', first),
              redelegationTable(true),
              'It has moved no tokens lately.',
            )}
          </Part>
          {of.vesting !== null && (
            <Part name="Vesting">
              <Vesting of={of.vesting} />
            </Part>
          )}
          <Part name="Grants">
            {list(
              'grants',
              api('/native/addresses/{address}/grants', first),
              grantTable,
              'Nobody acts for it, and it acts for nobody.',
            )}
          </Part>
          <Part name="Votes">
            {list('votes', api('/native/addresses/{address}/votes', first), voteTable, 'It has not voted.')}
          </Part>
          <Part name="Transfers to other chains">
            {list(
              'transfers',
              api('/native/addresses/{address}/transfers', first),
              packetTable(base),
              'It has sent nothing to another chain.',
            )}
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
  list,
  table,
  empty,
  version,
}: {
  name: string
  list: ApiRead<List<T>>
  table: Table<T>
  empty: string
  version: number
}) {
  const reading = useRead(list, version)
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
