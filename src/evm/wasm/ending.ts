// How a message ends: what it did stands or is undone, a creation's code is paid for, and the caller gets the answer.
import { EVMError, type EVMResult } from '@ethereumjs/evm'
import { F_TOP } from './layout.ts'
import { type End, isCreation, type Open, toLibResult } from './message.ts'
import { answer, type Running } from './running.ts'

const { errorMessages } = EVMError

/** Keeps or undoes what the message did, and tells the tracer; the result, if it was made. */
export function finish(run: Running, open: Open, end: End): EVMResult | undefined {
  const { call } = open
  const { warmth, transient, tracer } = run.around
  if (isCreation(call) && end.error === undefined && end.hasRun) deposit(run, open, end)
  if (call.depth === 0) transient.clear()
  // Frontier's contract that could not pay for its code stays, empty.
  const stands = end.error === undefined || (end.error === errorMessages.CODESTORE_OUT_OF_GAS && !run.rules.homestead)
  if (stands) warmth.close()
  else {
    run.ledger.undo(open.mark)
    warmth.undo()
    run.engine.forget()
  }
  if (run.rules.transient) {
    if (stands) transient.commit()
    else transient.revert()
  }
  if (tracer?.exit === undefined) return undefined
  const result = resultOf(run, open, end)
  run.around.ended(result)
  return result
}

export function resultOf(run: Running, { call, mark }: Open, end: End): EVMResult {
  const output = end.bytes ?? run.engine.slice(end.at, end.length)
  return toLibResult(call, end, output, run.ledger, mark)
}

/** Pays for the code that init code returned, and puts it in place. */
function deposit(run: Running, { call }: Open, end: End): void {
  const { homestead, gas, maxCodeSize, refusesEf } = run.rules
  const code = run.engine.slice(end.at, end.length)
  const price = code.length * gas.codeByte
  const fail = (error: string, gasUsed = call.gas): void => {
    end.error = error
    end.gasUsed = gasUsed
    end.length = 0
    end.refused = code
  }
  const fits = code.length <= maxCodeSize
  if (end.gasUsed + price > call.gas || !fits) {
    if (!homestead) fail(errorMessages.CODESTORE_OUT_OF_GAS, end.gasUsed)
    else fail(fits ? errorMessages.OUT_OF_GAS : errorMessages.CODESIZE_EXCEEDS_MAXIMUM)
    return
  }
  if (refusesEf && code[0] === 0xef) {
    fail(errorMessages.INVALID_BYTECODE_RESULT)
    return
  }
  end.gasUsed += price
  if (code.length > 0) run.around.view.setCode(call.to, code)
}

/** Hands the end to the frame that called. */
export function resume(run: Running, parent: Open, { call }: Open, end: End): void {
  const engine = run.engine
  const { frame } = parent
  const { error } = end
  const isReverted = error === errorMessages.REVERT
  engine.setGas(frame, engine.gas(frame) - end.gasUsed)
  engine.current = frame
  run.host.enter(parent.call.to)
  if (isCreation(call)) {
    engine.setReturn(end.at, isReverted ? end.length : 0, end.bytes)
    const isMade = error === undefined || error === errorMessages.CODESTORE_OUT_OF_GAS
    answer(run, parent, call.kind, isMade ? call.to : 0)
    return
  }
  const length = error === undefined || isReverted ? end.length : 0
  engine.setReturn(end.at, length, end.bytes)
  const top = engine.field(frame, F_TOP)
  const ranges = call.kind === 'CALL' || call.kind === 'CALLCODE' ? top - 128 : top - 96
  const taken = Math.min(engine.small(ranges - 96), length)
  if (taken > 0) {
    const to = run.engine.memory(frame) + engine.small(ranges - 64)
    if (end.bytes === undefined) engine.bytes.copyWithin(to, end.at, end.at + taken)
    else engine.bytes.set(end.bytes.subarray(0, taken), to)
  }
  answer(run, parent, call.kind, error === undefined ? 1 : 0)
}
