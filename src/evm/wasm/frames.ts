// The call stack of an execution, on the host's side.
//
// An `Execution` is one outer message with all messages that it causes. `frames` has an `ActiveFrame` for each message that has
// begun and not ended. Its code, stack and memory are in the engine, at the address `frame`; here are the message and the
// marks to which a failure reverts. The life of an entry:
//
//   1. `beginMessage` (frame-enter.ts) makes checkpoints in the journals and pushes the entry; `frame` is still 0.
//   2. If code is to run, `openFrame` places a frame in the engine. Precompiles, native contracts and accounts without code
//      give a `FrameResult` at once.
//   3. The engine runs the frame until it stops with a reason; `react` (run-loop.ts) carries out what is needed.
//   4. `leaveFrame` makes the `FrameResult`: failure, gas used, range of the output.
//   5. `finishMessage` (frame-exit.ts) commits or reverts, and `resumeCaller` pushes the result on the caller's stack.
//
// Frames that the engine has opened by itself (assembly/calls.ts) are not in the list until `adoptFrames` adds them. Each
// access of opcodes to the host adopts first, so that a checkpoint exists before anything can change the state.

import type { Address, Hash } from '../../lib/hex.ts'
import type { FailureCode } from '../failure.ts'
import { failureOf, opcodeFailure } from '../failure.ts'
import type { StateGasLevels } from '../gas/state-gas.ts'
import type { Host, NativeOutcome } from '../host.ts'
import type { CallKind } from '../message.ts'
import { isCreation, type Message } from '../message.ts'
import { NO_LOGS, type Result } from '../result.ts'
import type { Substate, SubstateMark } from '../substate.ts'
import type { FrameState } from '../tracer.ts'
import type { Instance } from './instance.ts'
import {
  F_ADDRESS,
  F_CALLER,
  F_DATA,
  F_DATA_LENGTH,
  F_DEPTH,
  F_GAS_GIVEN,
  F_KIND,
  F_KNOWN,
  F_OPCODE,
  F_PARENT,
  F_STACK,
  F_STATIC,
  F_TOP,
  F_VALUE,
  F_WARMED,
} from './layout.ts'
import type { EngineRules } from './rules.ts'
import type { StateHost } from './state-host.ts'

export type Execution = {
  readonly engine: Instance
  readonly host: Host
  readonly rules: EngineRules
  readonly substate: Substate
  readonly blobHashes: readonly Hash[]
  readonly opcodeHost: StateHost
  /** The call stack, the innermost message last. */
  readonly frames: ActiveFrame[]
  /** Messages begun so far. */
  messageCount: number
  /** Turns begun so far. */
  turnCount: number
}

/** The result of a message that has ended, or undefined if the innermost frame is to run next. */
export type RunProgress = FrameResult | Promise<FrameResult | undefined> | undefined

export const CALL_KINDS: ReadonlyMap<number, CallKind> = new Map([
  [0xf1, 'CALL'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xfa, 'STATICCALL'],
])

/** Operands of the opcode. */
const ITEMS: Record<CallKind, number> = {
  CALL: 7,
  CALLCODE: 7,
  DELEGATECALL: 6,
  STATICCALL: 6,
  CREATE: 3,
  CREATE2: 4,
}

/** The result of a frame that has stopped. Any failure except a revert consumes all its gas. */
export function leaveFrame(
  run: Execution,
  { frame, message: call }: ActiveFrame,
  failure?: FailureCode,
  words?: string,
): FrameResult {
  const engine = run.engine
  const keeps = failure === undefined || failure === 'revert'
  const end = frameResult(failure, keeps ? call.gas - engine.gas(frame) : call.gas)
  end.words = words
  end.opcode = engine.field(frame, F_OPCODE)
  end.items = stackSize(engine, frame)
  end.hasRun = true
  return end
}

/** The stack height of a frame, in items. */
export const stackSize = (engine: Instance, frame: number): number =>
  (engine.field(frame, F_TOP) - engine.field(frame, F_STACK)) / 32

/** Pops the operands of a call or creation and pushes its result. */
export function pushCallResult(run: Execution, { frame }: ActiveFrame, kind: CallKind, answer: Address | 0 | 1): void {
  const engine = run.engine
  const top = engine.field(frame, F_TOP) - ITEMS[kind] * 32
  if (typeof answer === 'string') engine.setAddress(top, answer)
  else engine.setSmall(top, answer)
  engine.setField(frame, F_TOP, top + 32)
}

/** Adds the frames that the interpreter has opened to the call stack, and makes their checkpoints. */
export function adoptFrames(run: Execution): void {
  const engine = run.engine
  const known = run.frames.at(-1)?.frame ?? 0
  if (engine.current === known) return
  engine.flushStores()
  const frames: number[] = []
  for (let frame = engine.current; frame !== known; frame = engine.field(frame, F_PARENT)) frames.push(frame)
  for (const frame of frames.reverse()) {
    run.host.accessJournal.checkpoint(engine.field(frame, F_WARMED))
    if (run.rules.forks.cancun) run.host.transient.checkpoint()
    run.frames.push({
      message: callOf(run, frame),
      mark: run.substate.mark(),
      stateGas: engine.stateGasAt(frame),
      memoryTop: frame,
      frame,
      traced: undefined,
    })
    engine.setField(frame, F_KNOWN, 1)
  }
  const call = run.frames.at(-1)?.message
  if (call !== undefined) run.opcodeHost.enter(call.to)
}

