// The pool's transactions in order of arrival, and those that left it without being mined, for ten minutes. The pool records
// neither, so this class listens to it from construction on.
import { LRUCache } from 'lru-cache'
import type { ChainReader, TransactionIntake } from '../chain/types.ts'
import type { Hash } from '../lib/hex.ts'
import type { Transaction } from '../primitives/types.ts'

/** Milliseconds for which a dropped or replaced transaction is remembered, and maximum bytes of them. */
const REMEMBERED_FOR = 10 * 60_000
const REMEMBERED_BYTES = 16 << 20
/** Estimated bytes of a transaction in memory, in addition to its encoding. */
const OVERHEAD = 1000

export class PendingTransactions {
  readonly #chain: ChainReader & TransactionIntake
  /** By arrival; a transaction that waits for an earlier nonce arrives when `newest` first finds it in the pool. */
  readonly #arrived = new Map<Hash, Transaction>()
  readonly #dropped = new LRUCache<Hash, Transaction>({
    ttl: REMEMBERED_FOR,
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: ({ raw }) => raw.length + OVERHEAD,
  })
  #isClosed = false

  constructor(chain: ChainReader & TransactionIntake) {
    this.#chain = chain
    chain.pool.onPending((transaction) => {
      if (!this.#isClosed) this.#arrived.set(transaction.hash, transaction)
    })
    chain.pool.onRemoved((transaction) => {
      this.#arrived.delete(transaction.hash)
      if (this.#isClosed || chain.transaction(transaction.hash) !== undefined) return
      this.#dropped.set(transaction.hash, transaction)
    })
    this.newest()
  }

  /** Every transaction of the pool, the last to arrive first. */
  newest(): Transaction[] {
    const { pending, queued } = this.#chain.pool.content()
    for (const transaction of [...pending.values(), ...queued.values()].flat()) {
      if (!this.#arrived.has(transaction.hash)) this.#arrived.set(transaction.hash, transaction)
    }
    return [...this.#arrived.values()].reverse()
  }

  /** A transaction that left the pool and is neither mined nor in the pool again. */
  dropped(hash: Hash): Transaction | undefined {
    const isElsewhere = this.#chain.pool.get(hash) !== undefined || this.#chain.transaction(hash) !== undefined
    return isElsewhere ? undefined : this.#dropped.get(hash)
  }

  /** Forgets everything and ignores later events of the pool, whose listeners cannot be removed. */
  close(): void {
    this.#isClosed = true
    this.#arrived.clear()
    this.#dropped.clear()
  }
}
