// Transactions, token transfers and messages in one order, newest first: a transaction, then its transfers, then its messages, the
// last ones first. A search looks at a limited number of entries, and says where the next one goes on.
import { isCreation } from '../../indexer/indexing-context.ts'
import { RECORD } from '../../indexer/records.ts'
import {
  type CallEntry,
  callEntry,
  LIST,
  type TransactionEntry,
  type TransferEntry,
  transactionEntry,
  transferEntry,
} from '../../indexer/tables.ts'
import { type Hex, toHex } from '../../lib/hex.ts'
import type { Pause } from '../../lib/scheduler.ts'
import { countBetween, sequencesDown } from '../../tables/descent.ts'
import { ListReader } from '../../tables/list.ts'
import type { ExplorerContext } from '../context.ts'
import { callAtIndex, type Positions, startOfBlock, startOfTransaction, transferAtLog } from '../pagination/places.ts'
import { isContractAt } from '../shapes/address.ts'
import { firstBlockFrom } from '../statistics/block-times.ts'
import { type ActivityKind, type Filter, hasAmount, hasParties, hasToken, offersOf } from './filter.ts'

const KINDS = ['transaction', 'transfer', 'call'] as const satisfies readonly ActivityKind[]
const COIN_DECIMALS = 18

/** An entry of one of the lists; `transaction`: the sequence of its transaction. */
export type Activity = { readonly sequence: number; readonly transaction: number } & (
  | { readonly kind: 'transaction' }
  | { readonly kind: 'transfer'; readonly entry: TransferEntry }
  | { readonly kind: 'call'; readonly entry: CallEntry }
)

/** A place in the order. Without a transfer and a message: that of the transaction itself. */
export type ActivityPlace = {
  readonly number: number
  readonly index: number
  /** A log of the block, and the place within a batch of transfers, which all come with it when it is left out. */
  readonly log?: number | undefined
  readonly batch?: number | undefined
  /** Index of a message. */
  readonly call?: number | undefined
}

export type Search = {
  /** Where the former search ended; undefined: begin with the newest entry. */
  readonly after: ActivityPlace | undefined
  /** Maximum items found, and maximum entries looked at. */
  readonly most: number
  readonly looks: number
}

/** `after`: where the next search begins; undefined: there is no older entry. */
export type Searched = {
  readonly found: readonly Activity[]
  readonly after: ActivityPlace | undefined
  readonly looked: number
}

export async function search(
  context: ExplorerContext,
  filter: Filter,
  { after, most, looks }: Search,
  pause: Pause,
): Promise<Searched> {
  const lists = new ActivityLists(context)
  const [from, to] = await boundsOf(context, filter, after)
  const wanted = KINDS.filter((kind) => (kind === 'transfer' ? filter.tokenTypes : filter.kinds).length > 0)
  const streams = wanted.map((kind) => lists.newestFirst(filter, kind, from[kind], to[kind]))
  const found: Activity[] = []
  let last: Activity | undefined
  for (let looked = 0; ; looked++) {
    const next = newestOf(streams)
    const item = next?.head
    if (next === undefined || item === undefined) return { found, after: undefined, looked }
    if (looked === looks) return { found, after: last && lists.placeOf(last), looked }
    await pause()
    if (lists.matches(filter, item)) {
      const newest = found.at(-1)
      // One more than asked for: there is a next page.
      if (found.length === most && newest !== undefined) return { found, after: lists.placeOf(newest), looked }
      found.push(item)
    }
    next.take()
    last = item
  }
}

function* countDown(from: number, to: number): Generator<number, void> {
  for (let sequence = to - 1; sequence >= from; sequence--) yield sequence
}

/** Entries of one kind, newest first. */
class Stream {
  head: Activity | undefined
  readonly #sequences: Iterator<number, void>
  readonly #read: (sequence: number) => Activity | undefined

  constructor(sequences: Iterator<number, void>, read: (sequence: number) => Activity | undefined) {
    this.#sequences = sequences
    this.#read = read
    this.take()
  }

  /** Moves to the next entry. */
  take(): void {
    const { value } = this.#sequences.next()
    this.head = value === undefined ? undefined : this.#read(value)
  }
}

/** The stream whose head comes first; of one transaction's the first of the streams. */
function newestOf(streams: readonly Stream[]): Stream | undefined {
  let newest: Stream | undefined
  for (const stream of streams) {
    if (stream.head !== undefined && stream.head.transaction > (newest?.head?.transaction ?? -1)) newest = stream
  }
  return newest
}

/** The first position in each list, and that behind the last one. */
async function boundsOf(
  context: ExplorerContext,
  { since, until }: Filter,
  after: ActivityPlace | undefined,
): Promise<readonly [from: Positions, to: Positions]> {
  const block = (time: number) => firstBlockFrom(context, BigInt(time))
  const from = startOfBlock(context, since === undefined ? 0 : await block(Math.ceil(since / 1000)))
  const end = until === undefined ? Number(context.head.number) + 1 : await block(Math.floor(until / 1000) + 1)
  const to = startOfBlock(context, end)
  const rest = after === undefined ? to : before(context, after)
  return [
    from,
    {
      transaction: Math.min(to.transaction, rest.transaction),
      transfer: Math.min(to.transfer, rest.transfer),
      call: Math.min(to.call, rest.call),
    },
  ]
}

