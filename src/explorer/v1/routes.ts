// Blockscout's statistics service for its frontend: counters, charts over time, and statistics of three pages. Shapes:
// `blockscout.stats.v1` of @blockscout/stats-types.
import { z } from 'zod'
import { verifiedByName } from '../../contracts/abi.ts'
import { LIST, RANKING } from '../../indexer/tables.ts'
import { SECONDS_A_DAY } from '../../lib/unix-time.ts'
import { ListReader, listLength } from '../../tables/list.ts'
import { memberCount } from '../../tables/ranking-tree.ts'
import { wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { coinSymbol, toCoins } from '../contract-reads.ts'
import { explorerRoute } from '../define.ts'
import { notFound } from '../errors.ts'
import { blockCount } from '../shapes/block.ts'
import { averageBlockTime, firstBlockFrom } from '../statistics/block-times.ts'
import { type DailyTotals, dailyTotals, plus } from '../statistics/daily-totals.ts'
import { lineInfo, lineOf, pointsOf, RESOLUTIONS, SECTIONS } from '../statistics/lines.ts'

const counterSchema = z.strictObject({
  id: z.string(),
  value: wire.number,
  title: z.string(),
  units: z.string().optional(),
  description: z.string(),
})
type Counter = z.infer<typeof counterSchema>

const infoSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  units: z.string().optional(),
  resolutions: z.array(z.enum(RESOLUTIONS)),
})
const lineSchema = z.strictObject({
  chart: z.array(
    z.strictObject({ date: wire.day, date_to: wire.day, value: wire.number, is_approximate: z.boolean() }),
  ),
  info: infoSchema,
})

const counter = (id: string, title: string, description: string, value: number | string, units?: string): Counter => ({
  id,
  value: String(value),
  title,
  ...(units !== undefined && { units }),
  description,
})

const blockTime = async (context: ExplorerContext): Promise<Counter> => {
  const seconds = (await averageBlockTime(context)) / 1000
  return counter('averageBlockTime', 'Average block time', 'Of the last 100 blocks', seconds, 's')
}

const chainCounters = ({ rows, head, chain }: ExplorerContext) => ({
  addresses: counter(
    'totalAddresses',
    'Total addresses',
    'Addresses that have taken part in anything',
    listLength(rows, LIST.addresses),
  ),
  blocks: counter('totalBlocks', 'Total blocks', 'Blocks of the chain', blockCount({ head, chain })),
  transactions: counter('totalTxns', 'Total txns', 'Mined transactions', listLength(rows, LIST.transactions)),
})

async function lastDayCounters(context: ExplorerContext) {
  const { transactions, fees } = await context.lastDay.figures(context)
  const coin = coinSymbol(context)
  const average = transactions === 0 ? 0n : fees / BigInt(transactions)
  return {
    transactions: counter('newTxns24h', 'Transactions (24h)', 'Mined in the last 24 hours', transactions),
    fees: counter('txnsFee24h', 'Transactions fees (24h)', 'Paid in the last 24 hours', toCoins(fees), coin),
    averageFee: counter('averageTxnFee24h', 'Avg. transaction fee (24h)', 'In 24 hours', toCoins(average), coin),
    // The pool does not record the time of arrival; transactions wait for seconds.
    pending: counter(
      'pendingTxns30m',
      'Pending transactions (30m)',
      'Transactions that wait now',
      context.pendingTransactions.newest().length,
    ),
  }
}

async function contractCounters(context: ExplorerContext) {
  const contracts = new ListReader(context.rows, LIST.contracts)
  const since = await firstBlockFrom(context, context.head.timestamp - SECONDS_A_DAY + 1n)
  const verified = verifiedByName(context, [])
  const yesterday = Date.now() / 1000 - Number(SECONDS_A_DAY)
  const recent = verified.filter(({ verifiedAt }) => verifiedAt >= yesterday).length
  const created = contracts.length - contracts.find(since)
  return {
    total: counter('totalContracts', 'Total contracts', 'Contracts that were ever created', contracts.length),
    recent: counter('lastNewContracts', 'New contracts (24h)', 'Created in the last 24 hours', created),
    verified: counter('totalVerifiedContracts', 'Total verified contracts', 'Verified contracts', verified.length),
    recentlyVerified: counter(
      'lastNewVerifiedContracts',
      'New verified contracts (24h)',
      'Verified in the last 24 hours',
      recent,
    ),
  }
}

export const counters = explorerRoute({
  path: '/counters',
  summary: 'Figures of the chain',
  response: z.strictObject({ counters: z.array(counterSchema) }),
  async handler(_, context) {
    const { rows } = context
    const all = chainCounters(context)
    const day = await lastDayCounters(context)
    const contracts = await contractCounters(context)
    const { before, days } = await dailyTotals(context)
    const { failed, transactions } = days.reduce((sum, { totals }) => plus(sum, totals), before)
    return {
      counters: [
        await blockTime(context),
        counter('completedTxns', 'Completed txns', 'Transactions that did not fail', transactions - failed),
        ...[contracts.recent, contracts.recentlyVerified, all.addresses, all.blocks, contracts.total],
        counter(
          'totalNativeCoinHolders',
          `Total ${coinSymbol(context)} holders`,
          'Accounts that hold coins',
          memberCount(rows, RANKING.accounts),
        ),
        counter(
          'totalTokens',
          'Total tokens',
          'ERC-20, ERC-721 and ERC-1155',
          memberCount(rows, RANKING.tokens('all')),
        ),
        ...[all.transactions, contracts.verified, day.transactions, day.fees, day.averageFee, day.pending],
      ],
    }
  },
})

