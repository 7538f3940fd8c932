// What happened on each day of the chain (UTC), of the index's day records and of lists whose entries name their block.
import { RECORD } from '../../indexer/records.ts'
import { LIST } from '../../indexer/tables.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import { SECONDS_A_DAY } from '../../lib/unix-time.ts'
import { ListReader } from '../../tables/list.ts'
import type { ExplorerContext } from '../context.ts'
import { verifiedByName } from '../contracts/abi.ts'

export type Totals = {
  readonly blocks: number
  readonly transactions: number
  readonly failed: number
  readonly transfers: number
  readonly gasUsed: number
  /** In wei, like the next. */
  readonly fees: bigint
  /** Sum of the prices per gas that the transactions paid. */
  readonly gasPrices: bigint
  /** Addresses that appeared, and contracts that were created. */
  readonly accounts: number
  readonly contracts: number
  readonly verified: number
}

export const NOTHING: Totals = {
  ...{ blocks: 0, transactions: 0, failed: 0, transfers: 0, gasUsed: 0, accounts: 0, contracts: 0, verified: 0 },
  ...{ fees: 0n, gasPrices: 0n },
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

/** What happened before the first of the days, and on each: days since 1970, without gaps, up to the head's. */
export type DailyTotals = {
  readonly before: Totals
  readonly days: readonly { readonly day: number; readonly totals: Totals }[]
}

/** Days that are told apart: 54 years. A clock that was set far ahead would make any number of them. */
const MOST_DAYS = 20_000

/** The totals of every day from block 1, or the chain's first one, on. The timestamp of block 0 was chosen, and is not the time at which it was made. */
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

/** The days that have blocks, that of block 0 first. */
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

/** Contracts by the day of their verification, which the machine's clock tells; the chain's days may end before. */
function verifiedPerDay(context: ExplorerContext, first: number, last: number): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const { verifiedAt } of verifiedByName(context, [])) {
    const day = Math.min(last, Math.max(first, Math.floor(verifiedAt / Number(SECONDS_A_DAY))))
    counts.set(day, (counts.get(day) ?? 0) + 1)
  }
  return counts
}
