// Records the messages of a transaction while its block is executed: the index reads the call tree, traces of new blocks the
// notes too (`recorded-block.ts`).
import type { Result } from '../../evm/result.ts'
import { type CallFrame, CallTreeTracer } from '../../evm/tracer.ts'
import type { ByteBudget } from '../../lib/budget.ts'
import type { Log } from '../../primitives/types.ts'
import type { FrameNote } from '../types.ts'

/** The call tree has the messages that began, as the index needs them; logs and refused calls are beside it. */
export class MessageRecorder extends CallTreeTracer {
  readonly notes: FrameNote[] = []
  readonly #budget: ByteBudget

  /** `budget`: of all inputs and outputs of the block. */
  constructor(budget: ByteBudget) {
    super(budget)
    this.#budget = budget
  }

  log(log: Log): void {
    this.#note({ log })
  }

  refuse(refused: CallFrame): void {
    this.#note({ refused })
  }

  override exit(result: Result): void {
    for (const log of result.nativeLogs) this.#note({ log })
    super.exit(result)
  }

  /** What is too large is left out: the block executes all the same, and its traces replay it. */
  protected override takes(length: number): boolean {
    this.#budget.left -= length
    return this.#budget.left >= 0
  }

  #note(of: Pick<FrameNote, 'log' | 'refused'>): void {
    const frame = this.current
    if (frame !== undefined) this.notes.push({ frame, position: frame.calls.length, ...of })
  }
}
