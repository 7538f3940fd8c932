// Where a recording is in the sources at a step.
import type { Recording } from '../../runtime/tracing/step-recorder.ts'
import type { Activation, Activations } from './activations.ts'

/** A recording with what is known of the sources of its codes. */
export type Recorded = { readonly recording: Recording; readonly activations: Activations }

/** Most steps that are looked through for the last line. */
const MOST_LOOKED_AT = 10_000

/** The number of the line of a step (`DebugCode.stopAt`); -1: of none, or without sources. */
export const lineAt = ({ recording: { steps } }: Recorded, { code }: Activation, step: number): number =>
  code === undefined ? -1 : code.stopAt(steps.pc(step))

/** The step of an activation before one, without those of what it has called; undefined: it is the first one that was kept. */
export function ownStepBefore({ recording, activations }: Recorded, of: Activation, step: number): number | undefined {
  const before = step - 1
  if (before < of.first || before < recording.steps.first) return undefined
  const at = activations.at(before)
  if (at === of) return before
  let called = at
  while (called.caller !== undefined && called.caller !== of) called = called.caller
  return called.first - 1 < recording.steps.first ? undefined : called.first - 1
}

/** The last step of an activation, up to one, that has a line. */
export function lastPlaced(
  recorded: Recorded,
  of: Activation,
  until: number,
  isWanted: (step: number) => boolean = () => true,
): number | undefined {
  let step: number | undefined = until
  for (let left = MOST_LOOKED_AT; step !== undefined && left > 0; left--) {
    if (lineAt(recorded, of, step) >= 0 && isWanted(step)) return step
    step = ownStepBefore(recorded, of, step)
  }
  return undefined
}

/** The line that is shown at a step of an activation: its own, or the last one before. */
export function shownLine(recorded: Recorded, of: Activation, step: number): number {
  const placed = lastPlaced(recorded, of, step)
  return placed === undefined ? -1 : lineAt(recorded, of, placed)
}
