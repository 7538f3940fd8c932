// Flattens a call tree into Parity's list (`trace_*` methods): each frame with its path from the root.
import type { CallTree } from '../types.ts'

/** A frame of the flat list. */
export type FlatFrame = Omit<CallTree, 'calls'> & {
  /** Indices of the calls from the root to this frame; empty for the root. */
  readonly traceAddress: readonly number[]
  /** Number of direct children in the list. */
  readonly subtraces: number
}

/** The frames in call order. An inner frame for which `kept` is false is left out with its descendants. */
export function flattenCallTree(root: CallTree, kept: (frame: CallTree) => boolean): FlatFrame[] {
  const flat: FlatFrame[] = []
  const walk = ({ calls, ...frame }: CallTree, traceAddress: readonly number[]): void => {
    const below = calls.filter(kept)
    flat.push({ ...frame, traceAddress, subtraces: below.length })
    for (const [position, call] of below.entries()) walk(call, [...traceAddress, position])
  }
  walk(root, [])
  return flat
}
