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

/** In Frontier a creation that cannot pay for its code succeeds with an empty contract (EIP-2). */
const keepsEffects = ({ rules }: Execution, { failure }: FrameResult): boolean =>
  failure === undefined || (failure === 'code storage out of gas' && !rules.forks.homestead)

export function resultOf(run: Execution, { message: call, mark }: ActiveFrame, end: FrameResult): Result {
  const output = end.bytes ?? run.engine.slice(end.at, end.length)
  return toResult(call, end, output, run.substate, mark, keepsEffects(run, end))
}

/** Charges for the code that init code returned, checks it and stores it. */
function depositCode(run: Execution, { message: call }: ActiveFrame, end: FrameResult): void {
  const { forks, gas } = run.rules
  const code = end.bytes ?? run.engine.slice(end.at, end.length)
  const price = code.length * gas.codeByte
  const fail = (failure: FailureCode, gasUsed = call.gas): void => {
    end.failure = failure
    end.gasUsed = gasUsed
    end.length = 0
  }
  const fits = code.length <= gas.maxCodeSize
  if (end.gasUsed + price > call.gas || !fits) {
    if (!forks.homestead) fail('code storage out of gas', end.gasUsed)
    else fail(fits ? 'code storage out of gas' : 'code size')
    return
  }
  // EIP-3541
  if (forks.london && code[0] === 0xef) {
    fail('invalid code')
    return
  }
  end.gasUsed += price
  if (code.length > 0) run.host.view.setCode(call.to, code)
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
