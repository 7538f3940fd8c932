// The activations of functions in a recording: messages and internal calls, each with its steps. Debuggers find in them which
// functions were running at a step, and what a move passes over. Built once for each recording.
import type { Recording } from '../../runtime/tracing/step-recorder.ts'
import type { CallTree } from '../../runtime/types.ts'
import type { DebugCode } from '../debug-info.ts'

const JUMP = 0x56
/** Most internal calls within each other of a frame that are told apart: the EVM's stack has no room for more return addresses. */
const DEEPEST = 1024

/** The code of each frame that has sources. */
export type Codes = ReadonlyMap<CallTree, DebugCode>

/** A jump into a function; `end`: the step behind the jump out of it. */
export type Entry = { readonly step: number; readonly to: number; end: number }

/** A message or an internal call. */
export type Activation = {
  readonly frame: CallTree
  readonly code: DebugCode | undefined
  /** Its first step, and the one behind its last. Of accounts without code, precompiles and native contracts both are the same. */
  readonly first: number
  readonly end: number
  readonly isMessage: boolean
  /** The jump into its function; of a message, into that which the contract's dispatcher has called. undefined: there was none. */
  readonly entry: Entry | undefined
  /** Undefined: the transaction's message. */
  readonly caller: Activation | undefined
}

type Open = { -readonly [K in keyof Activation]: Activation[K] }

/** In order of their first steps; callers before what they call. */
export class Activations {
  readonly all: readonly Activation[]
  readonly #firsts: Int32Array

  constructor(recording: Recording, codes: Codes) {
    const all: Activation[] = []
    addMessage(recording, codes, recording.root, undefined, all)
    this.all = all
    this.#firsts = Int32Array.from(all, ({ first }) => first)
  }

  /** The innermost one at a step that was kept. */
  at(step: number): Activation {
    let [low, high] = [0, this.all.length]
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((this.#firsts[middle] ?? 0) <= step) low = middle
      else high = middle
    }
    let found = this.all[low]
    // Those that have ended before.
    while (found?.caller !== undefined && found.end <= step) found = found.caller
    if (found === undefined) throw new Error('a recording without a message')
    return found
  }
}

/** Whether one is the other, or was called by it or by what it called. */
export function isWithin(inner: Activation, outer: Activation): boolean {
  for (let at: Activation | undefined = inner; at !== undefined; at = at.caller) if (at === outer) return true
  return false
}

function addMessage(
  recording: Recording,
  codes: Codes,
  frame: CallTree,
  caller: Activation | undefined,
  all: Activation[],
): void {
  const { steps, frames } = recording
  const own = frames.get(frame)
  if (own === undefined) return
  const { first, end } = own
  const code = codes.get(frame)
  const message: Open = { frame, code, first, end, isMessage: true, entry: undefined, caller }
  all.push(message)
  const open: (Open | undefined)[] = []
  let innermost = message
  const enter = (of: DebugCode, step: number): void => {
    const entry: Entry = { step, to: steps.pc(step + 1), end }
    // A function that the compiler has added is a part of its caller. The function that the dispatcher calls is the message itself.
    const isShown = open.length < DEEPEST && of.functionAt(entry.to) !== undefined
    const isOwn = isShown && innermost === message && message.entry === undefined && isDispatcher(of, steps.pc(step))
    if (isOwn) message.entry = entry
    const called: Open | undefined =
      isShown && !isOwn ? { frame, code, first: step + 1, end, isMessage: false, entry, caller: innermost } : undefined
    open.push(called ?? (isOwn ? message : undefined))
    if (called === undefined) return
    all.push(called)
    innermost = called
  }
  const leave = (step: number): void => {
    const left = open.pop()
    if (left === undefined) return
    if (left.entry !== undefined) left.entry.end = step + 1
    if (left === message) return
    left.end = step + 1
    innermost = open.findLast((outer) => outer !== undefined) ?? message
  }
  let step = Math.max(first, steps.first)
  for (const inner of [...frame.calls, undefined]) {
    const ran = inner && frames.get(inner)
    if (inner !== undefined && ran === undefined) continue
    if (code === undefined) step = ran?.first ?? end
    for (const before = ran?.first ?? end; step < before; step++) {
      if (code === undefined || steps.op(step) !== JUMP || step + 1 >= before) continue
      const pc = steps.pc(step)
      if (code.isInto(pc)) enter(code, step)
      else if (code.isOut(pc)) leave(step)
    }
    if (inner === undefined || ran === undefined) continue
    addMessage(recording, codes, inner, innermost, all)
    step = Math.max(step, ran.end)
  }
}

/** Whether an instruction is of no function, or of what the compiler adds to one. */
const isDispatcher = (code: DebugCode, pc: number): boolean =>
  code.functionAt(pc) === undefined || code.isWholeFunction(pc)
