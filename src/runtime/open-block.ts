// A block that this node builds, while it takes transactions. Its content is a function of the parent's view, the payload
// attributes and the candidates; the caller decides when to offer more and when to seal (`consensus/`).
import { ChainError, ReadFailure } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import type { Pause } from '../lib/scheduler.ts'
import { minTransactionGas } from '../primitives/gas.ts'
import type { Receipt, Transaction } from '../primitives/types.ts'
import { MissingState, NotFetched } from '../state/partial-state.ts'
import type { StateView } from '../state/types.ts'
import { BlockExecution } from './block-execution.ts'
import { BlockSizeLimit } from './block-size.ts'
import { draftHeader } from './draft-header.ts'
import type { BlockHashes, Runtime } from './runtime.ts'
import type { ExecutedBlock, PayloadAttributes } from './types.ts'

/** A candidate caused an internal error instead of a refusal. The block is lost; `cause` is the error. */
export class CandidateFault extends Error {
  readonly candidate: Transaction

  constructor(candidate: Transaction, cause: unknown) {
    super(`transaction ${candidate.hash} made the program fail: ${cause}`, { cause })
    this.candidate = candidate
    // Logs print the stack, and where the cause was thrown is what counts.
    if (cause instanceof Error) this.stack = `${this.message}\n${cause.stack}`
  }
}

/** `reason`: MissingState if the state of the block does not fetch (`StateStore.at`). */
export type Unfetched = { readonly transaction: Transaction; readonly reason: NotFetched | MissingState }

/** Time limit for the transactions of a block. */
export type TimeBound = {
  /** From the first candidate on. After that none begins, and a running one is reverted. */
  readonly milliseconds: number
  /** Called with the reverted transaction and the milliseconds it had run. */
  readonly stopped: (transaction: Transaction, milliseconds: number) => void
}

/** A block under construction. Call `take` any number of times, then `seal`; drop the object to abandon the block. */
export class OpenBlock {
  /** Candidates that can never run on this state, with the reason. */
  readonly refused: { readonly transaction: Transaction; readonly reason: ChainError }[] = []
  /** Candidates of a fork that miss a part of the state which was not fetched, with the reason. They may run later. */
  readonly unfetched: Unfetched[] = []
  readonly #execution: BlockExecution
  readonly #size: BlockSizeLimit
  readonly #view: StateView
  readonly #withdrawals: PayloadAttributes['withdrawals']
  /** Senders whose later nonces cannot run in this block, because an earlier one was refused or did not fit. */
  readonly #blocked = new Set<Address>()
  #isFull = false

  private constructor(execution: BlockExecution, size: BlockSizeLimit, view: StateView, attributes: PayloadAttributes) {
    this.#execution = execution
    this.#size = size
    this.#view = view
    this.#withdrawals = attributes.withdrawals
  }

  /** Runs the system calls and begin hooks that precede the transactions. `pause` yields to the event loop in between. */
  static async begin(
    runtime: Runtime,
    view: StateView,
    attributes: PayloadAttributes,
    blockHash: BlockHashes,
    pause?: Pause,
  ): Promise<OpenBlock> {
    const header = draftHeader(runtime, attributes, view)
    const execution = new BlockExecution(runtime, view, { header, commit: attributes.commit }, blockHash, pause)
    const size = new BlockSizeLimit(execution.env, header, attributes.withdrawals)
    await execution.begin()
    return new OpenBlock(execution, size, view, attributes)
  }

  /** Number of transactions taken so far. */
  get size(): number {
    return this.#execution.transactions.length
  }

  /** Whether a candidate did not fit or less than 21,000 gas is left: time to seal. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Those taken so far. */
  get transactions(): readonly Transaction[] {
    return this.#execution.transactions
  }

  /** Of the transactions taken so far. */
  get receipts(): readonly Receipt[] {
    return this.#execution.receipts
  }

  /** An account's next nonce in this block. */
  nonce(of: Address): bigint {
    return this.#view.nonce(of)
  }

  /**
   * Runs candidates in order. Those that do not fit are skipped, those that can never run are added to `refused`, one that
   * exceeds the time limit is reverted. Then adds the taken transactions to the tries, so that sealing has less to do. Throws
   * CandidateFault, or ReadFailure if the disk fails; the block is then lost.
   */
  async take(candidates: Iterable<Transaction>, bound?: TimeBound): Promise<void> {
    const execution = this.#execution
    const deadline = bound === undefined ? undefined : performance.now() + bound.milliseconds
    for (const transaction of candidates) {
      if (execution.gasLeft < minTransactionGas(this.#execution.env.rules)) break
      if (deadline !== undefined && performance.now() >= deadline) break
      if (this.#blocked.has(transaction.from)) continue
      if (!execution.hasRoomFor(transaction) || !this.#size.hasRoomFor(transaction)) {
        this.#blocked.add(transaction.from)
        this.#isFull = true
        continue
      }
      try {
        const began = performance.now()
        const applied =
          deadline === undefined ? execution.apply(transaction) : execution.applyUntil(deadline, transaction)
        const result = applied instanceof Promise ? await applied : applied
        if (result === undefined) {
          this.#blocked.add(transaction.from)
          bound?.stopped(transaction, performance.now() - began)
        } else this.#size.add(transaction)
      } catch (error) {
        if (error instanceof NotFetched || error instanceof MissingState) {
          this.#blocked.add(transaction.from)
          this.unfetched.push({ transaction, reason: error })
          continue
        }
        if (error instanceof ReadFailure) throw error
        if (!(error instanceof ChainError)) throw new CandidateFault(transaction, error)
        this.#blocked.add(transaction.from)
        this.refused.push({ transaction, reason: error })
      }
    }
    this.#isFull ||= execution.gasLeft < minTransactionGas(this.#execution.env.rules)
    if (!this.#isFull) await execution.hashApplied()
  }

  /** Runs end hooks, withdrawals and requests, and seals the header. Do not call `take` afterwards. */
  async seal(): Promise<ExecutedBlock> {
    const { block, requests, accessList } = await this.#execution.seal(this.#withdrawals)
    const { receipts, callTrees, diffs, recording } = this.#execution
    return {
      block,
      receipts,
      requests,
      accessList,
      callTrees,
      diffs,
      refused: this.refused,
      view: this.#view,
      recording,
    }
  }
}
