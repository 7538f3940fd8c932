// The counting radix tree of a ranking, which finds the member of a rank without walking to it. A node represents a prefix of
// digits (half bytes) and counts the members below it by their next digit; a digit with many members has a child node.
import { scratchBytes } from '../lib/byte-pool.ts'
import { compareBytes, EMPTY_BYTES, type Hex } from '../lib/hex.ts'
import { KEY, RANGE } from '../state/keyspace.ts'
import type { KvReader } from '../state/types.ts'
import { type Codec, record, u16 } from './codec.ts'
import { NO_VALUE, type Overlay, type OverlayRow, writeRow } from './overlay.ts'
import { encodeSmallSet, rootKey, smallSetIn } from './small-set.ts'

/** Create a child node when more members than this share its prefix. */
export const SPLIT_SIZE = 512
/** Create a child node as soon as more new members than this share an empty prefix: a later split must read them all. */
const BATCH_SPLIT_SIZE = 64
const DIGITS = 16

const noMembers = (): number[] => new Array<number>(DIGITS).fill(0)

/** Number of members by digit; digits without members take no bytes. */
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
/** `nodes`: bit mask of the digits with a child node. A node without members has no row. */
export const nodeRow = record<TreeNode>({ members: counts, nodes: u16 })

function nodeAt(rows: Pick<KvReader, 'get'>, ranking: Hex, digits: Uint8Array): TreeNode {
  return nodeIn(rows.get(KEY.memberCounts(ranking, digits)))
}
const nodeIn = (row: Uint8Array | undefined): TreeNode =>
  row === undefined ? { members: noMembers(), nodes: 0 } : nodeRow.decode(row)

/** Offset of a member's order in the key of its row. */
export const orderStart = (ranking: Hex): number => KEY.member(ranking, EMPTY_BYTES).length

/** The change of a member: `before` and `now` are undefined where it is not in the ranking. */
type MemberChange = Pick<OverlayRow, 'key' | 'before' | 'now'>
const change = ({ before, now }: MemberChange): number => (now === undefined ? 0 : 1) - (before === undefined ? 0 : 1)

/** The digit of a member at a depth. No order is a prefix of another; beyond its end digits are 0. `start`: offset of the order in the key. */
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
 * Updates the counts for all members that were added or removed. Call it once, when the overlay is complete: the members of a
 * ranking share prefixes, so one walk over the sorted members updates each node once.
 */
export async function countMembers(overlay: Overlay): Promise<void> {
  for (const [ranking, { root, small: few, rows }] of overlay.rankings) {
    if (few !== undefined) {
      writeRow(root, encodeSmallSet(few))
      continue
    }
    const start = orderStart(ranking)
    for (const digits of countUnder(overlay, ranking, start, sort(rows, start), 0, rows.length, 0)) {
      const keys = await overlay.keys(RANGE.membersUnder(ranking, digits))
      const members = keys.map((key): MemberChange => ({ key, before: undefined, now: NO_VALUE }))
      countUnder(overlay, ranking, start, sort(members, start), 0, members.length, digits.length)
    }
  }
  overlay.rankings.clear()
}

const sort = (members: MemberChange[], start: number): MemberChange[] =>
  members.sort((a, b) => compareBytes(a.key, b.key, start))

/**
 * Updates the node of a prefix and its children for the members `from` (inclusive) to `to` (exclusive), which are sorted and
 * share `depth` digits. Returns prefixes of new nodes whose older members must be read from the store to be counted.
 */
function countUnder(
  overlay: Overlay,
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
  const { members, nodes: known } = nodeAt(overlay, ranking, prefix)
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
      for (const digits of countUnder(overlay, ranking, keyStart, moved, start, end, depth + 1)) wanted.push(digits)
    }
    if (now === 0) nodes &= ~bit
    start = end
  }
  // A member that moved within one digit changes no count of this node.
  if (!isMoved && nodes === known) return wanted
  const isEmpty = members.every((of) => of === 0)
  overlay.set(KEY.memberCounts(ranking, prefix), isEmpty ? undefined : nodeRow.encode({ members, nodes }))
  return wanted
}

/** Number of members including the changes of an overlay. */
export function memberCountIn(overlay: Overlay, ranking: Hex): number {
  const { small: few, rows = [] } = overlay.rankings.get(ranking) ?? {}
  return few?.length ?? rows.reduce((sum, row) => sum + change(row), memberCount(overlay, ranking))
}

/** Number of members of a ranking. */
export function memberCount(rows: Pick<KvReader, 'get'>, ranking: Hex): number {
  const root = rows.get(rootKey(ranking))
  return smallSetIn(root)?.length ?? nodeIn(root).members.reduce((sum, members) => sum + members, 0)
}

/**
 * Counts the members before the last node on the way to an order, in a ranking whose members have rows of their own; `from`: the
 * key at which those begin that are not counted.
 */
export function countBefore(
  rows: Pick<KvReader, 'get'>,
  ranking: Hex,
  order: Uint8Array,
): { readonly count: number; readonly from: Uint8Array } {
  const digits: number[] = []
  let count = 0
  for (;;) {
    const { members, nodes } = nodeAt(rows, ranking, Uint8Array.from(digits))
    const digit = digitAt(order, 0, digits.length)
    for (let lower = 0; lower < digit; lower++) count += members[lower] ?? 0
    digits.push(digit)
    if ((nodes & (1 << digit)) === 0) return { count, from: RANGE.membersUnder(ranking, Uint8Array.from(digits)).gte }
  }
}

/**
 * Finds a rank (from 0) in a ranking whose members have rows of their own: the key to scan from, and the number of members to
 * skip there, at most the size of a split. undefined beyond the last member.
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
