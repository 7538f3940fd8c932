// The changes that one version of the state makes to the index, in memory until they are written in the version's batch. Reads
// see the overlay's own writes. Its operations include one undo row (`undo.ts`).
import { EMPTY_BYTES, equalBytes, type Hex, toLatin1 } from '../lib/hex.ts'
import { forEachYielding } from '../lib/scheduler.ts'
import { KEY } from '../state/keyspace.ts'
import type { KvReader, WriteOp } from '../state/types.ts'
import { decodeTail, growthOps, type ListGrowth } from './list-rows.ts'
import { undoRowOp } from './undo.ts'

type ListDelta = ListGrowth & { readonly added: Uint8Array[] }
/** A row that was read or written in this overlay. */
export type OverlayRow = {
  readonly key: Uint8Array
  readonly name: string
  readonly before: Uint8Array | undefined
  now: Uint8Array | undefined
  isWritten: boolean
}

/** The changes of a ranking: all its members while they fit a small set, otherwise the rows of added and removed members. */
export type RankingDelta = { readonly root: OverlayRow; small: Uint8Array[] | undefined; readonly rows: OverlayRow[] }

export class Overlay {
  readonly #before: KvReader
  /** Rows that were read or written, so that the store is read once per row. */
  readonly #rows = new Map<string, OverlayRow>()
  readonly #lists = new Map<Hex, ListDelta>()
  /** Rankings with changed members; `countMembers` turns them into rows when the overlay is complete. */
  readonly rankings = new Map<Hex, RankingDelta>()

  constructor(before: KvReader) {
    this.#before = before
  }

  /** The value of a row in this overlay. */
  get(key: Uint8Array): Uint8Array | undefined {
    return this.row(key).now
  }

  /** Writes a row; undefined removes it. */
  set(key: Uint8Array, value: Uint8Array | undefined): void {
    this.exchange(key, value)
  }

  /** As `set`; returns the former value. */
  exchange(key: Uint8Array, value: Uint8Array | undefined): Uint8Array | undefined {
    const row = this.row(key)
    const before = row.now
    writeRow(row, value)
    return before
  }

  /**
   * As `set` for a row whose former value the caller knows, so that the store is not read. A row that is new to the overlay
   * is appended to `fresh`.
   */
  replaceKnown(
    key: Uint8Array,
    before: Uint8Array | undefined,
    value: Uint8Array | undefined,
    fresh: OverlayRow[],
  ): void {
    const name = toLatin1(key)
    const known = this.#rows.get(name)
    if (known !== undefined) {
      writeRow(known, value)
      return
    }
    const row: OverlayRow = { key, name, before, now: value, isWritten: true }
    this.#rows.set(name, row)
    fresh.push(row)
  }

  /** Adds an entry to a list; its position is the length that the list had. */
  append(list: Hex, entry: Uint8Array): number {
    const known = this.#lists.get(list)
    if (known !== undefined) return known.before.length + known.added.push(entry) - 1
    return this.#open(list, [entry]).before.length
  }

  /** Length of a list with the entries that this overlay has added. */
  length(list: Hex): number {
    const { before, added } = this.#growth(list)
    return before.length + added.length
  }

  /** Number of entries that this overlay has added to a list. */
  added(list: Hex): number {
    return this.#growth(list).added.length
  }

  /** Keys of the rows in a range, from the store and this overlay. */
  async keys(range: { gte: Uint8Array; lt: Uint8Array }): Promise<Uint8Array[]> {
    const keys: Uint8Array[] = []
    for await (const [key] of this.#before.scan(range)) if (!this.#rows.has(toLatin1(key))) keys.push(key)
    const from = toLatin1(range.gte)
    const to = toLatin1(range.lt)
    for (const [name, { key, now }] of this.#rows) {
      if (now !== undefined && name >= from && name < to) keys.push(key)
    }
    return keys
  }

  /** All write operations of this overlay with its undo row, for a version of the state. */
  async ops(version: number): Promise<WriteOp[]> {
    const ops: WriteOp[] = []
    const { lists, rows } = await this.#addChanges(ops)
    ops.push(undoRowOp(version, lists, rows))
    return ops
  }

  /** All write operations of this overlay, for changes that are never undone. */
  async changes(): Promise<WriteOp[]> {
    const ops: WriteOp[] = []
    await this.#addChanges(ops)
    return ops
  }

  async #addChanges(ops: WriteOp[]): Promise<{ lists: ListDelta[]; rows: OverlayRow[] }> {
    const lists = [...this.#lists.values()].filter(({ added }) => added.length > 0)
    await forEachYielding(lists, (growth) => growthOps(growth, ops))
    const rows: OverlayRow[] = []
    await forEachYielding(this.#rows.values(), (row) => {
      if (!row.isWritten || !isChanged(row)) return
      rows.push(row)
      const { key, now } = row
      ops.push(now === undefined ? { type: 'del', key } : { type: 'put', key, value: now })
    })
    return { lists, rows }
  }

  /** The row itself, to read it now and write it (`writeRow`) later without a second lookup. */
  row(key: Uint8Array): OverlayRow {
    const name = toLatin1(key)
    const known = this.#rows.get(name)
    if (known !== undefined) return known
    const before = this.#before.get(key)
    const row: OverlayRow = { key, name, before, now: before, isWritten: false }
    this.#rows.set(name, row)
    return row
  }

  #growth(list: Hex): ListDelta {
    return this.#lists.get(list) ?? this.#open(list, [])
  }

  #open(list: Hex, added: Uint8Array[]): ListDelta {
    const key = KEY.listTail(list)
    const growth: ListDelta = { list, key, before: decodeTail(this.#before.get(key)), added }
    this.#lists.set(list, growth)
    return growth
  }
}

/** Sets the value of a row; undefined removes it. */
export function writeRow(row: OverlayRow, value: Uint8Array | undefined): void {
  row.now = value
  row.isWritten = true
}

const isChanged = ({ before, now }: OverlayRow): boolean =>
  before === undefined || now === undefined ? before !== now : !equalBytes(before, now)

/** The value of rows that carry all information in their key. */
export const NO_VALUE = EMPTY_BYTES
