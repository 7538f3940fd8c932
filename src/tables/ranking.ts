// Sets in an order that changes: holders by balance, tokens by holders. A member's key is its order, so a page is a scan.
// How many members there are, and where the page of a number begins, is counted in `crowds.ts`; few share a row (`few.ts`).
import { scratchBytes } from '../lib/byte-pool.ts'
import { bytesToBig, compareBytes, EMPTY_BYTES, equalBytes, type Hex, writeHex } from '../lib/hex.ts'
import { KEY, RANGE } from '../state/keyspace.ts'
import type { KeyRange, KvReader } from '../state/types.ts'
import { NO_VALUE, type Overlay, type RankingDelta, writeRow } from './overlay.ts'
import { locateRank, orderStart } from './ranking-tree.ts'
import { deleteMember, insertMember, rootKey, SMALL_SET_SIZE, smallSetIn, smallSetOf } from './small-set.ts'

/** Puts a member in. It must not be there. */
export function addMember(draft: Overlay, ranking: Hex, order: Uint8Array): void {
  const moving = deltaOf(draft, ranking)
  const { root, small: few, rows } = moving
  if (few === undefined) {
    draft.replaceKnown(KEY.member(ranking, order), undefined, NO_VALUE, rows)
    return
  }
  insertMember(few, order)
  if (few.length <= SMALL_SET_SIZE) return
  moving.small = undefined
  writeRow(root, undefined)
  for (const member of few) draft.replaceKnown(KEY.member(ranking, member), undefined, NO_VALUE, rows)
}

/** Takes a member out. It must be there. */
export function removeMember(draft: Overlay, ranking: Hex, order: Uint8Array): void {
  const { small: few, rows } = deltaOf(draft, ranking)
  if (few !== undefined) deleteMember(few, order)
  else draft.replaceKnown(KEY.member(ranking, order), NO_VALUE, undefined, rows)
}

/** Puts a member where it belongs now; undefined: it was, or is to be, nowhere. */
export function moveMember(
  draft: Overlay,
  ranking: Hex,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): void {
  if (before !== undefined && after !== undefined && equalBytes(before, after)) return
  if (before !== undefined) removeMember(draft, ranking, before)
  if (after !== undefined) addMember(draft, ranking, after)
}

function deltaOf(draft: Overlay, ranking: Hex): RankingDelta {
  const known = draft.rankings.get(ranking)
  if (known !== undefined) return known
  const root = draft.row(rootKey(ranking))
  const moving: RankingDelta = { root, small: smallSetIn(root.now), rows: [] }
  draft.rankings.set(ranking, moving)
  return moving
}

/** All members as a draft has them. */
export async function membersOf(draft: Overlay, ranking: Hex): Promise<readonly Uint8Array[]> {
  const { small: few } = deltaOf(draft, ranking)
  if (few !== undefined) return [...few]
  const start = orderStart(ranking)
  return (await draft.keys(RANGE.members(ranking, EMPTY_BYTES))).map((key) => key.subarray(start))
}

/** Members (their order, as it was put in) from a rank on, best first. */
export async function membersFrom(rows: KvReader, ranking: Hex, rank: number, limit: number): Promise<Uint8Array[]> {
  const few = smallSetOf(rows, ranking)
  if (few !== undefined) return few.slice(rank, rank + limit)
  const way = locateRank(rows, ranking, rank)
  if (way === undefined) return []
  return scanMembers(rows, ranking, { ...RANGE.members(ranking, EMPTY_BYTES), gte: way.from }, limit, way.skip)
}

/** Members behind one, which need not be there any more. */
export function membersAfter(rows: KvReader, ranking: Hex, order: Uint8Array, limit: number): Promise<Uint8Array[]> {
  const gte = Buffer.concat([KEY.member(ranking, order), Uint8Array.of(0)])
  return membersInRange(rows, ranking, { ...RANGE.members(ranking, EMPTY_BYTES), gte }, limit)
}

/** Members that begin with the bytes. */
export function membersUnder(rows: KvReader, ranking: Hex, prefix: Uint8Array, limit: number): Promise<Uint8Array[]> {
  return membersInRange(rows, ranking, RANGE.members(ranking, prefix), limit)
}

/** Members whose keys lie in a range, also while they are few and have none. */
async function membersInRange(rows: KvReader, ranking: Hex, range: KeyRange, limit: number): Promise<Uint8Array[]> {
  const few = smallSetOf(rows, ranking)
  if (few === undefined) return scanMembers(rows, ranking, range, limit)
  const isIn = (key: Uint8Array) => compareBytes(key, range.gte) >= 0 && compareBytes(key, range.lt) < 0
  return few.filter((order) => isIn(KEY.member(ranking, order))).slice(0, limit)
}

/** Members with rows of their own in a range of keys, behind the first so many. */
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

/** An amount as bytes that sort the largest first, and what decides between equals behind it. */
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

/** The place of whoever has an amount; who has nothing is in no ranking. */
export const orderBy = (amount: bigint, last: Uint8Array): Uint8Array | undefined =>
  amount === 0n ? undefined : descending(amount, last)

/** The amount that `descending` bytes begin with, and what follows it. */
export function readDescending(order: Uint8Array): { value: bigint; rest: Uint8Array } {
  const size = 255 - (order[0] ?? 255)
  const value = bytesToBig(order.subarray(1, 1 + size).map((byte) => 255 - byte))
  return { value, rest: order.subarray(1 + size) }
}

/** Bytes in reverse order of size, as a last resort between equals. */
export function complement(bytes: Uint8Array): Uint8Array {
  const out = scratchBytes(bytes.length)
  for (let i = 0; i < bytes.length; i++) out[i] = 255 - (bytes[i] ?? 0)
  return out
}
