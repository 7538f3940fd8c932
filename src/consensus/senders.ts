// Senders that wait for the block that takes what they sent. Each waits for a bounded number of blocks; in a crowd nobody
// waits.
import type { Chain } from '../chain/types.ts'
import type { Hash } from '../lib/hex.ts'

/** Blocks that a sender waits for transactions which the first of them leaves out (their fee, or no room). */
const PATIENCE = 2
/**
 * So many senders may wait for their block; in a larger crowd nobody does, as none of them looks for a single receipt, and
 * blocks that hold what a crowd of waiting senders can send would be small. A block stays open for what a crowd sends while
 * it keeps coming, so that what a block costs by itself is shared by many.
 */
export const CROWD = 16

type Waiter = { readonly transactions: readonly Hash[]; readonly done: () => void; blocksLeft: number }

export class WaitingSenders {
  readonly #pool: Chain['pool']
  #waiters: Waiter[] = []
  /** How many have come to wait since the last block was made. */
  #senders = 0

  constructor(pool: Chain['pool']) {
    this.#pool = pool
  }

  /** Settles when the transactions, sent together, have left the pool; at once when no block can take one, or many wait. */
  wait(transactions: readonly Hash[]): Promise<void> {
    const executable = transactions.filter((hash) => this.#isExecutable(hash))
    if (executable.length === 0) return Promise.resolve()
    if (++this.#senders > CROWD) {
      this.releaseAll()
      return Promise.resolve()
    }
    return new Promise((done) => this.#waiters.push({ transactions: executable, done, blocksLeft: PATIENCE }))
  }

  /** To be called after each block that was made because transactions were ready. */
  blockMade(): void {
    this.#senders = 0
    for (const waiter of this.#waiters) waiter.blocksLeft--
    const isMined = (hash: Hash) => this.#pool.get(hash) === undefined
    this.#release(({ transactions, blocksLeft }) => blocksLeft <= 0 || transactions.every(isMined))
  }

  releaseAll(): void {
    this.#release(() => true)
  }

  /** Behind a gap a transaction may wait for ever, whatever blocks are made meanwhile. */
  #isExecutable(hash: Hash): boolean {
    const waiting = this.#pool.get(hash)
    return waiting !== undefined && waiting.nonce < this.#pool.nextNonce(waiting.from)
  }

  #release(isDone: (waiter: Waiter) => boolean): void {
    if (this.#waiters.length === 0) return
    const done = this.#waiters.filter(isDone)
    this.#waiters = this.#waiters.filter((waiter) => !done.includes(waiter))
    for (const waiter of done) waiter.done()
  }
}
