// The transaction pool with its journal on disk. The hash of a transaction is returned only after it is in the journal; `reset`
// moves the pool to a new head.
import { ChainError, ReadFailure } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import { scheduler } from '../lib/scheduler.ts'
import { TransactionJournal } from '../pool/transaction-journal.ts'
import type { Pool } from '../pool/txpool.ts'
import type { PooledTransaction, PoolHead } from '../pool/types.ts'
import { decodeNetworkTransaction, verifySidecar } from '../primitives/blobs.ts'
import { decodeTransaction, impersonatedTransaction, withSender } from '../primitives/transaction.ts'
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
  readonly #prepare: (transaction: Transaction) => Promise<void> | undefined

  /** `prepare`: called with a transaction before it enters the pool; undefined: nothing is to be done. */
  constructor(
    store: Pick<KvStore, 'log' | 'requireWritable'>,
    pool: Pool,
    onError: (error: unknown) => void,
    prepare: (transaction: Transaction) => Promise<void> | undefined = () => undefined,
  ) {
    this.pool = pool
    this.#prepare = prepare
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

  /** Recovers senders on threads, so that `submit` of these transactions need not wait for them. Ignores malformed ones. */
  async prefetchSenders(raws: readonly Uint8Array[]): Promise<void> {
    await this.senders.prefetch(raws.map(decodedOrNot).filter((transaction) => transaction !== undefined))
  }

  /** Transactions of a decided block, their senders recovered on threads; undefined for a malformed one. */
  async decode(raws: readonly Uint8Array[]): Promise<readonly (Transaction | undefined)[]> {
    const decoded = raws.map(decodedOrNot)
    await this.senders.prefetch(decoded.filter((transaction) => transaction !== undefined))
    return decoded.map((signed) => signed && undefinedIfRefused(() => this.withSender(signed)))
  }

  /** Transactions with their senders, recovered on threads. Throws as `withSender`. */
  async recovered(part: readonly SignedTransaction[]): Promise<readonly Transaction[]> {
    await this.senders.prefetch(part)
    return part.map((signed) => this.withSender(signed))
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
        await this.#prepare(transaction)
        this.pool.add(transaction, sidecar)
      } catch (error) {
        // On a fork whose other chain does not answer the transaction stays in the journal.
        if (error instanceof ReadFailure) warn(`transaction ${transaction.hash} is not in the pool: ${error.message}`)
        else if (error instanceof ChainError) await this.#journal.forget(transaction.hash)
        else throw error
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
    const prepared = this.#prepare(pooled.transaction)
    if (prepared !== undefined) await prepared
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

const decodedOrNot = (raw: Uint8Array): SignedTransaction | undefined =>
  undefinedIfRefused(() => decodeTransaction(raw))

/** The result; undefined for refused input (ChainError). Other errors are rethrown. */
function undefinedIfRefused<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}