function callOf(run: Execution, frame: number): WasmMessage {
  const engine = run.engine
  const to = engine.addressAt(frame + F_ADDRESS)
  return {
    kind: CALL_KINDS.get(engine.field(frame, F_KIND)) ?? 'CALL',
    caller: engine.addressAt(frame + F_CALLER),
    to,
    // Only used at the start of a message, which is over.
    codeAddress: to,
    value: engine.word(frame + F_VALUE),
    gas: engine.gas(frame, F_GAS_GIVEN),
    data: engine.field(frame, F_DATA),
    dataLength: engine.field(frame, F_DATA_LENGTH),
    depth: engine.field(frame, F_DEPTH),
    isStatic: engine.field(frame, F_STATIC) !== 0,
    salt: undefined,
    word: 0,
    accountGas: 0,
  }
}

export type WasmMessage = {
  readonly kind: CallKind
  readonly caller: Address
  /** The account whose storage and balance the code uses; for a creation the new contract. */
  readonly to: Address
  readonly codeAddress: Address
  /** Not transferred by DELEGATECALL. */
  readonly value: bigint
  readonly gas: number
  /** Address of the call data or init code in the engine's memory. */
  readonly data: number
  readonly dataLength: number
  readonly depth: number
  readonly isStatic: boolean
  readonly salt: Uint8Array | undefined
  /** Address of the stack word with the code's account; 0 for an outer message. */
  readonly word: number
  /** State gas that the caller has paid for the new account (EIP-8037), to be given back if the message fails. */
  readonly accountGas: number
}

/** A frame whose opcodes are traced (`step-tracing.ts`, `step-log.ts`). */
export interface TracedFrame {
  /** The frame for a tracer. */
  state(run: Execution): FrameState | undefined
  /** Traces the opcode that has run. */
  traceStep(run: Execution, cost?: bigint, error?: string): void
  /** Traces an opcode that failed before it ran. `total`: its total price, if known. */
  traceFailedStep(run: Execution, failure: FailureCode, total?: bigint): void
  /** Traces an opcode that the host carries out. `handedOn`: gas passed to the new message. */
  traceHostStep(run: Execution, handedOn: number, failure?: FailureCode, more?: number): void
}

/** A message that has begun and not ended. `frame`: its address, 0 while it has none; `mark`: the state to revert to. */
export type ActiveFrame = {
  readonly message: WasmMessage
  readonly mark: SubstateMark
  /** The state gas to which a failure returns. */
  readonly stateGas: StateGasLevels
  /** The top of the engine's memory before the message, to be restored at its end. */
  readonly memoryTop: number
  frame: number
  traced: TracedFrame | undefined
}

/** The result of a message. The output is a range of the engine's memory, or bytes from elsewhere. */
export type FrameResult = {
  failure: FailureCode | undefined
  /** A more precise message than that of the failure's code. */
  words: string | undefined
  gasUsed: number
  at: number
  length: number
  bytes: Uint8Array | undefined
  /** The outcome of a precompile or native contract. */
  native: NativeOutcome | undefined
  /** For code that ran: the last opcode and the stack height. */
  opcode: number
  items: number
  hasRun: boolean
}

export const frameResult = (failure?: FailureCode, gasUsed = 0): FrameResult => ({
  failure,
  words: undefined,
  gasUsed,
  at: 0,
  length: 0,
  bytes: undefined,
  native: undefined,
  opcode: 0,
  items: 0,
  hasRun: false,
})

/** The message in the form for native contracts. `input`: a copy, outside the engine's memory. */
export const toMessage = (call: WasmMessage, input: Uint8Array): Message => ({
  kind: call.kind,
  sender: call.caller,
  recipient: call.to,
  codeAddress: call.codeAddress,
  value: call.value,
  gas: BigInt(call.gas),
  input,
  depth: call.depth,
  isStatic: call.isStatic,
})

/** The result in the form of the engine interface. `stands`: whether the effects were committed. */
export function toResult(
  call: WasmMessage,
  end: FrameResult,
  output: Uint8Array,
  substate: Substate,
  mark: SubstateMark,
  stands: boolean,
): Result {
  const { failure, words, gasUsed, native: work, opcode, items, hasRun } = end
  const isNamed = !isCreation(call.kind) || (!hasRun && failure === 'initcode size')
  return {
    failure: failure && (work?.failure ?? failureIn(failure, words, hasRun, opcode, items)),
    output: failure === undefined || failure === 'revert' ? output : output.subarray(0, 0),
    gasUsed: BigInt(gasUsed),
    logs: stands ? substate.logs.slice(mark.logs) : NO_LOGS,
    nativeLogs: stands && work !== undefined ? work.nativeLogs : NO_LOGS,
    coinTransfers: stands ? work?.coinTransfers : undefined,
    refund: BigInt(substate.refund),
    destroyed: substate.destroyed,
    created: substate.created,
    createdAddress: isNamed ? undefined : call.to,
  }
}

function failureIn(failure: FailureCode, words: string | undefined, hasRun: boolean, opcode: number, items: number) {
  if (words !== undefined || !hasRun) return failureOf(failure, words)
  return opcodeFailure(failure, opcode, items)
}

/** A message that enters the engine: a transaction's, or one that a native contract sends. */
export type IncomingMessage = {
  readonly kind: CallKind
  readonly caller: Address
  /** undefined: a creation; the creator's nonce has been increased already. */
  readonly to: Address | undefined
  readonly value: bigint
  readonly gas: number
  readonly data: Uint8Array
  readonly depth: number
  readonly isStatic: boolean
}