export const lines = explorerRoute({
  path: '/lines',
  summary: 'Charts over time, by section',
  response: z.strictObject({
    sections: z.array(z.strictObject({ id: z.string(), title: z.string(), charts: z.array(infoSchema) })),
  }),
  handler: (_, context) => ({
    sections: Object.entries(SECTIONS).map(([id, { title, lines: of }]) => ({
      id,
      title,
      charts: Object.entries(of).map(([line, definition]) => lineInfo(line, definition, coinSymbol(context))),
    })),
  }),
})

const day = z.iso
  .date()
  .transform((text) => Math.floor(Date.parse(text) / 86_400_000))
  .optional()

/** A line with its points; throws 404 for an unknown id. */
function lineWith(
  context: ExplorerContext,
  totals: DailyTotals,
  id: string,
  {
    resolution = 'DAY',
    ...period
  }: { resolution?: (typeof RESOLUTIONS)[number] | undefined; from?: number | undefined; to?: number | undefined },
): z.infer<typeof lineSchema> {
  const line = lineOf(id)
  if (line === undefined) throw notFound()
  return { chart: pointsOf(line, totals, resolution, period), info: lineInfo(id, line, coinSymbol(context)) }
}

export const line = explorerRoute({
  path: '/lines/{name}',
  summary: 'A chart over time. The last point is that of a period that has not ended',
  params: z.object({ name: z.string() }),
  query: z.object({ from: day, to: day, resolution: z.enum(RESOLUTIONS).optional() }),
  response: lineSchema,
  async handler({ params: { name }, query }, context) {
    if (lineOf(name) === undefined) throw notFound()
    return lineWith(context, await dailyTotals(context), name, query)
  },
})

/** Days of the chart on the first page. */
const SHOWN_DAYS = 30
/** The frontend writes the chart's title and description beside the number of yesterday. */
const DAILY = `Number of the day before the newest block's (UTC). The chart has each of the last ${SHOWN_DAYS} days, and today`

export const mainPage = explorerRoute({
  path: '/pages/main',
  summary: 'Figures of the first page',
  response: z.strictObject({
    average_block_time: counterSchema,
    total_addresses: counterSchema,
    total_blocks: counterSchema,
    total_transactions: counterSchema,
    yesterday_transactions: counterSchema,
    daily_new_transactions: lineSchema,
  }),
  async handler(_, context) {
    const { addresses, blocks, transactions } = chainCounters(context)
    const totals = await dailyTotals(context)
    const today = Number(context.head.timestamp / SECONDS_A_DAY)
    const yesterday = totals.days.find((of) => of.day === today - 1)?.totals.transactions ?? 0
    const { chart, info } = lineWith(context, totals, 'newTxns', { from: today - SHOWN_DAYS, to: today })
    return {
      average_block_time: await blockTime(context),
      total_addresses: addresses,
      total_blocks: blocks,
      total_transactions: transactions,
      yesterday_transactions: counter(
        'yesterdayTxns',
        'Yesterday txns',
        'Mined on the day before the newest block’s (UTC)',
        yesterday,
      ),
      daily_new_transactions: { chart, info: { ...info, title: 'Transactions yesterday', description: DAILY } },
    }
  },
})

export const transactionsPage = explorerRoute({
  path: '/pages/transactions',
  summary: 'Figures of the page of transactions',
  response: z.strictObject({
    pending_transactions_30m: counterSchema,
    transactions_fee_24h: counterSchema,
    average_transactions_fee_24h: counterSchema,
    transactions_24h: counterSchema,
  }),
  async handler(_, context) {
    const { pending, fees, averageFee, transactions } = await lastDayCounters(context)
    return {
      pending_transactions_30m: pending,
      transactions_fee_24h: fees,
      average_transactions_fee_24h: averageFee,
      transactions_24h: transactions,
    }
  },
})

export const contractsPage = explorerRoute({
  path: '/pages/contracts',
  summary: 'Figures of the page of verified contracts',
  response: z.strictObject({
    total_contracts: counterSchema,
    new_contracts_24h: counterSchema,
    total_verified_contracts: counterSchema,
    new_verified_contracts_24h: counterSchema,
  }),
  async handler(_, context) {
    const { total, recent, verified, recentlyVerified } = await contractCounters(context)
    return {
      total_contracts: total,
      new_contracts_24h: recent,
      total_verified_contracts: verified,
      new_verified_contracts_24h: recentlyVerified,
    }
  },
})

const DONE = 'COMPLETED_INITIAL_UPDATE'

export const updateStatus = explorerRoute({
  path: '/update-status',
  summary: 'Progress of the charts: always complete, because they are made of the index',
  response: z.record(z.string(), z.string()),
  handler: () => ({
    all_status: DONE,
    independent_status: DONE,
    blocks_dependent_status: DONE,
    internal_transactions_dependent_status: DONE,
    user_ops_dependent_status: DONE,
  }),
})
