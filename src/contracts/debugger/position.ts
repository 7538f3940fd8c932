// The position of a debugger: place, functions and values at a step.
import { type Address, type Hash, toHash } from '../../lib/hex.ts'
import type { SourceRange } from '../debug-info.ts'
import { callStack, type StackFrame } from './call-stack.ts'
import type { DebugSession } from './session.ts'
import type { ShownVariable } from './stored-variables.ts'
import { type Variable, variablesAt } from './variables.ts'

export type Position = {
  readonly step: number
  readonly steps: number
  readonly isEnd: boolean
  readonly place: SourceRange | undefined
  /** `address`: the account that executes. */
  readonly op: {
    readonly pc: number
    readonly name: string
    readonly gas: number
    readonly depth: number
    readonly address: Address | null
  }
  readonly frames: readonly StackFrame[]
  readonly variables: readonly Variable[]
  readonly variablesNote: string | undefined
  /** undefined: the layout is not known. */
  readonly storage: readonly ShownVariable[] | undefined
  readonly storageNote: string | undefined
  readonly slots: readonly { readonly slot: Hash; readonly value: Hash; readonly name?: string | undefined }[]
  /** Top first; undefined: an item whose value was not kept. */
  readonly stack: readonly (Hash | undefined)[]
  /** undefined: it was not kept. */
  readonly memory: Uint8Array | undefined
  readonly memoryLength: number
  readonly returnData: Uint8Array
  readonly events: readonly string[]
  readonly console: readonly string[]
}

/** Bytes of memory that are shown. */
const MOST_MEMORY = 1 << 16
/** Most slots, events and lines that are shown. */
const MOST_SHOWN = 1_000

const NO_LAYOUT = 'the layout of this storage is not known'
const NO_VARIABLES = { variables: [], note: 'values were not kept' }

/** Throws MissingState on a fork. */
export function positionAt(session: DebugSession, step: number): Position {
  const { recording, storage, activations } = session
  const { steps, values } = recording
  const running = activations.at(step)
  const frame = values?.of(running.frame)
  const self = storage.selfOf(running.frame)
  const frames = callStack(session, step)
  const { variables, note } = frame === undefined ? NO_VARIABLES : variablesAt(session, running, step, frame)
  frame?.runTo(step)
  const stack = frame === undefined ? [] : Array.from({ length: frame.height }, (_, i) => frame.item(i))
  const lowest = stack.findLastIndex((item) => item !== undefined)
  const stored = self === null ? undefined : session.stored.get(self)?.at(step)
  const said = (of: DebugSession['events']) =>
    of
      .filter((line) => line.step < step && step < line.until)
      .slice(-MOST_SHOWN)
      .map(({ text }) => text)
  return {
    step,
    steps: steps.count,
    isEnd: step >= steps.count - 1,
    place: frames[0]?.place,
    op: {
      pc: steps.pc(step),
      name: steps.count === 0 ? '' : steps.nameAt(step),
      gas: steps.gas(step),
      depth: steps.depth(step),
      address: self,
    },
    frames,
    variables,
    variablesNote: note,
    storage: stored?.variables,
    storageNote:
      stored === undefined ? NO_LAYOUT : stored.isCut ? `the first ${stored.variables.length} variables` : undefined,
    slots: self === null ? [] : slotsOf(session, self, step, stored?.variables ?? []),
    stack: stack.slice(0, frame?.isWhole ? stack.length : lowest + 1).map((item) => item && toHash(item)),
    memory: frame?.isWhole ? frame.memory(0, Math.min(frame.memorySize, MOST_MEMORY)) : undefined,
    memoryLength: frame?.memorySize ?? 0,
    returnData: frame?.returnData ?? new Uint8Array(0),
    events: said(session.events),
    console: said(session.console),
  }
}

/** The slots that an account has read or written, with the names of the variables in them. */
function slotsOf(
  { storage }: DebugSession,
  self: Address,
  step: number,
  variables: readonly ShownVariable[],
): Position['slots'] {
  const names = new Map<Hash, string[]>()
  for (const { name, slot } of variables) names.set(slot, [...(names.get(slot) ?? []), name])
  return [...storage.slotsAt(self, step)].slice(0, MOST_SHOWN).map(([slot, value]) => {
    const name = names.get(slot)?.join(', ')
    return { slot, value, ...(name !== undefined && { name }) }
  })
}
