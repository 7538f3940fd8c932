// User operations (ERC-4337) in Blockscout's form: the operations, their bundles, and who takes part in them.
import { z } from 'zod'
import { firstSeenEntry, LIST, MEMBER, PARTS, type Part, RANKING } from '../../indexer/tables.ts'
import type { Hash } from '../../lib/hex.ts'
import { listLength } from '../../tables/list.ts'
import { addressParam, hashParam, integer } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { explorerRoute } from '../define.ts'
import { notFound } from '../errors.ts'
import { commonSpan, filteredPage, type Span } from '../pagination/filtered.ts'
import { listPage } from '../pagination/lists.ts'
import { pageQuery, pageSchema } from '../pagination/page.ts'
import { rankingPage } from '../pagination/rankings.ts'
import { rangePage } from '../pagination/sequence.ts'
import { blockTransactions, transactionSequence } from '../shapes/indexed-transaction.ts'
import { logSchema, showLog } from '../shapes/log.ts'
import {
  bundlerSchema,
  bundleSchema,
  factorySchema,
  paymasterSchema,
  showBundle,
  showBundler,
  showFactory,
  showPaymaster,
  showSmartAccount,
  smartAccountSchema,
} from '../shapes/operation-parties.ts'
import { showTransfer, transferSchema } from '../shapes/transfer.ts'
import {
  bundleSpan,
  listedOperationSchema,
  operationByHash,
  operationSchema,
  operationsOf,
  showListedOperation,
  showOperation,
  userLogs,
  userTransfers,
} from '../shapes/user-operation.ts'
import { operationSummary } from '../summary/operation.ts'
import { summariesSchema, wireSummary } from '../summary/phrase.ts'

const byHash = z.object({ operation_hash_param: hashParam })
const byAddress = z.object({ address_hash_param: addressParam })
const address = addressParam.optional()
const total = z.number().int()
const HIGHEST = 2 ** 48

export const userOperations = explorerRoute({
  path: '/proxy/account-abstraction/operations',
  summary: 'User operations (ERC-4337), newest first; those of a transaction or block in their order',
  query: pageQuery.extend({
    sender: address,
    bundler: address,
    paymaster: address,
    factory: address,
    entry_point: address,
    transaction_hash: hashParam.optional(),
    bundle_index: integer(0, HIGHEST, { description: 'with `transaction_hash`' }).optional(),
    block_number: integer(0, HIGHEST).optional(),
  }),
  response: pageSchema(listedOperationSchema),
  handler({ query }, context) {
    const { transaction_hash: hash, bundle_index: bundle, block_number: number } = query
    const filters = PARTS.flatMap((part) => {
      const of = query[part]
      return of === undefined ? [] : [LIST.operationsOf(of, part)]
    })
    const spans = [
      ...(hash === undefined ? [] : [inTransaction(context, hash, bundle)]),
      ...(number === undefined ? [] : [operationsOf(context, ...blockTransactions(context, number))]),
    ]
    const within = spans.length === 0 ? undefined : spans.reduce(commonSpan)
    return filteredPage(context, LIST.operations, filters, within, query, (sequence) =>
      showListedOperation(context, sequence),
    )
  },
})

/** Those of one bundle if its number is given. An unknown transaction has none. */
function inTransaction(context: ExplorerContext, hash: Hash, bundle: number | undefined): Span {
  const mined = context.chain.transaction(hash)
  if (mined === undefined || mined.header.number > context.head.number) return { from: 0, to: 0 }
  const sequence = transactionSequence(context, Number(mined.header.number), mined.index)
  const all = operationsOf(context, sequence, sequence + 1)
  return bundle === undefined ? all : bundleSpan(context, all, bundle)
}

export const userOperation = explorerRoute({
  path: '/proxy/account-abstraction/operations/{operation_hash_param}',
  summary: 'A user operation',
  params: byHash,
  response: operationSchema,
  handler: ({ params: { operation_hash_param: hash } }, context) => showOperation(context, hash),
})

export const userOperationSummary = explorerRoute({
  path: '/proxy/account-abstraction/operations/{operation_hash_param}/summary',
  summary: 'What a user operation has done, in one sentence',
  params: byHash,
  response: summariesSchema,
  async handler({ params: { operation_hash_param: hash } }, context) {
    const phrase = await operationSummary(context, await operationByHash(context, hash))
    return { success: true as const, data: { summaries: [wireSummary(phrase)] } }
  },
})

export const userOperationLogs = explorerRoute({
  path: '/proxy/account-abstraction/operations/{operation_hash_param}/logs',
  summary: 'What the call of a user operation has logged, in order',
  params: byHash,
  query: pageQuery,
  response: pageSchema(logSchema),
  async handler({ params: { operation_hash_param: hash }, query }, context) {
    const of = await operationByHash(context, hash)
    const { start, count } = userLogs(of)
    const { row, firstLogIndex } = of.mined
    return rangePage({ first: firstLogIndex + start, count }, query, (index) =>
      showLog(context, { number: row.number, index }),
    )
  },
})

export const userOperationTokenTransfers = explorerRoute({
  path: '/proxy/account-abstraction/operations/{operation_hash_param}/token-transfers',
  summary: 'Token transfers by the call of a user operation, in order',
  params: byHash,
  query: pageQuery,
  response: pageSchema(transferSchema),
  handler: async ({ params: { operation_hash_param: hash }, query }, context) =>
    rangePage(userTransfers(context, await operationByHash(context, hash)), query, (sequence) =>
      showTransfer(context, sequence),
    ),
})

