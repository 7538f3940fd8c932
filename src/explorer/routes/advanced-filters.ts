// Transactions, token transfers and messages in one list, by many conditions, with Blockscout's parameters and cursor. A search
// looks at a limited number of entries: a page may then be short, and its cursor goes on where the search ended.
import { z } from 'zod'
import { methodName, nameOfSelector, selectorsByName } from '../../contracts/abi.ts'
import { LIST, transactionEntry } from '../../indexer/tables.ts'
import { checksummed } from '../../lib/checksummed.ts'
import { type Hex, toHex } from '../../lib/hex.ts'
import { type Pause, yieldToEventLoop } from '../../lib/scheduler.ts'
import { entriesBetween, listLength } from '../../tables/list.ts'
import { type Activity, type ActivityPlace, type Search, type Searched, search } from '../advanced-filter/activity.ts'
import { type Filter, filterOf, filterQuery, methodNames } from '../advanced-filter/filter.ts'
import { integer } from '../codec.ts'
import { type ExplorerContext, RequestCache } from '../context.ts'
import { inUnits } from '../contract-reads.ts'
import { MOST_EXPORTED_ROWS } from '../csv.ts'
import { type CsvCell, csvRoute, explorerRoute } from '../define.ts'
import { invalidParameter } from '../errors.ts'
import { type ActivityJson, activitySchema, showActivity } from '../shapes/activity.ts'
import { indexedTransaction } from '../shapes/indexed-transaction.ts'
import { showToken, tokenSchema } from '../shapes/token.ts'

const PAGE_LENGTH = 50
/** Maximum entries that a page looks at, and a file. */
const LOOKS_OF_PAGE = 5_000
const LOOKS_OF_FILE = 500_000
/** Rows of a file that are read at a time. */
const STEP = 100

const LARGEST = 2 ** 40
const position = integer(0, LARGEST).optional()
/** Blockscout writes `null` for the part of a cursor that an item does not have. */
const positionOrNull = z
  .literal('null')
  .transform(() => undefined)
  .or(integer(0, LARGEST))
  .optional()
const cursorQuery = z.object({
  block_number: position.describe('the cursor: where the former page ended, like the next ones'),
  transaction_index: position,
  internal_transaction_index: positionOrNull,
  token_transfer_index: positionOrNull,
  token_transfer_batch_index: positionOrNull,
})
type Cursor = z.output<typeof cursorQuery>

/** Throws 422 for an incomplete cursor. */
function placeOf(cursor: Cursor): ActivityPlace | undefined {
  const { block_number: number, transaction_index: index, token_transfer_index: log } = cursor
  const { internal_transaction_index: call, token_transfer_batch_index: batch } = cursor
  if ([number, index, log, call, batch].every((part) => part === undefined)) return undefined
  if (number === undefined || index === undefined)
    throw invalidParameter('block_number', 'Invalid value. A cursor has a block number and a transaction index')
  if (call !== undefined && log !== undefined)
    throw invalidParameter('internal_transaction_index', 'Invalid value. Expected null beside a token transfer')
  return { number, index, log, batch, call }
}

const cursorOf = ({ number, index, log, batch, call }: ActivityPlace) => ({
  block_number: number,
  transaction_index: index,
  ...(call !== undefined && { internal_transaction_index: call }),
  ...(log !== undefined && { token_transfer_index: log }),
  ...(batch !== undefined && { token_transfer_batch_index: batch }),
})

const count = z.number().int()

export const advancedFilters = explorerRoute({
  path: '/advanced-filters',
  summary: `Transactions, token transfers and messages that fit, newest first, ${PAGE_LENGTH} a page. A page looks at ${LOOKS_OF_PAGE} entries at most: it may be short and have a next one`,
  query: filterQuery.extend(cursorQuery.shape).extend({
    items_count: integer(1, LARGEST, { description: 'items of the pages before' }).optional(),
  }),
  response: z.strictObject({
    items: z.array(activitySchema),
    next_page_params: z
      .strictObject({
        block_number: count,
        transaction_index: count,
        internal_transaction_index: count.optional(),
        token_transfer_index: count.optional(),
        token_transfer_batch_index: count.optional(),
        items_count: count.describe('items of the pages up to this one'),
      })
      .nullable(),
    search_params: z.strictObject({
      methods: z.record(z.string(), z.string()).describe('names by selector'),
      tokens: z.record(z.string(), tokenSchema).describe('tokens of the filter by address'),
    }),
  }),
  async handler({ query: { items_count = 0, ...query } }, context) {
    const filter = await filterOf(context, query)
    const from: Search = { after: placeOf(query), most: PAGE_LENGTH, looks: LOOKS_OF_PAGE }
    const { found, after } = await searchQueued(context, filter, from)
    const items = await Promise.all(found.map((item) => showActivity(context, item)))
    const tokens = [...(filter.tokens ?? []), ...filter.otherTokens]
    return {
      items,
      next_page_params: after === undefined ? null : { ...cursorOf(after), items_count: items_count + items.length },
      search_params: {
        methods: methodNames(context, filter),
        tokens: Object.fromEntries(tokens.map((token) => [checksummed(token), showToken(context, token)])),
      },
    }
  },
})

