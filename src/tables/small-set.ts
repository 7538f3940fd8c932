// A ranking of up to eight members is one row with the members in order: most addresses own one or two tokens. With the ninth
// member each gets a row of its own and is counted (`ranking-tree.ts`), until the ranking is empty.
import { compareBytes, EMPTY_BYTES, equalBytes, type Hex } from '../lib/hex.ts'
import { KEY } from '../state/keyspace.ts'
import type { KvReader } from '../state/types.ts'
import { writer } from './codec.ts'
import { unpack, writeEntry } from './list-rows.ts'

/** Most members that share a row; the row is rewritten with each change of a member. */
export const SMALL_SET_SIZE = 8

/** Key of a ranking's root: the small set, or the root node of the counting tree. */
export const rootKey = (ranking: Hex): Uint8Array => KEY.memberCounts(ranking, EMPTY_BYTES)

/** Bytes that mark a small set: the digit mask of a node without members, which is never written. */
const MARK_SIZE = 2
const isSmallSet = (row: Uint8Array): boolean => row[0] === 0 && row[1] === 0

/** Decodes the members of a root row, in order; undefined when members have rows of their own. */
export function smallSetIn(row: Uint8Array | undefined): Uint8Array[] | undefined {
  if (row === undefined) return []
  return isSmallSet(row) ? unpack(row, MARK_SIZE) : undefined
}

/** Reads the members of a ranking; undefined when they have rows of their own. */
export const smallSetOf = (rows: Pick<KvReader, 'get'>, ranking: Hex): Uint8Array[] | undefined =>
  smallSetIn(rows.get(rootKey(ranking)))

/** Encodes the root of a ranking with these members; undefined without members. */
export function encodeSmallSet(few: readonly Uint8Array[]): Uint8Array | undefined {
  if (few.length === 0) return undefined
  const out = writer.begin()
  out.uint(0, MARK_SIZE)
  for (const order of few) writeEntry(out, order)
  return out.done()
}

/** Inserts a member in order. */
export function insertMember(few: Uint8Array[], order: Uint8Array): void {
  few.push(order)
  for (let at = few.length - 1; at > 0; at--) {
    const other = few[at - 1] ?? order
    if (compareBytes(other, order) < 0) return
    few[at] = other
    few[at - 1] = order
  }
}

/** Removes a member. Throws when it is missing. */
export function deleteMember(few: Uint8Array[], order: Uint8Array): void {
  const at = few.findIndex((other) => equalBytes(other, order))
  if (at < 0) throw new Error('a member of a ranking is not there')
  few.splice(at, 1)
}
