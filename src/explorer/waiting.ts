// What waits in the pool, in order of arrival, and for some minutes what left it without being mined. The pool itself tells
// of neither: it is watched from the first look on.
import { LRUCache } from 'lru-cache'
import type { Chain } from '../chain/types.ts'
import type { Hash } from '../lib/hex.ts'
import type { Transaction } from '../primitives/types.ts'

/** How long a transaction that was dropped or replaced is remembered, in milliseconds, and how many bytes of them. */
const REMEMBERED_FOR = 10 * 60_000
const REMEMBERED_BYTES = 16 << 20
/** What a transaction takes beside its own bytes, about. */
const OVERHEAD = 1000

export class Waiting {
  readonly #chain: Pick<Chain, 'pool' | 'transaction'>
  /** In order of arrival; what waits for a nonce before it arrives when it is first looked at. */
  readonly #arrived = new Map<Hash, Transaction>()
  readonly #dropped = new LRUCache<Hash, Transaction>({
    ttl: REMEMBERED_FOR,
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: ({ raw }) => raw.length + OVERHEAD,
  })

  constructor(chain: Pick<Chain, 'pool' | 'transaction'>) {
    this.#chain = chain
    chain.pool.onPending((transaction) => this.#arrived.set(transaction.hash, transaction))
    chain.pool.onRemoved((transaction) => {
      this.#arrived.delete(transaction.hash)
      if (chain.transaction(transaction.hash) === undefined) this.#dropped.set(transaction.hash, transaction)
    })
    this.newest()
  }

  /** Everything that waits, the last to arrive first. */
  newest(): Transaction[] {
    const { pending, queued } = this.#chain.pool.content()
    for (const transaction of [...pending.values(), ...queued.values()].flat()) {
      if (!this.#arrived.has(transaction.hash)) this.#arrived.set(transaction.hash, transaction)
    }
    return [...this.#arrived.values()].reverse()
  }

  /** A transaction that left the pool, if it is neither mined nor back there. */
  dropped(hash: Hash): Transaction | undefined {
    const isElsewhere = this.#chain.pool.get(hash) !== undefined || this.#chain.transaction(hash) !== undefined
    return isElsewhere ? undefined : this.#dropped.get(hash)
  }
}

const watched = new WeakMap<Chain, Waiting>()

/** The watch over a chain's pool; it begins with the first call. */
export function waitingIn(chain: Chain): Waiting {
  const known = watched.get(chain) ?? new Waiting(chain)
  watched.set(chain, known)
  return known
}
