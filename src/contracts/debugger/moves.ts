// The moves of a debugger, over a recording, forward and backward. As in browsers, a move by lines ends at the first step of
// another line or another activation; steps that the compiler has added are passed over. Code without sources moves by opcodes.
import { ChainError } from '../../lib/errors.ts'
import type { Address, Hash } from '../../lib/hex.ts'
import { type Activation, isWithin } from './activations.ts'
import { lineAt, ownStepBefore, type Recorded, shownLine } from './places.ts'

/** Where to go. */
export type Move =
  | { readonly to: number | 'start' | 'end' | 'failure' }
  | { readonly from: number; readonly go: 'into' | 'over' | 'out' | 'opcode'; readonly back?: boolean | undefined }
  | {
      readonly from: number
      readonly go: 'line'
      readonly file: string
      readonly line: number
      readonly back?: boolean | undefined
    }
  | {
      readonly from: number
      readonly go: 'write'
      readonly address: Address
      readonly slot: Hash
      readonly back?: boolean | undefined
    }

/** A recording whose writes of storage and whose failure are known. */
export type Movable = Recorded & {
  /** The step of the innermost failure that was not caught. */
  readonly failure: number | undefined
  /** Steps of the SSTOREs of a slot, in order. */
  writesOf(address: Address, slot: Hash): readonly number[]
}

/**
 * The step to which a move goes; the first or last one if there is none, and the same without another write. Throws ChainError
 * `invalid-params`.
 */
export function stepOf(of: Movable, move: Move): number {
  const { first, count } = of.recording.steps
  // Without code there is one step: the message.
  const last = Math.max(first, count - 1)
  if ('to' in move) {
    if (move.to === 'start') return firstLine(of)
    if (move.to === 'end') return last
    if (move.to !== 'failure') return checked(move.to, first, last)
    if (of.failure === undefined) throw new ChainError('invalid-params', 'it has not failed')
    return of.failure
  }
  const from = checked(move.from, first, last)
  const isBack = move.back === true
  const end = isBack ? first : last
  if (move.go === 'opcode') return isBack ? Math.max(first, from - 1) : Math.min(last, from + 1)
  if (move.go === 'line') return (isBack ? lineBefore : lineAfter)(of, from, move.file, move.line) ?? end
  if (move.go === 'write') {
    const writes = of.writesOf(move.address, move.slot)
    return (isBack ? writes.findLast((step) => step < from) : writes.find((step) => step > from)) ?? from
  }
  return (isBack ? BACKWARD : FORWARD)[move.go](of, from) ?? end
}

/** The first step that is kept of a line, or of code without sources. */
function firstLine(of: Recorded): number {
  const { first } = of.recording.steps
  const at = of.activations.at(first)
  const isShown = at.code === undefined || lineAt(of, at, first) >= 0
  return isShown ? first : (nextLine(of, first, first + 1, false) ?? first)
}

function checked(step: number, first: number, last: number): number {
  if (step >= first && step <= last) return step
  throw new ChainError('invalid-params', `steps are ${first} to ${last}`)
}

const FORWARD = {
  into: (of: Recorded, from: number) => nextLine(of, from, from + 1, false),
  over: (of: Recorded, from: number) => nextLine(of, from, from + 1, true),
  out: (of: Recorded, from: number) => nextLine(of, from, of.activations.at(from).end, true),
}

const BACKWARD = {
  into: (of: Recorded, from: number) => previousLine(of, from, false),
  over: (of: Recorded, from: number) => previousLine(of, from, true),
  // To the call.
  out: (of: Recorded, from: number) => {
    const { first } = of.activations.at(from)
    return first - 1 < of.recording.steps.first ? undefined : first - 1
  },
}

/** What is passed over on the way from an activation: the outermost one that it is not within. undefined: nothing. */
function passedOver(from: Activation, at: Activation): Activation | undefined {
  if (isWithin(from, at)) return undefined
  let outermost = at
  while (outermost.caller !== undefined && !isWithin(from, outermost.caller)) outermost = outermost.caller
  return outermost
}

function nextLine(of: Recorded, from: number, next: number, isOver: boolean): number | undefined {
  const { steps } = of.recording
  const base = of.activations.at(from)
  const line = shownLine(of, base, from)
  let at = base
  for (let step = next; step < steps.count; ) {
    const now = activationFrom(of, at, step)
    const over = isOver && now !== at ? passedOver(base, now) : undefined
    at = now
    if (over !== undefined) {
      step = over.end
      continue
    }
    const own = lineAt(of, at, step)
    if (at.code === undefined || (own >= 0 && (own !== line || at !== base))) return step
    step++
  }
  return undefined
}

/** The activation at a step that follows one of a known activation. */
function activationFrom(of: Recorded, known: Activation, step: number): Activation {
  const isSame = step < known.end && step > known.first && !mayEnter(of.recording.steps.op(step - 1))
  return isSame ? known : of.activations.at(step)
}

/** Whether the step behind an opcode may be of another activation: jumps, calls, ends of frames. */
const mayEnter = (op: number): boolean => op === 0x56 || op >= 0xf0 || op === 0

function previousLine(of: Recorded, from: number, isOver: boolean): number | undefined {
  const { first } = of.recording.steps
  const base = of.activations.at(from)
  let found: { readonly at: Activation; readonly line: number; step: number } | undefined
  for (let step = from - 1; step >= first; ) {
    const at = of.activations.at(step)
    const over = isOver ? passedOver(found?.at ?? base, at) : undefined
    if (over !== undefined) {
      step = over.first - 1
      continue
    }
    const line = lineAt(of, at, step)
    if (at.code === undefined) return found?.step ?? step
    if (line >= 0) {
      if (found === undefined) found = { at, line, step }
      else if (found.at !== at || found.line !== line) break
      found.step = step
    }
    step--
  }
  return found?.step
}

// --- run to a line

/** Whether a step of a line is where its activation arrives there from another line. */
function isArrival(of: Recorded, at: Activation, step: number, line: number): boolean {
  const before = ownStepBefore(of, at, step)
  return before === undefined || shownLine(of, at, before) !== line
}

function lineAfter(of: Recorded, from: number, file: string, line: number): number | undefined {
  const { steps } = of.recording
  const wanted = lineNumbers(file, line)
  let at = of.activations.at(from)
  let number = wanted(at)
  for (let step = from + 1; step < steps.count; step++) {
    const now = activationFrom(of, at, step)
    if (now !== at) number = wanted(now)
    at = now
    if (number >= 0 && lineAt(of, at, step) === number && isArrival(of, at, step, number)) return step
  }
  return undefined
}

function lineBefore(of: Recorded, from: number, file: string, line: number): number | undefined {
  const { steps } = of.recording
  const wanted = lineNumbers(file, line)
  for (let step = from - 1; step >= steps.first; ) {
    const at = of.activations.at(step)
    const number = wanted(at)
    // Steps between two calls are of one activation.
    do {
      if (number >= 0 && lineAt(of, at, step) === number && isArrival(of, at, step, number)) return step
      step--
    } while (step >= steps.first && step >= at.first && !mayEnter(steps.op(step)))
  }
  return undefined
}

/** The number of a line in each code. */
function lineNumbers(file: string, line: number): (of: Activation) => number {
  const known = new Map<Activation['code'], number>()
  return ({ code }) => {
    const number = known.get(code) ?? code?.stopOf(file, line) ?? -1
    known.set(code, number)
    return number
  }
}
