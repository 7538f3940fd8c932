// The cost that tracers report for an opcode, equal to go-ethereum's: the difference of the frame's gas, except for opcodes that
// fail and opcodes that the host carries out.
import { type FailureCode, failureOf } from '../failure.ts'
import { stackFaultOf } from '../opcode-table.ts'
import { hasDepths } from '../opcodes.ts'
import type { FrameState } from '../tracer.ts'
import { CALL_KINDS, type Execution, type TracedFrame } from './frames.ts'
import {
  BY_HOST,
  INVALID_JUMP,
  INVALID_OPCODE,
  NO_MEMORY,
  OUT_OF_GAS,
  RETURN_OUT_OF_BOUNDS,
  STACK_OVERFLOW,
  STACK_UNDERFLOW,
  STATIC_CHANGE,
} from './layout.ts'

/** CREATE, CREATE2 and SELFDESTRUCT: the host traces them once it knows their cost, like calls and opcodes that a proposal runs. */
const HOST_OPCODES = new Set([0xf0, 0xf5, 0xff])
const TSTORE = 0x5d

/** Failures found before an opcode runs. Others are found while it runs, and are reported with its total cost. */
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
  /** Gas used since the opcode began, as in go-ethereum without state gas (EIP-8037). */
  abstract spent(): bigint
  abstract state(run: Execution): FrameState | undefined
  abstract traceStep(run: Execution, cost?: bigint, error?: string): void

  /** Traces the opcode for which the interpreter has returned, unless the host traces it. */
  traceRun(run: Execution, reason: number): void {
    if (CALL_KINDS.has(reason) || HOST_OPCODES.has(reason) || reason === NO_MEMORY || reason === BY_HOST) return
    const { missing } = run.engine
    const least = run.rules.table.operations[this.number]?.minStack ?? 0
    // DUPN, SWAPN and EXCHANGE read their immediate byte while they run.
    const isDeep = reason === STACK_UNDERFLOW && hasDepths(this.number) && this.height >= least
    const failure = isDeep ? undefined : FOUND_BEFORE.get(reason)
    // TSTORE checks for a static frame while it runs.
    if (failure !== undefined && !(reason === STATIC_CHANGE && this.number === TSTORE)) {
      this.traceFailedStep(run, failure, reason === OUT_OF_GAS && missing !== 0n ? this.gas + missing : undefined)
    } else if (reason === RETURN_OUT_OF_BOUNDS) this.traceStep(run, this.gas + missing)
    else if (reason === INVALID_OPCODE) this.traceStep(run, this.#constantGas(run))
    else if (reason === INVALID_JUMP || isDeep || failure !== undefined) this.traceStep(run, this.#constantGas(run))
    else this.traceStep(run)
  }

  /** go-ethereum reports the constant gas alone if the total price is unknown, or if even the constant gas is lacking. */
  traceFailedStep(run: Execution, failure: FailureCode, total?: bigint): void {
    const constant = this.#constantGas(run)
    const operation = run.rules.table.operations[this.number]
    const isStack = failure === 'stack underflow' || failure === 'stack overflow'
    const words = isStack && operation ? stackFaultOf(operation, this.height) : undefined
    const cost = total === undefined || this.gas < constant ? constant : total
    this.traceStep(run, cost, words ?? failureOf(failure).message)
  }

  /** Called before the host acts. `handedOn`: gas passed to the message. `more`: the rest of the opcode's cost. */
  traceHostStep(run: Execution, handedOn: number, failure?: FailureCode, more?: number): void {
    if (failure === undefined) this.traceStep(run, this.spent() + BigInt(handedOn))
    else this.traceFailedStep(run, failure, more === undefined ? undefined : this.spent() + BigInt(more))
  }

  #constantGas(run: Execution): bigint {
    return run.rules.table.operations[this.number]?.constantGas ?? 0n
  }
}
