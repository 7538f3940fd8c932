// Rows that remember: each row says since which version it holds, and what it was before stands under its ordinal.
// "As of version v" is one read for a row that has not changed since, else a binary search over its ordinals; no
// row is ever seen half-changed, because a new value and the old one's history entry land in the same batch.
import { unwritten } from '../lib/bytes.ts'
import { KEY } from './keyspace.ts'
import type { Reader } from './types.ts'

/** One value of a row. `value` undefined: the row does not exist in these versions. */
export type RowState = {
  /** How many values the row had before this one. */
  readonly ordinal: number
  /** First version in which this value holds. */
  readonly since: number
  readonly value: Uint8Array | undefined
}

/** `varint(ordinal * 2 + present) varint(since) value` */
export function encodeRow({ ordinal, since, value }: RowState): Uint8Array {
  const first = ordinal * 2 + (value === undefined ? 0 : 1)
  const start = varintLength(first) + varintLength(since)
  const bytes = unwritten(start + (value?.length ?? 0))
  writeVarint(bytes, since, writeVarint(bytes, first, 0))
  if (value !== undefined) bytes.set(value, start)
  return bytes
}

export function decodeRow(bytes: Uint8Array): RowState {
  const [first, afterFirst] = readVarint(bytes, 0)
  const [since, start] = readVarint(bytes, afterFirst)
  return {
    ordinal: Math.floor(first / 2),
    since,
    value: first % 2 === 1 ? bytes.subarray(start) : undefined,
  }
}

/** The row's value as of a version, given its latest state. Throws MissingHistory when that is not what is stored. */
export function rowAsOf(
  reader: Pick<Reader, 'get'>,
  key: Uint8Array,
  latest: RowState | undefined,
  version: number,
): RowState | undefined {
  if (latest === undefined || latest.since <= version) return latest
  // Largest ordinal whose value began at or before the version. Recent versions are asked for most, so gallop from the end.
  let high = latest.ordinal
  let low = -1
  let found: RowState | undefined
  for (let step = 1; low < 0 && high > 0; step *= 2) {
    const probe = Math.max(0, high - step)
    const entry = historyEntry(reader, key, probe)
    if (entry.since <= version) {
      low = probe
      found = entry
    } else {
      high = probe
    }
  }
  if (found === undefined) return undefined
  while (low + 1 < high) {
    const middle = (low + high) >> 1
    const entry = historyEntry(reader, key, middle)
    if (entry.since <= version) {
      low = middle
      found = entry
    } else {
      high = middle
    }
  }
  return found
}

/**
 * A row's value as of a version, read from the store alone, past every cache. The version must not have been taken back;
 * later ones may be at the moment.
 */
export function storedRowAsOf(reader: Pick<Reader, 'get'>, key: Uint8Array, version: number): Uint8Array | undefined {
  const read = (): Uint8Array | undefined => {
    const latest = reader.get(key)
    return rowAsOf(reader, key, latest && decodeRow(latest), version)?.value
  }
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MissingHistory)) throw error
    // Later versions were taken back between the two reads; the batch that did it has landed whole.
    return read()
  }
}

/** The given row and the history under it are not of one moment, or the store is corrupt. */
export class MissingHistory extends Error {}

function historyEntry(reader: Pick<Reader, 'get'>, key: Uint8Array, ordinal: number): RowState {
  const bytes = reader.get(KEY.history(key, ordinal))
  if (bytes === undefined) throw new MissingHistory(`history of a state row is missing (ordinal ${ordinal})`)
  return decodeRow(bytes)
}

/** Keys of the rows a version changed: each as one length byte and the key. */
export function encodeChanges(keys: readonly Uint8Array[]): Uint8Array {
  const out = unwritten(keys.reduce((size, key) => size + 1 + key.length, 0))
  let at = 0
  for (const key of keys) {
    out[at] = key.length
    out.set(key, at + 1)
    at += 1 + key.length
  }
  return out
}

export function decodeChanges(bytes: Uint8Array): Uint8Array[] {
  const keys: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at] ?? 0
    keys.push(bytes.subarray(at + 1, at + 1 + length))
    at += 1 + length
  }
  return keys
}

function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++
  return length
}

/** Returns where it ends. */
function writeVarint(out: Uint8Array, value: number, start: number): number {
  let at = start
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out[at++] = (rest % 0x80) | 0x80
  out[at++] = rest
  return at
}

function readVarint(bytes: Uint8Array, start: number): [value: number, next: number] {
  let value = 0
  let scale = 1
  let at = start
  for (;;) {
    const byte = bytes[at++] ?? 0
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return [value, at]
    scale *= 0x80
  }
}
