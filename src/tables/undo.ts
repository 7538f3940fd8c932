// The undo log: one row for each version with the former values of the rows that it wrote and the former lengths of its lists.
// Undoing needs no knowledge of what the rows mean.
import { KEY } from '../state/keyspace.ts'
import type { KvReader, WriteOp } from '../state/types.ts'
import { bytes, listOf, maybe, name, RowWriter, record, sequence } from './codec.ts'
import { type ListGrowth, truncationOps } from './list-rows.ts'

const undoRow = record({
  /** Lists that grew, with their lengths before and after. */
  lists: listOf(record({ list: name, from: sequence, to: sequence })),
  /** Other rows, with their former values. */
  rows: listOf(record({ key: bytes, before: maybe(bytes) })),
})

/** A row with its former value; undefined when it did not exist. */
export type ReplacedRow = { readonly key: Uint8Array; readonly before: Uint8Array | undefined }

/** Encodes the undo row, by hand in the layout of `undoRow`: it is by far the largest index row of a block. */
export function undoRowOp(version: number, lists: readonly ListGrowth[], rows: readonly ReplacedRow[]): WriteOp {
  let size = 4 + 4
  // The key of a tail is one byte and the list's id.
  for (const { key } of lists) size += 4 + key.length - 1 + 7 + 7
  for (const { key, before } of rows) size += 4 + key.length + 1 + (before === undefined ? 0 : 4 + before.length)
  const out = new RowWriter(size)
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

/** Operations that undo a version. Several versions are undone newest first, in one batch. */
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
