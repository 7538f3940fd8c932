// Blocks and transactions of before a fork: the forked chain has them, and this chain's index does not. What only an index knows
// (inner messages, transfers of tokens) is left out.
import type { BlockRef } from '../../chain/types.ts'
import { type ForeignTransaction, foreignBlock, minedTransaction, minedTransactions } from '../../fork/mined.ts'
import { kindMask } from '../../indexer/tables.ts'
import { type Address, EMPTY_BYTES, type Hash } from '../../lib/hex.ts'
import type { ExplorerContext } from '../context.ts'
import { type BlockJson, shapeBlock } from './block.ts'
import type { IndexedTransaction } from './indexed-transaction.ts'
import { type LogJson, shapeLog } from './log.ts'
import { kindsOfMessage, showMined, type TransactionJson } from './transaction.ts'

/** A block up to that of the fork; undefined: it is none, or this chain is no fork. */
export async function showBlockBefore(context: ExplorerContext, ref: BlockRef): Promise<BlockJson | undefined> {
  const number = await numberBefore(context, ref)
  const { forked } = context.chain
  if (number === undefined || forked === undefined) return undefined
  const { header, transactions, size, uncles, withdrawals, fees } = await foreignBlock(forked, number)
  const baseFees = header.gasUsed * (header.baseFeePerGas ?? 0n)
  const all = fees ?? baseFees
  return shapeBlock(context, {
    header,
    transactions,
    calls: 0,
    withdrawals: withdrawals ?? null,
    size: size ?? 0,
    uncles,
    fees: all,
    baseFees,
    tips: all > baseFees ? all - baseFees : 0n,
    rewards: [],
    totalDifficulty: undefined,
  })
}

/** The number of a block up to that of the fork; undefined: it is none. */
export async function numberBefore({ chain }: ExplorerContext, ref: BlockRef): Promise<bigint | undefined> {
  const { forked } = chain
  if (forked === undefined || typeof ref === 'string') return undefined
  const number = 'number' in ref ? ref.number : await forked.locate(ref.hash)
  return number !== undefined && number <= forked.at.number ? number : undefined
}

/** A transaction that was mined before the fork; undefined: there is none. */
export async function showTransactionBefore(
  context: ExplorerContext,
  hash: Hash,
): Promise<TransactionJson | undefined> {
  const found = await transactionBefore(context, hash)
  if (found === undefined) return undefined
  return { ...(await showForeign(context, found)), token_transfers: [], token_transfers_overflow: false }
}

/** The transactions of a block up to that of the fork, of some kinds if they are given; undefined: it is no such block. */
export async function transactionsBefore(
  context: ExplorerContext,
  ref: BlockRef,
  kinds?: number,
): Promise<readonly ForeignTransaction[] | undefined> {
  const number = await numberBefore(context, ref)
  const { forked } = context.chain
  if (number === undefined || forked === undefined) return undefined
  const all = await minedTransactions(forked, number)
  if (kinds === undefined) return all
  await haveAccounts(
    context,
    all.map(({ transaction }) => transaction.to),
  )
  return all.filter((found) => (asIndexed(context, found).row.kinds & kinds) !== 0)
}

/** A transaction that was mined before the fork, as an item of a list. */
export async function showForeign(context: ExplorerContext, found: ForeignTransaction): Promise<TransactionJson> {
  const { from, to } = found.transaction
  await haveAccounts(context, [from, to, found.receipt.contractAddress])
  return showMined(context, asIndexed(context, found))
}

/** Fetches what is missing of accounts, together with that of other items of a list. */
async function haveAccounts({ chain }: ExplorerContext, accounts: readonly (Address | null)[]): Promise<void> {
  await chain.missing?.fetch(accounts.flatMap((account) => (account === null ? [] : [{ account }])))
}

export async function transactionBefore(context: ExplorerContext, hash: Hash): Promise<ForeignTransaction | undefined> {
  const { forked } = context.chain
  return forked && minedTransaction(forked, hash)
}

/** A log of a transaction that was mined before the fork. */
export async function showLogBefore(
  context: ExplorerContext,
  { header, transaction }: ForeignTransaction,
  log: ForeignTransaction['logs'][number],
): Promise<LogJson> {
  await haveAccounts(context, [log.address])
  return shapeLog(context, { log, header, transaction, index: log.index })
}

/** As the index would have it, without inner messages and transfers. */
function asIndexed(context: ExplorerContext, found: ForeignTransaction): IndexedTransaction {
  const { header, transaction, receipt, index } = found
  const kinds = kindsOfMessage(context, transaction)
  const row = {
    number: Number(header.number),
    index,
    kinds: kindMask(kinds),
    selector: kinds.includes('contract_call') ? transaction.data.subarray(0, 4) : EMPTY_BYTES,
    firstTransfer: 0,
    transfers: 0,
    firstCall: 0,
    calls: 0,
    error: receipt.status === 0 ? 'failed' : undefined,
    revertData: EMPTY_BYTES,
    hasInnerError: false,
  }
  return { sequence: 0, row, header, transaction, receipt, firstLogIndex: found.logs[0]?.index ?? 0 }
}
