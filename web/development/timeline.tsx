// Panel of the development page: what was done to the chain, as a line in time, with the snapshots to which one click goes back.
import { useState } from 'preact/hooks'
import type { AccountChange, Changes, Lost, Timeline, TimelineEntry } from '../../src/rpc/development-timeline.ts'
import { describeError } from '../contract/errors.ts'
import { abbreviated, units, utcTime, withCommas } from '../format.ts'
import { ActionForm, numberField } from '../forms/action-form.tsx'
import { AddressLink, BlockLink, COIN } from '../parts.tsx'
import { quantity, rpc } from '../rpc.ts'

/** Entries shown at first. */
const MOST_SHOWN = 30

export function TimelinePanel({ of, reread }: { of: Timeline; reread: () => void }) {
  const [fault, setFault] = useState<string>()
  const [shown, setShown] = useState(MOST_SHOWN)
  const revert = async (id: `0x${string}`) => {
    try {
      const isDone = await rpc('evm_revert', id)
      // A snapshot is used up by going back to it; another one keeps the point.
      if (isDone) await rpc('evm_snapshot')
      setFault(isDone ? undefined : 'This snapshot no longer exists.')
    } catch (error) {
      setFault(describeError(error))
    }
    reread()
  }
  return (
    <>
      <div class="timeline-actions">
        <ActionForm
          fields={{}}
          button="Take a snapshot"
          run={async () => `Snapshot ${Number(await rpc('evm_snapshot'))} was taken.`}
          onDone={reread}
        />
        <ActionForm
          fields={{ blocks: numberField('Newest blocks to remove', 1, 1) }}
          button="Remove blocks"
          run={async ({ blocks }) => {
            await rpc('anvil_rollback', quantity(blocks))
            return 'The blocks were removed.'
          }}
          onDone={reread}
        />
      </div>
      {of.snapshots.length > 0 && (
        <p class="note">
          Going back also drops the transactions that wait now. Those that waited when the snapshot was taken come back.
        </p>
      )}
      <p role="alert" class="bad">
        {fault}
      </p>
      <ol class="timeline" aria-label="Timeline">
        <li class="now">
          <span class="faint">now</span>
        </li>
        {of.entries.slice(0, shown).map((entry) => (
          <Entry key={entry.id} of={entry} snapshots={of.snapshots} onRevert={revert} />
        ))}
        <li class="begin">
          <span class="faint">
            {of.entries.length + of.dropped === 0 && 'Nothing has happened yet. '}
            {of.dropped > 0 && `${withCommas(of.dropped)} older entries were not kept. `}
            Kept since {utcTime(new Date(of.since).toISOString())}, in memory: a restart of the node forgets this line
            and all snapshots; blocks and edits stay.
          </span>
        </li>
      </ol>
      {of.entries.length > shown && (
        <button type="button" class="action" onClick={() => setShown(shown + 100)}>
          Show older ones
        </button>
      )}
      <Others of={of} onRevert={revert} />
    </>
  )
}

type Revert = (id: `0x${string}`) => void
type Snapshot = Timeline['snapshots'][number]

/** Snapshots whose entries were not kept. */
function Others({ of, onRevert }: { of: Timeline; onRevert: Revert }) {
  const listed = new Set(of.entries.flatMap((entry) => (entry.kind === 'snapshot' ? [entry.snapshot] : [])))
  const others = of.snapshots.filter(({ id }) => !listed.has(id))
  if (others.length === 0) return null
  return (
    <details class="more">
      <summary>{withCommas(others.length)} older snapshots</summary>
      <ul class="rows">
        {others.map((snapshot) => (
          <li key={snapshot.id}>
            <span>
              Snapshot {Number(snapshot.id)} at block <BlockLink number={snapshot.block} />
            </span>
            <GoBack to={snapshot} onRevert={onRevert} />
          </li>
        ))}
      </ul>
    </details>
  )
}

const counted = (count: number, name: string): string[] =>
  count === 0 ? [] : [`${withCommas(count)} ${name}${count === 1 ? '' : 's'}`]

/** `12 blocks, 30 transactions, 3 edits`; empty: nothing. */
const lostInWords = ({ blocks, transactions, edits }: Lost): string =>
  [...counted(blocks, 'block'), ...counted(transactions, 'transaction'), ...counted(edits, 'edit')].join(', ')

function GoBack({ to: { id, lost }, onRevert }: { to: Snapshot; onRevert: Revert }) {
  const words = lostInWords(lost)
  return (
    <span class="go-back">
      <span class="faint">{words === '' ? 'nothing would be lost' : `loses ${words}`}</span>
      <button type="button" class="action" onClick={() => onRevert(id)}>
        Go back
      </button>
    </span>
  )
}

type EntryProps = { of: TimelineEntry; snapshots: readonly Snapshot[]; onRevert: Revert }

