// Rankings: sets in an order that changes, such as holders by balance. A member's key is its order, so a page is a scan.
// `ranking-tree.ts` counts members to find a rank; up to eight members share one row (`small-set.ts`).
import { scratchBytes } from '../lib/byte-pool.ts'
import { bytesToBig, compareBytes, EMPTY_BYTES, equalBytes, type Hex, writeHex } from '../lib/hex.ts'
import { KEY, RANGE } from '../state/keyspace.ts'
import type { KeyRange, KvReader } from '../state/types.ts'
import { NO_VALUE, type Overlay, type RankingDelta, writeRow } from './overlay.ts'
import { countBefore, locateRank, orderStart, SPLIT_SIZE } from './ranking-tree.ts'
import { deleteMember, insertMember, rootKey, SMALL_SET_SIZE, smallSetIn, smallSetOf } from './small-set.ts'

/** Adds a member, which must not be in the ranking. */
export function addMember(overlay: Overlay, ranking: Hex, order: Uint8Array): void {
  const moving = deltaOf(overlay, ranking)
  const { root, small: few, rows } = moving
  if (few === undefined) {
    overlay.replaceKnown(KEY.member(ranking, order), undefined, NO_VALUE, rows)
    return
  }
  insertMember(few, order)
  if (few.length <= SMALL_SET_SIZE) return
  moving.small = undefined
  writeRow(root, undefined)
  for (const member of few) overlay.replaceKnown(KEY.member(ranking, member), undefined, NO_VALUE, rows)
}

/** Removes a member, which must be in the ranking. */
export function removeMember(overlay: Overlay, ranking: Hex, order: Uint8Array): void {
  const { small: few, rows } = deltaOf(overlay, ranking)
  if (few !== undefined) deleteMember(few, order)
  else overlay.replaceKnown(KEY.member(ranking, order), NO_VALUE, undefined, rows)
}

/** Changes the order of a member; undefined where it was not, or will not be, in the ranking. */
export function moveMember(
  overlay: Overlay,
  ranking: Hex,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): void {
  if (before !== undefined && after !== undefined && equalBytes(before, after)) return
  if (before !== undefined) removeMember(overlay, ranking, before)
  if (after !== undefined) addMember(overlay, ranking, after)
}

function deltaOf(overlay: Overlay, ranking: Hex): RankingDelta {
  const known = overlay.rankings.get(ranking)
  if (known !== undefined) return known
  const root = overlay.row(rootKey(ranking))
  const moving: RankingDelta = { root, small: smallSetIn(root.now), rows: [] }
  overlay.rankings.set(ranking, moving)
  return moving
}

/** All members including the changes of an overlay. */
export async function membersOf(overlay: Overlay, ranking: Hex): Promise<readonly Uint8Array[]> {
  const { small: few } = deltaOf(overlay, ranking)
  if (few !== undefined) return [...few]
  const start = orderStart(ranking)
  return (await overlay.keys(RANGE.members(ranking, EMPTY_BYTES))).map((key) => key.subarray(start))
}

/** Orders of the members from a rank on, in order. */
export async function membersFrom(rows: KvReader, ranking: Hex, rank: number, limit: number): Promise<Uint8Array[]> {
  const few = smallSetOf(rows, ranking)
  if (few !== undefined) return few.slice(rank, rank + limit)
  const way = locateRank(rows, ranking, rank)
  if (way === undefined) return []
  return scanMembers(rows, ranking, { ...RANGE.members(ranking, EMPTY_BYTES), gte: way.from }, limit, way.skip)
}

/** Number of members up to an order, which need not be a member's; itself only if `inclusive`. */
export async function countUpTo(rows: KvReader, ranking: Hex, order: Uint8Array, inclusive = true): Promise<number> {
  const few = smallSetOf(rows, ranking)
  if (few !== undefined) return few.filter((member) => compareBytes(member, order) < (inclusive ? 1 : 0)).length
  const { count, from } = countBefore(rows, ranking, order)
  const end = Buffer.concat([KEY.member(ranking, order), Uint8Array.of(0)])
  const range = { gte: from, lt: inclusive ? end : KEY.member(ranking, order) }
  return count + (await scanMembers(rows, ranking, range, SPLIT_SIZE)).length
}

/** Members after a given order; the member of that order may be gone. */
export function membersAfter(rows: KvReader, ranking: Hex, order: Uint8Array, limit: number): Promise<Uint8Array[]> {
  const gte = Buffer.concat([KEY.member(ranking, order), Uint8Array.of(0)])
  return membersInRange(rows, ranking, { ...RANGE.members(ranking, EMPTY_BYTES), gte }, limit)
}

/** Members whose order begins with the prefix. */
export function membersUnder(rows: KvReader, ranking: Hex, prefix: Uint8Array, limit: number): Promise<Uint8Array[]> {
  return membersInRange(rows, ranking, RANGE.members(ranking, prefix), limit)
}

/** Members in a range of keys; members of a small set are compared by the keys that they would have. */
async function membersInRange(rows: KvReader, ranking: Hex, range: KeyRange, limit: number): Promise<Uint8Array[]> {
  const few = smallSetOf(rows, ranking)
  if (few === undefined) return scanMembers(rows, ranking, range, limit)
  const isIn = (key: Uint8Array) => compareBytes(key, range.gte) >= 0 && compareBytes(key, range.lt) < 0
  return few.filter((order) => isIn(KEY.member(ranking, order))).slice(0, limit)
}

/** Members with rows of their own in a range of keys, without the first `skip`. */
async function scanMembers(
  rows: KvReader,
  ranking: Hex,
  range: KeyRange,
  limit: number,
  skip = 0,
): Promise<Uint8Array[]> {
  const start = orderStart(ranking)
  const found: Uint8Array[] = []
  let skipped = 0
  for await (const [key] of rows.scan({ ...range, limit: skip + limit })) {
    if (skipped++ >= skip) found.push(key.slice(start))
  }
  return found
}

/** Bytes that sort larger amounts first, followed by `last`, which decides between equal amounts. */
export function descending(value: bigint, last: Uint8Array = EMPTY_BYTES): Uint8Array {
  const digits = value === 0n ? '' : value.toString(16)
  const size = (digits.length + 1) >> 1
  const out = scratchBytes(1 + size + last.length)
  out[0] = 255 - size
  writeHex(digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`, out, 1)
  for (let i = 1; i <= size; i++) out[i] = 255 - (out[i] ?? 0)
  for (let i = 0; i < last.length; i++) out[1 + size + i] = last[i] ?? 0
  return out
}

/** The order of a holder of an amount; undefined for zero, because such holders are in no ranking. */
export const orderBy = (amount: bigint, last: Uint8Array): Uint8Array | undefined =>
  amount === 0n ? undefined : descending(amount, last)

/** Decodes the amount at the beginning of `descending` bytes, and returns the rest. */
export function readDescending(order: Uint8Array): { value: bigint; rest: Uint8Array } {
  const size = 255 - (order[0] ?? 255)
  const value = bytesToBig(order.subarray(1, 1 + size).map((byte) => 255 - byte))
  return { value, rest: order.subarray(1 + size) }
}

/** Complemented bytes, which sort in reverse order, to decide between equal amounts. */
export function complement(bytes: Uint8Array): Uint8Array {
  const out = scratchBytes(bytes.length)
  for (let i = 0; i < bytes.length; i++) out[i] = 255 - (bytes[i] ?? 0)
  return out
}
