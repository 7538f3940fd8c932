// Reading lists. An entry is found by its position, so a page costs the same at any depth, and a list's length is its counter.
// A filter is a union of disjoint lists whose entries begin with a sequence number that rises along the chain; a page of the
// union is found by counting entries below a sequence, not by walking.
import type { Hex } from '../lib/hex.ts'
import { KEY, RANGE } from '../state/keyspace.ts'
import type { KvReader } from '../state/types.ts'
import { PAGE_SIZE, pageOf, readTail, type Tail, unpack } from './list-rows.ts'

export type PointReader = Pick<KvReader, 'get'>

/** Requested entries: pages count from 1; `anchor` is the length of the list when page 1 was read, so that pages stay stable. */
export type PageRequest = { readonly page: number; readonly size: number; readonly anchor?: number | undefined }

/** Newest entries first. */
export type ListPage = {
  readonly entries: readonly Uint8Array[]
  /** Present length of the list. */
  readonly total: number
  /** The length that the pages are counted from. */
  readonly anchor: number
  readonly hasNext: boolean
}

/** Reads a list as it was when the reader was created. Keeps the last page, so that neighbouring positions cost one row. */
export class ListReader {
  readonly length: number
  readonly #rows: PointReader
  readonly #list: Hex
  readonly #tail: Tail
  /** Number of the page in `#entries`. */
  #page = -1
  #entries: readonly Uint8Array[] = []

  constructor(rows: PointReader, list: Hex) {
    this.#rows = rows
    this.#list = list
    this.#tail = readTail(rows, list)
    this.length = this.#tail.length
  }

  /** The entry at a position; undefined beyond the end, or when its version has been undone since. */
  at(position: number): Uint8Array | undefined {
    const page = pageOf(position)
    if (page !== this.#page) {
      const isLast = page === pageOf(this.length)
      const row = isLast ? this.#tail.row : this.#rows.get(KEY.listPage(this.#list, page))
      this.#entries = row === undefined ? [] : unpack(row, isLast ? this.#tail.start : 0)
      this.#page = page
    }
    return this.#entries[position % PAGE_SIZE]
  }

  /** Position of the first entry whose sequence is not below the given one. */
  find(sequence: number): number {
    return this.count((entry) => sequenceOf(entry) < sequence)
  }

  /** Number of entries that are older than something, by bisection: an entry before an older one is older. */
  count(isOlder: (entry: Uint8Array) => boolean): number {
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const entry = this.at(middle)
      if (entry !== undefined && isOlder(entry)) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Number of entries of a list. */
export const listLength = (rows: PointReader, list: Hex): number => readTail(rows, list).length

/** The entry at a position; the first is 0. */
export const entryAt = (rows: PointReader, list: Hex, position: number): Uint8Array | undefined =>
  new ListReader(rows, list).at(position)

/** Entries of positions `from` (inclusive) to `to` (exclusive), oldest first. */
export const entriesBetween = (rows: PointReader, list: Hex, from: number, to: number): Uint8Array[] =>
  between(new ListReader(rows, list), from, to)

function between(list: ListReader, from: number, to: number): Uint8Array[] {
  const entries: Uint8Array[] = []
  for (let position = from; position < to; position++) {
    const entry = list.at(position)
    if (entry === undefined) break
    entries.push(entry)
  }
  return entries
}

/** As `entriesBetween`, streamed page by page, for any number of entries. */
export async function* scanPages(
  rows: KvReader,
  list: Hex,
  from: number,
  to: number,
): AsyncIterable<readonly Uint8Array[]> {
  const { length, row, start } = readTail(rows, list)
  const end = Math.min(to, length)
  let first = pageOf(from) * PAGE_SIZE
  const wanted = (entries: readonly Uint8Array[]) => {
    const within = entries.slice(Math.max(0, from - first), Math.max(0, end - first))
    first += PAGE_SIZE
    return within
  }
  const lastPage = Math.min(pageOf(length), pageOf(end - 1) + 1)
  for await (const [, page] of rows.scan(RANGE.listPages(list, pageOf(from), lastPage))) yield wanted(unpack(page))
  if (end > pageOf(length) * PAGE_SIZE) yield wanted(unpack(row, start))
}

/** The sequence number at the beginning of an entry. */
export const sequenceOf = (entry: Uint8Array): number => {
  let value = 0
  for (const byte of entry.subarray(0, SEQUENCE_SIZE)) value = value * 256 + byte
  return value
}
/** Bytes that the codec `sequence` writes. */
const SEQUENCE_SIZE = 7

/** Positions on a page of a list of this length: `from` (inclusive) to `end` (exclusive); `start` is the anchor in use. */
export function pageSpan(length: number, { page, size, anchor }: PageRequest) {
  const start = Math.min(anchor ?? length, length)
  const end = Math.max(0, start - (page - 1) * size)
  return { start, from: Math.max(0, end - size), end }
}

/** A page of one list or of the union of several disjoint ones, newest first. */
export function newestPage(rows: PointReader, lists: readonly Hex[], request: PageRequest): ListPage {
  const filled = lists.map((list) => new ListReader(rows, list)).filter(({ length }) => length > 0)
  const total = filled.reduce((sum, { length }) => sum + length, 0)
  const { start, from, end } = pageSpan(total, request)
  const [only] = filled
  const entries = filled.length === 1 && only !== undefined ? between(only, from, end) : merged(filled, from, end)
  return { entries: entries.reverse(), total, anchor: start, hasNext: from > 0 }
}

/** Entries of a union with ranks `from` (inclusive) to `end` (exclusive), oldest first. */
function merged(lists: readonly ListReader[], from: number, end: number): Uint8Array[] {
  if (from >= end) return []
  const at = startingPositions(lists, from)
  const heads = lists.map((list, i) => list.at(at[i] ?? 0))
  const entries: Uint8Array[] = []
  while (entries.length < end - from) {
    let next = -1
    for (const [i, head] of heads.entries()) {
      const best = heads[next]
      if (head !== undefined && (best === undefined || sequenceOf(head) < sequenceOf(best))) next = i
    }
    const entry = heads[next]
    const of = lists[next]
    if (entry === undefined || of === undefined) break
    entries.push(entry)
    const position = (at[next] ?? 0) + 1
    at[next] = position
    heads[next] = position < of.length ? of.at(position) : undefined
  }
  return entries
}

/** For each list, the number of entries before the entry of this rank. No two entries share a sequence, so counts are exact. */
function startingPositions(lists: readonly ListReader[], rank: number): number[] {
  const last = lists.map((list) => sequenceOf(list.at(list.length - 1) ?? new Uint8Array(0)))
  let low = 0
  let high = Math.max(...last) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const below = lists.reduce((sum, list) => sum + list.find(middle), 0)
    if (below >= rank) high = middle
    else low = middle + 1
  }
  return lists.map((list) => list.find(low))
}

/** Sum of the lengths of several lists. */
export const lengthOfAll = (rows: PointReader, lists: readonly Hex[]): number =>
  lists.reduce((sum, list) => sum + listLength(rows, list), 0)
