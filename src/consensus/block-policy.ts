// The policy of automatic blocks: when a block begins, how long it stays open for more transactions, and which senders wait for
// it. All constants of these decisions are here with the reason for each; `Solo` follows the policy.
import { setTimeout as sleep } from 'node:timers/promises'
import type { BlockBuilder } from '../chain/block-builder.ts'
import type { Chain } from '../chain/types.ts'
import type { Hash } from '../lib/hex.ts'
import type { TxPool } from '../pool/types.ts'

/**
 * Senders that may wait for their block at a time. Up to this number each send is answered after its block, so that its
 * receipt exists. With more, all are answered as soon as their transaction is in the journal: clients that send hundreds at a
 * time do not look for single receipts, and a waiting sender sends one transaction at a time, which would keep blocks small.
 */
export const MAX_WAITING_SENDERS = 16

/**
 * Blocks that a sender waits for when they omit its transaction (fee too low, or no room): in the worst case each waiting
 * sender needs a separate block.
 */
const MAX_BLOCKS_WAITED = MAX_WAITING_SENDERS

/**
 * A block with more transactions than this stays open for transactions that arrive while it is built, so that more of them
 * share its fixed cost (some 160 rows, with `--durable block` an fsync). Smaller blocks are sealed at once, because their
 * senders wait (`WaitingSenders`).
 */
export const MIN_OPEN_SIZE = MAX_WAITING_SENDERS

/** A block with this many transactions is sealed: a larger block takes longer to commit, and other requests wait for that. */
export const MAX_OPEN_SIZE = 4_000

/** Milliseconds between checks of the pool while a block is open. */
const POLL_INTERVAL = 5

/** Milliseconds without a new transaction until an open block is sealed: two checks, so that one late packet cannot end it. */
export const QUIET_PERIOD = 10

/** Milliseconds after which an open block is sealed in any case, and after which it no longer waits for sends of one batch. */
export const MAX_OPEN_TIME = 1_000

/** Milliseconds until a failed block is tried again, unless a new transaction or block triggers one earlier. */
export const RETRY_DELAY = 1_000

/** The clock and the pause of the policy; tests replace them. */
export type Timing = { readonly now: () => number; readonly sleep: (milliseconds: number) => Promise<unknown> }
const realTiming: Timing = { now: () => performance.now(), sleep }

/**
 * Settles with true when an open block should take newly ready transactions, and with false when it should be sealed.
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
  // Transactions of the open block stay in the pool until it is committed.
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
  /** Senders since the last block. */
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

  /** Call it after each block that was made for ready transactions. */
  blockMade(): void {
    this.#senders = 0
    for (const waiter of this.#waiters) waiter.blocksLeft--
    const isMined = (hash: Hash) => this.#pool.get(hash) === undefined
    this.#release(({ transactions, blocksLeft }) => blocksLeft <= 0 || transactions.every(isMined))
  }

  releaseAll(): void {
    this.#release(() => true)
  }

  /** False for a transaction behind a nonce gap: it may wait forever. */
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

/** Batches of sends that are entering the pool: no block begins before all their transactions are in it. */
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

/**
 * Whether the next block is the first that may use some proposal. Calls and gas estimates use the rules of the head, so an
 * automining node makes that block at once.
 */
export const namesNext = ({ spec, head }: Pick<Chain, 'spec' | 'head'>): boolean =>
  spec.native?.proposals.some(({ since }) => since === head.number + 1n) ?? false
