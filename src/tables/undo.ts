// What takes a version of the state back from readers' tables: one row beside those that it wrote, which says what they
// held before. Undoing needs to know nothing of what they mean.
import { KEY } from '../state/keyspace.ts'
import type { KvReader, WriteOp } from '../state/types.ts'
import { bytes, listOf, maybe, name, record, sequence, Writer } from './codec.ts'
import { type ListGrowth, truncationOps } from './list-rows.ts'

const undoRow = record({
  /** Lists that grew: their length before and after. */
  lists: listOf(record({ list: name, from: sequence, to: sequence })),
  /** Other rows, with what they held before. */
  rows: listOf(record({ key: bytes, before: maybe(bytes) })),
})

/** A row with what it held before; undefined: it was not there. */
export type ReplacedRow = { readonly key: Uint8Array; readonly before: Uint8Array | undefined }

/** The largest row of a block's index by far: written at once and by hand, as `undoRow` reads it. */
export function undoRowOp(version: number, lists: readonly ListGrowth[], rows: readonly ReplacedRow[]): WriteOp {
  let size = 4 + 4
  // A tail's key is one byte and the list's name.
  for (const { key } of lists) size += 4 + key.length - 1 + 7 + 7
  for (const { key, before } of rows) size += 4 + key.length + 1 + (before === undefined ? 0 : 4 + before.length)
  const out = new Writer(size)
  out.uint(lists.length, 4)
  for (const { key, before, added } of lists) {
    out.uint(key.length - 1, 4)
    out.put(key, 1)
    out.uint(before.length, 7)
    out.uint(before.length + added.length, 7)
  }
  out.uint(rows.length, 4)
  for (const { key, before } of rows) {
    out.uint(key.length, 4)
    out.put(key)
    out.uint(before === undefined ? 0 : 1, 1)
    if (before === undefined) continue
    out.uint(before.length, 4)
    out.put(before)
  }
  return { type: 'put', key: KEY.indexUndo(version), value: out.done() }
}

/** The operations that take a version back. Several versions are taken back newest first, in one batch. */
export function undoOps(version: number, now: KvReader): WriteOp[] {
  const key = KEY.indexUndo(version)
  const row = now.get(key)
  if (row === undefined) return []
  const { lists, rows } = undoRow.decode(row)
  return [
    ...lists.flatMap(({ list, from, to }) => truncationOps(now, list, from, to)),
    ...rows.map(
      ({ key, before }): WriteOp => (before === undefined ? { type: 'del', key } : { type: 'put', key, value: before }),
    ),
    { type: 'del', key },
  ]
}
