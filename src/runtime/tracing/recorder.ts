// Everything a message did, as records that the faces translate: its frames, what it changed, and its opcodes on request.
import type { Machine } from '../../evm/machine.ts'
import { CallTreeTracer, type Frame } from '../../evm/tracer.ts'
import type { Address } from '../../lib/hex.ts'
import type { AccountDiff, StateView } from '../../state/types.ts'
import type { MessageResult } from '../execute-message.ts'
import { isPrecompileCall } from './flat-call-tracer.ts'
import { type FlatFrame, flatten } from './flatten.ts'
import type { TraceContext, Tracer } from './tracer.ts'

/** An account's change with its code on both sides. */
export type AccountChange = AccountDiff & { readonly codeBefore: Uint8Array; readonly codeAfter: Uint8Array }

export type Recorded = {
  readonly frames: readonly FlatFrame[]
  readonly changes: readonly AccountChange[]
  readonly output: Uint8Array
  readonly gasUsed: bigint
  /** geth's words; undefined on success. */
  readonly error: string | undefined
}

export class Recorder extends CallTreeTracer implements Tracer {
  #machine: Machine | undefined
  #before: StateView | undefined

  start({ machine }: TraceContext): void {
    this.#machine = machine
    this.#before = machine.view.fork()
  }

  refuse(frame: Frame): void {
    this.attach(frame)
  }

  result({ returnData, gasUsed, error }: MessageResult): Recorded {
    const { root } = this
    const machine = this.#machine
    if (root === undefined || machine === undefined) throw new Error('nothing was traced')
    const codeBefore = (of: Address) => this.#before?.code(of) ?? new Uint8Array(0)
    return {
      frames: flatten(root, (frame) => !isPrecompileCall(machine, frame)),
      changes: machine.view.transactionDiff().map((change) => ({
        ...change,
        codeBefore: codeBefore(change.address),
        codeAfter: machine.view.code(change.address),
      })),
      output: returnData,
      gasUsed,
      error,
    }
  }
}
