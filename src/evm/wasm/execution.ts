// One message and all that it calls, run by the interpreter in turns: frames on an explicit stack, no recursion, and a
// promise only where a precompile or native contract needs one or the clock says so.

import type { Address, Hash } from '../../lib/hex.ts'
import { andFinally, type MaybePromise } from '../../lib/maybe-promise.ts'
import { type FailureCode, failureOf } from '../failure.ts'
import type { Host } from '../host.ts'
import type { CallKind } from '../message.ts'
import { type Result, resultWithoutCode } from '../result.ts'
import type { Substate } from '../substate.ts'
import { overspends } from '../value-transfer.ts'
import { begin, firstCall } from './beginning.ts'
import { call, create, destroy } from './calling.ts'
import { changedOperation, runChanged, stackWords } from './changed-opcodes.ts'
import { finish, resultOf, resume } from './ending.ts'
import { StateHost } from './host.ts'
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
import type { End, Open } from './message.ts'
import type { Rules } from './rules.ts'
import { type Begun, CALL_KINDS, catchUp, leaveFrame, type Running } from './running.ts'
import { stepFrame } from './stepping.ts'

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

/** A message as it comes to the engine: from outside, or from a native contract that runs within a message. */
export type Incoming = {
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

/** The engine that runs, under which rules, with the transaction's blobs. */
export type Place = { readonly instance: Instance; readonly rules: Rules; readonly blobHashes: readonly Hash[] }

/**
 * Runs the message to its end, in the engine above whatever runs there already. Throws or rejects with what the machine's
 * clock throws, and with faults of this program.
 */
export function execute(place: Place, around: Host, message: Incoming, substate: Substate): MaybePromise<Result> {
  const { kind, caller, to, value } = message
  const refund = BigInt(substate.refund)
  if (message.depth > 0 && overspends(around, kind, caller, to, value)) {
    return resultWithoutCode(refund, failureOf('insufficient balance'))
  }
  const run = running(place, around, message, substate)
  const { engine } = run
  const outer = { top: engine.top, host: engine.host }
  // A native contract that sends this message may have written before.
  engine.forget()
  return andFinally(
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
function proceed(run: Running, begun: End | undefined): Result | Promise<End | undefined> {
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

async function resumed(run: Running, awaited: Promise<End | undefined>): Promise<Result> {
  for (let next = awaited; ; ) {
    const result = proceed(run, await next)
    if (!(result instanceof Promise)) return result
    next = result
  }
}

function running(place: Place, around: Host, { caller }: Incoming, substate: Substate): Running {
  const { instance: engine, rules, blobHashes } = place
  const host = new StateHost(around, rules, substate, caller, blobHashes, () => catchUp(run))
  const run: Running = { engine, around, rules, substate, blobHashes, host, open: [], begun: 0, steps: 0 }
  return run
}

function takeEngine({ engine, host, around, rules }: Running): void {
  engine.host = host
  engine.mayCall = around.tracer === undefined && rules.keepsGas
}

/** Runs frames until a message ends at once or something has to be awaited. */
function runFrame(run: Running): End | Promise<End | undefined> {
  for (;;) {
    const begun = run.around.tracer?.step === undefined ? runTurn(run) : stepFrame(run, react)
    if (begun !== undefined) return begun
  }
}

/** Runs the innermost frame until its turn is over or the host is needed. */
function runTurn(run: Running): End | Promise<End | undefined> | undefined {
  const reason = run.engine.run()
  if (reason === PAUSED) return run.around.turn()?.then(() => undefined)
  catchUp(run)
  const open = run.open.at(-1)
  if (open === undefined) throw new Error('there is no frame to run')
  return react(run, open, reason)
}

/** Carries out what the interpreter stopped for. */
export function react(run: Running, open: Open, reason: number): Begun {
  const { frame } = open
  switch (reason) {
    case STOPPED:
      return leaveFrame(run, open)
    case RETURN:
    case REVERT: {
      const end = leaveFrame(run, open, reason === REVERT ? 'revert' : undefined)
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
  const changed = changedOperation(run, open)
  if (changed !== undefined && reason === INVALID_OPCODE) return runChanged(run, open, changed, react)
  return leaveFrame(run, open, FAILURES.get(reason) ?? 'other', changed && stackWords(run, open, changed))
}
