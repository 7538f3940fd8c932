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
/** Words of a transaction's calldata, and of each log. */
const MOST_WORDS = 64
/** Values of a transaction that are tried before those of older ones, and with each other: one may have thousands of events. */
const PART = 96
/** Values of all later parts together. */
const MOST_MORE = 20_000

/** Of the newest transaction first; `more`: what did not fit into a part, with the parties of its transaction. */
export async function seenValues(
  context: ExplorerContext,
  of: Address,
  pause: Pause,
): Promise<{ readonly seen: readonly SeenValues[]; readonly more: readonly SeenValues[] }> {
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
  const more: SeenValues[] = []
  let left = MOST_MORE
  for (const sequence of newest) {
    await pause()
    const { parties, words, texts } = seenIn(context, of, sequence, senders.get(sequence))
    for (let from = 0; from === 0 || from < words.length || from < texts.length; from += PART) {
      const values = { words: [...parties, ...words.slice(from, from + PART)], texts: texts.slice(from, from + PART) }
      if (from === 0) seen.push(values)
      else if (left > 0) {
        left -= PART
        more.push(values)
      }
    }
  }
  return { seen, more }
}

/** Values of a transaction, each once: its parties' addresses; words of its arguments, then of its logs; texts. */
type Seen = SeenValues & { readonly parties: readonly Uint8Array[] }
const NOTHING: Seen = { parties: [], words: [], texts: [] }

function seenIn(
  { rows, chain }: ExplorerContext,
  of: Address,
  sequence: number,
  senders: readonly Address[] = [],
): Seen {
  const entry = entryAt(rows, LIST.transactions, sequence)
  const { number, index } = entry === undefined ? { number: 0, index: 0 } : transactionEntry.decode(entry)
  const mined = entry && chain.receiptAt(BigInt(number), index)
  if (mined === undefined) return NOTHING
  const { from, to, data } = mined.transaction
  const logs = mined.receipt.logs.filter(({ address }) => address === of)
  // Arguments of a creation are the last words of its input.
  const start = to === null ? Math.max(0, data.length - 32 * MOST_CREATION) : SELECTOR
  const parts = [valuesIn(data, start, MOST_WORDS), ...logs.map((log) => valuesIn(log.data, 0, MOST_WORDS))]
  const [argumentWords = [], ...logWords] = parts.map(({ words }) => words)
  const topics = logs.flatMap((log) => log.topics.slice(1).map(fromHex))
  const parties = once([from, ...senders, ...(to === null ? [] : [to])].map((address) => padLeft(fromHex(address), 32)))
  return {
    parties: parties.slice(0, MOST_PARTIES),
    words: once([...argumentWords, ...topics, ...logWords.flat()]),
    texts: once(parts.flatMap((part) => part.texts)),
  }
}

const once = (words: readonly Uint8Array[]): readonly Uint8Array[] => [
  ...new Map(words.map((word) => [toLatin1(word), word])).values(),
]

/** Accounts of a transaction that have called the contract. */
const MOST_PARTIES = 6

const SELECTOR = 4
/** Words of a creation's arguments. */
const MOST_CREATION = 16
