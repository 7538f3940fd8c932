// A block under construction on the head. It takes candidates, then it is sealed and committed, or abandoned. It holds the
// writer's lock until then, so call `abandon` in a `finally`.
import type { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import type { Transaction } from '../primitives/types.ts'
import { refusalOf } from '../runtime/bundle.ts'
import type { OpenBlock, Unfetched } from '../runtime/open-block.ts'
import type { ExecutedBlock } from '../runtime/types.ts'

/** The chain as a builder sees it. */
export type BuilderContext = {
  /** Executable transactions of the pool, highest tip first. `nonce` gives the nonces after the block's transactions. */
  readonly ready: (nonce: (of: Address) => bigint) => Iterable<Transaction>
  /** Runs candidates; a candidate that causes an internal error (CandidateFault) is held in the pool. */
  readonly guarded: <T>(work: () => Promise<T>) => Promise<T>
  /** Whether another writer waits for the lock. */
  readonly isContended: () => boolean
  readonly commit: (executed: ExecutedBlock) => Promise<void>
  /** Removes transactions from the pool. */
  readonly drop: (refused: readonly Transaction[]) => void
  /** Gives the writer's lock back. */
  readonly release: () => void
}

export class BlockBuilder {
  readonly #block: OpenBlock
  readonly #context: BuilderContext
  #isOpen = true

  constructor(block: OpenBlock, context: BuilderContext) {
    this.#block = block
    this.#context = context
  }

  /** Number of transactions in the block. */
  get size(): number {
    return this.#block.size
  }

  /** Whether a candidate did not fit. If so, do not offer more. */
  get isFull(): boolean {
    return this.#block.isFull
  }

  /** Number of candidates that cannot be executed. */
  get refused(): number {
    return this.#block.refused.length
  }

  /** Why a candidate was not taken; undefined: it was. `reverted`: it was, and failed. */
  fateOf(candidate: Transaction): ChainError | 'reverted' | undefined {
    const { transactions, receipts } = this.#block
    const index = transactions.findIndex(({ hash }) => hash === candidate.hash)
    if (index < 0) return refusalOf(this.#block, candidate)
    return receipts[index]?.status === 0 ? 'reverted' : undefined
  }

  /** Candidates of a fork that were left out, because the block does not wait for what they miss: see `BlockWriter.fetchFor`. */
  get unfetched(): readonly Unfetched[] {
    return this.#block.unfetched
  }

  /** Whether another writer waits: a block that stays open should be sealed. */
  get isContended(): boolean {
    return this.#context.isContended()
  }

  /**
   * Runs candidates, by default the executable transactions of the pool. After an error the block is lost: abandon the builder.
   */
  async take(candidates?: Iterable<Transaction>): Promise<void> {
    this.#requireOpen()
    await this.#context.guarded(() =>
      this.#block.take(candidates ?? this.#context.ready((of) => this.#block.nonce(of))),
    )
  }

  /**
   * Finishes and commits the block, and ends the builder. When it throws, nothing was written and the head is as before. It throws
   * MissingState if the end of the block or its index misses something of a fork.
   */
  async seal(): Promise<ExecutedBlock> {
    this.#requireOpen()
    const executed = await this.#block.seal()
    await this.#context.commit(executed)
    this.abandon()
    return executed
  }

  /**
   * Ends the builder and discards an unsealed block. Candidates that an empty block refused are removed from the pool, because
   * they cannot be executed on the head's state. Calling it again has no effect.
   */
  abandon(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    if (this.size === 0) this.#context.drop(this.#block.refused.map(({ transaction }) => transaction))
    this.#context.release()
  }

  /** Without the lock another writer may have changed the head. */
  #requireOpen(): void {
    if (!this.#isOpen) throw new Error('the block was sealed or abandoned')
  }
}
