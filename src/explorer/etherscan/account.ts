// `module=account`: balances of addresses, and their transactions, messages and token transfers.
import { z } from 'zod'
import { decodeInput } from '../../contracts/abi.ts'
import { type BlockRecord, RECORD } from '../../indexer/records.ts'
import { callEntry, LIST, sequenceEntry, TOKEN_TYPES, type TokenType, transferEntry } from '../../indexer/tables.ts'
import type { Hex } from '../../lib/hex.ts'
import { toHex } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import { entryAt, ListReader, newestPage } from '../../tables/list.ts'
import type { ExplorerContext } from '../context.ts'
import { tokenBalance } from '../contract-reads.ts'
import { callsOf, transactionsOf, transfersOf, transfersOfWith } from '../pagination/address-lists.ts'
import { CALL_TYPE } from '../shapes/call.ts'
import { type IndexedTransaction, indexedTransaction, transactionSequence } from '../shapes/indexed-transaction.ts'
import { shownNames } from '../shapes/token.ts'
import type { ListSection } from './define.ts'
import { type Action, action, address, addresses, hash, listSection, nonEmpty, Refused } from './define.ts'

const balance = action(z.object({ address: addresses }), ({ address: [of] }, { view }) =>
  (of === undefined ? 0n : view.balance(of)).toString(),
)

const balancemulti = action(z.object({ address: addresses }), ({ address: all }, { view }) =>
  all.map((account) => ({ account, balance: view.balance(account).toString() })),
)

const tokenbalance = action(
  z.object({ contractaddress: address, address }),
  async ({ contractaddress: token, address: of }, context) =>
    ((await tokenBalance(context, token, of)) ?? 0n).toString(),
)

const txlist = action(listSection.extend({ address }), async ({ address: of, ...part }, context) => {
  const sequences = sequencesOf(context, transactionsOf(of), 'transactions', part)
  const rows = await rowsOf(sequences, (sequence) => transactionEntry(context, sequence))
  return nonEmpty(rows, 'No transactions found')
})

async function transactionEntry(context: ExplorerContext, sequence: number) {
  const { indexed, fields } = await transactionFields(context, sequence)
  const { transaction, receipt } = indexed
  const { from, to, value, data } = transaction
  const isCall = to !== null && data.length > 0
  return {
    ...fields,
    from,
    to: to ?? '',
    value: value.toString(),
    isError: isFailed(indexed) ? '1' : '0',
    txreceipt_status: receipt.status?.toString() ?? '',
    input: toHex(data),
    contractAddress: to === null ? (receipt.contractAddress ?? '') : '',
    methodId: isCall ? toHex(data.subarray(0, 4)) : '0x',
    functionName: (isCall && decodeInput(context, to, data)?.method_call) || '',
  }
}

const txlistinternal = action(
  listSection.extend({ address: address.optional(), txhash: hash.optional() }),
  async ({ address: of, txhash, ...part }, context) => {
    const sequences =
      txhash !== undefined
        ? await callsWithin(context, txhash)
        : of !== undefined
          ? sequencesOf(context, callsOf(of), 'calls', part)
          : allSequences(context, 'calls', part)
    const rows = await rowsOf(sequences, (sequence) => internalRow(context, sequence))
    return nonEmpty(rows, 'No internal transactions found')
  },
)

async function callsWithin(context: ExplorerContext, of: z.output<typeof hash>): Promise<number[]> {
  const mined = context.chain.transaction(of)
  if (mined === undefined || mined.header.number > context.head.number) return []
  const { row } = await indexedTransaction(
    context,
    transactionSequence(context, Number(mined.header.number), mined.index),
  )
  return Array.from({ length: row.calls }, (_, i) => row.firstCall + i)
}

async function internalRow(context: ExplorerContext, sequence: number) {
  const entry = entryAt(context.rows, LIST.calls, sequence)
  if (entry === undefined) throw new Refused('No internal transactions found')
  const call = callEntry.decode(entry)
  const { header, transaction } = await indexedTransaction(context, call.transaction)
  const isCreation = call.type === 'CREATE' || call.type === 'CREATE2'
  return {
    blockNumber: header.number.toString(),
    timeStamp: header.timestamp.toString(),
    hash: transaction.hash,
    from: call.from,
    to: isCreation ? '' : (call.to ?? ''),
    value: call.value.toString(),
    contractAddress: isCreation ? (call.to ?? '') : '',
    input: '',
    type: CALL_TYPE[call.type],
    gas: call.gas.toString(),
    gasUsed: call.gasUsed.toString(),
    traceId: call.index.toString(),
    isError: call.error === undefined && !call.isUndone ? '0' : '1',
    errCode: call.error ?? '',
  }
}

/** Token transfers of some types: of an address, of a token, or of both. */
const transfers = (types: readonly TokenType[]): Action =>
  action(
    listSection.extend({ address: address.optional(), contractaddress: address.optional() }),
    async ({ address: of, contractaddress: token, ...part }, context) => {
      if (of === undefined && token === undefined) throw new Refused('Error! Missing address or contractaddress')
      const isOfType = token === undefined || types.includes(RECORD.token.get(context.rows, token)?.type ?? 'ERC-20')
      const lists =
        token === undefined
          ? of === undefined
            ? []
            : transfersOf(of, types)
          : of === undefined
            ? [LIST.transfersOfToken(token)]
            : transfersOfWith(of, token)
      const sequences = isOfType ? sequencesOf(context, lists, 'transfers', part) : []
      const rows = await rowsOf(sequences, (sequence) => transferFields(context, sequence))
      return nonEmpty(rows, 'No transactions found')
    },
  )

