// Signed transactions that a request brings for a block of its own: they do not pass the pool.
import { decodeNetworkTransaction } from '../../primitives/blobs.ts'
import { recoverSender, withSender } from '../../primitives/transaction.ts'
import type { BlobSidecar, Transaction } from '../../primitives/types.ts'

export type GivenTransaction = {
  readonly transaction: Transaction
  readonly sidecar: BlobSidecar | undefined
}

/** Throws ChainError `transaction-rejected`. */
export function decodeGiven(raw: Uint8Array): GivenTransaction {
  const { transaction, sidecar } = decodeNetworkTransaction(raw)
  return { transaction: withSender(transaction, recoverSender(transaction)), sidecar }
}
