// Flattens a call tree into Parity's list (`trace_*` methods): each frame with its path from the root.
import type { CallTree } from '../types.ts'

export type FlatFrame = Omit<CallTree, 'calls'> & {
  /** Positions on the way from the root; the root's is empty. */
  readonly traceAddress: readonly number[]
  /** How many frames lie directly below. */
  readonly subtraces: number
}

/** Frames in call order. Inner ones that are not `kept` are left out with all below them, and not counted. */
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
