// The debugger on the wire (`docs/debugging.md`): what is debugged, the moves, and what is shown at a step. Steps, lines, program
// counters and gas are JSON integers.
import { z } from 'zod'
import type { Position } from '../../contracts/debugger/position.ts'
import type { CallSummary, DebugSession } from '../../contracts/debugger/session.ts'
import { toHex } from '../../lib/hex.ts'
import { address, blockRef, bool, data, hash, quantity, string } from '../codec.ts'
import { callObject } from './call.ts'

const integer = z.int({ error: 'expected an integer' })
const step = integer.nonnegative({ error: 'negative number' })

/** A mined transaction, or a call on the state after a block. */
export const debugTarget = z.union(
  [z.object({ transaction: hash }), z.object({ call: callObject, block: blockRef.optional() })],
  { error: 'expected { transaction } or { call, block }' },
)

const back = bool.optional()
export const debugMove = z.union(
  [
    z.object({ to: z.union([step, z.enum(['start', 'end', 'failure'])]) }),
    z.object({ from: step, go: z.enum(['into', 'over', 'out', 'opcode']), back }),
    z.object({ from: step, go: z.literal('line'), file: string, line: integer, back }),
    z.object({ from: step, go: z.literal('write'), address, slot: hash, back }),
  ],
  { error: 'expected a move' },
)

/** Exported for the declarations of the package, which name it. */
export type WireCall = {
  function: string
  /** Whose code runs; null: a creation that failed before an address was known. */
  address: string | null
  /** Its first step, and the one behind its last. */
  step: number
  end: number
  error?: string | undefined
  calls: WireCall[]
}

const debugCall: z.ZodType<WireCall, WireCall> = z.lazy(() =>
  z.object({
    function: string,
    address: address.nullable(),
    step,
    end: step,
    error: string.optional(),
    calls: z.array(debugCall),
  }),
)

export const openedDebugger = z.object({
  /** Number of steps that ran. */
  steps: step,
  /** The first one that is kept. */
  first: step,
  /** Where the innermost failure happened that nobody caught. */
  failure: step.nullable(),
  /** Why it failed, in words. */
  reason: string.nullable(),
  /** The block of the transaction, or after which the call runs: to name it in later requests. null: of before a fork. */
  block: quantity.nullable(),
  files: z.array(z.object({ path: string, text: string })),
  calls: debugCall,
})

const range = z.object({ file: string, line: integer, column: integer, endLine: integer, endColumn: integer })

export const debuggerPosition = z.object({
  step,
  steps: step,
  isEnd: bool,
  place: range.nullable(),
  /** `address`: the account that executes; null: a creation that failed. */
  op: z.object({ pc: integer, name: string, gas: integer, depth: integer, address: address.nullable() }),
  frames: z.array(
    z.object({
      function: string,
      kind: z.enum(['message', 'internal']),
      address: address.nullable(),
      step,
      place: range.nullable(),
    }),
  ),
  variables: z.array(
    z.object({ name: string, type: string, value: string, kind: z.enum(['parameter', 'return', 'local']) }),
  ),
  variablesNote: string.nullable(),
  storage: z.array(z.object({ name: string, type: string, value: string, slot: hash, offset: integer })).nullable(),
  storageNote: string.nullable(),
  slots: z.array(z.object({ slot: hash, value: hash, name: string.optional() })),
  /** Top first; null: an item that is older than the first step that is kept. */
  stack: z.array(hash.nullable()),
  /** The first 64 KB; null: older than the first step that is kept. */
  memory: data.nullable(),
  memoryLength: integer,
  returnData: data,
  events: z.array(string),
  console: z.array(string),
})

/** pc, opcode, gas, depth, line; null: none. */
export const debuggerSteps = z.array(z.tuple([integer, string, integer, integer, integer.nullable()]))

const wireCall = ({ calls, ...call }: CallSummary): WireCall => ({ ...call, calls: calls.map(wireCall) })

export const wireOpened = (
  { recording: { steps }, failure, reason, files, root }: DebugSession,
  block: bigint | undefined,
): z.output<typeof openedDebugger> => ({
  block: block ?? null,
  steps: steps.count,
  first: steps.first,
  failure: failure ?? null,
  reason: reason ?? null,
  files: files.map((file) => ({ ...file })),
  calls: wireCall(root),
})

export const wirePosition = (position: Position): z.output<typeof debuggerPosition> => ({
  ...position,
  place: position.place ?? null,
  frames: position.frames.map((frame) => ({ ...frame, place: frame.place ?? null })),
  variables: [...position.variables],
  variablesNote: position.variablesNote ?? null,
  storage: position.storage === undefined ? null : [...position.storage],
  storageNote: position.storageNote ?? null,
  slots: [...position.slots],
  stack: position.stack.map((item) => item ?? null),
  memory: position.memory ?? null,
  events: [...position.events],
  console: [...position.console],
})

/** A name for a call: the same for the same call. */
export const callKey = (call: unknown): string =>
  JSON.stringify(call, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value instanceof Uint8Array ? toHex(value) : value,
  )
