// Merge sort that yields to the event loop: Array.sort would block the thread for 0.1 s on a list of 100,000 strings.
import type { Pause } from './scheduler.ts'

/** Items that are sorted or merged between two calls of `pause`. */
const PIECE = 2048

/** A new list with the items in ascending order of `textOf`. */
export async function sortYielding<T>(items: readonly T[], textOf: (item: T) => string, pause: Pause): Promise<T[]> {
  let runs: T[][] = []
  for (let at = 0; at < items.length; at += PIECE) {
    await pause()
    runs.push(items.slice(at, at + PIECE).sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1)))
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2) {
      const [left = [], right] = runs.slice(at, at + 2)
      merged.push(right === undefined ? left : await merge(left, right, textOf, pause))
    }
    runs = merged
  }
  return runs[0] ?? []
}

async function merge<T>(
  left: readonly T[],
  right: readonly T[],
  textOf: (item: T) => string,
  pause: Pause,
): Promise<T[]> {
  const merged: T[] = []
  for (let [l, r] = [0, 0]; l < left.length || r < right.length; ) {
    if (merged.length % PIECE === 0) await pause()
    const a = left[l]
    const b = right[r]
    if (a !== undefined && (b === undefined || textOf(a) <= textOf(b))) {
      merged.push(a)
      l++
    } else if (b !== undefined) {
      merged.push(b)
      r++
    }
  }
  return merged
}
