// Rows of a list: full pages of entries, each written once, and a tail with the list's length and the entries that do not
// fill a page yet. So a block that adds many entries writes few rows, and a list that grows by one entry writes one row.
import { EMPTY_BYTES, type Hex } from '../lib/hex.ts'
import { KEY } from '../state/keyspace.ts'
import type { KvReader, WriteOp } from '../state/types.ts'
import { Cursor, type RowWriter, writer } from './codec.ts'

/** Entries of a full page. The tail is rewritten with every block that grows the list, so it must stay short. */
export const PAGE_SIZE = 16

export const pageOf = (position: number): number => Math.floor(position / PAGE_SIZE)

/** A list's length, and its tail row; the entries that are on no page are packed in it from `start` on. */
export type Tail = { readonly length: number; readonly row: Uint8Array; readonly start: number }

const NO_TAIL: Tail = { length: 0, row: EMPTY_BYTES, start: 0 }
/** Bytes of the length at the beginning of a tail. */
const LENGTH_SIZE = 7

export const readTail = (rows: Pick<KvReader, 'get'>, list: Hex): Tail => decodeTail(rows.get(KEY.listTail(list)))

/** Decodes a tail row; a list without entries has none. */
export function decodeTail(row: Uint8Array | undefined): Tail {
  if (row === undefined) return NO_TAIL
  return { length: new Cursor(row).uint(LENGTH_SIZE), row, start: LENGTH_SIZE }
}

/** The growth of a list in one version: its former tail and the new entries. */
export type ListGrowth = {
  readonly list: Hex
  /** Key of its tail. */
  readonly key: Uint8Array
  readonly before: Tail
  readonly added: readonly Uint8Array[]
}

/** Adds the operations that write the pages that are full now, and the new tail. */
export function growthOps({ list, key, before, added }: ListGrowth, ops: WriteOp[]): void {
  let kept = before
  let from = 0
  for (let end = PAGE_SIZE - (before.length % PAGE_SIZE); end <= added.length; end += PAGE_SIZE) {
    const page = pageOf(before.length + from)
    ops.push({ type: 'put', key: KEY.listPage(list, page), value: pack(writer.begin(), kept, added, from, end) })
    kept = NO_TAIL
    from = end
  }
  const out = writer.begin()
  out.uint(before.length + added.length, LENGTH_SIZE)
  ops.push({ type: 'put', key, value: pack(out, kept, added, from, added.length) })
}

/** Operations that cut a list from length `to` back to length `from`; older entries never change. */
export function truncationOps(now: Pick<KvReader, 'get'>, list: Hex, from: number, to: number): WriteOp[] {
  const first = pageOf(from)
  const ops: WriteOp[] = []
  for (let page = first; page < pageOf(to); page++) ops.push({ type: 'del', key: KEY.listPage(list, page) })
  if (from === 0) return [...ops, { type: 'del', key: KEY.listTail(list) }]
  const page = now.get(KEY.listPage(list, first))
  const { row, start } = page === undefined ? readTail(now, list) : { row: page, start: 0 }
  const kept = unpack(row, start).slice(0, from % PAGE_SIZE)
  const out = writer.begin()
  out.uint(from, LENGTH_SIZE)
  return [...ops, { type: 'put', key: KEY.listTail(list), value: pack(out, NO_TAIL, kept, 0, kept.length) }]
}

/** Marks an entry of 255 bytes or more: this byte, then the size in four bytes. Shorter entries have one byte of size. */
const LONG = 255

function pack(out: RowWriter, kept: Tail, added: readonly Uint8Array[], from: number, to: number): Uint8Array {
  out.put(kept.row, kept.start)
  for (let i = from; i < to; i++) writeEntry(out, added[i] ?? EMPTY_BYTES)
  return out.done()
}

/** Appends an entry in the form that `unpack` reads. */
export function writeEntry(out: RowWriter, entry: Uint8Array): void {
  if (entry.length < LONG) out.uint(entry.length, 1)
  else {
    out.uint(LONG, 1)
    out.uint(entry.length, 4)
  }
  out.put(entry)
}

/** Decodes the entries of a page, or of a tail from `start` on. */
export function unpack(packed: Uint8Array, start = 0): Uint8Array[] {
  const entries: Uint8Array[] = []
  const from = new Cursor(packed, start)
  while (!from.isDone) {
    const size = from.uint(1)
    entries.push(from.take(size === LONG ? from.uint(4) : size))
  }
  return entries
}
