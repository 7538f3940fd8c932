// `module=account`: balances, and what an address had to do with.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { callEntry, LIST, TOKEN_TYPES, type TokenType, transferEntry } from '../../indexer/tables.ts'
import { toHex } from '../../lib/hex.ts'
import { entryAt } from '../../tables/list.ts'
import { balanceNow } from '../asked.ts'
import { decodeInput } from '../contracts/abi.ts'
import type { ExplorerContext } from '../define.ts'
import { placeOf, sequenceOf } from '../shapes/place.ts'
import { callsOf, transactionsOf, transfersOf, transfersOfWith } from '../unions.ts'
import { type Action, action, address, addresses, filled, hash, part, Refused } from './define.ts'
import { allSequences, isFailed, rowsOf, sequencesOf, transactionFields } from './rows.ts'

const balance = action(z.object({ address: addresses }), ({ address: [of] }, { view }) =>
  (of === undefined ? 0n : view.balance(of)).toString(),
)

const balancemulti = action(z.object({ address: addresses }), ({ address: all }, { view }) =>
  all.map((account) => ({ account, balance: view.balance(account).toString() })),
)

const tokenbalance = action(
  z.object({ contractaddress: address, address }),
  async ({ contractaddress: token, address: of }, context) => ((await balanceNow(context, token, of)) ?? 0n).toString(),
)

const txlist = action(part.extend({ address }), async ({ address: of, ...part }, context) => {
  const sequences = sequencesOf(context, transactionsOf(of), 'transactions', part)
  const rows = await rowsOf(sequences, (sequence) => transactionRow(context, sequence))
  return filled(rows, 'No transactions found')
})

async function transactionRow(context: ExplorerContext, sequence: number) {
  const { place, fields } = await transactionFields(context, sequence)
  const { transaction, receipt } = place
  const { from, to, value, data } = transaction
  const isCall = to !== null && data.length > 0
  return {
    ...fields,
    from,
    to: to ?? '',
    value: value.toString(),
    isError: isFailed(place) ? '1' : '0',
    txreceipt_status: receipt.status?.toString() ?? '',
    input: toHex(data),
    contractAddress: to === null ? (receipt.contractAddress ?? '') : '',
    methodId: isCall ? toHex(data.subarray(0, 4)) : '0x',
    functionName: (isCall && decodeInput(context, to, data)?.method_call) || '',
  }
}

const txlistinternal = action(
  part.extend({ address: address.optional(), txhash: hash.optional() }),
  async ({ address: of, txhash, ...part }, context) => {
    const sequences =
      txhash !== undefined
        ? await callsWithin(context, txhash)
        : of !== undefined
          ? sequencesOf(context, callsOf(of), 'calls', part)
          : allSequences(context, 'calls', part)
    const rows = await rowsOf(sequences, (sequence) => internalRow(context, sequence))
    return filled(rows, 'No internal transactions found')
  },
)

async function callsWithin(context: ExplorerContext, of: z.output<typeof hash>): Promise<number[]> {
  const mined = context.chain.transaction(of)
  if (mined === undefined || mined.header.number > context.head.number) return []
  const { row } = await placeOf(context, sequenceOf(context, Number(mined.header.number), mined.index))
  return Array.from({ length: row.calls }, (_, i) => row.firstCall + i)
}

async function internalRow(context: ExplorerContext, sequence: number) {
  const entry = entryAt(context.rows, LIST.calls, sequence)
  if (entry === undefined) throw new Refused('No internal transactions found')
  const call = callEntry.decode(entry)
  const { header, transaction } = await placeOf(context, call.transaction)
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
    type: call.type.toLowerCase(),
    gas: call.gas.toString(),
    gasUsed: call.gasUsed.toString(),
    traceId: call.index.toString(),
    isError: call.error === undefined && !call.isUndone ? '0' : '1',
    errCode: call.error ?? '',
  }
}

/** Transfers of tokens of some types: of an address, of a token, or of one with the other. */
const transfers = (types: readonly TokenType[]): Action =>
  action(
    part.extend({ address: address.optional(), contractaddress: address.optional() }),
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
      return filled(rows, 'No transactions found')
    },
  )

async function transferFields(context: ExplorerContext, sequence: number) {
  const entry = entryAt(context.rows, LIST.transfers, sequence)
  if (entry === undefined) throw new Refused('No transactions found')
  const { transaction, token, type, from, to, id, amount, log } = transferEntry.decode(entry)
  const { fields } = await transactionFields(context, transaction)
  const { name, symbol, decimals } = RECORD.token.get(context.rows, token) ?? {}
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
    tokenDecimal: (decimals ?? 0).toString(),
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
