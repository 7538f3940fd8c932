// Sets in an order that changes: holders by balance, tokens by holders. A member's key is its order, so a page is a scan.
// How many members there are, and where the page of a number begins, is counted in `crowds.ts`; few share a row (`few.ts`).
import { scratchBytes } from '../lib/byte-pool.ts'
import { bytesToBig, compareBytes, EMPTY_BYTES, equalBytes, type Hex, writeHex } from '../lib/hex.ts'
import { KEY, RANGE } from '../state/keyspace.ts'
import type { KeyRange, KvReader } from '../state/types.ts'
import { orderStart, wayTo } from './crowds.ts'
import { type Draft, type Moving, NOTHING, write } from './draft.ts'
import { FEW, fewIn, fewOf, insert, remove, rootOf } from './few.ts'

/** Puts a member in. It must not be there. */
export function addMember(draft: Draft, ranking: Hex, order: Uint8Array): void {
  const moving = movingIn(draft, ranking)
  const { root, few, rows } = moving
  if (few === undefined) {
    draft.replace(KEY.member(ranking, order), undefined, NOTHING, rows)
    return
  }
  insert(few, order)
  if (few.length <= FEW) return
  moving.few = undefined
  write(root, undefined)
  for (const member of few) draft.replace(KEY.member(ranking, member), undefined, NOTHING, rows)
}

/** Takes a member out. It must be there. */
export function removeMember(draft: Draft, ranking: Hex, order: Uint8Array): void {
  const { few, rows } = movingIn(draft, ranking)
  if (few !== undefined) remove(few, order)
  else draft.replace(KEY.member(ranking, order), NOTHING, undefined, rows)
}

/** Puts a member where it belongs now; undefined: it was, or is to be, nowhere. */
export function moveMember(
  draft: Draft,
  ranking: Hex,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): void {
  if (before !== undefined && after !== undefined && equalBytes(before, after)) return
  if (before !== undefined) removeMember(draft, ranking, before)
  if (after !== undefined) addMember(draft, ranking, after)
}

function movingIn(draft: Draft, ranking: Hex): Moving {
  const known = draft.rankings.get(ranking)
  if (known !== undefined) return known
  const root = draft.row(rootOf(ranking))
  const moving: Moving = { root, few: fewIn(root.now), rows: [] }
  draft.rankings.set(ranking, moving)
  return moving
}

/** All members as a draft has them. */
export async function membersNow(draft: Draft, ranking: Hex): Promise<readonly Uint8Array[]> {
  const { few } = movingIn(draft, ranking)
  if (few !== undefined) return [...few]
  const start = orderStart(ranking)
  return (await draft.keys(RANGE.members(ranking, EMPTY_BYTES))).map((key) => key.subarray(start))
}

/** Members (their order, as it was put in) from a rank on, best first. */
export async function membersFrom(rows: KvReader, ranking: Hex, rank: number, limit: number): Promise<Uint8Array[]> {
  const few = fewOf(rows, ranking)
  if (few !== undefined) return few.slice(rank, rank + limit)
  const way = wayTo(rows, ranking, rank)
  if (way === undefined) return []
  return scanMembers(rows, ranking, { ...RANGE.members(ranking, EMPTY_BYTES), gte: way.from }, limit, way.skip)
}

/** Members behind one, which need not be there any more. */
export function membersAfter(rows: KvReader, ranking: Hex, order: Uint8Array, limit: number): Promise<Uint8Array[]> {
  const gte = Buffer.concat([KEY.member(ranking, order), Uint8Array.of(0)])
  return membersIn(rows, ranking, { ...RANGE.members(ranking, EMPTY_BYTES), gte }, limit)
}

/** Members that begin with the bytes. */
export function membersUnder(rows: KvReader, ranking: Hex, prefix: Uint8Array, limit: number): Promise<Uint8Array[]> {
  return membersIn(rows, ranking, RANGE.members(ranking, prefix), limit)
}

/** Members whose keys lie in a range, also while they are few and have none. */
async function membersIn(rows: KvReader, ranking: Hex, range: KeyRange, limit: number): Promise<Uint8Array[]> {
  const few = fewOf(rows, ranking)
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
export const placeBy = (amount: bigint, last: Uint8Array): Uint8Array | undefined =>
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
