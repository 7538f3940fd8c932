// Lists of an address and holders of a token as CSV files, with Blockscout's paths, parameters and columns, newest first.
import { z } from 'zod'
import { type BlockRecord, RECORD } from '../../indexer/records.ts'
import { HOLDERS, LIST, positionEntry, sequenceEntry, transferEntry } from '../../indexer/tables.ts'
import { checksummed } from '../../lib/checksummed.ts'
import type { Address, Hex } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import { entryAt, ListReader, newestPage } from '../../tables/list.ts'
import { membersFrom, readDescending } from '../../tables/ranking.ts'
import { addressParam, hashParam, timeParam, wire } from '../codec.ts'
import { type ExplorerContext, RequestCache } from '../context.ts'
import { MOST_EXPORTED_ROWS } from '../csv.ts'
import { type CsvCell, csvRoute, explorerRoute } from '../define.ts'
import { invalidParameter, notFound } from '../errors.ts'
import { callsOf, sidesFor, transactionsOf, transfersOf } from '../pagination/address-lists.ts'
import { showCall } from '../shapes/call.ts'
import { feeOf, indexedTransaction } from '../shapes/indexed-transaction.ts'
import { showLog } from '../shapes/log.ts'
import { showTransaction, type TransactionJson } from '../shapes/transaction.ts'
import { showTransfer } from '../shapes/transfer.ts'
import { firstBlockFrom } from '../statistics/block-times.ts'

/** Rows read at a time. */
const STEP = 100

const params = z.object({ address_hash_param: addressParam })
const period = timeParam.transform((time) => BigInt(Math.floor(time / 1000))).optional()

const query = z.object({
  from_period: period.describe('ISO 8601; the first moment'),
  to_period: period.describe('ISO 8601; the last moment'),
  filter_type: z.string().optional().describe('`address`, or `topic` for logs'),
  filter_value: z.string().optional().describe('`to` or `from`; of a `topic` its hash'),
})
type Query = z.output<typeof query>

/** The sides that `filter_type=address` selects; other filters are ignored, as in Blockscout. */
const sidesOf = ({ filter_type, filter_value }: Query) =>
  sidesFor(filter_type === 'address' && (filter_value === 'to' || filter_value === 'from') ? [filter_value] : undefined)

type Span = {
  readonly lists: readonly Hex[]
  /** The sequence of a block's first entry in the chain-wide list. */
  readonly first: (block: BlockRecord, number: number) => number
}

/** Renders the entries of a period, newest first. Each step uses a new request cache. */
async function rowsWithin(
  context: ExplorerContext,
  query: Query,
  { lists, first }: Span,
  row: (context: ExplorerContext, entry: Uint8Array) => Promise<readonly CsvCell[]>,
): Promise<AsyncIterable<readonly CsvCell[]>> {
  const { rows, head } = context
  const { from_period: from = 0n, to_period: to = head.timestamp } = query
  if (from > to) throw invalidParameter('to_period', 'Invalid value. Expected a time that is not before from_period')
  /** Number of entries before a block. */
  const before = (number: number): number => {
    const block = RECORD.block.get(rows, number)
    const readers = lists.map((list) => new ListReader(rows, list))
    return readers.reduce(
      (sum, reader) => sum + (block === undefined ? reader.length : reader.find(first(block, number))),
      0,
    )
  }
  const start = before(await firstBlockFrom(context, from))
  const end = before(await firstBlockFrom(context, to + 1n))
  async function* read() {
    const pause = yieldToEventLoop('light')
    for (let at = end; at > start && end - at < MOST_EXPORTED_ROWS; at -= STEP) {
      const size = Math.min(STEP, at - start, MOST_EXPORTED_ROWS - (end - at))
      const step = { ...context, requestCache: new RequestCache() }
      for (const entry of newestPage(rows, lists, { page: 1, size, anchor: at }).entries) {
        await pause()
        yield await row(step, entry)
      }
    }
  }
  return read()
}

const directionOf = (of: Address, from: string): string => (from.toLowerCase() === of ? 'OUT' : 'IN')
const errorOf = ({ status, result }: Pick<TransactionJson, 'status' | 'result'>) => (status === 'ok' ? null : result)

export const addressTransactionsCsv = csvRoute({
  path: '/addresses/{address_hash_param}/transactions/csv',
  summary: `Transactions of an address as CSV, ${MOST_EXPORTED_ROWS} at most`,
  params,
  query,
  columns: [
    ...['TxHash', 'BlockNumber', 'UnixTimestamp', 'FromAddress', 'ToAddress', 'ContractAddress', 'Type', 'Value'],
    ...['Fee', 'Status', 'ErrCode', 'CurrentPrice', 'TxDateOpeningPrice', 'TxDateClosingPrice', 'MethodName'],
  ],
  rows({ params: { address_hash_param: of }, query }, context) {
    const span: Span = { lists: transactionsOf(of, sidesOf(query)), first: (block) => block.firstTransaction }
    return rowsWithin(context, query, span, async (step, entry) => {
      const shown = await showTransaction(step, sequenceEntry.decode(entry).sequence)
      return [
        ...[shown.hash, shown.block_number, shown.timestamp, shown.from.hash, shown.to?.hash ?? null],
        ...[shown.created_contract?.hash ?? null, directionOf(of, shown.from.hash), shown.value, shown.fee.value],
        ...[shown.status, errorOf(shown), shown.exchange_rate, null, shown.historic_exchange_rate, shown.method],
      ]
    })
  },
})

