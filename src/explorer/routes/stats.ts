// Statistics of the whole chain, and charts. Prices come from the operator's file; without it they are null.

import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { LIST } from '../../indexer/tables.ts'
import { SECONDS_A_DAY } from '../../lib/unix-time.ts'
import { listLength } from '../../tables/list.ts'
import { addressParam, isoDay, isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { coinSupply, toCoins, WEI } from '../contract-reads.ts'
import { explorerRoute } from '../define.ts'
import { passedIn } from '../pagination/cursors.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'
import { blockCount } from '../shapes/block.ts'
import { averageBlockTime, utilization } from '../statistics/block-times.ts'
import type { GasPrice, Speed } from '../statistics/gas-oracle.ts'
import { type HotContract, hotContracts, MOST_CALLS, type Scale } from '../statistics/hot-contracts.ts'

const count = z.number().int()
/** Days of the chart: the head's day and the thirty before it. */
const CHARTED_DAYS = 31
/** Gas of a plain transfer, whose price is given together with the gas price. */
const TRANSFER_GAS = 21_000n

const detailedPrice = z.strictObject({
  price: z.number().describe('gwei'),
  time: z.number().nullable(),
  fiat_price: wire.number.nullable().describe('of a plain transfer'),
  base_fee: z.number().nullable().describe('gwei'),
  priority_fee: z.number().nullable().describe('gwei'),
  wei: wire.decimal,
  priority_fee_wei: wire.decimal,
})
const bySpeed = <T extends z.ZodType>(price: T) => z.strictObject({ slow: price, average: price, fast: price })

export const stats = explorerRoute({
  path: '/stats',
  summary: 'Figures of the chain. Gas prices are wei; with the header `updated-gas-oracle: true` each is an object',
  response: z.strictObject({
    total_blocks: count.describe('from `first_block` on'),
    first_block: count.describe('the first block that the node has: lists, charts and figures begin with it'),
    total_transactions: count,
    total_addresses: count,
    average_block_time: z.number().describe('milliseconds, over the last 100 blocks'),
    gas_prices: z.union([bySpeed(wire.decimal), bySpeed(detailedPrice)]),
    gas_price_updated_at: wire.time,
    gas_prices_update_in: count.describe('milliseconds'),
    static_gas_price: z.null(),
    transactions_today: wire.decimal.describe('of the day (UTC) of the newest block'),
    gas_used_today: wire.decimal,
    total_gas_used: wire.decimal,
    network_utilization_percentage: z.number().describe('of the last 50 blocks'),
    coin_price: wire.number.nullable(),
    coin_price_change_percentage: z.number().nullable(),
    coin_image: z.null(),
    secondary_coin_price: z.null(),
    secondary_coin_image: z.null(),
    market_cap: wire.number,
    tvl: z.null(),
  }),
  async handler(_, context) {
    const { rows, head, headers, options } = context
    const today = RECORD.day.get(rows, dayOf(context))
    const prices = await context.gasOracle.prices(head)
    const average = await averageBlockTime(context)
    const isDetailed = headers['updated-gas-oracle'] === 'true'
    return {
      total_blocks: blockCount(context),
      first_block: Number(context.chain.base),
      total_transactions: listLength(rows, LIST.transactions),
      total_addresses: listLength(rows, LIST.addresses),
      average_block_time: average,
      gas_prices: isDetailed
        ? each(prices, (price) => inDetail(context, price))
        : each(prices, ({ baseFee, tip }) => (baseFee + tip).toString()),
      gas_price_updated_at: isoTime(head.timestamp),
      // At least a second, even if blocks are faster: clients refresh after this time.
      gas_prices_update_in: Math.max(1000, Math.round(average)),
      static_gas_price: null,
      transactions_today: (today?.transactions ?? 0).toString(),
      gas_used_today: (today?.gasUsed ?? 0).toString(),
      total_gas_used: (RECORD.block.get(rows, Number(head.number))?.totalGas ?? 0).toString(),
      network_utilization_percentage: await utilization(context),
      coin_price: options.prices?.coin ?? null,
      coin_price_change_percentage: priceChange(context),
      coin_image: null,
      secondary_coin_price: null,
      secondary_coin_image: null,
      market_cap: await marketCap(context),
      tvl: null,
    }
  },
})

const dayOf = ({ head }: ExplorerContext): number => Number(head.timestamp / SECONDS_A_DAY)

const each = <T>(prices: Readonly<Record<Speed, GasPrice>>, show: (price: GasPrice) => T): Record<Speed, T> => ({
  slow: show(prices.slow),
  average: show(prices.average),
  fast: show(prices.fast),
})

function inDetail({ options }: ExplorerContext, { baseFee, tip }: GasPrice): z.input<typeof detailedPrice> {
  const wei = baseFee + tip
  const coin = options.prices?.coin
  return {
    price: toGwei(wei),
    time: null,
    fiat_price: coin === undefined ? null : worth(wei * TRANSFER_GAS, coin),
    base_fee: toGwei(baseFee),
    priority_fee: toGwei(tip),
    wei: wei.toString(),
    priority_fee_wei: tip.toString(),
  }
}

const toGwei = (wei: bigint): number => Number(wei) / 1e9

/** The value of an amount of base units, to the cent. */
const worth = (amount: bigint, coin: string): string => ((Number(amount) / Number(WEI)) * Number(coin)).toFixed(2)

/** Percentage change of the price since the newest closing price; null if either is missing. */
function priceChange({ options }: ExplorerContext): number | null {
  const now = Number(options.prices?.coin ?? 0)
  const before = Number(options.prices?.history[0]?.closing_price ?? 0)
  return now === 0 || before === 0 ? null : (now / before - 1) * 100
}

async function marketCap(context: ExplorerContext): Promise<string> {
  const coin = context.options.prices?.coin
  const supply = coin === undefined ? undefined : await coinSupply(context)
  return coin === undefined || supply === undefined ? '0' : worth(supply, coin)
}

const SCALE_NAMES = ['5m', '1h', '3h', '1d', '7d', '30d'] as const satisfies readonly Scale[]

export const hotSmartContracts = explorerRoute({
  path: '/stats/hot-smart-contracts',
  summary: `Contracts that were called most in a period before the newest block, of its last ${MOST_CALLS} calls`,
  query: pageQuery.extend({
    scale: z.enum(SCALE_NAMES),
    sort: z.enum(['transactions_count', 'total_gas_used']).optional(),
    order: z.enum(['asc', 'desc']).optional(),
    contract_address_hash: addressParam
      .optional()
      .describe('a cursor of Blockscout: the last contract of the former page'),
  }),
  response: pageSchema(
    z.strictObject({
      contract_address: addressSchema,
      transactions_count: count,
      total_gas_used: count,
      balance: wire.decimal,
    }),
  ).extend({
    first_block: count.describe('the first counted block'),
    is_complete: z.boolean().describe('false: the period has more calls, which were not counted'),
  }),
  async handler({ query: { scale, sort, order = 'desc', contract_address_hash: last, ...query } }, context) {
    const { contracts, since, isComplete } = await hotContracts(context, scale)
    const by = (of: HotContract) => (sort === 'total_gas_used' ? [of.gas, of.transactions] : [of.transactions, of.gas])
    const sorted = contracts.toSorted((a, b) => {
      const at = by(a).findIndex((figure, i) => figure !== by(b)[i])
      const difference = (by(b)[at] ?? 0) - (by(a)[at] ?? 0)
      return (order === 'asc' ? -difference : difference) || (a.address < b.address ? -1 : 1)
    })
    const passed = passedIn(sorted, last, ({ address }, cursor) => address === cursor, 'contract_address_hash')
    const show = ({ address, transactions, gas }: HotContract) => ({
      contract_address: showAddress(context, address),
      transactions_count: transactions,
      total_gas_used: gas,
      balance: context.view.balance(address).toString(),
    })
    return { ...(await arrayPage(sorted, query, show, passed)), first_block: since, is_complete: isComplete }
  },
})

const charted = z.strictObject({ date: wire.day, transactions_count: count, transaction_count: count, tx_count: count })

export const transactionChart = explorerRoute({
  path: '/stats/charts/transactions',
  summary: 'Transactions per day, newest day first, without gaps',
  response: z.strictObject({ chart_data: z.array(charted) }),
  handler(_, context) {
    const today = dayOf(context)
    const days = Array.from({ length: Math.min(CHARTED_DAYS, today + 1) }, (_, back) => today - back)
    const chart_data = days.map((day) => {
      const transactions = RECORD.day.get(context.rows, day)?.transactions ?? 0
      return {
        date: isoDay(day),
        transactions_count: transactions,
        transaction_count: transactions,
        tx_count: transactions,
      }
    })
    return { chart_data }
  },
})

const closing = z.strictObject({
  date: wire.day,
  closing_price: wire.number.nullable(),
  market_cap: wire.number.nullable(),
  tvl: z.null(),
})

export const marketChart = explorerRoute({
  path: '/stats/charts/market',
  summary: 'Prices of the coin per day, newest day first; empty when the operator provides none',
  response: z.strictObject({ available_supply: wire.number, chart_data: z.array(closing) }),
  async handler(_, context) {
    const supply = await coinSupply(context)
    const chart_data = (context.options.prices?.history ?? []).map(({ date, closing_price, market_cap }) => ({
      date,
      closing_price,
      market_cap: market_cap ?? null,
      tvl: null,
    }))
    return { available_supply: supply === undefined ? '0' : toCoins(supply), chart_data }
  },
})

export const secondaryCoinMarketChart = explorerRoute({
  path: '/stats/charts/secondary-coin-market',
  summary: 'Always empty: there is no second coin',
  response: z.strictObject({ chart_data: z.array(z.never()) }),
  handler: () => ({ chart_data: [] }),
})
