// Addresses: the richest ones, the record of one, its counters and the history of its coin balance. Any address has a record;
// that of an unknown one is all zeros.

import { z } from 'zod'
import { verifiedBy } from '../../contracts/abi.ts'
import { type AccountRecord, RECORD } from '../../indexer/records.ts'
import { balanceEntry, LIST, RANKING, TOKEN_TYPES } from '../../indexer/tables.ts'
import { checksummed } from '../../lib/checksummed.ts'
import { type Address, toAddress } from '../../lib/hex.ts'
import { lengthOfAll } from '../../tables/list.ts'
import { readDescending } from '../../tables/ranking.ts'
import { memberCount } from '../../tables/ranking-tree.ts'
import { addressParam, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { coinSupply, toCoins } from '../contract-reads.ts'
import { explorerRoute } from '../define.ts'
import { callsOf, transactionsOf, transfersOf } from '../pagination/address-lists.ts'
import { accountCursor, accountOrder, blockCursor } from '../pagination/cursors.ts'
import { listPage } from '../pagination/lists.ts'
import { pageQuery, pageSchema } from '../pagination/page.ts'
import { mergedPage } from '../pagination/rankings.ts'
import { addressSchema, isContractAt, showAddress } from '../shapes/address.ts'
import { balancesByDay, coinRowSchema, DAYS, dayBalanceSchema, showCoinRow } from '../shapes/coin-history.ts'
import { indexedTransaction } from '../shapes/indexed-transaction.ts'
import { verifiedBySchema } from '../shapes/smart-contract.ts'
import { showToken, tokenSchema } from '../shapes/token.ts'

const params = z.object({ address_hash_param: addressParam })

const countersOf = ({ rows }: ExplorerContext, of: Address) => ({
  transactions: lengthOfAll(rows, transactionsOf(of)),
  transfers: lengthOfAll(rows, transfersOf(of)),
  calls: lengthOfAll(rows, callsOf(of)),
  logs: lengthOfAll(rows, [LIST.logsOf(of)]),
  blocks: lengthOfAll(rows, [LIST.blocksOf(of)]),
  withdrawals: lengthOfAll(rows, [LIST.withdrawalsOf(of)]),
  holdings: TOKEN_TYPES.reduce((sum, type) => sum + memberCount(rows, RANKING.owned(of, type)), 0),
})

const recordSchema = addressSchema.extend({
  balance: wire.decimal,
  coin_balance: wire.decimal,
  block_number_balance_updated_at: z.number().int().nullable(),
  exchange_rate: wire.number.nullable(),
  transactions_count: z.number().int(),
  token_transfers_count: z.number().int(),
  creator_hash: wire.address.nullable(),
  creator_address_hash: wire.address.nullable(),
  creation_tx_hash: wire.hash.nullable(),
  creation_transaction_hash: wire.hash.nullable(),
  creation_status: z.enum(['success', 'failed', 'selfdestructed']).nullable(),
  verified_by: verifiedBySchema,
  token: tokenSchema.nullable(),
  has_logs: z.boolean(),
  has_tokens: z.boolean(),
  has_token_transfers: z.boolean(),
  has_validated_blocks: z.boolean(),
  has_beacon_chain_withdrawals: z.boolean(),
  watchlist_address_id: z.null(),
})
z.globalRegistry.add(recordSchema, { id: 'Address' })

type Status = z.infer<typeof recordSchema>['creation_status']

/** Never `failed`: a failed creation leaves no contract. */
function statusOf(fact: AccountRecord | undefined): Status {
  if (fact?.isDestroyed === true) return 'selfdestructed'
  return fact?.createdIn === undefined ? null : 'success'
}

export const address = explorerRoute({
  path: '/addresses/{address_hash_param}',
  summary: 'The record of an address',
  params,
  response: recordSchema,
  async handler({ params: { address_hash_param: of } }, context): Promise<z.infer<typeof recordSchema>> {
    const { rows, view, options } = context
    const fact = RECORD.account.get(rows, of)
    const counters = countersOf(context, of)
    const balance = view.balance(of).toString()
    const creator = fact?.creator === undefined ? null : checksummed(fact.creator)
    const createdIn =
      fact?.createdIn === undefined ? null : (await indexedTransaction(context, fact.createdIn)).transaction.hash
    return {
      ...showAddress(context, of),
      verified_by: verifiedBy(context, of),
      balance,
      coin_balance: balance,
      block_number_balance_updated_at: lengthOfAll(rows, [LIST.balances(of)]) === 0 ? null : (fact?.changedAt ?? null),
      exchange_rate: options.prices?.coin ?? null,
      transactions_count: counters.transactions,
      token_transfers_count: counters.transfers,
      creator_hash: creator,
      creator_address_hash: creator,
      creation_tx_hash: createdIn,
      creation_transaction_hash: createdIn,
      creation_status: statusOf(fact),
      token: RECORD.token.get(rows, of) === undefined ? null : showToken(context, of),
      has_logs: counters.logs > 0,
      has_tokens: counters.holdings > 0,
      has_token_transfers: counters.transfers > 0,
      has_validated_blocks: counters.blocks > 0,
      has_beacon_chain_withdrawals: counters.withdrawals > 0,
      watchlist_address_id: null,
    }
  },
})

export const addressCounters = explorerRoute({
  path: '/addresses/{address_hash_param}/counters',
  summary: 'The number of transactions and transfers of an address, and the gas it used',
  params,
  response: z.strictObject({
    transactions_count: wire.decimal,
    token_transfers_count: wire.decimal,
    gas_usage_count: wire.decimal.describe('gas of transactions to a contract, else of those that the account sent'),
    validations_count: wire.decimal,
  }),
  handler({ params: { address_hash_param: of } }, context) {
    const { transactions, transfers, blocks } = countersOf(context, of)
    const { gasSpent = 0, gasServed = 0 } = RECORD.account.get(context.rows, of) ?? {}
    return {
      transactions_count: transactions.toString(),
      token_transfers_count: transfers.toString(),
      gas_usage_count: (isContractAt(context, of) && gasServed > 0 ? gasServed : gasSpent).toString(),
      validations_count: blocks.toString(),
    }
  },
})

const count = z.number().int()

export const addressTabsCounters = explorerRoute({
  path: '/addresses/{address_hash_param}/tabs-counters',
  summary: 'Lengths of the lists of an address',
  params,
  response: z.strictObject({
    transactions_count: count,
    token_transfers_count: count,
    token_balances_count: count,
    logs_count: count,
    withdrawals_count: count,
    internal_transactions_count: count,
    validations_count: count,
  }),
  handler({ params: { address_hash_param: of } }, context) {
    const counters = countersOf(context, of)
    return {
      transactions_count: counters.transactions,
      token_transfers_count: counters.transfers,
      token_balances_count: counters.holdings,
      logs_count: counters.logs,
      withdrawals_count: counters.withdrawals,
      internal_transactions_count: counters.calls,
      validations_count: counters.blocks,
    }
  },
})

export const addressCoinHistory = explorerRoute({
  path: '/addresses/{address_hash_param}/coin-balance-history',
  summary: 'Blocks in which the balance of an address changed, newest first',
  params,
  query: pageQuery.extend(blockCursor.shape),
  response: pageSchema(coinRowSchema),
  handler({ params: { address_hash_param: of }, query }, context) {
    const { block_number: before } = query
    const isOlder = (entry: Uint8Array) => balanceEntry.decode(entry).number < (before ?? 0)
    const show = (entry: Uint8Array) => showCoinRow(context, entry)
    return listPage(context, [LIST.balances(of)], query, show, before === undefined ? undefined : isOlder)
  },
})

export const addressCoinHistoryByDay = explorerRoute({
  path: '/addresses/{address_hash_param}/coin-balance-history-by-day',
  summary: 'Balances of an address at the end of the last days',
  params,
  response: z.strictObject({ days: z.number().int(), items: z.array(dayBalanceSchema) }),
  handler: async ({ params: { address_hash_param: of } }, context) => ({
    days: DAYS,
    items: await balancesByDay(context, of),
  }),
})

export const addresses = explorerRoute({
  path: '/addresses',
  summary: 'Accounts that hold coins, the richest first',
  query: pageQuery
    .extend(accountCursor.shape)
    .extend({ sort: z.enum(['balance']).optional(), order: z.enum(['asc', 'desc']).optional() }),
  response: pageSchema(addressSchema.extend({ coin_balance: wire.decimal, transactions_count: wire.decimal })).extend({
    exchange_rate: wire.number.nullable(),
    total_supply: wire.number.nullable().describe('in whole coins: frontends divide balances in coins by it'),
  }),
  async handler({ query }, context) {
    const { rows, options } = context
    const show = (order: Uint8Array) => {
      const { value, rest } = readDescending(order)
      const of = toAddress(rest)
      return {
        ...showAddress(context, of),
        coin_balance: value.toString(),
        transactions_count: lengthOfAll(rows, transactionsOf(of)).toString(),
      }
    }
    const page = await mergedPage(context, [RANKING.accounts], query, show, accountOrder(query))
    const supply = await coinSupply(context)
    return {
      ...page,
      exchange_rate: options.prices?.coin ?? null,
      total_supply: supply === undefined ? null : toCoins(supply),
    }
  },
})
