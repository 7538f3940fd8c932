// One message and all that it calls, run by the interpreter in turns: frames on an explicit stack, no recursion, and a
// promise only where a precompile or native contract needs one or the clock says so.
import { EVMError, type EVMResult } from '@ethereumjs/evm'
import { cleanedUp, type Eventual } from '../../lib/eventual.ts'
import { begin, firstCall } from './beginning.ts'
import { call, create, destroy } from './calling.ts'
import { finish, resultOf, resume } from './ending.ts'
import { StateHost } from './host.ts'
import type { Incoming } from './incoming.ts'
import { type Instance, outOfMemory } from './instance.ts'
import {
  F_OUTPUT,
  F_OUTPUT_LENGTH,
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
import { Ledger } from './ledger.ts'
import type { End, Open } from './message.ts'
import type { Rules } from './rules.ts'
import { type Begun, CALL_KINDS, catchUp, leaveFrame, type Running } from './running.ts'
import type { Surroundings } from './surroundings.ts'

const { errorMessages } = EVMError
const REVERT = 0xfd
const RETURN = 0xf3
const SELFDESTRUCT = 0xff
const CREATE = 0xf0
const CREATE2 = 0xf5

const FAILURES: ReadonlyMap<number, string> = new Map([
  [OUT_OF_GAS, errorMessages.OUT_OF_GAS],
  [STACK_UNDERFLOW, errorMessages.STACK_UNDERFLOW],
  [STACK_OVERFLOW, errorMessages.STACK_OVERFLOW],
  [INVALID_JUMP, errorMessages.INVALID_JUMP],
  [INVALID_OPCODE, errorMessages.INVALID_OPCODE],
  [STATIC_CHANGE, errorMessages.STATIC_STATE_CHANGE],
  [RETURN_OUT_OF_BOUNDS, errorMessages.OUT_OF_RANGE],
])

/**
 * Runs the message to its end, in the engine above whatever runs there already. Throws or rejects with what the machine's
 * clock throws, and with faults of this program.
 */
export function execute(engine: Instance, around: Surroundings, rules: Rules, message: Incoming): Eventual<EVMResult> {
  const run = running(engine, around, rules, message)
  const outer = { top: engine.top, host: engine.host }
  // A native contract that sends this message may have written before.
  engine.forget()
  return cleanedUp(
    () => {
      takeEngine(run)
      const begun = begin(run, firstCall(run, message), message.data)
      const next = begun instanceof Promise ? begun : proceed(run, begun)
      return next instanceof Promise ? resumed(run, next) : next
    },
    () => {
      engine.top = outer.top
      engine.host = outer.host
    },
  )
}

/** Goes on, with the end of a message or with the frame that is open: to the result, or to what has to be awaited. */
function proceed(run: Running, begun: End | undefined): EVMResult | Promise<End | undefined> {
  let next = begun
  for (;;) {
    const end = next ?? runFrame(run)
    if (end instanceof Promise) return end
    next = undefined
    // A native contract may have run messages of its own in between.
    takeEngine(run)
    const open = run.open.pop()
    if (open === undefined) throw new Error('a message ended that had not begun')
    const result = finish(run, open, end)
    const parent = run.open.at(-1)
    if (parent === undefined) return result ?? resultOf(run, open, end)
    run.engine.top = open.base
    resume(run, parent, open, end)
  }
}

async function resumed(run: Running, awaited: Promise<End | undefined>): Promise<EVMResult> {
  for (let next = awaited; ; ) {
    const result = proceed(run, await next)
    if (!(result instanceof Promise)) return result
    next = result
  }
}

function running(engine: Instance, around: Surroundings, rules: Rules, message: Incoming): Running {
  const { refund, destroyed, created, caller, blobHashes } = message
  const ledger = new Ledger(refund, destroyed, created)
  const host = new StateHost(around, rules, ledger, caller, blobHashes, () => catchUp(run))
  const run: Running = { engine, around, rules, ledger, blobHashes, host, open: [], begun: 0 }
  return run
}

function takeEngine({ engine, host, around, rules }: Running): void {
  engine.host = host
  engine.mayCall = around.tracer === undefined && rules.keepsGas
}

/** Runs frames until a message ends at once or something has to be awaited. */
function runFrame(run: Running): End | Promise<End | undefined> {
  for (;;) {
    const reason = run.engine.run()
    if (reason === PAUSED) {
      const pause = run.around.turn()
      if (pause !== undefined) return pause.then(() => undefined)
      continue
    }
    catchUp(run)
    const open = run.open.at(-1)
    if (open === undefined) throw new Error('there is no frame to run')
    const begun = react(run, open, reason)
    if (begun !== undefined) return begun
  }
}

function react(run: Running, open: Open, reason: number): Begun {
  const { frame } = open
  switch (reason) {
    case STOPPED:
      return leaveFrame(run, open)
    case RETURN:
    case REVERT: {
      const end = leaveFrame(run, open, reason === REVERT ? errorMessages.REVERT : undefined)
      end.at = run.engine.field(frame, F_OUTPUT)
      end.length = run.engine.field(frame, F_OUTPUT_LENGTH)
      return end
    }
    case CREATE:
    case CREATE2:
      return create(run, open, reason === CREATE2)
    case SELFDESTRUCT:
      return destroy(run, open)
    case NO_MEMORY:
      throw outOfMemory()
  }
  const kind = CALL_KINDS.get(reason)
  if (kind !== undefined) return call(run, open, kind)
  return leaveFrame(run, open, FAILURES.get(reason) ?? errorMessages.INTERNAL_ERROR)
}
