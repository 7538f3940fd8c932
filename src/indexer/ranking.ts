// Sets in an order that changes: holders by balance, tokens by holders. A member's key is its order, so a page is a scan.
// How many members there are, and where the page of a number begins, is counted in `crowds.ts`.
import { unwritten } from '../lib/bytes.ts'
import { bigToBytes, bytesToBig, EMPTY_BYTES, equalBytes, type Hex } from '../lib/hex.ts'
import { KEY, RANGE } from '../state/keyspace.ts'
import type { Reader } from '../state/types.ts'
import { wayTo } from './crowds.ts'
import { type Draft, NOTHING } from './draft.ts'

/** Puts a member in. It must not be there. */
export function addMember(draft: Draft, ranking: Hex, order: Uint8Array): void {
  draft.replace(KEY.member(ranking, order), undefined, NOTHING)
  note(draft, ranking, order, 1)
}

/** Takes a member out. It must be there. */
export function removeMember(draft: Draft, ranking: Hex, order: Uint8Array): void {
  draft.replace(KEY.member(ranking, order), NOTHING, undefined)
  note(draft, ranking, order, -1)
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

function note(draft: Draft, ranking: Hex, order: Uint8Array, by: 1 | -1): void {
  const known = draft.moves.get(ranking)
  if (known === undefined) draft.moves.set(ranking, [{ order, by }])
  else known.push({ order, by })
}

/** Members (their order, as it was put in) from a rank on, best first. */
export async function membersFrom(rows: Reader, ranking: Hex, rank: number, limit: number): Promise<Uint8Array[]> {
  const way = wayTo(rows, ranking, rank)
  return way === undefined ? [] : scanFrom(rows, ranking, way.from, way.skip, limit)
}

/** Members behind one, which need not be there any more. */
export function membersAfter(rows: Reader, ranking: Hex, order: Uint8Array, limit: number): Promise<Uint8Array[]> {
  const start = Buffer.concat([KEY.member(ranking, order), Uint8Array.of(0)])
  return scanFrom(rows, ranking, start, 0, limit)
}

/** Members that begin with the bytes. */
export async function membersUnder(
  rows: Reader,
  ranking: Hex,
  prefix: Uint8Array,
  limit: number,
): Promise<Uint8Array[]> {
  const skipped = KEY.member(ranking, new Uint8Array(0)).length
  const found: Uint8Array[] = []
  for await (const [key] of rows.scan({ ...RANGE.members(ranking, prefix), limit })) found.push(key.slice(skipped))
  return found
}

async function scanFrom(
  rows: Reader,
  ranking: Hex,
  gte: Uint8Array,
  skip: number,
  limit: number,
): Promise<Uint8Array[]> {
  const base = KEY.member(ranking, new Uint8Array(0))
  const { lt } = RANGE.members(ranking, new Uint8Array(0))
  const found: Uint8Array[] = []
  let skipped = 0
  for await (const [key] of rows.scan({ gte, lt, limit: skip + limit })) {
    if (skipped++ < skip) continue
    found.push(key.slice(base.length))
  }
  return found
}

/** An amount as bytes that sort the largest first, and what decides between equals behind it. */
export function descending(value: bigint, last: Uint8Array = EMPTY_BYTES): Uint8Array {
  const bytes = bigToBytes(value)
  const out = unwritten(1 + bytes.length + last.length)
  out[0] = 255 - bytes.length
  for (let i = 0; i < bytes.length; i++) out[i + 1] = 255 - (bytes[i] ?? 0)
  out.set(last, 1 + bytes.length)
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
  const out = unwritten(bytes.length)
  for (let i = 0; i < bytes.length; i++) out[i] = 255 - (bytes[i] ?? 0)
  return out
}
