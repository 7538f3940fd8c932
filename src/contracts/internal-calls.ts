// The internal calls of a frame: jumps into functions and out of them, by the markers of the source map.
import type { Recording } from '../runtime/tracing/step-recorder.ts'
import type { FrameSteps } from '../runtime/tracing/steps.ts'
import type { CallTree } from '../runtime/types.ts'
import type { DebugCode } from './debug-info.ts'
import type { Definition } from './solidity-functions.ts'

/** Most steps that are looked through for where inlined code has left a function. */
const MOST_LOOKED_AT = 10_000

/** A failed frame with what is known of its code. */
export type FailedFrame = {
  readonly frame: CallTree
  readonly steps: FrameSteps | undefined
  readonly debug: DebugCode | undefined
}

/** An internal call that has not returned: the step of its jump, the program counters of the jump and of its destination. */
export type InternalCall = { readonly step: number; readonly from: number; readonly to: number }

const JUMP = 0x56
/** Most internal calls within each other that are told apart: the EVM's stack has no room for more return addresses. */
const DEEPEST = 1024
export const isCreation = ({ type }: CallTree): boolean => type === 'CREATE' || type === 'CREATE2'

/** The internal calls that had not returned before a step. */
export function internalCalls(
  { steps, frames }: Recording,
  frame: CallTree,
  debug: DebugCode,
  until: number,
): readonly InternalCall[] {
  const own = frames.get(frame)
  const calls: InternalCall[] = []
  let hidden = 0
  let step = Math.max(own?.first ?? until, steps.first)
  for (const inner of [...frame.calls, undefined]) {
    const ran = inner && frames.get(inner)
    if (inner !== undefined && ran === undefined) continue
    const end = Math.min(until, ran?.first ?? until)
    for (; step < end; step++) {
      if (steps.op(step) !== JUMP) continue
      const from = steps.pc(step)
      if (debug.isInto(from)) {
        if (step + 1 >= end) continue
        if (calls.length < DEEPEST) calls.push({ step, from, to: steps.pc(step + 1) })
        else hidden++
      } else if (debug.isOut(from)) {
        if (hidden > 0) hidden--
        else calls.pop()
      }
    }
    if (ran !== undefined) step = Math.max(step, ran.end)
    if (step >= until) break
  }
  return calls
}

/** Where a frame was when it failed, or when it made the call that failed. */
export function stopOf({ frames }: Recording, { frame, steps }: FailedFrame, inner: CallTree | undefined) {
  const called = inner && frames.get(inner)
  if (called !== undefined) return { until: called.first, pc: called.calledAt }
  return { until: frames.get(frame)?.end ?? 0, pc: steps?.lastPc ?? -1 }
}

/** The last instruction of a function, or of any, between two steps of a frame. */
export function lastPlace(
  { steps, frames }: Recording,
  frame: CallTree,
  debug: DebugCode,
  after: number,
  before: number,
  isWanted: (found: Definition) => boolean = () => true,
): number | undefined {
  const own = frames.get(frame)
  if (own === undefined) return undefined
  const first = Math.max(after + 1, own.first, steps.first, before - MOST_LOOKED_AT)
  for (let step = before - 1; step >= first; step--) {
    if (steps.depth(step) !== own.depth) continue
    const pc = steps.pc(step)
    const found = debug.functionAt(pc)
    if (found !== undefined && isWanted(found) && !debug.isWholeFunction(pc)) return pc
  }
  return undefined
}
