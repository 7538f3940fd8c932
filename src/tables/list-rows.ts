// How a list lies in the store: full pages of entries, each written once, and a tail with the list's length and the entries
// that do not fill a page yet. A block's many entries of one list are few rows so, and a list that grows by one is one row.
import { EMPTY_BYTES, type Hex } from '../lib/hex.ts'
import { KEY } from '../state/keyspace.ts'
import type { KvReader, WriteOp } from '../state/types.ts'
import { Cursor, type Writer, writer } from './codec.ts'

/** Entries of a full page: as many as a list of one entry a block may well write again with each. */
export const PAGE_SIZE = 16

export const pageOf = (position: number): number => Math.floor(position / PAGE_SIZE)

/** How many entries a list has, and those of them that are on no page: packed, in a row from some byte on. */
export type Tail = { readonly length: number; readonly row: Uint8Array; readonly start: number }

const NO_TAIL: Tail = { length: 0, row: EMPTY_BYTES, start: 0 }
/** Of the length that a tail begins with. */
const LENGTH_SIZE = 7

export const readTail = (rows: Pick<KvReader, 'get'>, list: Hex): Tail => decodeTail(rows.get(KEY.listTail(list)))

/** What a tail's row says; there is none of a list without entries. */
export function decodeTail(row: Uint8Array | undefined): Tail {
  if (row === undefined) return NO_TAIL
  return { length: new Cursor(row).uint(LENGTH_SIZE), row, start: LENGTH_SIZE }
}

/** A list that grows: what it was, and what has been added. */
export type ListGrowth = {
  readonly list: Hex
  /** Of its tail. */
  readonly key: Uint8Array
  readonly before: Tail
  readonly added: readonly Uint8Array[]
}

/** Writes the pages that are full now, and the new tail. */
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

/** What makes a list that has grown from one length to another what it was: its older entries have not changed. */
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

/** An entry's size is one byte; longer ones have this byte and four more. */
const LONG = 255

function pack(out: Writer, kept: Tail, added: readonly Uint8Array[], from: number, to: number): Uint8Array {
  out.put(kept.row, kept.start)
  for (let i = from; i < to; i++) writeEntry(out, added[i] ?? EMPTY_BYTES)
  return out.done()
}

/** An entry as `unpack` reads it. */
export function writeEntry(out: Writer, entry: Uint8Array): void {
  if (entry.length < LONG) out.uint(entry.length, 1)
  else {
    out.uint(LONG, 1)
    out.uint(entry.length, 4)
  }
  out.put(entry)
}

/** The entries of a page, or of a tail, which are packed from `start` on. */
export function unpack(packed: Uint8Array, start = 0): Uint8Array[] {
  const entries: Uint8Array[] = []
  const from = new Cursor(packed, start)
  while (!from.isDone) {
    const size = from.uint(1)
    entries.push(from.take(size === LONG ? from.uint(4) : size))
  }
  return entries
}
