// Builds this node's proposals from the transactions of its pool, as many as it can execute in the time of a proposal. Only
// execution shows that a transaction takes longer; such transactions must neither delay every proposal nor displace the others.
import type { Chain } from '../../chain/types.ts'
import type { Address, Hash } from '../../lib/hex.ts'
import type { Transaction } from '../../primitives/types.ts'
import type { ExecutedBlock, PayloadAttributes } from '../../runtime/types.ts'
import { FRAME_BYTES } from './gossip.ts'
import type { Measurements } from './measurements.ts'
import type { ProposalShare } from './rounds.ts'

/** Blocks to wait after the first and the second attempt that had the full time; the third drops the transaction. */
const PAUSES = [10n, 100n]
/** A transaction that ran for at least this fraction of the time limit counts as having had the full time. */
const WHOLE = 0.9
/** A transaction is tried again only when the remaining time is at least this multiple of the time that it has used. */
const MARGIN = 2

/** Hashes of dropped transactions that are remembered, so that peers cannot add them again. */
const MOST_DROPPED = 1_000

/** A transaction that was stopped. */
type Slow = {
  /** Milliseconds of its longest run; it takes longer. */
  readonly ran: number
  /** Attempts that had the full time. */
  readonly tries: number
  /** Block before which it is not tried again. */
  readonly until: bigint
}

export type OwnBlockProposalsOptions = {
  readonly chain: Pick<Chain, 'build' | 'pool' | 'head'>
  /** Milliseconds in which the transactions of a proposal are executed. */
  readonly time: number
  readonly measurements: Measurements
  readonly log: (line: string) => void
}

export class OwnBlockProposals {
  readonly #options: OwnBlockProposalsOptions
  readonly #slow = new Map<Hash, Slow>()
  readonly #dropped = new Set<Hash>()
  /**
   * Transactions with a higher gas limit come after all others. Set to half the gas limit of a stopped transaction, doubled
   * after each proposal without one.
   */
  #gasOfFirst: bigint
  /** `performance.now()` at which the transactions of the current proposal are stopped. */
  #deadline = 0

  constructor(options: OwnBlockProposalsOptions) {
    this.#options = options
    const { pool, head } = options.chain
    this.#gasOfFirst = head.gasLimit
    pool.onRemoved(({ hash }) => this.#slow.delete(hash))
  }

  /** Whether a transaction was dropped because it never ended in time. */
  hasDropped(hash: Hash): boolean {
    return this.#dropped.has(hash)
  }

  /** Executes a block of pending transactions. Those that can never run, or never end in time, leave the pool. */
  async build(attributes: Partial<PayloadAttributes>, maxBytes: number, share: ProposalShare): Promise<ExecutedBlock> {
    const { chain, time } = this.#options
    const milliseconds = time * share.time
    let isStopped = false
    const stopped = (transaction: Transaction, ran: number) => {
      isStopped = true
      this.#stopped(transaction, ran)
    }
    const candidates = this.#candidates(maxBytes, share)
    const executed = await chain.build(attributes, candidates, { bound: { milliseconds, stopped } })
    if (!isStopped && this.#gasOfFirst < chain.head.gasLimit) this.#gasOfFirst *= 2n
    for (const { transaction } of executed.refused) chain.pool.remove(transaction.hash)
    return executed
  }

  /** Ready transactions within the bounds, in nonce order per sender: first those up to `#gasOfFirst`, then all. */
  *#candidates(maxBytes: number, share: ProposalShare): Generator<Transaction> {
    const { pool, head } = this.#options.chain
    this.#deadline = performance.now() + this.#options.time * share.time
    const offered = new Set<Hash>()
    // Transactions use less gas than their limits, so a full share is bounded by gas used, not by the sum of the limits.
    let gas = share.gas === 1 ? undefined : BigInt(Math.floor(Number(head.gasLimit) * share.gas))
    let bytes = 0
    for (const most of [this.#gasOfFirst, head.gasLimit]) {
      const skipped = new Set<Address>()
      for (const transaction of pool.ready()) {
        const { hash, from, gasLimit, raw } = transaction
        if (offered.has(hash) || skipped.has(from)) continue
        if (offered.size >= share.transactions) return
        const isOutside = gasLimit > most || (gas !== undefined && gasLimit > gas)
        if (isOutside || !this.#mayEnd(hash)) {
          skipped.add(from)
          continue
        }
        bytes += raw.length + FRAME_BYTES
        if (bytes > maxBytes) return
        if (gas !== undefined) gas -= gasLimit
        offered.add(hash)
        yield transaction
      }
      if (most >= head.gasLimit) return
    }
  }

  /** False for a transaction that is known not to end in the remaining time, or that waits for a later block. */
  #mayEnd(hash: Hash): boolean {
    const slow = this.#slow.get(hash)
    if (slow === undefined) return true
    const { chain, time } = this.#options
    const wanted = Math.min(slow.ran * MARGIN, time * WHOLE)
    return chain.head.number >= slow.until && this.#deadline - performance.now() >= wanted
  }

  #stopped({ hash, gasLimit }: Transaction, ran: number): void {
    const { chain, time, measurements, log } = this.#options
    measurements.transactionsStopped++
    // It may have left the pool while it ran.
    if (chain.pool.get(hash) === undefined) return
    this.#gasOfFirst = gasLimit / 2n
    const before = this.#slow.get(hash)
    // The machine may stop a transaction early when it cannot end by the deadline; that counts as the full time.
    const hadAll = ran >= time * WHOLE || performance.now() < this.#deadline
    const tries = (before?.tries ?? 0) + (hadAll ? 1 : 0)
    const pause = hadAll ? PAUSES[tries - 1] : 0n
    const seconds = `${Number((time / 1000).toPrecision(2))} s`
    if (pause === undefined) {
      log(`the transaction ${hash} leaves the pool: in ${tries} tries it did not end in the ${seconds} of a proposal`)
      chain.pool.remove(hash)
      this.#dropped.add(hash)
      const [oldest] = this.#dropped
      if (this.#dropped.size > MOST_DROPPED && oldest !== undefined) this.#dropped.delete(oldest)
      return
    }
    this.#slow.set(hash, { ran: Math.max(ran, before?.ran ?? 0), tries, until: chain.head.number + pause })
    if (hadAll) log(`the transaction ${hash} is not proposed here for ${pause} blocks: it did not end in ${seconds}`)
  }
}
