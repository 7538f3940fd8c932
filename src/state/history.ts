// Versioned rows: a row holds its current value and the version since which that value is valid; former values are stored under
// the row's key and an ordinal, most of the long ones as the difference from the next value. Reading a row as of version v is
// one read if it has not changed since v, else a binary search over the ordinals, and up to 15 reads of later differences. A
// new value and the history entry of the old one are written in one batch.
import { scratchBytes } from '../lib/byte-pool.ts'
import { KEY } from './keyspace.ts'
import type { KvReader } from './types.ts'
import { applyDelta, encodeDelta } from './value-delta.ts'
import { readVarint, varintLength, writeVarint } from './varint.ts'

/** One value of a row; undefined if the row does not exist in these versions. */
export type RowState = {
  /** Number of values that the row had before this one. */
  readonly ordinal: number
  /** First version with this value. */
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

/** Of this many consecutive former values one is stored in full, so that reading a difference takes few reads. */
const FULL_EVERY = 16

/** A former value: in full, or as the difference from the next value. */
type FormerState = RowState & { readonly delta: Uint8Array | undefined }

/**
 * The history entry of a value that `next` replaces (undefined: the row is deleted). As `encodeRow`, or
 * `varint(ordinal * 2) varint(since) delta`: no bytes follow where there was no value.
 */
export function encodeFormer(former: RowState, next: Uint8Array | undefined): Uint8Array {
  const { ordinal, since, value } = former
  const isFull = value === undefined || next === undefined || ordinal % FULL_EVERY === FULL_EVERY - 1
  const delta = isFull ? undefined : encodeDelta(value, next)
  if (delta === undefined) return encodeRow(former)
  const start = varintLength(ordinal * 2) + varintLength(since)
  const bytes = scratchBytes(start + delta.length)
  writeVarint(bytes, since, writeVarint(bytes, ordinal * 2, 0))
  bytes.set(delta, start)
  return bytes
}

function decodeFormer(bytes: Uint8Array): FormerState {
  const row = decodeRow(bytes)
  if (row.value !== undefined) return { ...row, delta: undefined }
  const start = varintLength(row.ordinal * 2) + varintLength(row.since)
  return { ...row, delta: start < bytes.length ? bytes.subarray(start) : undefined }
}

/**
 * The row's value as of a version, given its latest state. A missing entry was pruned, so the search treats it as older than
 * any readable version. Throws MissingHistory if it ends at one, because `latest` is not the stored state or the version was
 * pruned.
 */
export function rowAsOf(
  reader: Pick<KvReader, 'get'>,
  key: Uint8Array,
  latest: RowState | undefined,
  version: number,
): RowState | undefined {
  if (latest === undefined || latest.since <= version) return latest
  // The largest ordinal whose value began at or before the version. Recent versions are read most, so gallop from the end.
  let high = latest.ordinal
  let low = -1
  let found: FormerState | undefined
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
  return { ...found, value: formerValue(reader, key, latest, found) }
}

/** The value of a history entry. Throws MissingHistory when a later entry, from which it differs, is missing. */
function formerValue(
  reader: Pick<KvReader, 'get'>,
  key: Uint8Array,
  latest: RowState,
  { ordinal, value, delta }: FormerState,
): Uint8Array | undefined {
  if (delta === undefined) return value
  const following = ordinal + 1
  const entry = following < latest.ordinal ? historyEntry(reader, key, following) : undefined
  const next = following === latest.ordinal ? latest.value : entry && formerValue(reader, key, latest, entry)
  if (next === undefined) throw new MissingHistory(`history of a state row is missing (ordinal ${following})`)
  return applyDelta(delta, next)
}

/**
 * A row's value as of a version, read from the store without a cache. A rewind of later versions may be in progress, but not
 * one of this version.
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
    // A rewind has replaced the row between the two reads, in one batch; the second attempt reads the result.
    return read()
  }
}

/** A former value, given the one that replaced it (null: the row was deleted). Throws RangeError if they do not match. */
export function storedFormer(
  reader: Pick<KvReader, 'get'>,
  key: Uint8Array,
  ordinal: number,
  next: Uint8Array | null,
): RowState | undefined {
  const entry = historyEntry(reader, key, ordinal)
  if (entry?.delta === undefined || next === null) return entry
  return { ...entry, value: applyDelta(entry.delta, next) }
}

/** The values that a row has had, newest first: the present one and at most so many former ones, as far as they were not pruned. */
export function valuesOf(reader: Pick<KvReader, 'get'>, key: Uint8Array, most: number): readonly RowState[] {
  const latest = reader.get(key)
  const values: RowState[] = []
  let state = latest && decodeRow(latest)
  while (state !== undefined) {
    values.push(state)
    const { ordinal, value }: RowState = state
    state = ordinal === 0 || values.length > most ? undefined : storedFormer(reader, key, ordinal - 1, value ?? null)
  }
  return values
}

/** The given row and its history are of different times, or the store is corrupt. */
export class MissingHistory extends Error {}

function historyEntry(reader: Pick<KvReader, 'get'>, key: Uint8Array, ordinal: number): FormerState | undefined {
  const bytes = reader.get(KEY.history(key, ordinal))
  return bytes && decodeFormer(bytes)
}

/** A row that a version wrote, and the ordinal of the replaced value; undefined for a new row. */
export type RowChange = { readonly key: Uint8Array; readonly replaced: number | undefined }

/** First byte of the list of a version without trie nodes (`unstored-nodes.ts`); no key has this length. */
const WITHOUT_NODES = 0

/** Whether a version with this list of changes stored the trie nodes that had changed. */
export const storesNodes = (changes: Uint8Array): boolean => changes[0] !== WITHOUT_NODES

/**
 * The list of a version's changes, each as: length of the key (1 byte), key, `varint(replaced + 1)`, 0 for a new row. The list of
 * a version without trie nodes begins with a zero byte.
 */
export function encodeChanges(changes: readonly RowChange[], withNodes = true): Uint8Array {
  let size = withNodes ? 0 : 1
  for (const { key, replaced = -1 } of changes) size += 1 + key.length + varintLength(replaced + 1)
  const out = new Uint8Array(size)
  let at = withNodes ? 0 : 1
  for (const { key, replaced = -1 } of changes) {
    out[at] = key.length
    out.set(key, at + 1)
    at = writeVarint(out, replaced + 1, at + 1 + key.length)
  }
  return out
}

export function decodeChanges(bytes: Uint8Array): RowChange[] {
  const changes: RowChange[] = []
  for (let at = storesNodes(bytes) ? 0 : 1; at < bytes.length; ) {
    const end = at + 1 + (bytes[at] ?? 0)
    const [before, next] = readVarint(bytes, end)
    changes.push({ key: bytes.subarray(at + 1, end), replaced: before === 0 ? undefined : before - 1 })
    at = next
  }
  return changes
}