/** A search in the queue of heavy work. */
const searchQueued = (context: ExplorerContext, filter: Filter, of: Search): Promise<Searched> =>
  context.heavy((signal) => search(context, filter, of, yieldToEventLoop('heavy', signal)))

export const advancedFiltersCsv = csvRoute({
  path: '/advanced-filters/csv',
  summary: `The same as CSV, ${MOST_EXPORTED_ROWS} rows at most. A file that was ended after ${LOOKS_OF_FILE} entries says so in its last line`,
  params: z.object({}),
  query: filterQuery.extend(cursorQuery.shape),
  columns: [
    ...['TxHash', 'Type', 'MethodId', 'UtcTimestamp', 'FromAddress', 'ToAddress', 'CreatedContractAddress', 'Value'],
    ...['TokenContractAddressHash', 'TokenDecimals', 'TokenSymbol', 'TokenValue', 'TokenID', 'BlockNumber', 'Fee'],
    ...['CurrentPrice', 'TxDateOpeningPrice', 'TxDateClosingPrice'],
  ],
  async rows({ query }, context) {
    const filter = await filterOf(context, query)
    let next: ActivityPlace | undefined = placeOf(query)
    async function* read(): AsyncGenerator<readonly CsvCell[]> {
      let looks = LOOKS_OF_FILE
      for (let rows = 0; rows < MOST_EXPORTED_ROWS; ) {
        const most = Math.min(STEP, MOST_EXPORTED_ROWS - rows)
        const { found, after, looked } = await searchQueued(context, filter, {
          after: next,
          most,
          looks: Math.min(looks, LOOKS_OF_PAGE),
        })
        const step = { ...context, requestCache: new RequestCache() }
        for (const item of found) yield await csvRow(step, item)
        if (after === undefined) return
        rows += found.length
        looks -= looked
        next = after
        if (looks <= 0) return yield [`The search ended at block ${after.number}: older entries were not looked at`]
      }
    }
    return read()
  },
})

async function csvRow(context: ExplorerContext, of: Activity): Promise<readonly CsvCell[]> {
  const { options } = context
  const item = await showActivity(context, of)
  const { total, token } = item
  const { row } = await indexedTransaction(context, of.transaction)
  const selector = of.kind === 'call' ? of.entry.selector : row.selector
  const method = selector.length === 0 ? null : toHex(selector)
  const price = token === null ? (options.prices?.coin ?? null) : null
  return [
    ...[item.hash, item.type, method, item.timestamp, item.from.hash, item.to?.hash ?? null],
    ...[item.created_contract?.hash ?? null, item.value, token?.address_hash ?? null, token?.decimals ?? null],
    ...[token?.symbol ?? null, tokenValue(total), total !== null && 'token_id' in total ? total.token_id : null],
    ...[item.block_number, item.fee, price, null, null],
  ]
}

/** In whole tokens. */
function tokenValue(total: ActivityJson['total']): string | null {
  if (total === null) return null
  if (!('value' in total)) return '1'
  return inUnits(BigInt(total.value), Number(total.decimals ?? 0))
}

const methodSchema = z.strictObject({
  method_id: z.string().regex(/^0x[0-9a-f]{8}$/),
  name: z.string().describe('empty: not known'),
})

/** Transactions whose methods are counted, and the number of methods that are answered. */
const COUNTED = 2_000
const MOST_METHODS = 30

export const advancedFilterMethods = explorerRoute({
  path: '/advanced-filters/methods',
  summary: `Methods by name or selector; without a query those that the last ${COUNTED} transactions called most`,
  query: z.object({ q: z.string().max(200).optional() }),
  response: z.array(methodSchema),
  handler({ query: { q } }, context) {
    if (q === undefined) return calledMost(context)
    return selectorsByName(context, q.trim()).map((id) => ({ method_id: id, name: nameOfSelector(context, id) ?? '' }))
  },
})

async function calledMost(context: ExplorerContext): Promise<z.infer<typeof methodSchema>[]> {
  const { rows, chain } = context
  const length = listLength(rows, LIST.transactions)
  const called = new Map<Hex, { count: number; number: number; index: number }>()
  const pause: Pause = yieldToEventLoop('light')
  for (const entry of entriesBetween(rows, LIST.transactions, Math.max(0, length - COUNTED), length)) {
    await pause()
    const { selector, number, index } = transactionEntry.decode(entry)
    if (selector.length === 0) continue
    const id = toHex(selector)
    called.set(id, { number, index, count: (called.get(id)?.count ?? 0) + 1 })
  }
  const most = [...called].sort(([, a], [, b]) => b.count - a.count).slice(0, MOST_METHODS)
  return most.map(([id, { number, index }]) => {
    const to = chain.transactionAt(BigInt(number), index)?.transaction.to ?? undefined
    return { method_id: id, name: (to && methodName(context, to, id)) ?? nameOfSelector(context, id) ?? '' }
  })
}
