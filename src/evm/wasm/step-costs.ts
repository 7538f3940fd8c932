// What go-ethereum says that an opcode costs, for tracers of opcodes: mostly the gas that the frame has lost, but an opcode
// that fails, or that the host carries out, has a figure of its own.
import { type FailureCode, failureOf } from '../failure.ts'
import { stackFaultOf } from '../opcode-table.ts'
import type { FrameState } from '../tracer.ts'
import { CALL_KINDS, type Execution, type TracedFrame } from './frames.ts'
import {
  INVALID_JUMP,
  INVALID_OPCODE,
  NO_MEMORY,
  OUT_OF_GAS,
  RETURN_OUT_OF_BOUNDS,
  STACK_OVERFLOW,
  STACK_UNDERFLOW,
  STATIC_CHANGE,
} from './layout.ts'

/** CREATE, CREATE2 and SELFDESTRUCT: the host tells of them, and of calls, when it knows what they cost. */
const HOST_OPCODES = new Set([0xf0, 0xf5, 0xff])
const TSTORE = 0x5d

/** Failures that are found before an opcode runs; others are found as it runs, and told with its whole cost. */
const FOUND_BEFORE: ReadonlyMap<number, FailureCode> = new Map([
  [OUT_OF_GAS, 'out of gas'],
  [STACK_UNDERFLOW, 'stack underflow'],
  [STACK_OVERFLOW, 'stack overflow'],
  [STATIC_CHANGE, 'write protection'],
])

/** A traced frame, as it was before the opcode that is traced. */
export abstract class StepCosts implements TracedFrame {
  /** The opcode's number. */
  abstract readonly number: number
  abstract readonly gas: bigint
  /** Items on the stack. */
  abstract readonly height: number
  /** Gas that the frame has lost since. */
  abstract spent(): bigint
  abstract state(run: Execution): FrameState | undefined
  abstract traceStep(run: Execution, cost?: bigint, error?: string): void

  /** Traces the opcode for which the interpreter has returned, unless the host will. */
  traceRun(run: Execution, reason: number): void {
    if (CALL_KINDS.has(reason) || HOST_OPCODES.has(reason) || reason === NO_MEMORY) return
    const { missing } = run.engine
    const failure = FOUND_BEFORE.get(reason)
    // TSTORE finds that its frame is static when it runs.
    if (failure !== undefined && !(reason === STATIC_CHANGE && this.number === TSTORE)) {
      this.traceFailedStep(run, failure, reason === OUT_OF_GAS && missing > 0n ? this.gas + missing : undefined)
    } else if (reason === RETURN_OUT_OF_BOUNDS) this.traceStep(run, this.gas + missing)
    else if (reason === INVALID_OPCODE) {
      // A proposal's operation is told of when its price is known.
      if (!run.rules.pricedByFunction.has(this.number)) this.traceStep(run, 0n)
    } else if (reason === INVALID_JUMP || failure !== undefined) this.traceStep(run, this.#constantGas(run))
    else this.traceStep(run)
  }

  /** go-ethereum counts the constant part alone where `total`, what the opcode would have cost, is unknown or that cannot be paid. */
  traceFailedStep(run: Execution, failure: FailureCode, total?: bigint): void {
    const constant = this.#constantGas(run)
    const operation = run.rules.table.operations[this.number]
    const isStack = failure === 'stack underflow' || failure === 'stack overflow'
    const words = isStack && operation ? stackFaultOf(operation, this.height) : undefined
    const cost = total === undefined || this.gas < constant ? constant : total
    this.traceStep(run, cost, words ?? failureOf(failure).message)
  }

  /** Called before the host acts. `handedOn`: gas that goes with the message. `more`: what could not be paid any more. */
  traceHostStep(run: Execution, handedOn: number, failure?: FailureCode, more?: number): void {
    if (failure === undefined) this.traceStep(run, this.spent() + BigInt(handedOn))
    else this.traceFailedStep(run, failure, more === undefined ? undefined : this.spent() + BigInt(more))
  }

  #constantGas(run: Execution): bigint {
    return run.rules.table.operations[this.number]?.constantGas ?? 0n
  }
}
