// What the last 24 hours of the chain came to. The window moves with the head: what has come is added and what has aged is
// taken away, so that a look costs what has happened since the last one.
import type { Chain } from '../chain/types.ts'
import { RECORD } from '../indexer/records.ts'
import { LIST } from '../indexer/tables.ts'
import type { Hash } from '../lib/hex.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import { listLength } from '../tables/list.ts'
import type { ExplorerContext } from './define.ts'

const DAY = 86_400n

type Window = {
  /** First and last block. */
  readonly from: number
  readonly to: number
  /** Of the last block. */
  readonly hash: Hash
  /** What senders paid in them. */
  readonly fees: bigint
}

const windows = new WeakMap<Chain, Window>()

/** Transactions of the 24 hours up to the head's timestamp, and what their senders paid. */
export async function lastDay(context: ExplorerContext): Promise<{ transactions: number; fees: bigint }> {
  const { chain, rows, head } = context
  const known = windows.get(chain)
  const isOurs = known !== undefined && (await headerAt(context, known.to))?.hash === known.hash
  const window = await moved(context, isOurs ? known : { from: await firstOfDay(context), to: -1, fees: 0n })
  windows.set(chain, { ...window, hash: head.hash })
  const before = RECORD.block.get(rows, window.from)?.firstTransaction ?? 0
  return { transactions: listLength(rows, LIST.transactions) - before, fees: window.fees }
}

/** A window whose end is the head; its beginning is as old as it may be. */
async function moved(
  context: ExplorerContext,
  { from, to, fees }: Omit<Window, 'hash'>,
): Promise<Omit<Window, 'hash'>> {
  const { rows, head } = context
  const feesOf = (number: number) => RECORD.block.get(rows, number)?.fees ?? 0n
  const newest = Number(head.number)
  const pause = yieldToEventLoop('light')
  let [first, sum] = [from, fees]
  for (let number = Math.max(from, to + 1); number <= newest; number++) {
    await pause()
    sum += feesOf(number)
  }
  while (first < newest && ((await headerAt(context, first))?.timestamp ?? 0n) <= head.timestamp - DAY) {
    await pause()
    sum -= feesOf(first++)
  }
  return { from: first, to: newest, fees: sum }
}

/** The first block of the day; timestamps never fall. */
async function firstOfDay(context: ExplorerContext): Promise<number> {
  let [low, high] = [0, Number(context.head.number)]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const header = await headerAt(context, middle)
    if (header !== undefined && header.timestamp <= context.head.timestamp - DAY) low = middle + 1
    else high = middle
  }
  return low
}

/** undefined: not (or no longer) below the context's head. */
const headerAt = async ({ chain, head }: ExplorerContext, number: number) =>
  number > Number(head.number) ? undefined : chain.header({ number: BigInt(number) })
