// A set of hashes in ascending order in contract storage, for pages: an item at a place is a few reads, whatever the size.
// A tree by hexadecimal digits: every node counts the members behind each digit, a lone member stands where it is alone.
import { bigToFixed, type Hash } from '../lib/hex.ts'
import { layout, mapping, struct } from './layout.ts'
import { type Field, hash, text, u256 } from './storage-types.ts'
import type { SlotAccess } from './types.ts'

export type SortedHashes = {
  readonly length: number
  /** The member at a place, counted from 0; undefined beyond the end. */
  at(place: number): Hash | undefined
  /** Number of members below a hash, which is the place of the hash if it is a member. */
  below(of: Hash): number
  /** Adds a hash that is no member yet. */
  add(of: Hash): void
}

/** Counts of 32 bits, eight in a word. */
const A_WORD = 8
const COUNT_BITS = 32

const digitOf = (of: Hash, depth: number): number => Number.parseInt(of.charAt(2 + depth), 16)
const childOf = (path: string, digit: number): string => path + digit.toString(16)

/** The counts behind the digits 0 to 7 and behind 8 to 15, the first in the lowest bits. */
type Counts = { readonly low: bigint; readonly high: bigint }

const halfOf = (digit: number): keyof Counts => (digit < A_WORD ? 'low' : 'high')
const shiftOf = (digit: number): bigint => BigInt(COUNT_BITS * (digit % A_WORD))
const countIn = (word: bigint, digit: number): number => Number(BigInt.asUintN(COUNT_BITS, word >> shiftOf(digit)))

/**
 * In Solidity: `struct { mapping(string => uint256[2]) counts; mapping(string => bytes32) lone; }`, by the digits that lead
 * to a node as text, those of the root being none.
 */
export const sortedHashes: Field<SortedHashes> = (() => {
  const parts = layout({
    counts: mapping(text, struct<Counts>({ low: u256, high: u256 })),
    lone: mapping(text, hash),
  })
  const open = (slots: SlotAccess, base: bigint): SortedHashes => {
    const { counts, lone } = parts.open(slots, base)

    /** Digits behind which there are members, with their number, ascending. */
    function* children(path: string): Generator<{ digit: number; count: number }> {
      for (let first = 0; first < 2 * A_WORD; first += A_WORD) {
        const word = counts.at(path).member(halfOf(first))
        if (word === 0n) continue
        const bytes = bigToFixed(word, 32)
        const counted = new DataView(bytes.buffer, bytes.byteOffset)
        for (let place = 0; place < A_WORD; place++) {
          const count = counted.getUint32(4 * (A_WORD - 1 - place))
          if (count > 0) yield { digit: first + place, count }
        }
      }
    }

    /** Counts one more behind a digit; how many there were before. */
    function count(path: string, digit: number): number {
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
      at(place) {
        let [path, left] = ['', place]
        for (let isFound = true; isFound; ) {
          isFound = false
          for (const { digit, count } of children(path)) {
            if (left >= count) {
              left -= count
              continue
            }
            path = childOf(path, digit)
            if (count === 1) return lone.at(path).get()
            isFound = true
            break
          }
        }
        return undefined
      },
      below(of) {
        let [path, below] = ['', 0]
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
          if (behind === 1) return lone.at(path).get() < of ? below + 1 : below
        }
      },
      add(of) {
        let path = ''
        for (let depth = 0; ; depth++) {
          const before = count(path, digitOf(of, depth))
          path = childOf(path, digitOf(of, depth))
          if (before === 0) {
            lone.at(path).set(of)
            return
          }
          if (before > 1) continue
          // It stood alone so far: it moves one digit further, as the new one does.
          const other = lone.at(path).get()
          lone.at(path).clear()
          const next = digitOf(other, depth + 1)
          count(path, next)
          lone.at(childOf(path, next)).set(other)
        }
      },
    }
  }
  return { width: parts.width, open }
})()
