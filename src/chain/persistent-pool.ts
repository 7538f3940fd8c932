// The transaction pool with its journal on disk. The hash of a transaction is returned only when the transaction is on disk;
// the pool follows the head through `reset`.
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

  /** The transaction with its sender; senders are remembered. Throws ChainError `transaction-rejected`. */
  withSender(transaction: SignedTransaction): Transaction {
    return withSender(transaction, this.senders.of(transaction))
  }

  /** Decodes, checks, pools and records; settles with the hash when the transaction is written. */
  async submit(raw: Uint8Array): Promise<Hash> {
    const { transaction, sidecar } = decodeNetworkTransaction(raw)
    // The proofs cost up to 300 ms a blob, and a pool that takes no blobs refuses them anyway.
    if (sidecar !== undefined && this.pool.takesBlobs) await verifySidecar(transaction, sidecar)
    const sender = await this.senders.recover(transaction)
    // Awaited here: a promise that is returned as it is takes two turns more.
    return await this.#take({ transaction: withSender(transaction, sender), sidecar })
  }

  /** The same for an account without a key (development). */
  async submitUnsigned(message: TransactionMessage, chainId: bigint): Promise<Hash> {
    const type = message.authorizationList.length > 0 ? 4 : 2
    const transaction = impersonatedTransaction({ ...message, type, chainId }, message.from)
    return this.#take({ transaction, sidecar: undefined })
  }

  /** Pools the transactions of the last shutdown again; those that the head refuses are dropped. `warn` gets a line about a damaged journal. */
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

  /** Everything that waits now, to be given to `replace` later. */
  content(): PooledTransaction[] {
    const { pending, queued } = this.pool.content()
    const transactions = [...pending.values(), ...queued.values()].flat()
    return transactions.map((transaction) => ({ transaction, sidecar: this.pool.sidecar(transaction.hash) }))
  }

  /** Replaces everything that waits; what the head does not allow any more is dropped. */
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

  /** Settles when the journal holds what the pool holds. */
  settled(): Promise<void> {
    return this.#journal.settled()
  }

  async #take(pooled: PooledTransaction): Promise<Hash> {
    const { hash } = pooled.transaction
    this.#store.requireWritable()
    scheduler.transactionArrived()
    this.pool.add(pooled.transaction, pooled.sidecar)
    try {
      await this.#journal.record(pooled)
    } catch (error) {
      // What was refused must not be mined later.
      this.pool.remove(hash)
      throw error
    }
    return hash
  }
}
