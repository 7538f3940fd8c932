// The difference between two values of equal length: the bytes of the first where they differ. A trie's branch node has 532
// bytes, of which a change below it changes 32: its former value is stored as the difference from the next one.
import { scratchBytes } from '../lib/byte-pool.ts'
import { readVarint, varintLength, writeVarint } from './varint.ts'

/** Shorter values are stored in full. */
const MIN_LENGTH = 96
/** Differing runs that are at most this far apart are stored as one run. */
const GAP = 3

/**
 * The difference that turns `from` into `to`: `varint(equal bytes) varint(length of the run) bytes of to`, repeated. undefined
 * if the lengths differ, if the values are short or equal, or if the difference is not much shorter than the value.
 */
export function encodeDelta(to: Uint8Array, from: Uint8Array): Uint8Array | undefined {
  if (to.length !== from.length || to.length < MIN_LENGTH) return undefined
  const runs = differences(to, from)
  let size = 0
  let at = 0
  for (const { start, end } of runs) {
    size += varintLength(start - at) + varintLength(end - start) + end - start
    at = end
  }
  if (size === 0 || size * 2 > to.length) return undefined
  const out = scratchBytes(size)
  let written = 0
  at = 0
  for (const { start, end } of runs) {
    written = writeVarint(out, end - start, writeVarint(out, start - at, written))
    out.set(to.subarray(start, end), written)
    written += end - start
    at = end
  }
  return out
}

/** The `to` of `encodeDelta`. Throws RangeError if the delta does not match the value. */
export function applyDelta(delta: Uint8Array, from: Uint8Array): Uint8Array {
  const to = Uint8Array.from(from)
  let at = 0
  for (let read = 0; read < delta.length; ) {
    const [equal, afterEqual] = readVarint(delta, read)
    const [length, start] = readVarint(delta, afterEqual)
    at += equal
    if (start + length > delta.length) throw new RangeError('a delta ends within a run')
    // `set` throws RangeError if the run exceeds the value.
    to.set(delta.subarray(start, start + length), at)
    at += length
    read = start + length
  }
  return to
}

type Run = { readonly start: number; readonly end: number }

/** The ranges in which two values of equal length differ, in order. */
function differences(one: Uint8Array, other: Uint8Array): Run[] {
  const runs: Run[] = []
  let start = -1
  let end = -1
  for (let at = 0; at < one.length; at++) {
    if (one[at] === other[at]) continue
    if (start >= 0 && at - end > GAP) {
      runs.push({ start, end })
      start = at
    } else if (start < 0) start = at
    end = at + 1
  }
  if (start >= 0) runs.push({ start, end })
  return runs
}