async function transferFields(context: ExplorerContext, sequence: number) {
  const entry = entryAt(context.rows, LIST.transfers, sequence)
  if (entry === undefined) throw new Refused('No transactions found')
  const { transaction, token, type, from, to, id, amount, log } = transferEntry.decode(entry)
  const { fields } = await transactionFields(context, transaction)
  const fact = RECORD.token.get(context.rows, token)
  const { name, symbol } = shownNames(fact ?? { name: undefined, symbol: undefined })
  return {
    ...fields,
    from,
    to,
    contractAddress: token,
    logIndex: log.toString(),
    ...(type === 'ERC-20' && { value: amount.toString() }),
    ...(id !== undefined && { tokenID: id.toString() }),
    ...(type === 'ERC-1155' && { tokenValue: amount.toString() }),
    tokenName: name ?? '',
    tokenSymbol: symbol ?? '',
    tokenDecimal: (fact?.decimals ?? 0).toString(),
    input: 'deprecated',
  }
}

const [erc20, erc721, erc1155] = TOKEN_TYPES

export const account: Readonly<Record<string, Action>> = {
  balance,
  balancemulti,
  tokenbalance,
  txlist,
  txlistinternal,
  tokentx: transfers([erc20]),
  tokennfttx: transfers([erc721]),
  token1155tx: transfers([erc1155]),
}

/** The lists of the whole chain, whose positions are the sequences. */
type Counted = 'transactions' | 'calls' | 'transfers'
const FIRST = { transactions: 'firstTransaction', calls: 'firstCall', transfers: 'firstTransfer' } as const

/** The sequences of a section of a union of disjoint lists. */
export function sequencesOf(
  { rows, head }: ExplorerContext,
  lists: readonly Hex[],
  of: Counted,
  part: ListSection,
): number[] {
  const newestBlock = Number(head.number)
  if (part.startblock > Math.min(part.endblock, newestBlock)) return []
  const start = RECORD.block.get(rows, part.startblock)
  const end = RECORD.block.get(rows, Math.min(part.endblock, newestBlock))
  const open = lists.map((list) => new ListReader(rows, list))
  const below = (sequence: number) => open.reduce((sum, list) => sum + list.find(sequence), 0)
  const low = below(firstOf(start, of))
  const high = below(firstOf(end, of) + (end?.[of] ?? 0))
  const { from, to } = pageOf(low, high, part)
  const { entries } = newestPage(rows, lists, { page: 1, size: to - from, anchor: to })
  const sequences = entries.map((entry) => sequenceEntry.decode(entry).sequence)
  return part.sort === 'asc' ? sequences.reverse() : sequences
}

/** The sequences of a section of all transactions, calls or transfers. */
export function allSequences({ rows, head }: ExplorerContext, of: Counted, part: ListSection): number[] {
  const newestBlock = Number(head.number)
  if (part.startblock > Math.min(part.endblock, newestBlock)) return []
  const start = RECORD.block.get(rows, part.startblock)
  const end = RECORD.block.get(rows, Math.min(part.endblock, newestBlock))
  const { from, to } = pageOf(firstOf(start, of), firstOf(end, of) + (end?.[of] ?? 0), part)
  const sequences = Array.from({ length: to - from }, (_, i) => from + i)
  return part.sort === 'asc' ? sequences : sequences.reverse()
}

const firstOf = (fact: BlockRecord | undefined, of: Counted): number => fact?.[FIRST[of]] ?? 0

function pageOf(low: number, high: number, { page, offset, sort }: ListSection): { from: number; to: number } {
  const [from, to] =
    sort === 'asc'
      ? [low + (page - 1) * offset, low + page * offset]
      : [high - page * offset, high - (page - 1) * offset]
  const start = Math.min(Math.max(from, low), high)
  return { from: start, to: Math.max(start, Math.min(to, high)) }
}

/** Renders a row for each sequence, up to 10,000 per request, and yields to other requests in between. */
export async function rowsOf<T>(sequences: readonly number[], render: (sequence: number) => Promise<T>): Promise<T[]> {
  const pause = yieldToEventLoop('light')
  const rows: T[] = []
  for (const sequence of sequences) {
    await pause()
    rows.push(await render(sequence))
  }
  return rows
}

/** The fields of every row that come from its transaction. */
export async function transactionFields(context: ExplorerContext, sequence: number) {
  const indexed = await indexedTransaction(context, sequence)
  const { header, transaction, receipt, row } = indexed
  return {
    indexed,
    fields: {
      blockNumber: header.number.toString(),
      timeStamp: header.timestamp.toString(),
      hash: transaction.hash,
      nonce: transaction.nonce.toString(),
      blockHash: header.hash,
      transactionIndex: row.index.toString(),
      gas: transaction.gasLimit.toString(),
      gasPrice: receipt.effectiveGasPrice.toString(),
      gasUsed: receipt.gasUsed.toString(),
      cumulativeGasUsed: receipt.cumulativeGasUsed.toString(),
      confirmations: (context.head.number - header.number + 1n).toString(),
    },
  }
}

export const isFailed = ({ receipt, row }: IndexedTransaction): boolean =>
  receipt.status === undefined ? row.error !== undefined : receipt.status === 0
