// Runs a message with all its inner messages in turns: frames on an explicit stack, no recursion, and a promise only if a
// precompile or native contract needs one or the clock requires a pause.

import type { Hash } from '../../lib/hex.ts'
import { andFinally, type MaybePromise } from '../../lib/maybe-promise.ts'
import { type FailureCode, failureOf } from '../failure.ts'
import type { Host } from '../host.ts'
import { depthsOf, hasDepths, opcodeOf } from '../opcodes.ts'
import { type Result, resultWithoutCode } from '../result.ts'
import type { Substate } from '../substate.ts'
import { spendsLockedBalance } from '../value-transfer.ts'
import { call, create, selfDestruct } from './call-opcodes.ts'
import { changedOperation, runChanged, stackWords } from './changed-opcodes.ts'
import { beginMessage, placeMessage } from './frame-enter.ts'
import { finishMessage, resultOf, resumeCaller } from './frame-exit.ts'
import type { ActiveFrame, FrameResult, IncomingMessage } from './frames.ts'
import { adoptFrames, CALL_KINDS, type Execution, leaveFrame, type RunProgress, stackSize } from './frames.ts'
import { type Instance, outOfMemory } from './instance.ts'
import {
  BY_HOST,
  F_CODE,
  F_OPCODE,
  F_OUTPUT,
  F_OUTPUT_LENGTH,
  F_PC,
  INVALID_JUMP,
  INVALID_OPCODE,
  NO_MEMORY,
  OUT_OF_GAS,
  PAUSED,
  RETURN_OUT_OF_BOUNDS,
  STACK_OVERFLOW,
  STACK_UNDERFLOW,
  STATIC_CHANGE,
  STOPPED,
} from './layout.ts'
import type { EngineRules } from './rules.ts'
import { StateHost } from './state-host.ts'
import { isLogging, logFrame, logOf, takeLog } from './step-log.ts'
import { stepFrame, stepMarked } from './step-tracing.ts'

/** Turns between two checks of the clock, if none of them ends by its gas. */
const TURNS_PER_LOOK = 128
const REVERT = 0xfd
const RETURN = 0xf3
const SELFDESTRUCT = 0xff
const CREATE = 0xf0
const CREATE2 = 0xf5

export const FAILURES: ReadonlyMap<number, FailureCode> = new Map([
  [OUT_OF_GAS, 'out of gas'],
  [STACK_UNDERFLOW, 'stack underflow'],
  [STACK_OVERFLOW, 'stack overflow'],
  [INVALID_JUMP, 'invalid jump'],
  [INVALID_OPCODE, 'invalid opcode'],
  [STATIC_CHANGE, 'write protection'],
  [RETURN_OUT_OF_BOUNDS, 'return data out of bounds'],
])

/** The engine instance in use, its rules, and the transaction's blobs. */
export type EngineLease = {
  readonly instance: Instance
  readonly rules: EngineRules
  readonly blobHashes: readonly Hash[]
}

/**
 * Runs the message to its end, on top of the frames already in the engine. Throws or rejects with errors of the machine's clock
 * and internal errors.
 */
export function execute(
  place: EngineLease,
  host: Host,
  message: IncomingMessage,
  substate: Substate,
): MaybePromise<Result> {
  const { kind, caller, to, value } = message
  const refund = BigInt(substate.refund)
  if (message.depth > 0 && spendsLockedBalance(host, kind, caller, to, value)) {
    return resultWithoutCode(refund, failureOf('insufficient balance'))
  }
  const run = newExecution(place, host, message, substate)
  const { engine } = run
  const outer = { top: engine.top, host: engine.host }
  // A native contract that sends this message may have written before.
  engine.invalidateCache()
  return andFinally(
    () => {
      attachHost(run)
      const begun = beginMessage(run, placeMessage(run, message), message.data)
      const next = begun instanceof Promise ? begun : proceed(run, begun)
      return next instanceof Promise ? proceedAfter(run, next) : next
    },
    () => {
      engine.top = outer.top
      engine.host = outer.host
    },
  )
}

/** Continues with the end of a message or with the innermost frame; returns the result, or a promise to await first. */
function proceed(run: Execution, begun: FrameResult | undefined): Result | Promise<FrameResult | undefined> {
  let next = begun
  for (;;) {
    const end = next ?? runFrame(run)
    if (end instanceof Promise) return end
    next = undefined
    // A native contract may have run messages in between.
    attachHost(run)
    const active = run.frames.pop()
    if (active === undefined) throw new Error('a message ended that had not begun')
    const result = finishMessage(run, active, end)
    const parent = run.frames.at(-1)
    if (parent === undefined) {
      const log = logOf(run)
      if (log !== undefined) takeLog(run.engine, log)
      return result ?? resultOf(run, active, end)
    }
    run.engine.top = active.memoryTop
    resumeCaller(run, parent, active, end)
  }
}

