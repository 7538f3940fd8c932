// How many members of a ranking begin alike: what finds the member of a rank without walking to it. A node counts those
// that begin with its digits (half bytes) by their next one; where they are a crowd, that digit has a node of its own.
import { scratchBytes } from '../lib/byte-pool.ts'
import { compareBytes, EMPTY_BYTES, type Hex } from '../lib/hex.ts'
import { KEY, RANGE } from '../state/keyspace.ts'
import type { KvReader } from '../state/types.ts'
import { type Codec, record, u16 } from './codec.ts'
import { NO_VALUE, type Overlay, type OverlayRow, writeRow } from './overlay.ts'
import { encodeSmallSet, rootKey, smallSetIn } from './small-set.ts'

/** So many members may begin alike before they are counted by one more digit. */
const SPLIT_SIZE = 512
/** So many that come at once to where nobody was have a node at once: a node made later must read them first. */
const BATCH_SPLIT_SIZE = 64
const DIGITS = 16

const noMembers = (): number[] => new Array<number>(DIGITS).fill(0)

/** Members by digit; what is nothing takes no room. */
const counts: Codec<number[]> = {
  layout: 'counts by digit',
  write(out, members) {
    out.uint(
      members.reduce((mask, of, digit) => (of > 0 ? mask | (1 << digit) : mask), 0),
      2,
    )
    for (const of of members) if (of > 0) out.uint(of, 4)
  },
  read(from) {
    const mask = from.uint(2)
    const members = noMembers()
    for (let digit = 0; digit < DIGITS; digit++) if (mask & (1 << digit)) members[digit] = from.uint(4)
    return members
  },
}

type TreeNode = { readonly members: number[]; readonly nodes: number }
/** `nodes`: bits of the digits that have a node. A node without members is not there. */
export const nodeRow = record<TreeNode>({ members: counts, nodes: u16 })

function nodeAt(rows: Pick<KvReader, 'get'>, ranking: Hex, digits: Uint8Array): TreeNode {
  return nodeIn(rows.get(KEY.memberCounts(ranking, digits)))
}
const nodeIn = (row: Uint8Array | undefined): TreeNode =>
  row === undefined ? { members: noMembers(), nodes: 0 } : nodeRow.decode(row)

/** Where a member's order begins in the key of its row. */
export const orderStart = (ranking: Hex): number => KEY.member(ranking, EMPTY_BYTES).length

/** A row of a member: what it holds tells whether it is there, and was. */
type MemberChange = Pick<OverlayRow, 'key' | 'before' | 'now'>
const change = ({ before, now }: MemberChange): number => (now === undefined ? 0 : 1) - (before === undefined ? 0 : 1)

/** Orders are prefix-free; an end counts as zeros, so that there is a digit at every depth. `start`: where it is in a key. */
const digitAt = (key: Uint8Array, start: number, depth: number): number => {
  const byte = key[start + (depth >> 1)] ?? 0
  return depth % 2 === 0 ? byte >> 4 : byte & 15
}
function digitsOf(key: Uint8Array, start: number, depth: number): Uint8Array {
  const digits = scratchBytes(depth)
  for (let at = 0; at < depth; at++) digits[at] = digitAt(key, start, at)
  return digits
}

/**
 * Counts the members that have come and gone. To be called once, when the draft is complete: one walk for all of them,
 * because most begin alike.
 */
export async function countMembers(draft: Overlay): Promise<void> {
  for (const [ranking, { root, small: few, rows }] of draft.rankings) {
    if (few !== undefined) {
      writeRow(root, encodeSmallSet(few))
      continue
    }
    const start = orderStart(ranking)
    for (const digits of countUnder(draft, ranking, start, sort(rows, start), 0, rows.length, 0)) {
      const keys = await draft.keys(RANGE.membersUnder(ranking, digits))
      const members = keys.map((key): MemberChange => ({ key, before: undefined, now: NO_VALUE }))
      countUnder(draft, ranking, start, sort(members, start), 0, members.length, digits.length)
    }
  }
  draft.rankings.clear()
}

const sort = (members: MemberChange[], start: number): MemberChange[] =>
  members.sort((a, b) => compareBytes(a.key, b.key, start))

/**
 * Counts the members from `from` up to `to`, which are in order and begin alike up to `depth`. Returns the digits of nodes
 * that must be made of members whom the draft has not seen.
 */
function countUnder(
  draft: Overlay,
  ranking: Hex,
  keyStart: number,
  moved: readonly MemberChange[],
  from: number,
  to: number,
  depth: number,
): Uint8Array[] {
  const first = moved[from]?.key
  if (first === undefined) return []
  const prefix = digitsOf(first, keyStart, depth)
  const { members, nodes: known } = nodeAt(draft, ranking, prefix)
  let nodes = known
  let isMoved = false
  const wanted: Uint8Array[] = []
  for (let start = from; start < to; ) {
    const { key } = moved[start] ?? { key: first }
    const digit = digitAt(key, keyStart, depth)
    const before = members[digit] ?? 0
    let now = before
    let end = start
    for (; end < to; end++) {
      const member = moved[end]
      if (member === undefined || digitAt(member.key, keyStart, depth) !== digit) break
      now += change(member)
    }
    members[digit] = now
    if (now !== before) isMoved = true
    const bit = 1 << digit
    const isNew = (nodes & bit) === 0 && now > (before === 0 ? BATCH_SPLIT_SIZE : SPLIT_SIZE)
    if (isNew) nodes |= bit
    if (isNew && before > 0) wanted.push(digitsOf(key, keyStart, depth + 1))
    else if ((nodes & bit) !== 0) {
      for (const digits of countUnder(draft, ranking, keyStart, moved, start, end, depth + 1)) wanted.push(digits)
    }
    if (now === 0) nodes &= ~bit
    start = end
  }
  // Most move among those that begin like them: here nothing changes then.
  if (!isMoved && nodes === known) return wanted
  const isEmpty = members.every((of) => of === 0)
  draft.set(KEY.memberCounts(ranking, prefix), isEmpty ? undefined : nodeRow.encode({ members, nodes }))
  return wanted
}

/** How many members there are with those that a draft has put in or taken out. */
export function memberCountIn(draft: Overlay, ranking: Hex): number {
  const { small: few, rows = [] } = draft.rankings.get(ranking) ?? {}
  return few?.length ?? rows.reduce((sum, row) => sum + change(row), memberCount(draft, ranking))
}

/** How many members there are. */
export function memberCount(rows: Pick<KvReader, 'get'>, ranking: Hex): number {
  const root = rows.get(rootKey(ranking))
  return smallSetIn(root)?.length ?? nodeIn(root).members.reduce((sum, members) => sum + members, 0)
}

/**
 * Where the way to a rank begins, and how many members are still to be passed; undefined beyond the last one. The members
 * have rows of their own.
 */
export function locateRank(
  rows: Pick<KvReader, 'get'>,
  ranking: Hex,
  rank: number,
): { readonly from: Uint8Array; readonly skip: number } | undefined {
  const digits: number[] = []
  let skip = rank
  for (;;) {
    const { members, nodes } = nodeAt(rows, ranking, Uint8Array.from(digits))
    let digit = 0
    while (digit < DIGITS && skip >= (members[digit] ?? 0)) skip -= members[digit++] ?? 0
    if (digit === DIGITS) return undefined
    digits.push(digit)
    if ((nodes & (1 << digit)) === 0) return { from: RANGE.membersUnder(ranking, Uint8Array.from(digits)).gte, skip }
  }
}
