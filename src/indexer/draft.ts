// What one version of the state adds to the readers' tables, before it is on disk: reads see its own writes. Beside the
// rows it leaves one row that takes them all back, so that undoing needs to know nothing of what they mean.
import { EMPTY_BYTES, equalBytes, type Hex, toLatin1 } from '../lib/hex.ts'
import { KEY } from '../state/keyspace.ts'
import type { Op, Reader } from '../state/types.ts'
import { putGrowth, readTail, shrinkOps, type Tail } from './list-pages.ts'
import { bytes, count, listOf, maybe, name, record } from './record.ts'

const undoRow = record({
  /** Lists that grew: their length before and after. */
  lists: listOf(record({ list: name, from: count, to: count })),
  /** Other rows, with what they held before. */
  rows: listOf(record({ key: bytes, before: maybe(bytes) })),
})

type Growth = { readonly list: Hex; readonly key: Uint8Array; readonly before: Tail; readonly added: Uint8Array[] }
type Row = {
  readonly key: Uint8Array
  readonly before: Uint8Array | undefined
  now: Uint8Array | undefined
  isWritten: boolean
}

/** A member of a ranking that has come (1) or gone (-1). */
export type Move = { readonly order: Uint8Array; readonly by: 1 | -1 }

export class Draft {
  readonly #before: Reader
  /** Rows that were read or written: the disk is asked for each once. */
  readonly #rows = new Map<string, Row>()
  readonly #lists = new Map<Hex, Growth>()
  /** Members that have come and gone, by ranking; `ranking.ts` counts them when the draft is complete. */
  readonly moves = new Map<Hex, Move[]>()

  constructor(before: Reader) {
    this.#before = before
  }

  /** A row as it stands in this draft. */
  get(key: Uint8Array): Uint8Array | undefined {
    return this.#row(key).now
  }

  /** Writes a row; undefined removes it. */
  set(key: Uint8Array, value: Uint8Array | undefined): void {
    this.swap(key, value)
  }

  /** The same; returns what it held. */
  swap(key: Uint8Array, value: Uint8Array | undefined): Uint8Array | undefined {
    const row = this.#row(key)
    const before = row.now
    row.now = value
    row.isWritten = true
    return before
  }

  /** The same for a row of which the caller knows what it holds: the disk is not asked. */
  replace(key: Uint8Array, before: Uint8Array | undefined, value: Uint8Array | undefined): void {
    const name = toLatin1(key)
    const known = this.#rows.get(name)
    if (known === undefined) this.#rows.set(name, { key, before, now: value, isWritten: true })
    else {
      known.now = value
      known.isWritten = true
    }
  }

  /** Adds an entry to a list; its position is the length that the list had. */
  append(list: Hex, entry: Uint8Array): number {
    const { before, added } = this.#growth(list)
    return before.length + added.push(entry) - 1
  }

  /** Length of a list with what this draft has added. */
  length(list: Hex): number {
    const { before, added } = this.#growth(list)
    return before.length + added.length
  }

  /** How many entries this draft has added to a list. */
  added(list: Hex): number {
    return this.#growth(list).added.length
  }

  /** Rows under a range as the disk and this draft have them, keys only. */
  async keys(range: { gte: Uint8Array; lt: Uint8Array }): Promise<Uint8Array[]> {
    const keys: Uint8Array[] = []
    for await (const [key] of this.#before.scan(range)) if (!this.#rows.has(toLatin1(key))) keys.push(key)
    const [from, to] = [toLatin1(range.gte), toLatin1(range.lt)]
    for (const [name, { key, now }] of this.#rows) {
      if (now !== undefined && name >= from && name < to) keys.push(key)
    }
    return keys
  }

  /** Everything this draft writes, as a version of the state. */
  ops(version: number): Op[] {
    const ops: Op[] = []
    const lists: { list: Hex; from: number; to: number }[] = []
    for (const growth of this.#lists.values()) {
      const { list, before, added } = growth
      if (added.length === 0) continue
      lists.push({ list, from: before.length, to: before.length + added.length })
      putGrowth(growth, ops)
    }
    const rows: Row[] = []
    for (const row of this.#rows.values()) {
      if (!row.isWritten || !isChanged(row)) continue
      rows.push(row)
      ops.push(write(row.key, row.now))
    }
    ops.push(put(KEY.readersUndo(version), undoRow.encode({ lists, rows })))
    return ops
  }

  #row(key: Uint8Array): Row {
    const name = toLatin1(key)
    const known = this.#rows.get(name)
    if (known !== undefined) return known
    const before = this.#before.get(key)
    const row = { key, before, now: before, isWritten: false }
    this.#rows.set(name, row)
    return row
  }

  #growth(list: Hex): Growth {
    const known = this.#lists.get(list)
    if (known !== undefined) return known
    const key = KEY.listTail(list)
    const growth = { list, key, before: readTail(this.#before, list, key), added: [] }
    this.#lists.set(list, growth)
    return growth
  }
}

/** The operations that take a version back. Several versions are taken back newest first, in one batch. */
export function undoOps(version: number, now: Reader): Op[] {
  const key = KEY.readersUndo(version)
  const row = now.get(key)
  if (row === undefined) return []
  const { lists, rows } = undoRow.decode(row)
  return [
    ...lists.flatMap(({ list, from, to }) => shrinkOps(now, list, from, to)),
    ...rows.map((of) => write(of.key, of.before)),
    { type: 'del', key },
  ]
}

const isChanged = ({ before, now }: Row): boolean =>
  before === undefined || now === undefined ? before !== now : !equalBytes(before, now)
const put = (key: Uint8Array, value: Uint8Array): Op => ({ type: 'put', key, value })
const write = (key: Uint8Array, value: Uint8Array | undefined): Op =>
  value === undefined ? { type: 'del', key } : put(key, value)

/** The value of rows whose key says everything. */
export const NOTHING = EMPTY_BYTES
