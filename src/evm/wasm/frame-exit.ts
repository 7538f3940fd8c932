// The end of a message: commits or reverts its effects, charges for the code of a creation, and resumes the caller.
import type { FailureCode } from '../failure.ts'
import { isCreation } from '../message.ts'
import type { Result } from '../result.ts'
import { type ActiveFrame, type Execution, type FrameResult, pushCallResult, toResult } from './frames.ts'
import { F_TOP } from './layout.ts'
import { takeSteps } from './step-log.ts'

/** Commits or reverts the effects of the message and informs the tracer. Returns the result if a tracer needed it. */
export function finishMessage(run: Execution, active: ActiveFrame, end: FrameResult): Result | undefined {
  const { message: call } = active
  const { accessJournal: warmth, transient, tracer } = run.host
  if (isCreation(call.kind) && end.failure === undefined && end.hasRun) depositCode(run, active, end)
  if (call.depth === 0) transient.clear()
  const isKept = keepsEffects(run, end)
  if (isKept) warmth.commit()
  else {
    run.substate.undo(active.mark)
    giveStateGasBack(run, active, end)
    warmth.revert()
    run.engine.invalidateCache()
  }
  if (run.rules.forks.cancun) {
    if (isKept) transient.commit()
    else transient.revert()
  }
  if (tracer?.exit === undefined) return undefined
  takeSteps(run)
  const result = resultOf(run, active, end)
  run.host.messageEnded(result, end.hasRun ? active.traced?.state(run) : undefined)
  return result
}

/** A failed frame gives its state gas back: what its gas has paid for, only if it reverts (EIP-8037). */
function giveStateGasBack({ engine, rules }: Execution, { stateGas }: ActiveFrame, end: FrameResult): void {
  if (rules.gas.state.account === 0) return
  if (end.failure === 'revert') end.gasUsed -= Number(engine.stateGas.spilled - stateGas.spilled)
  engine.stateGas = stateGas
}

/** In Frontier a creation that cannot pay for its code succeeds with an empty contract (EIP-2). */
const keepsEffects = ({ rules }: Execution, { failure }: FrameResult): boolean =>
  failure === undefined || (failure === 'code storage out of gas' && !rules.forks.homestead)

export function resultOf(run: Execution, { message: call, mark }: ActiveFrame, end: FrameResult): Result {
  const output = end.bytes ?? run.engine.slice(end.at, end.length)
  return toResult(call, end, output, run.substate, mark, keepsEffects(run, end))
}

/** Charges for the code that init code returned, checks it and stores it. */
function depositCode(run: Execution, { message: call }: ActiveFrame, end: FrameResult): void {
  const code = end.bytes ?? run.engine.slice(end.at, end.length)
  const failure = depositFailure(run, code, call.gas, end)
  if (failure === undefined) {
    if (code.length > 0) run.host.view.setCode(call.to, code)
    return
  }
  end.failure = failure
  if (failure !== 'code storage out of gas' || run.rules.forks.homestead) end.gasUsed = call.gas
  end.length = 0
}

/** Charges for the code. Returns why it cannot be stored. */
function depositFailure(run: Execution, code: Uint8Array, gas: number, end: FrameResult): FailureCode | undefined {
  const { forks, gas: price } = run.rules
  // EIP-3541
  const isReserved = forks.london && code[0] === 0xef
  if (isReserved && forks.amsterdam) return 'invalid code'
  if (code.length > price.maxCodeSize) return forks.homestead ? 'code size' : 'code storage out of gas'
  const left = gas - end.gasUsed - code.length * price.codeByte - Math.ceil(code.length / 32) * price.codeWord
  if (left < 0) return 'code storage out of gas'
  if (isReserved) return 'invalid code'
  const rest = forks.amsterdam ? run.engine.chargeState(left, code.length * price.state.codeByte) : left
  if (rest < 0) return 'code storage out of gas'
  end.gasUsed = gas - rest
  return undefined
}

/** Returns gas, return data and the result of a message to the calling frame. */
export function resumeCaller(
  run: Execution,
  parent: ActiveFrame,
  { message: call }: ActiveFrame,
  end: FrameResult,
): void {
  const engine = run.engine
  const { frame } = parent
  const { failure } = end
  const isReverted = failure === 'revert'
  engine.setGas(frame, engine.gas(frame) - end.gasUsed)
  engine.repay(frame)
  if (call.accountGas > 0 && failure !== undefined) engine.refundState(frame, call.accountGas)
  engine.current = frame
  run.opcodeHost.enter(parent.message.to)
  if (isCreation(call.kind)) {
    engine.setReturn(end.at, isReverted ? end.length : 0, end.bytes)
    pushCallResult(run, parent, call.kind, keepsEffects(run, end) ? call.to : 0)
    return
  }
  const length = failure === undefined || isReverted ? end.length : 0
  engine.setReturn(end.at, length, end.bytes)
  const top = engine.field(frame, F_TOP)
  const ranges = call.kind === 'CALL' || call.kind === 'CALLCODE' ? top - 128 : top - 96
  const taken = Math.min(engine.small(ranges - 96), length)
  if (taken > 0) {
    const to = run.engine.memory(frame) + engine.small(ranges - 64)
    if (end.bytes === undefined) engine.bytes.copyWithin(to, end.at, end.at + taken)
    else engine.bytes.set(end.bytes.subarray(0, taken), to)
  }
  pushCallResult(run, parent, call.kind, failure === undefined ? 1 : 0)
}