function Entry({ of, snapshots, onRevert }: EntryProps) {
  const live = of.kind === 'snapshot' ? snapshots.find(({ id }) => id === of.snapshot) : undefined
  const isGone = of.undoneBy !== undefined || (of.kind === 'snapshot' && live === undefined)
  const { changes } = of
  return (
    <li class={`${of.kind} ${isGone ? 'gone' : ''}`}>
      <div>
        <time class="faint" dateTime={new Date(of.at).toISOString()} title={utcTime(new Date(of.at).toISOString())}>
          {new Date(of.at).toISOString().slice(11, 19)}
        </time>
        <span class="what">
          <What of={of} />
        </span>
        {live !== undefined && <GoBack to={live} onRevert={onRevert} />}
        {of.undoneBy !== undefined && <span class="bad">undone</span>}
        {of.kind === 'snapshot' && live === undefined && <span class="faint">used up</span>}
      </div>
      {changes !== undefined && (of.kind === 'edit' ? <ChangeList of={changes} /> : <Folded of={changes} />)}
    </li>
  )
}

function What({ of }: { of: TimelineEntry }) {
  switch (of.kind) {
    case 'snapshot':
      return (
        <>
          Snapshot {Number(of.snapshot)} at block <BlockLink number={of.block} />
        </>
      )
    case 'blocks':
      return (
        <>
          {of.first === of.last ? 'Block ' : 'Blocks '}
          <BlockLink number={of.first} />
          {of.first !== of.last && (
            <>
              {' to '}
              <BlockLink number={of.last} />
            </>
          )}
          {of.transactions > 0 && `, ${counted(of.transactions, 'transaction').join()}`}
          <span class="faint"> {utcTime(new Date(of.timestamp * 1000).toISOString())}</span>
        </>
      )
    case 'edit':
      return <>Edit of the state at block {withCommas(of.block)}</>
    case 'revert': {
      const words = lostInWords(of.lost)
      return (
        <>
          Back to {targetOf(of)}
          <span class="faint">{words === '' ? ': nothing was lost' : `: lost ${words}`}</span>
        </>
      )
    }
    case 'call':
      return (
        <>
          {CALLS[of.method.replace(/^(?:anvil|hardhat|evm|miner)_/, '')] ?? 'Setting'}{' '}
          <code>
            {of.method}({of.params.join(', ')})
          </code>
        </>
      )
  }
}

const targetOf = ({ to }: Extract<TimelineEntry, { kind: 'revert' }>): string => {
  if (to === 'beginning') return 'the beginning'
  return 'snapshot' in to ? `snapshot ${Number(to.snapshot)}` : `block ${withCommas(to.block)}`
}

/** What methods do that leave no trace in the state. */
const CALLS: Readonly<Record<string, string>> = {
  increaseTime: 'Clock set forward',
  setTime: 'Clock set',
  setNextBlockTimestamp: 'Time of the next block',
  setBlockTimestampInterval: 'Time between blocks',
  removeBlockTimestampInterval: 'Time between blocks',
  setAutomine: 'Automatic mining',
  setIntervalMining: 'Interval mining',
  impersonateAccount: 'Impersonation',
  stopImpersonatingAccount: 'End of an impersonation',
  autoImpersonateAccount: 'Impersonation of all',
  addAccount: 'Impersonation',
  removeAccount: 'End of an impersonation',
  dropTransaction: 'Dropped transaction',
  dropAllTransactions: 'Emptied pool',
  removePoolTransactions: 'Dropped transactions',
}

// --- changes

const Folded = ({ of }: { of: Changes }) =>
  of.accounts.length === 0 ? null : (
    <details class="more">
      <summary>
        {of.isCut && 'more than '}
        {counted(of.accounts.length, 'account').join()} changed
      </summary>
      <ChangeList of={of} />
    </details>
  )

const ChangeList = ({ of: { accounts, isCut } }: { of: Changes }) => (
  <ul class="changes">
    {accounts.map((account) => (
      <li key={account.address}>
        <span class="address">
          <AddressLink hash={account.address} />
        </span>
        <AccountChanges of={account} />
      </li>
    ))}
    {accounts.length === 0 && <li class="faint">Nothing is different.</li>}
    {isCut && <li class="faint">and more</li>}
  </ul>
)

function AccountChanges({ of: { balance, nonce, code, slots = [] } }: { of: AccountChange }) {
  const coins = (value: string) => units(BigInt(value).toString(), 18, 18)
  return (
    <>
      {balance && (
        <span>
          {coins(balance[0])} → {coins(balance[1])} {COIN}
        </span>
      )}
      {nonce && (
        <span>
          nonce {Number(nonce[0])} → {Number(nonce[1])}
        </span>
      )}
      {code && <span>code {code}</span>}
      {slots.map(({ slot, before, after }) => (
        <code key={slot} title={slot}>
          slot {wordInShort(slot)}: {wordInShort(before)} → {wordInShort(after)}
        </code>
      ))}
    </>
  )
}

/** A number where it is a small one, else its first and last digits. */
function wordInShort(word: string): string {
  const number = BigInt(word)
  return number < 2n ** 64n ? number.toString() : abbreviated(word, 4)
}
