// A message under way with all that it has called: the frames that are open, and how code ends in the innermost one.
import type { Address, Hash } from '../../lib/hex.ts'
import type { FailureCode } from '../failure.ts'
import type { Host } from '../host.ts'
import type { CallKind } from '../message.ts'
import type { Substate } from '../substate.ts'
import type { StateHost } from './host.ts'
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
import { type Call, type End, ended, type Open } from './message.ts'
import type { Rules } from './rules.ts'

export type Running = {
  readonly engine: Instance
  readonly around: Host
  readonly rules: Rules
  readonly substate: Substate
  readonly blobHashes: readonly Hash[]
  readonly host: StateHost
  /** Messages that have begun and not ended, the innermost last. */
  readonly open: Open[]
  /** How many have begun. */
  begun: number
  /** How many opcodes have been told of. */
  steps: number
}

/** Undefined: a frame was opened, and runs next. */
export type Begun = End | Promise<End | undefined> | undefined

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
export function leaveFrame(run: Running, { frame, call }: Open, failure?: FailureCode, words?: string): End {
  const engine = run.engine
  const keeps = failure === undefined || failure === 'revert'
  const end = ended(failure, keeps ? call.gas - engine.gas(frame) : call.gas)
  end.words = words
  end.opcode = engine.field(frame, F_OPCODE)
  end.items = itemsOf(engine, frame)
  end.hasRun = true
  return end
}

/** How many items are on a frame's stack. */
export const itemsOf = (engine: Instance, frame: number): number =>
  (engine.field(frame, F_TOP) - engine.field(frame, F_STACK)) / 32

/** Takes the opcode's items and leaves its answer. */
export function answer(run: Running, { frame }: Open, kind: CallKind, answer: Address | 0 | 1): void {
  const engine = run.engine
  const top = engine.field(frame, F_TOP) - ITEMS[kind] * 32
  if (typeof answer === 'string') engine.setAddress(top, answer)
  else engine.setSmall(top, answer)
  engine.setField(frame, F_TOP, top + 32)
}

/** Takes over the frames that the interpreter has opened by itself. */
export function catchUp(run: Running): void {
  const engine = run.engine
  const known = run.open.at(-1)?.frame ?? 0
  if (engine.current === known) return
  engine.tell()
  const frames: number[] = []
  for (let frame = engine.current; frame !== known; frame = engine.field(frame, F_PARENT)) frames.push(frame)
  for (const frame of frames.reverse()) {
    run.around.warmth.open()
    if (run.rules.transient) run.around.transient.checkpoint()
    run.open.push({ call: callOf(run, frame), mark: run.substate.mark(), base: frame, frame, shown: undefined })
    engine.setField(frame, F_KNOWN, 1)
  }
  const call = run.open.at(-1)?.call
  if (call !== undefined) run.host.enter(call.to)
}

function callOf(run: Running, frame: number): Call {
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
