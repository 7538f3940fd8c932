// How a contract came to be: the transaction, and the message within it that held the code and the arguments.

import type { Chain } from '../../chain/types.ts'
import { RECORD } from '../../indexer/records.ts'
import { LIST, transactionEntry } from '../../indexer/tables.ts'
import type { Address } from '../../lib/hex.ts'
import type { Transaction } from '../../primitives/types.ts'
import type { KvReader } from '../../state/types.ts'
import { entryAt } from '../../tables/list.ts'
import { whereStateIs } from '../pruned.ts'

export type Creation = {
  readonly transaction: Transaction
  readonly number: number
  /** Whose message it was: of a factory's contract the factory. */
  readonly creator: Address
}

/** The creation of a contract; undefined for one that no message made, as in genesis. */
export async function creationOf(
  chain: Pick<Chain, 'block'>,
  rows: Pick<KvReader, 'get'>,
  address: Address,
): Promise<Creation | undefined> {
  const { createdIn, creator } = RECORD.account.get(rows, address) ?? {}
  const entry = createdIn === undefined ? undefined : entryAt(rows, LIST.transactions, createdIn)
  if (entry === undefined || creator === undefined) return undefined
  const { number, index } = transactionEntry.decode(entry)
  const block = await chain.block({ number: BigInt(number) })
  const transaction = block?.transactions[index]
  return transaction && { transaction, number, creator }
}

/** Creation code with the arguments behind it. A factory's is read off its transaction, which is run again. */
export async function creationInput(
  { traces }: Pick<Chain, 'traces'>,
  { transaction, creator }: Creation,
  address: Address,
): Promise<Uint8Array | undefined> {
  if (transaction.to === null && transaction.from === creator) return transaction.data
  const replayed = await whereStateIs(traces.replayTransaction(transaction.hash))
  if (replayed === undefined) return undefined
  const { frames } = replayed
  const made = frames.findLast(
    ({ type, to, error }) => (type === 'CREATE' || type === 'CREATE2') && to === address && error === undefined,
  )
  return made?.input
}