export const addressTokenTransfersCsv = csvRoute({
  path: '/addresses/{address_hash_param}/token-transfers/csv',
  summary: `Token transfers of an address as CSV, ${MOST_EXPORTED_ROWS} at most`,
  params,
  query,
  columns: [
    ...['TxHash', 'BlockNumber', 'UnixTimestamp', 'FromAddress', 'ToAddress', 'TokenContractAddress', 'Type'],
    ...['TokenDecimals', 'TokenSymbol', 'TokensTransferred', 'TransactionFee', 'Status', 'ErrCode', 'TokenId'],
  ],
  rows({ params: { address_hash_param: of }, query }, context) {
    const span: Span = { lists: transfersOf(of, undefined, sidesOf(query)), first: (block) => block.firstTransfer }
    return rowsWithin(context, query, span, async (step, entry) => {
      const { sequence } = sequenceEntry.decode(entry)
      const moved = await showTransfer(step, sequence)
      const { total, token } = moved
      const fee = await feeOfTransfer(step, sequence)
      return [
        ...[moved.transaction_hash, moved.block_number, moved.timestamp, moved.from.hash, moved.to.hash],
        ...[token.address_hash, directionOf(of, moved.from.hash), token.decimals, token.symbol],
        ...['value' in total ? total.value : '1', fee, 'ok', null, 'token_id' in total ? total.token_id : null],
      ]
    })
  },
})

/** The fee of the transfer's transaction. */
async function feeOfTransfer(context: ExplorerContext, sequence: number): Promise<string | null> {
  const entry = entryAt(context.rows, LIST.transfers, sequence)
  if (entry === undefined) return null
  return feeOf(await indexedTransaction(context, transferEntry.decode(entry).transaction)).toString()
}

export const addressInternalTransactionsCsv = csvRoute({
  path: '/addresses/{address_hash_param}/internal-transactions/csv',
  summary: `Messages from an address or to it as CSV, ${MOST_EXPORTED_ROWS} at most`,
  params,
  query,
  columns: [
    ...['TxHash', 'Index', 'BlockNumber', 'TxIndex', 'BlockIndex', 'UnixTimestamp', 'FromAddress', 'ToAddress'],
    ...['ContractAddress', 'Type', 'Gas', 'GasUsed', 'Value', 'ErrCode'],
  ],
  rows({ params: { address_hash_param: of }, query }, context) {
    const span: Span = { lists: callsOf(of, sidesOf(query)), first: (block) => block.firstCall }
    return rowsWithin(context, query, span, async (step, entry) => {
      const call = await showCall(step, sequenceEntry.decode(entry).sequence)
      return [
        ...[call.transaction_hash, call.index, call.block_number, call.transaction_index, call.block_index],
        ...[call.timestamp, call.from.hash, call.to?.hash ?? null, call.created_contract?.hash ?? null],
        ...[call.type, call.gas_limit, call.gas_used, call.value, call.error],
      ]
    })
  },
})

export const addressLogsCsv = csvRoute({
  path: '/addresses/{address_hash_param}/logs/csv',
  summary: `Logs that an address has emitted as CSV, ${MOST_EXPORTED_ROWS} at most`,
  params,
  query,
  columns: [
    ...['TxHash', 'Index', 'BlockNumber', 'BlockHash', 'UnixTimestamp', 'ContractAddress', 'Data'],
    ...['FirstTopic', 'SecondTopic', 'ThirdTopic', 'FourthTopic'],
  ],
  rows({ params: { address_hash_param: of }, query }, context) {
    const topic = query.filter_type === 'topic' ? hashParam.safeParse(query.filter_value).data : undefined
    const list = topic === undefined ? LIST.logsOf(of) : LIST.logsOfWith(of, topic)
    const span: Span = { lists: [list], first: (_, number) => number }
    return rowsWithin(context, query, span, async (step, entry) => {
      const log = await showLog(step, positionEntry.decode(entry))
      return [
        ...[log.transaction_hash, log.index, log.block_number, log.block_hash, log.block_timestamp],
        ...[log.address.hash, log.data, ...log.topics],
      ]
    })
  },
})

export const csvExportStatus = explorerRoute({
  path: '/csv-exports/{uuid_param}',
  summary: 'A file that is made in the background: there is none, because files are made while they are sent',
  params: z.object({ uuid_param: z.uuid() }),
  response: z.strictObject({
    status: z.enum(['pending', 'completed', 'failed']),
    file_id: z.string().nullable(),
    expires_at: wire.time.nullable(),
  }),
  handler() {
    throw notFound()
  },
})

export const tokenHoldersCsv = csvRoute({
  path: '/tokens/{address_hash_param}/holders/csv',
  summary: `Holders of a token as CSV, the largest balance first, ${MOST_EXPORTED_ROWS} at most`,
  params,
  query: z.object({}),
  columns: ['HolderAddress', 'Balance'],
  rows({ params: { address_hash_param: of } }, { rows }) {
    if (RECORD.token.get(rows, of) === undefined) throw notFound()
    async function* read() {
      const pause = yieldToEventLoop('light')
      for (let rank = 0; rank < MOST_EXPORTED_ROWS; rank += STEP) {
        const members = await membersFrom(rows, HOLDERS.ranking(of), rank, STEP)
        for (const member of members) {
          await pause()
          const { value, rest } = readDescending(member)
          yield [checksummed(HOLDERS.decode(of, rest)), value.toString()]
        }
        if (members.length < STEP) return
      }
    }
    return read()
  },
})
