// The history of an account's coin balance: one row for each block that changed it, and the balance at the end of each of the
// last days.
import { z } from 'zod'
import { balanceEntry, LIST } from '../../indexer/tables.ts'
import type { Address } from '../../lib/hex.ts'
import { SECONDS_A_DAY } from '../../lib/unix-time.ts'
import { ListReader } from '../../tables/list.ts'
import { isoDay, isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { notFound } from '../errors.ts'
import { firstBlockFrom } from '../statistics/block-times.ts'
import { indexedTransaction } from './indexed-transaction.ts'

/** Number of days with a balance, the head's day included. */
export const DAYS = 10

export const coinRowSchema = z.strictObject({
  block_number: z.number().int(),
  block_timestamp: wire.time,
  transaction_hash: wire.hash.nullable().describe('the last one that changed it; null when the block itself did'),
  delta: wire.delta,
  value: wire.decimal,
})
z.globalRegistry.add(coinRowSchema, { id: 'CoinBalanceChange' })
export type CoinHistoryRow = z.infer<typeof coinRowSchema>

/** An entry of LIST.balances; throws 404 when its block was removed in the meantime. */
export async function showCoinRow(context: ExplorerContext, entry: Uint8Array): Promise<CoinHistoryRow> {
  const { number, transaction, before, after } = balanceEntry.decode(entry)
  return {
    block_number: number,
    block_timestamp: isoTime(await timeOf(context, number)),
    transaction_hash:
      transaction === undefined ? null : (await indexedTransaction(context, transaction)).transaction.hash,
    delta: (after - before).toString(),
    value: after.toString(),
  }
}

export const dayBalanceSchema = z.strictObject({ date: wire.day, value: wire.decimal })

/** An account's balance at the end of each of the last days, oldest first; days before its first coins are left out. */
export async function balancesByDay(context: ExplorerContext, of: Address) {
  const { rows, head } = context
  const changes = new ListReader(rows, LIST.balances(of))
  const today = Number(head.timestamp / SECONDS_A_DAY)
  const balances: z.infer<typeof dayBalanceSchema>[] = []
  for (let day = today - DAYS + 1; changes.length > 0 && day <= today; day++) {
    const nextDay = await firstBlockFrom(context, BigInt(day + 1) * SECONDS_A_DAY)
    const count = changes.find(nextDay)
    const last = count === 0 ? undefined : changes.at(count - 1)
    if (last !== undefined) balances.push({ date: isoDay(day), value: balanceEntry.decode(last).after.toString() })
  }
  return balances
}

/** Timestamp of a block, in Unix seconds. */
async function timeOf({ chain }: ExplorerContext, number: number): Promise<number> {
  const header = await chain.header({ number: BigInt(number) })
  if (header === undefined) throw notFound()
  return Number(header.timestamp)
}
