// Totals of each day of the chain (UTC), from the index's day records and lists whose entries have their block.

import { verifiedByName } from '../../contracts/abi.ts'
import { RECORD } from '../../indexer/records.ts'
import { LIST } from '../../indexer/tables.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import { SECONDS_A_DAY } from '../../lib/unix-time.ts'
import { ListReader } from '../../tables/list.ts'
import type { ExplorerContext } from '../context.ts'

export type Totals = {
  readonly blocks: number
  readonly transactions: number
  readonly failed: number
  readonly transfers: number
  readonly gasUsed: number
  /** In wei, like the next. */
  readonly fees: bigint
  /** Sum of the gas prices paid by the transactions. */
  readonly gasPrices: bigint
  /** New addresses and created contracts. */
  readonly accounts: number
  readonly contracts: number
  readonly verified: number
}

export const NOTHING: Totals = {
  blocks: 0,
  transactions: 0,
  failed: 0,
  transfers: 0,
  gasUsed: 0,
  accounts: 0,
  contracts: 0,
  verified: 0,
  fees: 0n,
  gasPrices: 0n,
}

export const plus = (a: Totals, b: Totals): Totals => ({
  blocks: a.blocks + b.blocks,
  transactions: a.transactions + b.transactions,
  failed: a.failed + b.failed,
  transfers: a.transfers + b.transfers,
  gasUsed: a.gasUsed + b.gasUsed,
  fees: a.fees + b.fees,
  gasPrices: a.gasPrices + b.gasPrices,
  accounts: a.accounts + b.accounts,
  contracts: a.contracts + b.contracts,
  verified: a.verified + b.verified,
})

/** Totals before the first day, and of each day: days since 1970, without gaps, up to the head's. */
export type DailyTotals = {
  readonly before: Totals
  readonly days: readonly { readonly day: number; readonly totals: Totals }[]
}

/** Maximum number of days: 54 years. A clock far in the future would create arbitrarily many. */
export const MOST_DAYS = 20_000

/** The totals of every day since block 1, or the chain's first block. Excludes block 0, whose timestamp was chosen. */
export async function dailyTotals(context: ExplorerContext): Promise<DailyTotals> {
  const { head, chain } = context
  const last = dayOf(head.timestamp)
  const begun = dayOf((await chain.header({ number: chain.base || 1n }))?.timestamp ?? head.timestamp)
  const first = Math.max(begun, last - MOST_DAYS + 1)
  const verified = verifiedPerDay(context, first, last)
  const active = new Map<number, Totals>()
  let before = NOTHING
  for await (const [day, totals] of activeDays(context)) {
    if (day < first) before = plus(before, totals)
    else active.set(day, totals)
  }
  const days = Array.from({ length: last - first + 1 }, (_, i) => {
    const day = first + i
    return { day, totals: { ...(active.get(day) ?? NOTHING), verified: verified.get(day) ?? 0 } }
  })
  return { before, days }
}

const dayOf = (timestamp: bigint): number => Number(timestamp / SECONDS_A_DAY)

/** The days that have blocks, beginning with that of block 0. */
async function* activeDays({ rows, head, chain }: ExplorerContext): AsyncIterable<readonly [day: number, Totals]> {
  const accounts = new ListReader(rows, LIST.addresses)
  const contracts = new ListReader(rows, LIST.contracts)
  const pause = yieldToEventLoop('light')
  let counted = { accounts: 0, contracts: 0 }
  for (let number = Number(chain.base); number <= Number(head.number); ) {
    await pause()
    const header = await chain.header({ number: BigInt(number) })
    const day = header && dayOf(header.timestamp)
    const record = day === undefined ? undefined : RECORD.day.get(rows, day)
    if (day === undefined || record === undefined || record.blocks === 0) return
    const { firstBlock, ...counts } = record
    number = firstBlock + record.blocks
    const until = { accounts: accounts.find(number), contracts: contracts.find(number) }
    const made = { accounts: until.accounts - counted.accounts, contracts: until.contracts - counted.contracts }
    counted = until
    yield [day, { ...counts, ...made, verified: 0 }]
  }
}

/** Number of contracts by day of verification, which is by the machine's clock; the chain's days may end earlier. */
function verifiedPerDay(context: ExplorerContext, first: number, last: number): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const { verifiedAt } of verifiedByName(context, [])) {
    const day = Math.min(last, Math.max(first, Math.floor(verifiedAt / Number(SECONDS_A_DAY))))
    counts.set(day, (counts.get(day) ?? 0) + 1)
  }
  return counts
}
