// The values that a variable of a contract has had, by the former values of its slots. A value is that of a state version: of a block,
// or of a change that a development method has made after one.
import { readStateVersion } from '../../chain/open.ts'
import type { ContractStorage, StoredVariable } from '../../contracts/storage-values.ts'
import { RECORD } from '../../indexer/records.ts'
import { callEntry, LIST } from '../../indexer/tables.ts'
import { firstWhere } from '../../lib/bisect.ts'
import { type Address, bigToWord, type Hash, type Hex } from '../../lib/hex.ts'
import { type RowState, valuesOf } from '../../state/history.ts'
import { KEY } from '../../state/keyspace.ts'
import { entryAt, ListReader, listLength, sequenceOf } from '../../tables/list.ts'
import type { ExplorerContext } from '../context.ts'
import { callsOf, transactionsOf } from '../pagination/address-lists.ts'

/** Former values of a slot that are read. */
const MOST_VALUES = 1_000
/** Of each of the slots of a text. */
const MOST_OF_TEXT = 200

/** A value, since a state version. */
export type FormerValue = { readonly since: number; readonly value: string }
export type VariableHistory = {
  /** Newest first; each differs from the next. */
  readonly values: readonly FormerValue[]
  /** Whether the first value is among them; else there were more, or the state before was pruned. */
  readonly isComplete: boolean
}

/** `show`: the value, from the words of its slots. Reads what is on disk: on a fork, slots must have been fetched. */
export function historyOf(
  { chain, rows }: ExplorerContext,
  of: Address,
  storage: ContractStorage,
  variable: StoredVariable,
  show: (read: (slot: bigint) => Uint8Array) => string,
): VariableHistory {
  // The request's own reader does not see what was fetched since.
  const reader = chain.missing === undefined ? rows : chain.store
  const isText = storage.typeOf(variable).encoding === 'bytes'
  const read = (slot: bigint, most: number) => valuesOf(reader, KEY.slot(of, bigToWord(slot)), most)
  const own = read(variable.slot, isText ? MOST_OF_TEXT : MOST_VALUES)
  const slots = new Set(own.flatMap(({ value = NOTHING }) => storage.slots(variable, () => value)))
  slots.delete(variable.slot)
  const bySlot = new Map([[variable.slot, own], ...[...slots].map((slot) => [slot, read(slot, MOST_OF_TEXT)] as const)])
  const lists = [...bySlot.values()]
  const ends = lists.flatMap((list) => list.at(-1) ?? []).filter(({ ordinal }) => ordinal > 0)
  const oldest = Math.max(0, ...ends.map(({ since }) => since))
  const versions = [...new Set(lists.flat().map(({ since }) => since))].filter((since) => since >= oldest)
  const values = versions
    .sort((a, b) => b - a)
    .map((since) => ({ since, value: show((slot) => asOf(bySlot.get(slot), since)) }))
  return {
    // A neighbour in the slot may have changed, not the variable.
    values: values.filter(({ value }, i) => value !== values[i + 1]?.value),
    isComplete: ends.length === 0,
  }
}

const NOTHING = new Uint8Array(0)

const asOf = (values: readonly RowState[] = [], version: number): Uint8Array =>
  values.find(({ since }) => since <= version)?.value ?? NOTHING

/** The block that made a state version; undefined: its state was pruned. */
export async function blockOfVersion(
  { chain, rows, head }: ExplorerContext,
  version: number,
): Promise<bigint | undefined> {
  const oldest = chain.oldestState
  const first = readStateVersion(rows, oldest) ?? 0
  if (version < first) return undefined
  return firstWhere(oldest, head.number, (number) => (readStateVersion(rows, number) ?? 0) >= version)
}

/**
 * The transaction that made a state version's change to a contract's storage: the only one of the block that has called it. undefined:
 * there are several, or a development method made the change.
 */
export function transactionOfVersion(
  { chain, rows }: ExplorerContext,
  of: Address,
  block: bigint,
  version: number,
): Hash | undefined {
  const record = RECORD.block.get(rows, Number(block))
  if (record === undefined || readStateVersion(rows, block - 1n) !== version - 1) return undefined
  const { firstTransaction: first, firstCall, transactions } = record
  const callsEnd = RECORD.block.get(rows, Number(block) + 1)?.firstCall ?? listLength(rows, LIST.calls)
  const found = new Set([
    ...sequencesWithin(rows, transactionsOf(of), first, first + transactions),
    ...[...sequencesWithin(rows, callsOf(of), firstCall, callsEnd)].flatMap((sequence) => {
      const entry = entryAt(rows, LIST.calls, sequence)
      return entry === undefined ? [] : [callEntry.decode(entry).transaction]
    }),
  ])
  const [only] = found
  return found.size !== 1 || only === undefined ? undefined : chain.transactionAt(block, only - first)?.transaction.hash
}

function sequencesWithin(
  rows: ExplorerContext['rows'],
  lists: readonly Hex[],
  from: number,
  end: number,
): ReadonlySet<number> {
  const found = new Set<number>()
  for (const list of lists) {
    const reader = new ListReader(rows, list)
    for (let at = reader.find(from); at < reader.length; at++) {
      const sequence = sequenceOf(reader.at(at) ?? NOTHING)
      if (sequence >= end) break
      found.add(sequence)
    }
  }
  return found
}
