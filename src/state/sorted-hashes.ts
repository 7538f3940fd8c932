// An order-statistic set of hashes in contract storage, for pagination: reading the member at a position takes a few reads at
// any size. It is a radix tree by hexadecimal digits. Every node has the number of members below each of its 16 digits; a
// member is a leaf at its shortest unique prefix.
import { bigToFixed, type Hash } from '../lib/hex.ts'
import { layout, mapping, struct } from './layout.ts'
import { type Field, hash, text, u256 } from './storage-types.ts'
import type { SlotAccess } from './types.ts'

export type SortedHashes = {
  readonly length: number
  /** The member at a position from 0; undefined beyond the end. */
  at(position: number): Hash | undefined
  /** Number of members less than a hash, which is the position of the hash if it is a member. */
  below(of: Hash): number
  /** Adds a hash, which must not be a member yet. */
  add(of: Hash): void
}

/** A storage word holds eight counts of 32 bits. */
const COUNTS_PER_WORD = 8
const COUNT_BITS = 32

const digitOf = (of: Hash, depth: number): number => Number.parseInt(of.charAt(2 + depth), 16)
const childOf = (path: string, digit: number): string => path + digit.toString(16)

/** A node: the counts of the digits 0 to 7 and 8 to 15, the lowest digit in the lowest bits. */
type Counts = { readonly low: bigint; readonly high: bigint }

const halfOf = (digit: number): keyof Counts => (digit < COUNTS_PER_WORD ? 'low' : 'high')
const shiftOf = (digit: number): bigint => BigInt(COUNT_BITS * (digit % COUNTS_PER_WORD))
const countIn = (word: bigint, digit: number): number => Number(BigInt.asUintN(COUNT_BITS, word >> shiftOf(digit)))

/**
 * In Solidity: `struct { mapping(string => uint256[2]) counts; mapping(string => bytes32) leaves; }`. Keys are the digits that
 * lead to a node, as text; the root's key is the empty string.
 */
export const sortedHashes: Field<SortedHashes> = (() => {
  const parts = layout({
    counts: mapping(text, struct<Counts>({ low: u256, high: u256 })),
    leaves: mapping(text, hash),
  })
  const open = (slots: SlotAccess, base: bigint): SortedHashes => {
    const { counts, leaves } = parts.open(slots, base)

    /** The digits of a node that have members, ascending, with the number of members. */
    function* children(path: string): Generator<{ digit: number; count: number }> {
      for (let first = 0; first < 2 * COUNTS_PER_WORD; first += COUNTS_PER_WORD) {
        const word = counts.at(path).member(halfOf(first))
        if (word === 0n) continue
        const bytes = bigToFixed(word, 32)
        const counted = new DataView(bytes.buffer, bytes.byteOffset)
        for (let place = 0; place < COUNTS_PER_WORD; place++) {
          const count = counted.getUint32(4 * (COUNTS_PER_WORD - 1 - place))
          if (count > 0) yield { digit: first + place, count }
        }
      }
    }

    /** Adds one to the count of a digit; returns the count before. */
    function increment(path: string, digit: number): number {
      const cell = counts.at(path)
      const word = cell.member(halfOf(digit))
      cell.update({ [halfOf(digit)]: word + (1n << shiftOf(digit)) })
      return countIn(word, digit)
    }

    return {
      get length() {
        let length = 0
        for (const child of children('')) length += child.count
        return length
      },
      at(position) {
        let path = ''
        let left = position
        for (let isFound = true; isFound; ) {
          isFound = false
          for (const { digit, count } of children(path)) {
            if (left >= count) {
              left -= count
              continue
            }
            path = childOf(path, digit)
            if (count === 1) return leaves.at(path).get()
            isFound = true
            break
          }
        }
        return undefined
      },
      below(of) {
        let path = ''
        let below = 0
        for (let depth = 0; ; depth++) {
          const own = digitOf(of, depth)
          let behind = 0
          for (const { digit, count } of children(path)) {
            if (digit < own) below += count
            if (digit >= own) {
              behind = digit === own ? count : 0
              break
            }
          }
          path = childOf(path, own)
          if (behind === 0) return below
          if (behind === 1) return leaves.at(path).get() < of ? below + 1 : below
        }
      },
      add(of) {
        let path = ''
        for (let depth = 0; ; depth++) {
          const before = increment(path, digitOf(of, depth))
          path = childOf(path, digitOf(of, depth))
          if (before === 0) {
            leaves.at(path).set(of)
            return
          }
          if (before > 1) continue
          // The existing leaf shares this prefix with the new member: it moves one digit down.
          const other = leaves.at(path).get()
          leaves.at(path).clear()
          const next = digitOf(other, depth + 1)
          increment(path, next)
          leaves.at(childOf(path, next)).set(other)
        }
      },
    }
  }
  return { width: parts.width, open }
})()
