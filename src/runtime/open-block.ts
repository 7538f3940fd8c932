// A block of this node while it takes transactions. Whatever it takes is a function of the view, the attributes and the
// candidates offered; when to offer more and when to seal is the caller's decision.
import { ChainError, ReadFailure } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import type { Pause } from '../lib/scheduler.ts'
import type { Transaction } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import { BlockExecution } from './block-execution.ts'
import { BlockSizeLimit } from './block-size.ts'
import { draftHeader } from './draft-header.ts'
import type { BlockHashes, Runtime } from './runtime.ts'
import type { ExecutedBlock, PayloadAttributes } from './types.ts'

const MIN_TRANSACTION_GAS = 21_000n

/** A candidate made this program fail, by a bug and not by a rule of the chain. The block is lost; its cause is the error. */
export class CandidateFault extends Error {
  readonly candidate: Transaction

  constructor(candidate: Transaction, cause: unknown) {
    super(`transaction ${candidate.hash} made the program fail`, { cause })
    this.candidate = candidate
  }
}

export class OpenBlock {
  /** Candidates that can never run on this state, with the reason. */
  readonly refused: { readonly transaction: Transaction; readonly reason: ChainError }[] = []
  readonly #execution: BlockExecution
  readonly #size: BlockSizeLimit
  readonly #view: StateView
  readonly #withdrawals: PayloadAttributes['withdrawals']
  /** Senders whose later nonces cannot run in this block, because an earlier one was refused or had no room. */
  readonly #blocked = new Set<Address>()
  #isFull = false

  private constructor(execution: BlockExecution, size: BlockSizeLimit, view: StateView, attributes: PayloadAttributes) {
    this.#execution = execution
    this.#size = size
    this.#view = view
    this.#withdrawals = attributes.withdrawals
  }

  /** Runs what precedes a block's transactions: system calls and begin hooks. `pause` says how often execution yields. */
  static async begin(
    runtime: Runtime,
    view: StateView,
    attributes: PayloadAttributes,
    blockHash: BlockHashes,
    pause?: Pause,
  ): Promise<OpenBlock> {
    const header = draftHeader(runtime, attributes)
    const execution = new BlockExecution(runtime, view, header, blockHash, pause)
    const size = new BlockSizeLimit(execution.env, header, attributes.withdrawals)
    await execution.begin()
    return new OpenBlock(execution, size, view, attributes)
  }

  /** Number of transactions taken so far. */
  get size(): number {
    return this.#execution.transactions.length
  }

  /** Whether a candidate has found no room, or no candidate can: it is time to seal. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** An account's next nonce in this block. */
  nonce(of: Address): bigint {
    return this.#view.nonce(of)
  }

  /**
   * Runs candidates in order. Those without room are left; those that can never run are `refused`. Then hashes what has been
   * taken, so that sealing has less to do. Throws CandidateFault, or ReadFailure when the disk fails; then the block is lost.
   */
  async take(candidates: Iterable<Transaction>): Promise<void> {
    const execution = this.#execution
    for (const transaction of candidates) {
      if (execution.gasLeft < MIN_TRANSACTION_GAS) break
      if (this.#blocked.has(transaction.from)) continue
      if (!execution.hasRoomFor(transaction) || !this.#size.hasRoomFor(transaction)) {
        this.#blocked.add(transaction.from)
        this.#isFull = true
        continue
      }
      try {
        const applied = execution.apply(transaction)
        if (applied instanceof Promise) await applied
        this.#size.add(transaction)
      } catch (error) {
        if (error instanceof ReadFailure) throw error
        if (!(error instanceof ChainError)) throw new CandidateFault(transaction, error)
        this.#blocked.add(transaction.from)
        this.refused.push({ transaction, reason: error })
      }
    }
    this.#isFull ||= execution.gasLeft < MIN_TRANSACTION_GAS
    if (!this.#isFull) await execution.hashApplied()
  }

  /** Runs what follows a block's transactions and seals the header over all of it. The block takes nothing afterwards. */
  async seal(): Promise<ExecutedBlock> {
    const { block, requests } = await this.#execution.seal(this.#withdrawals)
    const { receipts, callTrees: traces, diffs } = this.#execution
    return { block, receipts, requests, callTrees: traces, diffs, refused: this.refused, view: this.#view }
  }
}

/**
 * Runs a new block on the view of its parent. Candidates without room are left out; those that can never run are in `refused`.
 * Throws CandidateFault when one makes this program fail.
 */
export async function executeBlock(
  runtime: Runtime,
  view: StateView,
  attributes: PayloadAttributes,
  candidates: Iterable<Transaction>,
  blockHash: BlockHashes,
  pause?: Pause,
): Promise<ExecutedBlock> {
  const block = await OpenBlock.begin(runtime, view, attributes, blockHash, pause)
  await block.take(candidates)
  return block.seal()
}
