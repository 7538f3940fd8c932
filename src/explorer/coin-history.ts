// How an account's coins came and went: one row for each block that changed its balance, and what it had at the end of days.
import { z } from 'zod'
import { balanceEntry, LIST, SECONDS_A_DAY } from '../indexer/tables.ts'
import type { Address } from '../lib/hex.ts'
import { ListReader } from '../tables/list.ts'
import { isoDay, isoTime, wire } from './codec.ts'
import type { ExplorerContext } from './define.ts'
import { notFound } from './errors.ts'
import { placeOf } from './shapes/place.ts'

/** So many days have a balance, the head's day included. */
export const DAYS = 10

export const coinRowSchema = z.strictObject({
  block_number: z.number().int(),
  block_timestamp: wire.time,
  transaction_hash: wire.hash.nullable().describe('the last one that changed it; null when the block itself did'),
  delta: wire.delta,
  value: wire.decimal,
})
export type CoinHistoryRow = z.infer<typeof coinRowSchema>

/** An entry of LIST.coins; throws 404 when its block is gone. */
export async function showCoinRow(context: ExplorerContext, entry: Uint8Array): Promise<CoinHistoryRow> {
  const { number, transaction, before, after } = balanceEntry.decode(entry)
  return {
    block_number: number,
    block_timestamp: isoTime(await timeOf(context, number)),
    transaction_hash: transaction === undefined ? null : (await placeOf(context, transaction)).transaction.hash,
    delta: (after - before).toString(),
    value: after.toString(),
  }
}

export const dayBalanceSchema = z.strictObject({ date: wire.day, value: wire.decimal })

/** What an account had at the end of each of the last days, oldest first; from the day on that it first had coins. */
export async function balancesByDay(context: ExplorerContext, of: Address) {
  const { rows, head } = context
  const changes = new ListReader(rows, LIST.balances(of))
  const today = Math.floor(Number(head.timestamp) / SECONDS_A_DAY)
  const balances: z.infer<typeof dayBalanceSchema>[] = []
  for (let day = today - DAYS + 1; changes.length > 0 && day <= today; day++) {
    const nextDay = await firstBlockFrom(context, (day + 1) * SECONDS_A_DAY)
    const count = changes.find(nextDay)
    const last = count === 0 ? undefined : changes.at(count - 1)
    if (last !== undefined) balances.push({ date: isoDay(day), value: balanceEntry.decode(last).after.toString() })
  }
  return balances
}

/** Number of the first block that is not older than a time (unix seconds); one more than the head when all are. */
async function firstBlockFrom(context: ExplorerContext, time: number): Promise<number> {
  let [low, high] = [0, Number(context.head.number) + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((await timeOf(context, middle)) < time) low = middle + 1
    else high = middle
  }
  return low
}

/** Unix seconds. */
async function timeOf({ chain }: ExplorerContext, number: number): Promise<number> {
  const header = await chain.header({ number: BigInt(number) })
  if (header === undefined) throw notFound()
  return Number(header.timestamp)
}
