// The transaction pool with its journal on disk. The hash of a transaction is returned only after it is in the journal; `reset`
// moves the pool to a new head.
import { ChainError } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import { scheduler } from '../lib/scheduler.ts'
import { TransactionJournal } from '../pool/transaction-journal.ts'
import type { Pool } from '../pool/txpool.ts'
import type { PooledTransaction, PoolHead } from '../pool/types.ts'
import { decodeNetworkTransaction, verifySidecar } from '../primitives/blobs.ts'
import { impersonatedTransaction, withSender } from '../primitives/transaction.ts'
import type { SignedTransaction, Transaction, TransactionMessage } from '../primitives/types.ts'
import type { KvStore } from '../state/types.ts'
import { SenderRecovery } from './sender-recovery.ts'
import type { TransactionOrigin } from './types.ts'

export class PersistentPool {
  readonly pool: Pool
  readonly #store: Pick<KvStore, 'requireWritable'>
  readonly #journal: TransactionJournal
  readonly senders = new SenderRecovery()
  readonly #onError: (error: unknown) => void

  constructor(store: Pick<KvStore, 'log' | 'requireWritable'>, pool: Pool, onError: (error: unknown) => void) {
    this.pool = pool
    this.#store = store
    this.#journal = new TransactionJournal(store.log)
    this.#onError = onError
    pool.onRemoved(({ hash }) => {
      this.#journal.forget(hash).catch(onError)
    })
  }

  /** The transaction with its sender, which is cached. Throws ChainError `transaction-rejected`. */
  withSender(transaction: SignedTransaction): Transaction {
    return withSender(transaction, this.senders.of(transaction))
  }

  /** Decodes, checks and pools a transaction. Resolves with its hash when the journal has it, which only has those of clients. */
  async submit(raw: Uint8Array, origin: TransactionOrigin = 'client'): Promise<Hash> {
    const { transaction, sidecar } = decodeNetworkTransaction(raw)
    // Verifying blob proofs takes up to 300 ms per blob; a pool without blobs refuses the transaction anyway.
    if (sidecar !== undefined && this.pool.takesBlobs) await verifySidecar(transaction, sidecar)
    const sender = await this.senders.recover(transaction)
    // Awaited here: returning the promise itself costs two more microtask turns.
    return await this.#take({ transaction: withSender(transaction, sender), sidecar }, origin)
  }

  /** As `submit`, for an account without a key (development). */
  async submitUnsigned(message: TransactionMessage, chainId: bigint): Promise<Hash> {
    const type = message.authorizationList.length > 0 ? 4 : 2
    const transaction = impersonatedTransaction({ ...message, type, chainId }, message.from)
    return this.#take({ transaction, sidecar: undefined }, 'client')
  }

  /**
   * Adds the journaled transactions of the last run to the pool; those that are invalid on the head are dropped. `warn` gets a
   * line about a damaged journal.
   */
  async restore(warn: (line: string) => void = () => undefined): Promise<void> {
    for (const { transaction, sidecar } of this.#journal.load(warn)) {
      try {
        this.pool.add(transaction, sidecar)
      } catch (error) {
        if (!(error instanceof ChainError)) throw error
        await this.#journal.forget(transaction.hash)
      }
    }
  }

  /** All transactions of the pool, for a later `replace`. */
  content(): PooledTransaction[] {
    const { pending, queued } = this.pool.content()
    const transactions = [...pending.values(), ...queued.values()].flat()
    return transactions.map((transaction) => ({ transaction, sidecar: this.pool.sidecar(transaction.hash) }))
  }

  /** Replaces the content of the pool; transactions that are invalid on the head are dropped. */
  replace(content: readonly PooledTransaction[]): void {
    this.pool.clear()
    for (const pooled of content) {
      try {
        this.pool.add(pooled.transaction, pooled.sidecar)
        this.#journal.record(pooled).catch(this.#onError)
      } catch (error) {
        if (!(error instanceof ChainError)) throw error
      }
    }
  }

  reset(head: PoolHead): void {
    this.pool.reset(head)
  }

  /** Resolves when the journal has all transactions of the pool. */
  settled(): Promise<void> {
    return this.#journal.settled()
  }

  async #take(pooled: PooledTransaction, origin: TransactionOrigin): Promise<Hash> {
    const { hash } = pooled.transaction
    this.#store.requireWritable()
    scheduler.transactionArrived()
    // A client takes "already known" for an acceptance, also of what only a peer had announced.
    const isPeers = this.pool.get(hash) !== undefined && !this.#journal.has(hash)
    if (origin === 'client' && isPeers) await this.#journal.record(pooled)
    this.pool.add(pooled.transaction, pooled.sidecar)
    if (origin === 'peer') return hash
    try {
      await this.#journal.record(pooled)
    } catch (error) {
      // The client gets an error, so the transaction must not be mined later.
      this.pool.remove(hash)
      throw error
    }
    return hash
  }
}
