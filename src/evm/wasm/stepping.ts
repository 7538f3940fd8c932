// The innermost frame, one opcode at a time, for a tracer that is told of opcodes: each runs in the engine, and is told of
// with what it has cost, as the frame was before it.
import {
  F_OPCODE,
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
  const reason = engine.step()
  tell(run, shown, reason)
  return reason === PAUSED ? undefined : react(run, open, reason)
}

function tell(run: Running, shown: WasmFrame, reason: number): void {
  if (CALL_KINDS.has(reason) || HOST_OPCODES.has(reason)) return
  switch (reason) {
    case OUT_OF_GAS: {
      const missing = run.engine.missing
      return shown.tellFailure(run, 'out of gas', missing > 0n ? shown.gas + missing : undefined)
    }
    case STACK_UNDERFLOW:
      return shown.tellFailure(run, 'stack underflow')
    case STACK_OVERFLOW:
      return shown.tellFailure(run, 'stack overflow')
    case STATIC_CHANGE:
      // TSTORE finds out when it runs, and so does go-ethereum.
      if (shown.opcode.name === 'TSTORE') return shown.tell(run, shown.constantGas(run))
      return shown.tellFailure(run, 'write protection')
    case INVALID_JUMP:
      return shown.tell(run, shown.constantGas(run))
    case RETURN_OUT_OF_BOUNDS:
      return shown.tell(run, shown.gas + run.engine.missing)
    case INVALID_OPCODE:
      // A proposal's operation is told of when its price is known.
      if (!run.rules.custom.has(run.engine.field(run.open.at(-1)?.frame ?? 0, F_OPCODE))) shown.tell(run, 0n)
      return
    case NO_MEMORY:
      return
    default:
      shown.tell(run)
  }
}
