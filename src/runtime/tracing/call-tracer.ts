// geth's callTracer: the call tree as nested JSON frames, with their logs on request. The outermost frame shows the transaction's
// whole gas limit and gas used, including the intrinsic gas and refunds.
import type { Result } from '../../evm/result.ts'
import { type CallFrame, CallTreeTracer } from '../../evm/tracer.ts'
import type { ByteBudget } from '../../lib/budget.ts'
import { type Address, type Hash, type Hex, toHex, toQuantity } from '../../lib/hex.ts'
import { revertReason } from '../../primitives/revert-reason.ts'
import type { Log } from '../../primitives/types.ts'
import type { RecordedContext, RecordedTracer, TraceOutcome } from './tracer.ts'

export type CallTracerOptions = {
  /** Leaves out all frames but the outermost. */
  readonly onlyTopCall: boolean
  /** Adds the logs to the frames that emitted them. */
  readonly withLog: boolean
}

type WireLog = {
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
  /** Number of calls that the frame had made before the log. */
  readonly position: Hex
  /** Index among the transaction's logs. */
  readonly index: Hex
}

/** A frame as JSON. */
export type WireFrame = {
  readonly from: Address
  readonly gas: Hex
  readonly gasUsed: Hex
  readonly to?: Address
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly WireFrame[]
  readonly logs?: readonly WireLog[]
  readonly value?: Hex
  readonly type: CallFrame['type']
}

type Emitted = { readonly frame: CallFrame; readonly log: Log; readonly position: number }

export class CallTracer extends CallTreeTracer implements RecordedTracer {
  readonly readsRecording = true
  readonly #onlyTopCall: boolean
  readonly #emitted: Emitted[] = []
  #gasLimit = 0n
  readonly log?: (log: Log) => void

  constructor({ onlyTopCall, withLog }: CallTracerOptions, budget: ByteBudget) {
    super(budget)
    this.#onlyTopCall = onlyTopCall
    if (withLog) this.log = (log) => this.#emit(log)
  }

  start({ message }: RecordedContext): void {
    this.#gasLimit = message.gasLimit
  }

  refuse(frame: CallFrame): void {
    this.attach(frame)
  }

  override exit(result: Result): void {
    for (const log of result.nativeLogs) this.log?.(log)
    super.exit(result)
  }

  result({ gasUsed }: TraceOutcome): unknown {
    const { root } = this
    if (root === undefined) return null
    const logs = new Map<CallFrame, WireLog[]>()
    const failed = failedFrames(root)
    const surviving = this.#emitted.filter(({ frame }) => !failed.has(frame))
    for (const [index, { frame, log, position }] of surviving.entries()) {
      const wire = wireLog(log, this.#onlyTopCall ? 0 : position, index)
      logs.set(frame, [...(logs.get(frame) ?? []), wire])
    }
    const top = { ...wireFrame(root, logs), gas: toQuantity(this.#gasLimit), gasUsed: toQuantity(gasUsed) }
    if (!this.#onlyTopCall) return top
    const { calls: _, ...alone } = top
    return alone
  }

  #emit(log: Log): void {
    const frame = this.current
    if (frame !== undefined) this.#emitted.push({ frame, log, position: frame.calls.length })
  }
}

const wireLog = ({ address, topics, data }: Log, position: number, index: number): WireLog => ({
  address,
  topics,
  data: toHex(data),
  position: toQuantity(position),
  index: toQuantity(index),
})

/** Frames whose effects were reverted: those that failed, and all frames within them. */
function failedFrames(root: CallFrame): ReadonlySet<CallFrame> {
  const failed = new Set<CallFrame>()
  const walk = (frame: CallFrame, isUndone: boolean): void => {
    const undone = isUndone || frame.error !== undefined
    if (undone) failed.add(frame)
    for (const call of frame.calls) walk(call, undone)
  }
  walk(root, false)
  return failed
}

function wireFrame(frame: CallFrame, logs: ReadonlyMap<CallFrame, readonly WireLog[]>): WireFrame {
  const { type, from, to, gas, gasUsed, input, output, error, calls, value } = frame
  const isCreation = type === 'CREATE' || type === 'CREATE2'
  const isReverted = error === 'execution reverted'
  const reason = isReverted ? revertReason(output) : undefined
  const own = logs.get(frame)
  return {
    from,
    gas: toQuantity(gas),
    gasUsed: toQuantity(gasUsed),
    ...(to !== null && !(isCreation && error !== undefined) && { to }),
    input: toHex(input),
    ...(output.length > 0 && (error === undefined || isReverted) && { output: toHex(output) }),
    ...(error !== undefined && { error }),
    ...(reason !== undefined && { revertReason: reason }),
    ...(calls.length > 0 && { calls: calls.map((call) => wireFrame(call, logs)) }),
    ...(own !== undefined && { logs: own }),
    ...(type !== 'STATICCALL' && { value: toQuantity(value) }),
    type,
  }
}
