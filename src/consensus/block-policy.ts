// The policy of automatic blocks: when a block begins, how long it stays open for more transactions, and which senders wait for
// it. All constants of these decisions are here with the reason for each; `Solo` follows the policy.
import { setTimeout as sleep } from 'node:timers/promises'
import type { BlockBuilder } from '../chain/block-builder.ts'
import type { Hash } from '../lib/hex.ts'
import type { TxPool } from '../pool/types.ts'

/**
 * Senders that may wait for their block at a time. Up to this number each gets its answer with its block, so that its receipt is
 * there at once. With more, all are answered when their transaction is in the journal: clients that send hundreds at a time do not
 * look for single receipts, and blocks that hold only the one transaction each that a waiting sender can send would be small.
 */
export const MAX_WAITING_SENDERS = 16

/**
 * Blocks that a sender waits for a transaction that they leave out (its fee, or no room): each sender that may wait could need a
 * block of its own.
 */
const MAX_BLOCKS_WAITED = MAX_WAITING_SENDERS

/**
 * A block with more transactions than this stays open for what comes while it is built: what a block costs by itself (some 160
 * rows, one sync of the disk) is then shared by more transactions. Smaller blocks are sealed at once, because their senders wait for them (`WaitingSenders`).
 */
export const MIN_OPEN_SIZE = MAX_WAITING_SENDERS

/** A block with this many transactions is sealed: a larger block takes longer to commit, and other requests wait meanwhile. */
export const MAX_OPEN_SIZE = 4_000

/** Milliseconds between two looks at the pool while a block is open. */
const POLL_INTERVAL = 5

/** Milliseconds without a new transaction after which an open block is sealed: two looks, so that one late packet does not end the block. */
export const QUIET_PERIOD = 10

/** Milliseconds after which an open block is sealed in any case, and after which it no longer waits for sends of one batch. */
export const MAX_OPEN_TIME = 1_000

/** Milliseconds until a failed block is tried again, unless a new transaction or block triggers one earlier. */
export const RETRY_DELAY = 1_000

/** The clock and the pause of the policy; tests bring their own. */
export type Timing = { readonly now: () => number; readonly sleep: (milliseconds: number) => Promise<unknown> }
const realTiming: Timing = { now: () => performance.now(), sleep }

/**
 * Settles with true when an open block should take what has become ready, and with false when it should be sealed.
 * @param opened - `timing.now()` at which the block was opened
 * @param mayStayOpen - false as soon as the producer has something else to do
 */
export async function hasMoreToTake(
  block: Pick<BlockBuilder, 'size' | 'isFull' | 'isContended'>,
  pool: Pick<TxPool, 'pending'>,
  opened: number,
  mayStayOpen: () => boolean,
  timing: Timing = realTiming,
): Promise<boolean> {
  if (block.isFull || block.size <= MIN_OPEN_SIZE || block.size >= MAX_OPEN_SIZE) return false
  // What the block has taken stays in the pool until the block is committed.
  const before = pool.pending
  const mayWait = () => !block.isContended && timing.now() - opened < MAX_OPEN_TIME && mayStayOpen()
  for (let quiet = 0; quiet < QUIET_PERIOD && mayWait(); quiet += POLL_INTERVAL) {
    await timing.sleep(POLL_INTERVAL)
    if (pool.pending > before) return !block.isContended
  }
  return false
}

type Waiter = { readonly transactions: readonly Hash[]; readonly done: () => void; blocksLeft: number }

/** Senders that wait until the block with their transactions is committed. */
export class WaitingSenders {
  readonly #pool: TxPool
  #waiters: Waiter[] = []
  /** Senders that have come since the last block. */
  #senders = 0

  constructor(pool: TxPool) {
    this.#pool = pool
  }

  /**
   * Settles when the transactions of one sender have left the pool, after MAX_BLOCKS_WAITED blocks at the latest; at once
   * when no block can take one of them, or when too many senders wait.
   */
  wait(transactions: readonly Hash[]): Promise<void> {
    const executable = transactions.filter((hash) => this.#isExecutable(hash))
    if (executable.length === 0) return Promise.resolve()
    if (++this.#senders > MAX_WAITING_SENDERS) {
      this.releaseAll()
      return Promise.resolve()
    }
    return new Promise((done) => this.#waiters.push({ transactions: executable, done, blocksLeft: MAX_BLOCKS_WAITED }))
  }

  /** To be called after each block that ready transactions called for. */
  blockMade(): void {
    this.#senders = 0
    for (const waiter of this.#waiters) waiter.blocksLeft--
    const isMined = (hash: Hash) => this.#pool.get(hash) === undefined
    this.#release(({ transactions, blocksLeft }) => blocksLeft <= 0 || transactions.every(isMined))
  }

  releaseAll(): void {
    this.#release(() => true)
  }

  /** A transaction behind a nonce gap may wait forever, whatever blocks are made. */
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

/** Batches of sends that are on their way into the pool: no block begins before each of them is there. */
export class OpenBatches {
  readonly #batches = new Set<Promise<void>>()

  /** Opens a batch, which ends when the returned function is called, or after `MAX_OPEN_TIME`. */
  open(): () => void {
    let end: () => void = () => undefined
    const batch = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#batches.add(batch)
    const timer = setTimeout(end, MAX_OPEN_TIME)
    void batch.then(() => {
      clearTimeout(timer)
      this.#batches.delete(batch)
    })
    return end
  }

  /** Settles when all batches that are open now have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#batches)
  }
}
