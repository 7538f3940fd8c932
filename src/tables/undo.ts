// The undo log: one row for each version with the former values of the rows that it wrote and the former lengths of its lists.
// Undoing needs no knowledge of what the rows mean.
import { scratchBytes } from '../lib/byte-pool.ts'
import { type Hex, toHex } from '../lib/hex.ts'
import { KEY } from '../state/keyspace.ts'
import type { KvReader, WriteOp } from '../state/types.ts'
import { readVarint, varintLength, writeVarint } from '../state/varint.ts'
import { type ListGrowth, truncationOps } from './list-rows.ts'

/** A row with its former value; undefined when it did not exist. */
export type ReplacedRow = { readonly key: Uint8Array; readonly before: Uint8Array | undefined }

const sizeOfBytes = ({ length }: Uint8Array): number => varintLength(length) + length

/**
 * The undo row. It begins with the number of lists; each has its id and its lengths before and after. The other rows follow to
 * the end, each with its key and its former value, whose length is stored plus one, or 0 for none. All numbers are varints, because
 * this is by far the largest index row of a block.
 */
export function undoRowOp(version: number, lists: readonly ListGrowth[], rows: readonly ReplacedRow[]): WriteOp {
  let size = varintLength(lists.length)
  for (const { list, before, added } of lists) {
    const id = list.length / 2 - 1
    size += varintLength(id) + id + varintLength(before.length) + varintLength(before.length + added.length)
  }
  for (const { key, before } of rows) {
    size += sizeOfBytes(key)
    size += before === undefined ? 1 : varintLength(before.length + 1) + before.length
  }
  const out = scratchBytes(size)
  let at = writeVarint(out, lists.length, 0)
  for (const { key, before, added } of lists) {
    // The key of a tail is one byte and the list's id.
    at = putBytes(out, key.subarray(1), key.length - 1, at)
    at = writeVarint(out, before.length, at)
    at = writeVarint(out, before.length + added.length, at)
  }
  for (const { key, before } of rows) {
    at = putBytes(out, key, key.length, at)
    at = before === undefined ? writeVarint(out, 0, at) : putBytes(out, before, before.length + 1, at)
  }
  return { type: 'put', key: KEY.indexUndo(version), value: out }
}

/** Writes a number, then the bytes. Returns the index after them. */
function putBytes(out: Uint8Array, bytes: Uint8Array, number: number, start: number): number {
  const at = writeVarint(out, number, start)
  out.set(bytes, at)
  return at + bytes.length
}

type Undo = {
  readonly lists: readonly { readonly list: Hex; readonly from: number; readonly to: number }[]
  readonly rows: readonly ReplacedRow[]
}

function decodeUndo(row: Uint8Array): Undo {
  let at = 0
  const number = (): number => {
    const [value, next] = readVarint(row, at)
    at = next
    return value
  }
  const take = (size: number): Uint8Array => {
    at += size
    if (at > row.length) throw new RangeError('an undo row of the index is too short')
    return row.subarray(at - size, at)
  }
  const lists = Array.from({ length: number() }, () => ({ list: toHex(take(number())), from: number(), to: number() }))
  const rows: ReplacedRow[] = []
  while (at < row.length) {
    const key = take(number())
    const size = number()
    rows.push({ key, before: size === 0 ? undefined : take(size - 1) })
  }
  return { lists, rows }
}

/** Operations that undo a version. Several versions are undone newest first, in one batch. */
export function undoOps(version: number, now: KvReader): WriteOp[] {
  const key = KEY.indexUndo(version)
  const row = now.get(key)
  if (row === undefined) return []
  const { lists, rows } = decodeUndo(row)
  return [
    ...lists.flatMap(({ list, from, to }) => truncationOps(now, list, from, to)),
    ...rows.map(
      ({ key, before }): WriteOp => (before === undefined ? { type: 'del', key } : { type: 'put', key, value: before }),
    ),
    { type: 'del', key },
  ]
}
