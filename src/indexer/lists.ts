// Lists that only grow: entry by position, so that any page of any list is read at once, however deep it lies, and a list's
// length is its counter. A filter is a union of disjoint lists whose entries begin with a number that rises along the
// chain; its pages are found by counting, not by walking.
import { KEY } from '../state/keyspace.ts'
import type { Reader } from '../state/types.ts'
import { listLength } from './draft.ts'

export type Rows = Pick<Reader, 'get'>

/** Which entries are asked for: pages begin with 1; `anchor` is the length that the list had when page 1 was read. */
export type PageRequest = { readonly page: number; readonly size: number; readonly anchor?: number | undefined }

/** Newest entries first. */
export type ListPage = {
  readonly entries: readonly Uint8Array[]
  /** Entries of the whole list, now. */
  readonly total: number
  /** The length that the pages are counted from. */
  readonly anchor: number
  readonly hasNext: boolean
}

/** The entry at a position; the first is 0. */
export const entryAt = (rows: Rows, list: Uint8Array, position: number): Uint8Array | undefined =>
  rows.get(KEY.listEntry(list, position))

/** Entries from a position up to (without) another, oldest first. */
export function entriesBetween(rows: Rows, list: Uint8Array, from: number, to: number): Uint8Array[] {
  const entries: Uint8Array[] = []
  for (let position = from; position < to; position++) {
    const entry = entryAt(rows, list, position)
    if (entry === undefined) break
    entries.push(entry)
  }
  return entries
}

/** The number an entry of a list for unions begins with. */
export const sequenceOf = (entry: Uint8Array): number => {
  let value = 0
  for (const byte of entry.subarray(0, SEQUENCE_SIZE)) value = value * 256 + byte
  return value
}
/** As the codec `count` writes it. */
const SEQUENCE_SIZE = 7

/** Which positions of a list of that length are on a page: from `from` up to (without) `end`; pages count from `start`. */
export function pageSpan(length: number, { page, size, anchor }: PageRequest) {
  const start = Math.min(anchor ?? length, length)
  const end = Math.max(0, start - (page - 1) * size)
  return { start, from: Math.max(0, end - size), end }
}

/** A page of one list or of the union of several disjoint ones, newest first. */
export function newest(rows: Rows, lists: readonly Uint8Array[], request: PageRequest): ListPage {
  const filled = lists.map((list) => ({ list, length: listLength(rows, list) })).filter(({ length }) => length > 0)
  const total = filled.reduce((sum, { length }) => sum + length, 0)
  const { start, from, end } = pageSpan(total, request)
  const [only] = filled
  const entries =
    filled.length === 1 && only !== undefined
      ? entriesBetween(rows, only.list, from, end)
      : merged(rows, filled, from, end)
  return { entries: entries.reverse(), total, anchor: start, hasNext: from > 0 }
}

type Filled = { readonly list: Uint8Array; readonly length: number }

/** Entries of a union with ranks from `from` up to `end`, oldest first. */
function merged(rows: Rows, lists: readonly Filled[], from: number, end: number): Uint8Array[] {
  if (from >= end) return []
  const at = startingPositions(rows, lists, from)
  const heads = lists.map(({ list }, i) => entryAt(rows, list, at[i] ?? 0))
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
    heads[next] = position < of.length ? entryAt(rows, of.list, position) : undefined
  }
  return entries
}

/** How many entries of each list come before the entry of that rank. No two entries share a number, so the count is exact. */
function startingPositions(rows: Rows, lists: readonly Filled[], rank: number): number[] {
  const last = lists.map(({ list, length }) => sequenceOf(entryAt(rows, list, length - 1) ?? new Uint8Array(0)))
  let [low, high] = [0, Math.max(...last) + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const below = lists.reduce((sum, { list, length }) => sum + positionOf(rows, list, length, middle), 0)
    if (below >= rank) high = middle
    else low = middle + 1
  }
  return lists.map(({ list, length }) => positionOf(rows, list, length, low))
}

/** The position of the first entry whose number is not below the given one. */
export function positionOf(rows: Rows, list: Uint8Array, length: number, sequence: number): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const entry = entryAt(rows, list, middle)
    if (entry !== undefined && sequenceOf(entry) < sequence) low = middle + 1
    else high = middle
  }
  return low
}

/** Lengths of several lists together. */
export const lengthOfAll = (rows: Rows, lists: readonly Uint8Array[]): number =>
  lists.reduce((sum, list) => sum + listLength(rows, list), 0)
