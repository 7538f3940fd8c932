// The functions that were running at a step of a recording, innermost first, as a debugger shows them.
import type { Address } from '../../lib/hex.ts'
import type { CallTree } from '../../runtime/types.ts'
import type { SourceRange } from '../debug-info.ts'
import type { Definition } from '../solidity-functions.ts'
import type { Activation } from './activations.ts'
import { lastPlaced, type Recorded } from './places.ts'

export type StackFrame = {
  readonly function: string
  readonly kind: 'message' | 'internal'
  /** Whose code runs; null: it was never created. */
  readonly address: Address | null
  /** Its first step. */
  readonly step: number
  /** Where it is: the present line, or that of the call. */
  readonly place: SourceRange | undefined
}

/** A recording with names of its messages. */
type Named = Recorded & { readonly nameOf: (frame: CallTree) => string }

/** Most frames: as many as messages may be within each other. */
const MOST_FRAMES = 1024

export function callStack(recorded: Named, step: number): readonly StackFrame[] {
  const frames: StackFrame[] = []
  let at = step
  let running: Activation | undefined = recorded.activations.at(step)
  while (running !== undefined && frames.length < MOST_FRAMES) {
    frames.push(
      ...(running.jump === undefined ? messageFrames(recorded, running, at) : calledFrames(recorded, running, at)),
    )
    // The message's own function, which the contract's code has called, stands for the message.
    if (frames.at(-1)?.kind === 'message' && running.jump !== undefined) running = running.caller
    if (running === undefined) break
    at = running.first - 1
    running = running.caller
  }
  return frames
}

/** The function of an internal call, and a modifier or an inlined function that runs in it. */
function calledFrames(recorded: Recorded, running: Activation, at: number): StackFrame[] {
  const { code, jump, first, frame, caller } = running
  const entered = jump && code?.functionAt(jump.to)
  if (code === undefined || jump === undefined || entered === undefined) return []
  const isOwn = code.functionAt(jump.from) === undefined || code.isWholeFunction(jump.from)
  const isMessage = isOwn && caller !== undefined && caller.jump === undefined
  const of = { address: frame.to, kind: 'internal', step: first } as const
  const inner = functionAt(recorded, running, at)
  const isWithin = inner !== undefined && inner.name !== entered.name
  const place = placeIn(recorded, running, at, isWithin ? entered.name : undefined)
  return [
    ...(isWithin ? [{ ...of, function: inner.name, place: placeIn(recorded, running, at) }] : []),
    { ...of, function: entered.name, place, ...(isMessage && { kind: 'message', step: caller.first }) },
  ]
}

/** The function of a message whose code has no internal call of it: a constructor, or one that is inlined. */
function messageFrames(recorded: Named, running: Activation, at: number): StackFrame[] {
  const { first, frame } = running
  const of = { address: frame.to, kind: 'message', step: first } as const
  const inner = functionAt(recorded, running, at)
  const called = recorded.nameOf(frame)
  if (inner === undefined) return [{ ...of, function: called, place: placeIn(recorded, running, at) }]
  const isCalled = inner.kind === 'fallback' || inner.kind === 'receive' || lastWord(inner.name) === lastWord(called)
  const own = { ...of, function: inner.name, place: placeIn(recorded, running, at) }
  if (isCalled) return [own]
  return [
    { ...own, kind: 'internal' },
    { ...of, function: called, place: undefined },
  ]
}

const lastWord = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

function functionAt(recorded: Recorded, running: Activation, at: number): Definition | undefined {
  const placed = lastPlaced(recorded, running, at)
  return placed === undefined ? undefined : running.code?.functionAt(recorded.recording.steps.pc(placed))
}

/** The last place of an activation up to a step, of any function or of one. */
function placeIn(recorded: Recorded, running: Activation, at: number, name?: string): SourceRange | undefined {
  const { code } = running
  const { steps } = recorded.recording
  const isWanted = (step: number) => name === undefined || code?.functionAt(steps.pc(step))?.name === name
  const placed = lastPlaced(recorded, running, at, isWanted)
  return placed === undefined ? undefined : code?.rangeAt(steps.pc(placed))
}