async function proceedAfter(run: Execution, awaited: Promise<FrameResult | undefined>): Promise<Result> {
  for (let next = awaited; ; ) {
    const result = proceed(run, await next)
    if (!(result instanceof Promise)) return result
    next = result
  }
}

function newExecution(place: EngineLease, host: Host, { caller }: IncomingMessage, substate: Substate): Execution {
  const { instance: engine, rules, blobHashes } = place
  const opcodeHost = new StateHost(host, rules, substate, caller, blobHashes, () => adoptFrames(run))
  const run: Execution = {
    engine,
    host,
    rules,
    substate,
    blobHashes,
    opcodeHost,
    frames: [],
    messageCount: 0,
    turnCount: 0,
  }
  return run
}

function attachHost({ engine, opcodeHost, host, rules }: Execution): void {
  engine.host = opcodeHost
  engine.mayCall = host.tracer === undefined && rules.forks.tangerineWhistle
}

/** Runs frames until a message ends or a promise must be awaited. */
function runFrame(run: Execution): FrameResult | Promise<FrameResult | undefined> {
  for (;;) {
    const begun = runNext(run)
    if (begun !== undefined) return begun
  }
}

/** Runs the next turn of the innermost frame; if opcodes are traced, as many opcodes as the kind of tracing allows. */
function runNext(run: Execution): RunProgress {
  const { tracer } = run.host
  if (tracer?.step === undefined) return runTurn(run)
  const log = logOf(run)
  if (log === undefined) return isMarked(run) ? stepMarked(run, react) : stepFrame(run, react)
  if (isLogging(run.engine, log)) return logFrame(run, log, react)
  const active = run.frames.at(-1)
  if (active !== undefined) active.traced = undefined
  return runTurn(run)
}

/** Whether the tracer wants only some opcodes. Not supported if a proposal has changed opcodes. */
const isMarked = ({ host, rules }: Pick<Execution, 'host' | 'rules'>): boolean =>
  host.tracer?.stepsOf !== undefined && rules.table.changed.size === 0

/** Runs the innermost frame until its turn is over or the host is needed. */
function runTurn(run: Execution): FrameResult | Promise<FrameResult | undefined> | undefined {
  // Each call that the host opens begins a new turn, so many short turns never end by their gas.
  if (++run.turnCount % TURNS_PER_LOOK === 0) {
    const pause = run.host.pauseIfDue()
    if (pause !== undefined) return pause.then(() => undefined)
  }
  const reason = run.engine.run()
  if (reason === PAUSED) return run.host.pauseIfDue()?.then(() => undefined)
  adoptFrames(run)
  const active = run.frames.at(-1)
  if (active === undefined) throw new Error('there is no frame to run')
  return react(run, active, reason)
}

/** Handles the reason for which the interpreter stopped. */
export function react(run: Execution, active: ActiveFrame, reason: number): RunProgress {
  const { frame } = active
  switch (reason) {
    case STOPPED:
      return leaveFrame(run, active)
    case RETURN:
    case REVERT: {
      const end = leaveFrame(run, active, reason === REVERT ? 'revert' : undefined)
      end.at = run.engine.field(frame, F_OUTPUT)
      end.length = run.engine.field(frame, F_OUTPUT_LENGTH)
      return end
    }
    case CREATE:
    case CREATE2:
      return create(run, active, reason === CREATE2)
    case SELFDESTRUCT:
      return selfDestruct(run, active)
    case NO_MEMORY:
      throw outOfMemory()
  }
  const kind = CALL_KINDS.get(reason)
  if (kind !== undefined) return call(run, active, kind)
  const changed = changedOperation(run, active)
  if (changed !== undefined && reason === BY_HOST) return runChanged(run, active, changed, react)
  const isStack = reason === STACK_UNDERFLOW || reason === STACK_OVERFLOW
  const words = isStack && changed !== undefined ? stackWords(run, active, changed) : depthWords(run, active, reason)
  return leaveFrame(run, active, FAILURES.get(reason) ?? 'other', words)
}

/** go-ethereum's text for the failure of DUPN, SWAPN or EXCHANGE by its immediate byte (EIP-8024). */
function depthWords({ engine, rules }: Execution, active: ActiveFrame, reason: number): string | undefined {
  const { frame } = active
  const opcode = engine.field(frame, F_OPCODE)
  if (!rules.forks.amsterdamOpcodes || !hasDepths(opcode)) return undefined
  if (reason !== INVALID_OPCODE && reason !== STACK_UNDERFLOW) return undefined
  const byte = engine.bytes[engine.field(frame, F_CODE) + engine.field(frame, F_PC) + 1] ?? 0
  const { name, pops } = opcodeOf(opcode)
  const depths = depthsOf(opcode, byte)
  if (reason === INVALID_OPCODE)
    return depths === undefined
      ? `invalid opcode: ${name} (operand: 0x${byte.toString(16).padStart(2, '0')})`
      : undefined
  const items = stackSize(engine, frame)
  return depths === undefined || items < pops ? undefined : `stack underflow (${items} <=> ${depths.deep + 1})`
}
