// The execution of a message and of all messages that it sends: the stack of active frames, and the end of the innermost.

import type { Address, Hash } from '../../lib/hex.ts'
import type { FailureCode } from '../failure.ts'
import { failureOf, opcodeFailure } from '../failure.ts'
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
  /** Messages that have begun and not ended, the innermost last. */
  readonly frames: ActiveFrame[]
  /** How many have begun. */
  messageCount: number
  /** How many turns have begun. */
  turnCount: number
}

/** Undefined: a frame was opened, and runs next. */
export type RunProgress = FrameResult | Promise<FrameResult | undefined> | undefined

export const CALL_KINDS: ReadonlyMap<number, CallKind> = new Map([
  [0xf1, 'CALL'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xfa, 'STATICCALL'],
])

/** How many items an opcode takes. */
const ITEMS: Record<CallKind, number> = {
  CALL: 7,
  CALLCODE: 7,
  DELEGATECALL: 6,
  STATICCALL: 6,
  CREATE: 3,
  CREATE2: 4,
}

/** The end of a frame; any failure but a revert takes all its gas. */
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

/** How many items are on a frame's stack. */
export const stackSize = (engine: Instance, frame: number): number =>
  (engine.field(frame, F_TOP) - engine.field(frame, F_STACK)) / 32

/** Takes the opcode's items and leaves its answer. */
export function pushCallResult(run: Execution, { frame }: ActiveFrame, kind: CallKind, answer: Address | 0 | 1): void {
  const engine = run.engine
  const top = engine.field(frame, F_TOP) - ITEMS[kind] * 32
  if (typeof answer === 'string') engine.setAddress(top, answer)
  else engine.setSmall(top, answer)
  engine.setField(frame, F_TOP, top + 32)
}

/** Takes over the frames that the interpreter has opened by itself. */
export function adoptFrames(run: Execution): void {
  const engine = run.engine
  const known = run.frames.at(-1)?.frame ?? 0
  if (engine.current === known) return
  engine.flushStores()
  const frames: number[] = []
  for (let frame = engine.current; frame !== known; frame = engine.field(frame, F_PARENT)) frames.push(frame)
  for (const frame of frames.reverse()) {
    run.host.accessJournal.checkpoint()
    if (run.rules.transient) run.host.transient.checkpoint()
    run.frames.push({
      message: callOf(run, frame),
      mark: run.substate.mark(),
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
    // Asked for when a message begins, which it has.
    codeAddress: to,
    value: engine.word(frame + F_VALUE),
    gas: engine.gas(frame, F_GAS_GIVEN),
    data: engine.field(frame, F_DATA),
    dataLength: engine.field(frame, F_DATA_LENGTH),
    depth: engine.field(frame, F_DEPTH),
    isStatic: engine.field(frame, F_STATIC) !== 0,
    salt: undefined,
    word: 0,
  }
}

export type WasmMessage = {
  readonly kind: CallKind
  readonly caller: Address
  /** The account in whose name the code runs; of a creation what it makes. */
  readonly to: Address
  readonly codeAddress: Address
  /** Apparent value under DELEGATECALL. */
  readonly value: bigint
  readonly gas: number
  /** Where the input lies: data, or init code. */
  readonly data: number
  readonly dataLength: number
  readonly depth: number
  readonly isStatic: boolean
  readonly salt: Uint8Array | undefined
  /** The stack word that named the code's account; 0 if none did. */
  readonly word: number
}

/** A frame whose opcodes are traced (`step-tracing.ts`, `step-log.ts`). */
export interface TracedFrame {
  /** The frame as a tracer sees it. */
  state(run: Execution): FrameState | undefined
  /** Traces the opcode that has run. */
  traceStep(run: Execution, cost?: bigint, error?: string): void
  /** Traces an opcode that failed before it ran. `total`: its whole price, if known. */
  traceFailedStep(run: Execution, failure: FailureCode, total?: bigint): void
  /** Traces an opcode that the host carries out. `handedOn`: gas of the new message. */
  traceHostStep(run: Execution, handedOn: number, failure?: FailureCode, more?: number): void
}

/** A message that has begun: its frame, 0 while it has none, and what its failure takes back. */
export type ActiveFrame = {
  readonly message: WasmMessage
  readonly mark: SubstateMark
  /** Where the engine's memory was free before. */
  readonly memoryTop: number
  frame: number
  traced: TracedFrame | undefined
}

/** How a message ended. The output is a range of the engine's memory, or bytes from elsewhere. */
export type FrameResult = {
  failure: FailureCode | undefined
  /** More exact words than the failure's own. */
  words: string | undefined
  gasUsed: number
  at: number
  length: number
  bytes: Uint8Array | undefined
  /** The outcome of a precompile or native contract. */
  native: NativeOutcome | undefined
  /** Of code that ran: the last opcode and the items on the stack. */
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

/** The message for native contracts. `input`: a copy of its own. */
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

/** The end as a result. `output`: only what the message hands back; `stands`: what it did was kept. */
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

/** A message as it comes to the engine: from outside, or from a native contract that runs within a message. */
export type IncomingMessage = {
  readonly kind: CallKind
  readonly caller: Address
  /** undefined: a creation; the creator's nonce has been raised already. */
  readonly to: Address | undefined
  readonly value: bigint
  readonly gas: number
  readonly data: Uint8Array
  readonly depth: number
  readonly isStatic: boolean
}
