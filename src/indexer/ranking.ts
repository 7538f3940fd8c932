// Sets in an order that changes: holders by balance, tokens by holders. A member's key is its order, so a page is a scan;
// counts by prefix, finer where many members crowd, find the page of a number without walking to it.
import { bigToBytes, bytesToBig, equalBytes, type Hex } from '../lib/hex.ts'
import { KEY, RANGE } from '../state/keyspace.ts'
import type { Reader } from '../state/types.ts'
import { type Draft, type Move, NOTHING } from './draft.ts'
import { count, flag, record } from './record.ts'

/** So many members may share a prefix before they are counted by longer ones. */
const CROWD = 512

const crowd = record({ members: count, isSplit: flag })
const EMPTY_CROWD = { members: 0, isSplit: false }

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

function crowdAt(rows: Pick<Draft, 'get'>, key: Uint8Array): { readonly members: number; readonly isSplit: boolean } {
  const row = rows.get(key)
  return row === undefined ? EMPTY_CROWD : crowd.decode(row)
}

/**
 * Counts the members that have come and gone, and splits the crowds that have grown too large by longer prefixes. To be
 * called once, when the draft is complete: one walk for all of them, because most share their first prefixes.
 */
export async function countMembers(draft: Draft): Promise<void> {
  for (const [ranking, moves] of draft.moves) {
    moves.sort((a, b) => Buffer.compare(a.order, b.order))
    for (const prefix of shift(draft, ranking, moves, 0)) await split(draft, ranking, prefix)
  }
  draft.moves.clear()
}

/** Counts moves, in order, whose members begin alike up to `depth`. Returns the prefixes that hold too many now. */
function shift(draft: Draft, ranking: Hex, moves: readonly Move[], depth: number): Uint8Array[] {
  const order = moves.at(-1)?.order
  if (order === undefined) return []
  const prefix = order.subarray(0, depth)
  const key = KEY.memberCount(ranking, prefix)
  const { members, isSplit } = crowdAt(draft, key)
  const now = moves.reduce((sum, { by }) => sum + by, members)
  if (now !== members) draft.set(key, now === 0 && !isSplit ? undefined : crowd.encode({ members: now, isSplit }))
  if (!isSplit) return now > CROWD && depth < order.length ? [prefix] : []
  const crowded: Uint8Array[] = []
  for (let from = 0; from < moves.length; ) {
    const byte = moves[from]?.order[depth]
    let to = from + 1
    while (to < moves.length && moves[to]?.order[depth] === byte) to++
    if (byte !== undefined) crowded.push(...shift(draft, ranking, moves.slice(from, to), depth + 1))
    from = to
  }
  return crowded
}

async function split(draft: Draft, ranking: Hex, prefix: Uint8Array): Promise<void> {
  const key = KEY.memberCount(ranking, prefix)
  const { members, isSplit } = crowdAt(draft, key)
  if (isSplit || members <= CROWD) return
  const skipped = KEY.member(ranking, prefix).length
  const children = new Map<number, number>()
  for (const member of await draft.keys(RANGE.members(ranking, prefix))) {
    const byte = member[skipped]
    if (byte !== undefined) children.set(byte, (children.get(byte) ?? 0) + 1)
  }
  draft.set(key, crowd.encode({ members, isSplit: true }))
  for (const [byte, inside] of children) {
    const longer = Buffer.concat([prefix, Uint8Array.of(byte)])
    draft.set(KEY.memberCount(ranking, longer), crowd.encode({ members: inside, isSplit: false }))
    if (inside > CROWD) await split(draft, ranking, longer)
  }
}

/** How many members there are with those that a draft has put in or taken out. */
export function memberCountNow(draft: Draft, ranking: Hex): number {
  const moves = draft.moves.get(ranking) ?? []
  return moves.reduce((sum, { by }) => sum + by, memberCount(draft, ranking))
}

/** How many members there are. */
export function memberCount(rows: Pick<Reader, 'get'>, ranking: Hex): number {
  const row = rows.get(KEY.memberCount(ranking, new Uint8Array(0)))
  return row === undefined ? 0 : crowd.decode(row).members
}

/** Members (their order, as it was put in) from a rank on, best first. */
export async function membersFrom(rows: Reader, ranking: Hex, rank: number, limit: number): Promise<Uint8Array[]> {
  if (rank >= memberCount(rows, ranking)) return []
  let prefix: Uint8Array = new Uint8Array(0)
  let skip = rank
  for (;;) {
    const row = rows.get(KEY.memberCount(ranking, prefix))
    if (row === undefined || !crowd.decode(row).isSplit) break
    const before = prefix.length
    for await (const [key, value] of rows.scan(RANGE.memberCounts(ranking, prefix))) {
      const { members } = crowd.decode(value)
      if (skip < members) {
        prefix = key.slice(key.length - before - 1)
        break
      }
      skip -= members
    }
    if (prefix.length === before) return []
  }
  return scanFrom(rows, ranking, KEY.member(ranking, prefix), skip, limit)
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

/** An amount as bytes that sort the largest first; what follows them decides between equals. */
export function descending(value: bigint): Uint8Array {
  const bytes = bigToBytes(value)
  const out = new Uint8Array(bytes.length + 1)
  out[0] = 255 - bytes.length
  for (const [i, byte] of bytes.entries()) out[i + 1] = 255 - byte
  return out
}

/** The amount that `descending` bytes begin with, and what follows it. */
export function readDescending(order: Uint8Array): { value: bigint; rest: Uint8Array } {
  const size = 255 - (order[0] ?? 255)
  const value = bytesToBig(order.subarray(1, 1 + size).map((byte) => 255 - byte))
  return { value, rest: order.subarray(1 + size) }
}

/** Bytes in reverse order of size, as a last resort between equals. */
export const complement = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => 255 - byte)
