// The innermost frame, one opcode at a time, for a tracer that is told of opcodes: each runs in the engine, and is told of
// with what it has cost, as the frame was before it.

import type { FailureCode } from '../failure.ts'
import {
  INVALID_JUMP,
  INVALID_OPCODE,
  NO_MEMORY,
  OUT_OF_GAS,
  PAUSED,
  RETURN_OUT_OF_BOUNDS,
  STACK_OVERFLOW,
  STACK_UNDERFLOW,
  STATIC_CHANGE,
} from './layout.ts'
import type { Open } from './message.ts'
import { type Begun, CALL_KINDS, type Running } from './running.ts'
import { WasmFrame } from './step-frame.ts'

/** How many opcodes run before the clock is looked at. */
const STEPS_PER_LOOK = 256
/** CREATE, CREATE2 and SELFDESTRUCT: the host tells of them, and of calls, when it knows what they cost. */
const HOST_OPCODES = new Set([0xf0, 0xf5, 0xff])

/** Runs one opcode of the innermost frame. `react` carries out what the interpreter stopped for. */
export function stepFrame(run: Running, react: (run: Running, open: Open, reason: number) => Begun): Begun {
  const { engine, around } = run
  const open = run.open.at(-1)
  if (open === undefined) throw new Error('there is no frame to run')
  if (++run.steps % STEPS_PER_LOOK === 0) {
    const pause = around.turn()
    if (pause !== undefined) return pause.then(() => undefined)
  }
  open.shown ??= new WasmFrame(engine, open)
  const { shown } = open
  shown.look(run)
  if (around.tracer?.readsMemory === true) shown.keepMemory()
  if (around.tracer?.readsState === true) shown.keepSlot(run)
  const reason = engine.step()
  tell(run, shown, reason)
  return reason === PAUSED ? undefined : react(run, open, reason)
}

/** Failures that are found before an opcode runs; others are found as it runs, and told with its whole cost. */
const FOUND_BEFORE: ReadonlyMap<number, FailureCode> = new Map([
  [OUT_OF_GAS, 'out of gas'],
  [STACK_UNDERFLOW, 'stack underflow'],
  [STACK_OVERFLOW, 'stack overflow'],
  [STATIC_CHANGE, 'write protection'],
])

function tell(run: Running, shown: WasmFrame, reason: number): void {
  if (CALL_KINDS.has(reason) || HOST_OPCODES.has(reason) || reason === NO_MEMORY) return
  const { missing } = run.engine
  const failure = FOUND_BEFORE.get(reason)
  // TSTORE finds that its frame is static when it runs.
  if (failure !== undefined && !(reason === STATIC_CHANGE && shown.opcode.name === 'TSTORE')) {
    shown.tellFailure(run, failure, reason === OUT_OF_GAS && missing > 0n ? shown.gas + missing : undefined)
  } else if (reason === RETURN_OUT_OF_BOUNDS) shown.tell(run, shown.gas + missing)
  else if (reason === INVALID_OPCODE) {
    // A proposal's operation is told of when its price is known.
    if (!run.rules.custom.has(shown.number)) shown.tell(run, 0n)
  } else if (reason === INVALID_JUMP || failure !== undefined) shown.tell(run, shown.constantGas(run))
  else shown.tell(run)
}