/** The positions behind all entries that come after a place. */
function before(context: ExplorerContext, { number, index, log, batch = 0, call }: ActivityPlace): Positions {
  const start = startOfTransaction(context, { number, index })
  const end = startOfTransaction(context, { number, index: index + 1 })
  if (call !== undefined) return { ...start, call: callAtIndex(context, { number, index }, call) }
  if (log === undefined) return { ...end, transaction: start.transaction }
  return { ...end, transaction: start.transaction, transfer: transferAtLog(context, number, log) + batch }
}

/** The place of a transfer among those of its log, from 0; undefined if it is the only one. */
export function placeInBatch(
  context: ExplorerContext,
  number: number,
  { sequence, entry: { log } }: Extract<Activity, { kind: 'transfer' }>,
): number | undefined {
  const first = transferAtLog(context, number, log)
  return transferAtLog(context, number, log + 1) - first > 1 ? sequence - first : undefined
}

class ActivityLists {
  readonly #context: ExplorerContext
  readonly #lists: Readonly<Record<ActivityKind, ListReader>>
  #row: { readonly sequence: number; readonly row: TransactionEntry } | undefined

  constructor(context: ExplorerContext) {
    const { rows } = context
    this.#context = context
    this.#lists = {
      transaction: new ListReader(rows, LIST.transactions),
      transfer: new ListReader(rows, LIST.transfers),
      call: new ListReader(rows, LIST.calls),
    }
  }

  /** The entries of a kind between two positions that may match, from the shortest of the lists that have all of them. */
  newestFirst(filter: Filter, kind: ActivityKind, from: number, to: number): Stream {
    const { rows } = this.#context
    let best: { readonly lists: readonly Hex[] | undefined; readonly count: number } = {
      lists: undefined,
      count: to - from,
    }
    for (const lists of offersOf(filter, kind)) {
      const count = countBetween(rows, lists, from, to)
      if (count < best.count) best = { lists, count }
    }
    const sequences = best.lists === undefined ? countDown(from, to) : sequencesDown(rows, best.lists, from, to)
    return new Stream(sequences, (sequence) => this.#read(kind, sequence))
  }

  #read(kind: ActivityKind, sequence: number): Activity | undefined {
    if (kind === 'transaction') return { kind, sequence, transaction: sequence }
    const row = this.#lists[kind].at(sequence)
    if (row === undefined) return undefined
    if (kind === 'call') {
      const entry = callEntry.decode(row)
      return { kind, sequence, transaction: entry.transaction, entry }
    }
    const entry = transferEntry.decode(row)
    return { kind, sequence, transaction: entry.transaction, entry }
  }

  /** The row of a transaction; undefined if it was removed in the meantime. */
  #transaction(sequence: number): TransactionEntry | undefined {
    if (this.#row?.sequence === sequence) return this.#row.row
    const entry = this.#lists.transaction.at(sequence)
    if (entry === undefined) return undefined
    const row = transactionEntry.decode(entry)
    this.#row = { sequence, row }
    return row
  }

  matches(filter: Filter, item: Activity): boolean {
    if (item.kind === 'call') return this.#matchesCall(filter, item.entry)
    const row = this.#transaction(item.transaction)
    if (row === undefined) return false
    if (filter.selectors !== undefined && !filter.selectors.has(toHex(row.selector))) return false
    return item.kind === 'transaction'
      ? this.#matchesTransaction(filter, row)
      : this.#matchesTransfer(filter, item.entry)
  }

  #matchesTransaction(filter: Filter, { kinds, number, index }: TransactionEntry): boolean {
    if (!filter.hasAllKinds && (kinds & filter.mask) === 0) return false
    const { sender, recipient, least, most } = filter
    // A transaction is read only if something of it is asked for that its row does not have.
    if ([sender, recipient, least, most].every((condition) => condition === undefined)) return true
    const mined = this.#context.chain.transactionAt(BigInt(number), index)
    if (mined === undefined) return false
    const { from, to, value } = mined.transaction
    return hasParties(filter, from, to ?? undefined) && hasAmount(filter, value, COIN_DECIMALS)
  }

  #matchesTransfer(filter: Filter, { type, token, from, to, amount }: TransferEntry): boolean {
    if (!filter.tokenTypes.includes(type) || !hasToken(filter, token) || !hasParties(filter, from, to)) return false
    return hasAmount(filter, amount, RECORD.token.get(this.#context.rows, token)?.decimals ?? 0)
  }

  #matchesCall(filter: Filter, call: CallEntry): boolean {
    const { from, to, value, selector } = call
    const creates = isCreation(call)
    const { selectors, kinds, hasAllKinds } = filter
    if (selectors !== undefined && !selectors.has(toHex(selector))) return false
    if (!hasParties(filter, from, creates ? undefined : to) || !hasAmount(filter, value, COIN_DECIMALS)) return false
    const isOfContract = () => !creates && to !== undefined && isContractAt(this.#context, to)
    if (selectors !== undefined && !isOfContract()) return false
    return (
      hasAllKinds ||
      (kinds.includes('coin_transfer') && value > 0n) ||
      (kinds.includes('contract_creation') && creates) ||
      (kinds.includes('contract_call') && isOfContract())
    )
  }

  placeOf(item: Activity): ActivityPlace | undefined {
    const row = this.#transaction(item.transaction)
    if (row === undefined) return undefined
    const { number, index } = row
    if (item.kind === 'transaction') return { number, index }
    if (item.kind === 'call') return { number, index, call: item.entry.index }
    return { number, index, log: item.entry.log, batch: placeInBatch(this.#context, number, item) }
  }
}
