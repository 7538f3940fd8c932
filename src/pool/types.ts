// The interface of the transaction pool, for the chain, the producer and the APIs.
import type { Address, Hash } from '../lib/hex.ts'
import type { BlobSidecar, Transaction } from '../primitives/types.ts'

/** The head's state and prices, as far as admission and order need them. The chain passes them in at each new head. */
export type PoolHead = {
  readonly number: bigint
  readonly gasLimit: bigint
  /** Of the next block; zero before London. */
  readonly baseFeePerGas: bigint
  /** Floor of the base fee; 0: none. */
  readonly minBaseFee: bigint
  readonly blobBaseFee: bigint
  nonce(of: Address): bigint
  balance(of: Address): bigint
  /** Zero-length for accounts that may send; a 7702 delegation may send too. */
  code(of: Address): Uint8Array
}

export type PooledTransaction = { readonly transaction: Transaction; readonly sidecar: BlobSidecar | undefined }

export interface TxPool {
  /** Throws ChainError `transaction-rejected` in geth's words. */
  add(transaction: Transaction, sidecar: BlobSidecar | undefined): void
  get(hash: Hash): Transaction | undefined
  sidecar(hash: Hash): BlobSidecar | undefined
  /**
   * Executable transactions by effective tip, nonces of a sender in order, from the given one on if some have been taken
   * into a block that is not yet mined; a fresh iteration each time.
   */
  ready(nonce?: (of: Address) => bigint): Iterable<Transaction>
  hasReady(): boolean
  /** Number of executable transactions. */
  readonly pending: number
  /** Number of transactions behind a nonce gap. */
  readonly queued: number
  /** First nonce of the sender that neither state nor pool has used without a gap. */
  nextNonce(of: Address): bigint
  /** Executable (`pending`) and gapped (`queued`) transactions by sender, in nonce order. */
  content(): {
    readonly pending: ReadonlyMap<Address, readonly Transaction[]>
    readonly queued: ReadonlyMap<Address, readonly Transaction[]>
  }
  /** The head moved: drops mined and unpayable transactions, promotes and demotes the rest. */
  reset(head: PoolHead): void
  remove(hash: Hash): boolean
  clear(): void
  /** Called with each transaction that becomes executable. */
  onPending(listener: (transaction: Transaction) => void): void
  /** Called with each transaction that leaves, whatever the reason. */
  onRemoved(listener: (transaction: Transaction) => void): void
}
