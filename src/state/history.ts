// Rows that remember: each row says since which version it holds, and what it was before stands under its ordinal.
// "As of version v" is one read for a row that has not changed since, else a binary search over its ordinals; no
// row is ever seen half-changed, because a new value and the old one's history entry land in the same batch.
import { scratchBytes } from '../lib/byte-pool.ts'
import { KEY } from './keyspace.ts'
import type { KvReader } from './types.ts'

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
  const bytes = scratchBytes(start + (value?.length ?? 0))
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

/**
 * The row's value as of a version, given its latest state. Entries that were pruned were replaced before any version that
 * is asked for, so a missing one counts as older, and is the answer only when something is wrong.
 * Throws MissingHistory when `latest` is not what is stored, or the version was pruned.
 */
export function rowAsOf(
  reader: Pick<KvReader, 'get'>,
  key: Uint8Array,
  latest: RowState | undefined,
  version: number,
): RowState | undefined {
  if (latest === undefined || latest.since <= version) return latest
  // Largest ordinal whose value began at or before the version. Recent versions are asked for most, so gallop from the end.
  let high = latest.ordinal
  let low = -1
  let found: RowState | undefined
  const look = (ordinal: number): void => {
    const entry = historyEntry(reader, key, ordinal)
    if (entry !== undefined && entry.since > version) {
      high = ordinal
    } else {
      low = ordinal
      found = entry
    }
  }
  for (let step = 1; low < 0 && high > 0; step *= 2) look(Math.max(0, high - step))
  if (low < 0) return undefined
  while (low + 1 < high) look((low + high) >> 1)
  if (found === undefined) throw new MissingHistory(`history of a state row is missing (ordinal ${low})`)
  return found
}

/**
 * A row's value as of a version, read from the store alone, past every cache. The version must not have been taken back;
 * later ones may be at the moment.
 */
export function storedRowAsOf(reader: Pick<KvReader, 'get'>, key: Uint8Array, version: number): Uint8Array | undefined {
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

function historyEntry(reader: Pick<KvReader, 'get'>, key: Uint8Array, ordinal: number): RowState | undefined {
  const bytes = reader.get(KEY.history(key, ordinal))
  return bytes && decodeRow(bytes)
}

/** A row that a version wrote, and the ordinal of the value that it replaced; undefined where there was none. */
export type Change = { readonly key: Uint8Array; readonly replaced: number | undefined }

/** What a version changed: each as one length byte, the key, and `varint(replaced + 1)`, 0 for none. */
export function encodeChanges(changes: readonly Change[]): Uint8Array {
  let size = 0
  for (const { key, replaced = -1 } of changes) size += 1 + key.length + varintLength(replaced + 1)
  const out = new Uint8Array(size)
  let at = 0
  for (const { key, replaced = -1 } of changes) {
    out[at] = key.length
    out.set(key, at + 1)
    at = writeVarint(out, replaced + 1, at + 1 + key.length)
  }
  return out
}

export function decodeChanges(bytes: Uint8Array): Change[] {
  const changes: Change[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + (bytes[at] ?? 0)
    const [before, next] = readVarint(bytes, end)
    changes.push({ key: bytes.subarray(at + 1, end), replaced: before === 0 ? undefined : before - 1 })
    at = next
  }
  return changes
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
