// Blocks that are executed on the head and not decided yet. FinalizeBlock reuses the execution of ProcessProposal; only block
// sync and replay execute in FinalizeBlock.
import { createHash } from 'node:crypto'
import { cancelled, type Pause, yieldToEventLoop } from '../../lib/scheduler.ts'
import { encodeCommitInfo } from '../../primitives/commit-info.ts'
import type { CommitInfo } from '../../primitives/types.ts'
import type { ExecutedBlock, PayloadAttributes } from '../../runtime/types.ts'

/** Rounds of one height whose blocks are kept; each block holds a view with its changes. */
const KEPT = 4

/** The execution of a block. It pauses when its time is up, and resumes when it is given more time. */
export class Execution {
  readonly #run: (pause: Pause) => Promise<ExecutedBlock>
  readonly #turns = yieldToEventLoop('block')
  #result: Promise<ExecutedBlock> | undefined
  /** `performance.now()` at which it pauses. */
  #until = 0
  #resting: { readonly goOn: () => void; readonly end: (reason: Error) => void } | undefined
  #onRest: () => void = () => undefined

  /** `run` must yield by calling the `pause` that it is given, and in no other way. */
  constructor(run: (pause: Pause) => Promise<ExecutedBlock>) {
    this.#run = run
  }

  /** The block, or undefined if it takes more than this many further milliseconds. Rejects as the execution does. */
  async within(milliseconds: number): Promise<ExecutedBlock | undefined> {
    this.#until = performance.now() + milliseconds
    const rests = new Promise<undefined>((resolve) => {
      this.#onRest = () => resolve(undefined)
    })
    this.#resting?.goOn()
    this.#resting = undefined
    this.#result ??= this.#run((now = performance.now()) => (now < this.#until ? this.#turns(now) : this.#rest()))
    return Promise.race([this.#result, rests])
  }

  /** The block, however long it takes. */
  async toEnd(): Promise<ExecutedBlock> {
    const executed = await this.within(Number.POSITIVE_INFINITY)
    if (executed === undefined) throw new Error('an execution rested that has no time limit')
    return executed
  }

  /** Ends a paused execution and frees its view. */
  abandon(): void {
    this.#until = Number.POSITIVE_INFINITY
    this.#result?.catch(() => undefined)
    this.#resting?.end(cancelled())
  }

  #rest(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resting = { goOn: resolve, end: reject }
      this.#onRest()
    })
  }
}

export class ProposedBlocks {
  readonly #executions = new Map<string, Execution>()

  get(key: string): Execution | undefined {
    return this.#executions.get(key)
  }

  add(key: string, execution: Execution): void {
    this.#executions.set(key, execution)
    const [oldest] = this.#executions.keys()
    if (this.#executions.size > KEPT && oldest !== undefined) this.remove(oldest)
  }

  remove(key: string): void {
    this.#executions.get(key)?.abandon()
    this.#executions.delete(key)
  }

  /** Call it when the head moves: a block that was executed on the previous head cannot be committed. */
  clear(): void {
    for (const key of [...this.#executions.keys()]) this.remove(key)
  }
}

/** Identifies an executed block on the current head: a hash of its attributes and its transactions in order. */
export function proposalKey(
  { timestamp, coinbase, commit }: Partial<PayloadAttributes> & { readonly commit: CommitInfo },
  transactions: readonly Uint8Array[],
): string {
  const hash = createHash('sha256').update(`${timestamp} ${coinbase} ${transactions.length} `)
  hash.update(encodeCommitInfo(commit))
  for (const transaction of transactions) hash.update(`${transaction.length} `).update(transaction)
  return hash.digest('base64')
}
