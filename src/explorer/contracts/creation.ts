// The creation of a contract: its transaction, and the message with the creation code and the constructor's arguments.

import type { Caller, ChainReader } from '../../chain/types.ts'
import { RECORD } from '../../indexer/records.ts'
import { LIST, transactionEntry } from '../../indexer/tables.ts'
import type { Address } from '../../lib/hex.ts'
import type { Transaction } from '../../primitives/types.ts'
import type { KvReader } from '../../state/types.ts'
import { entryAt } from '../../tables/list.ts'
import { undefinedIfPruned } from '../errors.ts'

export type Creation = {
  readonly transaction: Transaction
  readonly number: number
  /** Sender of the message: a factory, or the transaction's sender. */
  readonly creator: Address
}

/** The creation of a contract; undefined for a contract of the genesis state. */
export async function creationOf(
  chain: ChainReader,
  rows: Pick<KvReader, 'get'>,
  address: Address,
): Promise<Creation | undefined> {
  const { createdIn, creator } = RECORD.account.get(rows, address) ?? {}
  const entry = createdIn === undefined ? undefined : entryAt(rows, LIST.transactions, createdIn)
  if (entry === undefined || creator === undefined) return undefined
  const { number, index } = transactionEntry.decode(entry)
  const transaction = chain.transactionAt(BigInt(number), index)?.transaction
  return transaction && { transaction, number, creator }
}

/** Creation code followed by the arguments. If a factory created the contract, the transaction is executed again to read it. */
export async function creationInput(
  { traces }: Caller,
  { transaction, creator }: Creation,
  address: Address,
): Promise<Uint8Array | undefined> {
  if (transaction.to === null && transaction.from === creator) return transaction.data
  const replayed = await undefinedIfPruned(traces.replayTransaction(transaction.hash))
  if (replayed === undefined) return undefined
  const { frames } = replayed
  const made = frames.findLast(
    ({ type, to, error }) => (type === 'CREATE' || type === 'CREATE2') && to === address && error === undefined,
  )
  return made?.input
}