export const userOperationCounters = explorerRoute({
  path: '/proxy/account-abstraction/addresses/{address_hash_param}',
  summary: 'Numbers of the user operations in which an address has each part',
  params: byAddress,
  response: z.strictObject({ sender: total, bundler: total, paymaster: total, factory: total, entry_point: total }),
  handler({ params: { address_hash_param: of } }, { rows }) {
    const countOf = (part: Part) => listLength(rows, LIST.operationsOf(of, part))
    return {
      sender: countOf('sender'),
      bundler: countOf('bundler'),
      paymaster: countOf('paymaster'),
      factory: countOf('factory'),
      entry_point: countOf('entry_point'),
    }
  },
})

export const bundles = explorerRoute({
  path: '/proxy/account-abstraction/bundles',
  summary: 'Bundles of user operations: calls of an entry point, newest first',
  query: pageQuery.extend({ bundler: address, entry_point: address }),
  response: pageSchema(bundleSchema),
  handler({ query }, context) {
    const filters = (['bundler', 'entry_point'] as const).flatMap((part) => {
      const of = query[part]
      return of === undefined ? [] : [LIST.bundlesOf(of, part)]
    })
    return filteredPage(context, LIST.bundles, filters, undefined, query, (position) => showBundle(context, position))
  },
})

export const smartAccounts = explorerRoute({
  path: '/proxy/account-abstraction/accounts',
  summary: 'Accounts that have sent user operations, the newest first; with `factory` those that it has deployed',
  query: pageQuery.extend({ factory: address }),
  response: pageSchema(smartAccountSchema),
  handler: ({ query: { factory, ...query } }, context) =>
    listPage(context, [factory === undefined ? LIST.smartAccounts : LIST.smartAccountsOf(factory)], query, (entry) =>
      showSmartAccount(context, firstSeenEntry.decode(entry).address),
    ),
})

export const smartAccount = explorerRoute({
  path: '/proxy/account-abstraction/accounts/{address_hash_param}',
  summary: 'An account that has sent user operations',
  params: byAddress,
  response: smartAccountSchema,
  handler: ({ params: { address_hash_param: of } }, context) => showSmartAccount(context, of),
})

export const bundlers = explorerRoute({
  path: '/proxy/account-abstraction/bundlers',
  summary: 'Who received the fees of bundles, by the number of operations',
  query: pageQuery,
  response: pageSchema(bundlerSchema),
  handler: ({ query }, context) =>
    rankingPage(context, RANKING.operators('bundler'), query, (of) => showBundler(context, MEMBER.address(of))),
})

export const bundler = explorerRoute({
  path: '/proxy/account-abstraction/bundlers/{address_hash_param}',
  summary: 'A bundler',
  params: byAddress,
  response: bundlerSchema,
  handler: ({ params: { address_hash_param: of } }, context) =>
    known(showBundler(context, of), ({ total_ops }) => total_ops),
})

export const paymasters = explorerRoute({
  path: '/proxy/account-abstraction/paymasters',
  summary: 'Paymasters by the number of operations',
  query: pageQuery,
  response: pageSchema(paymasterSchema),
  handler: ({ query }, context) =>
    rankingPage(context, RANKING.operators('paymaster'), query, (of) => showPaymaster(context, MEMBER.address(of))),
})

export const paymaster = explorerRoute({
  path: '/proxy/account-abstraction/paymasters/{address_hash_param}',
  summary: 'A paymaster',
  params: byAddress,
  response: paymasterSchema,
  handler: ({ params: { address_hash_param: of } }, context) =>
    known(showPaymaster(context, of), ({ total_ops }) => total_ops),
})

export const factories = explorerRoute({
  path: '/proxy/account-abstraction/factories',
  summary: 'Factories of accounts by the number of accounts that they have deployed for an operation',
  query: pageQuery,
  response: pageSchema(factorySchema),
  handler: ({ query }, context) =>
    rankingPage(context, RANKING.operators('factory'), query, (of) => showFactory(context, MEMBER.address(of))),
})

export const factory = explorerRoute({
  path: '/proxy/account-abstraction/factories/{address_hash_param}',
  summary: 'A factory of accounts',
  params: byAddress,
  response: factorySchema,
  handler: ({ params: { address_hash_param: of } }, context) =>
    known(showFactory(context, of), ({ total_accounts }) => total_accounts),
})

/** The record; throws 404 if its total is zero. */
function known<T>(record: T, totalOf: (record: T) => number): T {
  if (totalOf(record) === 0) throw notFound()
  return record
}

const status = z.strictObject({
  enabled: z.boolean(),
  live: z.boolean(),
  past_db_logs_indexing_finished: z.boolean(),
  past_rpc_logs_indexing_finished: z.boolean(),
})
z.globalRegistry.add(status, { id: 'EntryPointStatus' })
/** Operations are written with their blocks. */
const INDEXED = {
  enabled: true,
  live: true,
  past_db_logs_indexing_finished: true,
  past_rpc_logs_indexing_finished: true,
}

export const accountAbstractionStatus = explorerRoute({
  path: '/proxy/account-abstraction/status',
  summary: 'Index of user operations (ERC-4337) by version of the entry point: always complete',
  response: z.strictObject({ finished_past_indexing: z.boolean(), v06: status, v07: status, v08: status, v09: status }),
  handler: () => ({ finished_past_indexing: true, v06: INDEXED, v07: INDEXED, v08: INDEXED, v09: INDEXED }),
})
