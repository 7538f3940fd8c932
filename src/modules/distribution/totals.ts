// A list of sums that only grow, three to a word. The word that is being filled also holds the length, so that adding a sum
// changes one slot, and a second one every third time. Full words behind the length are left from before.
import type { Field } from '../../state/storage-types.ts'
import type { SlotAccess } from '../../state/types.ts'

const BITS = 80n
const PER_WORD = 3
const LENGTH_AT = BITS * BigInt(PER_WORD)

/** The largest sum: a million coins of 18 decimals. */
export const LARGEST_TOTAL = 2n ** BITS - 1n
/** The longest list. */
export const MOST_TOTALS = 32

export type Totals = {
  readonly length: number
  /** Zero for an empty list. */
  readonly last: bigint
  all(): readonly bigint[]
  /** Throws RangeError for a sum that is too large or one too many. */
  push(total: bigint): void
  clear(): void
}

const totalIn = (word: bigint, place: number): bigint => BigInt.asUintN(Number(BITS), word >> (BITS * BigInt(place)))

/** In Solidity: `struct { uint256 last; uint256[10] full; }`. */
export const increasingTotals: Field<Totals> = {
  width: BigInt(Math.ceil(MOST_TOTALS / PER_WORD)),
  open(slots: SlotAccess, base: bigint): Totals {
    const fullWord = (index: number) => base + 1n + BigInt(index)
    const lengthOf = (last: bigint) => Number(last >> LENGTH_AT)
    return {
      get length() {
        return lengthOf(slots.load(base))
      },
      get last() {
        const last = slots.load(base)
        const length = lengthOf(last)
        return length === 0 ? 0n : totalIn(last, (length - 1) % PER_WORD)
      },
      all() {
        const last = slots.load(base)
        const length = lengthOf(last)
        const full = Math.max(0, Math.ceil(length / PER_WORD) - 1)
        const words = Array.from({ length: full }, (_, index) => slots.load(fullWord(index)))
        words.push(last)
        return Array.from({ length }, (_, index) =>
          totalIn(words[Math.floor(index / PER_WORD)] ?? 0n, index % PER_WORD),
        )
      },
      push(total) {
        const last = slots.load(base)
        const length = lengthOf(last)
        if (total > LARGEST_TOTAL || length >= MOST_TOTALS) throw new RangeError(`total ${total} at ${length}`)
        const place = length % PER_WORD
        const sums = BigInt.asUintN(Number(LENGTH_AT), last)
        if (place === 0 && length > 0) slots.store(fullWord(length / PER_WORD - 1), sums)
        const kept = place === 0 ? 0n : sums
        slots.store(base, (BigInt(length + 1) << LENGTH_AT) | (total << (BITS * BigInt(place))) | kept)
      },
      clear: () => slots.store(base, 0n),
    }
  },
}
