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
  for (
    let running: Activation | undefined = recorded.activations.at(step);
    running !== undefined && frames.length < MOST_FRAMES;
    running = running.caller
  ) {
    frames.push(...framesOf(recorded, running, at))
    at = running.first - 1
  }
  return frames
}

/** The function of an activation, and a modifier or an inlined function that runs in it. */
function framesOf(recorded: Named, running: Activation, at: number): StackFrame[] {
  const { code, entry, first, frame, isMessage } = running
  const kind = isMessage ? 'message' : 'internal'
  const of = { address: frame.to, kind, step: first } as const
  const place = placeIn(recorded, running, at)
  const inner = functionAt(recorded, running, at)
  const entered = entry && code?.functionAt(entry.to)
  const called = entered?.name ?? recorded.nameOf(frame)
  // The first value of a variable has the place of its getter.
  const isPlain = inner === undefined || inner === entered || inner.kind === 'getter'
  if (isPlain) return [{ ...of, function: called, place }]
  // A message without entry: a constructor, or a function that is inlined in the dispatcher.
  const isOwn = inner.kind === 'fallback' || inner.kind === 'receive' || lastWord(inner.name) === lastWord(called)
  if (entered === undefined && isOwn) return [{ ...of, function: inner.name, place }]
  const outer = entered && (placeIn(recorded, running, at, entered) ?? (entry && code?.rangeAt(entry.to)))
  return [
    { ...of, kind: 'internal', function: inner.name, place },
    { ...of, function: called, place: outer },
  ]
}

const lastWord = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

function functionAt(recorded: Recorded, running: Activation, at: number): Definition | undefined {
  const placed = lastPlaced(recorded, running, at)
  return placed === undefined ? undefined : running.code?.functionAt(recorded.recording.steps.pc(placed))
}

/** The last place of an activation up to a step, of any function or of one. */
function placeIn(recorded: Recorded, running: Activation, at: number, of?: Definition): SourceRange | undefined {
  const { code } = running
  const { steps } = recorded.recording
  const isWanted = (step: number) => of === undefined || code?.functionAt(steps.pc(step)) === of
  const placed = lastPlaced(recorded, running, at, isWanted)
  return placed === undefined ? undefined : code?.rangeAt(steps.pc(placed))
}
