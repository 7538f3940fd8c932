// The interface of the transaction pool, for the chain, the producer and the APIs.
import type { Address, Hash } from '../lib/hex.ts'
import type { BlobSidecar, Transaction } from '../primitives/types.ts'
import type { Order } from './order.ts'

/** The head's state and prices for admission and order. The chain passes them in at each new head. */
export type PoolHead = {
  readonly number: bigint
  readonly gasLimit: bigint
  /** The base fee of the next block; zero before London. */
  readonly baseFeePerGas: bigint
  /** Floor of the base fee; 0: none. */
  readonly minBaseFee: bigint
  readonly blobBaseFee: bigint
  nonce(of: Address): bigint
  balance(of: Address): bigint
  /** The account's code: empty for accounts that may send, or a 7702 delegation, which may send too. */
  code(of: Address): Uint8Array
}

export type PooledTransaction = { readonly transaction: Transaction; readonly sidecar: BlobSidecar | undefined }

export interface TxPool {
  /** The order of `ready`. */
  readonly order: Order
  /** Throws ChainError `transaction-rejected` with geth's message. */
  add(transaction: Transaction, sidecar: BlobSidecar | undefined): void
  get(hash: Hash): Transaction | undefined
  sidecar(hash: Hash): BlobSidecar | undefined
  /**
   * Executable transactions in the pool's order, those of a sender in nonce order. `nonce` gives a sender's first nonce if some of
   * its transactions are already in a block under construction. Each call starts a new iteration.
   */
  ready(nonce?: (of: Address) => bigint): Iterable<Transaction>
  hasReady(): boolean
  /**
   * Keeps a transaction in the pool and out of `ready`, as its execution made the program fail, until it is replaced, removed, or
   * the node starts again.
   */
  hold(hash: Hash): void
  /** Number of executable transactions. */
  readonly pending: number
  /** Number of transactions behind a nonce gap. */
  readonly queued: number
  /** The sender's next nonce after the state and its executable transactions. */
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
  /** Called with each transaction that leaves the pool. */
  onRemoved(listener: (transaction: Transaction) => void): void
}
