// A ranking of few members is one row, which holds them in order: what most addresses own is a token or two. Once they are
// more, each has a row of its own and they are counted (`crowds.ts`), until all are gone.
import { compareBytes, EMPTY_BYTES, equalBytes, type Hex } from '../lib/hex.ts'
import { KEY } from '../state/keyspace.ts'
import type { KvReader } from '../state/types.ts'
import { writer } from './codec.ts'
import { unpack, writeEntry } from './list-rows.ts'

/** So many members may lie in one row: it is written again whenever one of them moves. */
export const SMALL_SET_SIZE = 8

/** The row at which a ranking begins: its members, or the node that counts all of them. */
export const rootKey = (ranking: Hex): Uint8Array => KEY.memberCounts(ranking, EMPTY_BYTES)

/** Members begin with the digits in which a node counts nobody: there is no such node. */
const MARK_SIZE = 2
const isSmallSet = (row: Uint8Array): boolean => row[0] === 0 && row[1] === 0

/** The members in a root, in order; undefined: they have rows of their own. */
export function smallSetIn(row: Uint8Array | undefined): Uint8Array[] | undefined {
  if (row === undefined) return []
  return isSmallSet(row) ? unpack(row, MARK_SIZE) : undefined
}

/** The members of a ranking that has few of them. */
export const smallSetOf = (rows: Pick<KvReader, 'get'>, ranking: Hex): Uint8Array[] | undefined =>
  smallSetIn(rows.get(rootKey(ranking)))

/** The root of a ranking with these members, or without any. */
export function encodeSmallSet(few: readonly Uint8Array[]): Uint8Array | undefined {
  if (few.length === 0) return undefined
  const out = writer.begin()
  out.uint(0, MARK_SIZE)
  for (const order of few) writeEntry(out, order)
  return out.done()
}

/** Puts a member where it belongs among those in order. */
export function insertMember(few: Uint8Array[], order: Uint8Array): void {
  few.push(order)
  for (let at = few.length - 1; at > 0; at--) {
    const other = few[at - 1] ?? order
    if (compareBytes(other, order) < 0) return
    few[at] = other
    few[at - 1] = order
  }
}

/** Takes a member out. */
export function deleteMember(few: Uint8Array[], order: Uint8Array): void {
  const at = few.findIndex((other) => equalBytes(other, order))
  if (at < 0) throw new Error('a member of a ranking is not there')
  few.splice(at, 1)
}
