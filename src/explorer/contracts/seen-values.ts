// Collects the senders, calldata and events of a contract's newest transactions. Keys of its mappings are among them.
import { type SeenValues, valuesIn } from '../../contracts/mapping-keys.ts'
import { callEntry, LIST, positionEntry, transactionEntry } from '../../indexer/tables.ts'
import { type Address, fromHex, padLeft, toLatin1 } from '../../lib/hex.ts'
import type { Pause } from '../../lib/scheduler.ts'
import { entryAt, newestPage, sequenceOf } from '../../tables/list.ts'
import type { ExplorerContext } from '../context.ts'
import { callsOf, transactionsOf } from '../pagination/address-lists.ts'
import { transactionSequence } from '../shapes/indexed-transaction.ts'

/** Newest transactions, messages and logs of a contract that are looked at. */
const NEWEST = { page: 1, size: 400 }
/** Transactions of these. */
const MOST_TRANSACTIONS = 400
/** Words of a transaction: of its calldata, and of each log. */
const MOST_WORDS = 64

/** Of the newest transaction first. */
export async function seenValues(context: ExplorerContext, of: Address, pause: Pause): Promise<readonly SeenValues[]> {
  const { rows, chain } = context
  const calls = newestPage(rows, callsOf(of), NEWEST).entries.flatMap(
    (sequence) => entryAt(rows, LIST.calls, sequenceOf(sequence)) ?? [],
  )
  const logs = newestPage(rows, [LIST.logsOf(of)], NEWEST).entries.map((entry) => positionEntry.decode(entry))
  const ofLogs = new Set<number>()
  for (const { number, index } of logs) {
    await pause()
    const log = chain.logAt(BigInt(number), index)
    if (log !== undefined) ofLogs.add(transactionSequence(context, number, log.transactionIndex))
  }
  const senders = new Map<number, Address[]>()
  for (const { transaction, from } of calls.map((entry) => callEntry.decode(entry)))
    senders.set(transaction, [...(senders.get(transaction) ?? []), from])
  const sequences = new Set([
    ...newestPage(rows, transactionsOf(of), NEWEST).entries.map(sequenceOf),
    ...senders.keys(),
    ...ofLogs,
  ])
  const newest = [...sequences].sort((a, b) => b - a).slice(0, MOST_TRANSACTIONS)
  const seen: SeenValues[] = []
  for (const sequence of newest) {
    await pause()
    seen.push(...seenIn(context, of, sequence, senders.get(sequence)))
  }
  return seen
}

function seenIn(
  { rows, chain }: ExplorerContext,
  of: Address,
  sequence: number,
  senders: readonly Address[] = [],
): readonly SeenValues[] {
  const entry = entryAt(rows, LIST.transactions, sequence)
  const { number, index } = entry === undefined ? { number: 0, index: 0 } : transactionEntry.decode(entry)
  const mined = entry && chain.receiptAt(BigInt(number), index)
  if (mined === undefined) return []
  const { from, to, data } = mined.transaction
  const logs = mined.receipt.logs.filter(({ address }) => address === of)
  // Arguments of a creation are the last words of its input.
  const start = to === null ? Math.max(0, data.length - 32 * MOST_CREATION) : SELECTOR
  const parts = [valuesIn(data, start, MOST_WORDS), ...logs.map((log) => valuesIn(log.data, 0, MOST_WORDS))]
  const words = [
    ...logs.flatMap(({ topics }) => topics.slice(1).map(fromHex)),
    ...[from, ...senders, ...(to === null ? [] : [to])].map((address) => padLeft(fromHex(address), 32)),
    ...parts.flatMap((part) => part.words),
  ]
  const unique = new Map(words.map((word) => [toLatin1(word), word]))
  return [{ words: [...unique.values()], texts: parts.flatMap((part) => part.texts) }]
}

const SELECTOR = 4
/** Words of a creation's arguments. */
const MOST_CREATION = 16
