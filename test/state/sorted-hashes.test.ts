// A sorted set of hashes in storage, against a plain sort of the same hashes.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Hash, hexToHash, toHash } from '../../src/lib/hex.ts'
import { layout } from '../../src/state/layout.ts'
import { sortedHashes } from '../../src/state/sorted-hashes.ts'
import type { SlotAccess } from '../../src/state/types.ts'

function countedSlots() {
  const words = new Map<bigint, bigint>()
  const counted = { loads: 0, stores: 0 }
  const slots: SlotAccess = {
    load(slot) {
      counted.loads++
      return words.get(slot) ?? 0n
    },
    store(slot, word) {
      counted.stores++
      words.set(slot, word)
    },
  }
  return { set: layout({ set: sortedHashes }).open(slots).set, counted }
}

const hashOf = (number: bigint): Hash => hexToHash(`0x${number.toString(16).padStart(64, '0')}`)
/** Either spread over all digits (an odd multiplier permutes the words) or with long common prefixes. */
const spread = fc
  .bigInt(0n, 2n ** 64n)
  .map((number) => hashOf(BigInt.asUintN(256, (2n * number + 1n) * (2n ** 255n - 19n))))
const crowded = fc.tuple(fc.bigInt(0n, 3n), fc.bigInt(0n, 3n)).map(([high, low]) => hashOf((high << 252n) + low))

describe('sortedHashes', () => {
  it('returns members in ascending order and the position of every hash', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(spread, crowded), { maxLength: 60 }), spread, (hashes, stranger) => {
        const { set } = countedSlots()
        for (const hash of hashes) set.add(hash)
        const sorted = [...hashes].sort()
        expect(set.length).toBe(sorted.length)
        expect(sorted.map((_, place) => set.at(place))).toEqual(sorted)
        expect(set.at(sorted.length)).toBeUndefined()
        expect(sorted.map((hash) => set.below(hash))).toEqual(sorted.map((_, place) => place))
        expect(set.below(stranger)).toBe(sorted.filter((hash) => hash < stranger).length)
      }),
    )
  })

  it('reads and adds a member of thousands with few storage accesses', () => {
    const { set, counted } = countedSlots()
    const sha256 = (of: string): Hash => toHash(createHash('sha256').update(of).digest())
    for (let i = 0; i < 3_000; i++) set.add(sha256(`transfer/channel-${i}/akest`))
    // 16^3 > 3,000: three levels, at most two words each, and the member; some members are one or two levels deeper.
    Object.assign(counted, { loads: 0, stores: 0 })
    expect(set.at(1_500)).toBeDefined()
    expect(counted.loads).toBeLessThanOrEqual(2 * 5 + 1)
    // A count on each level, the member, and the moves of a lone member that goes one level down.
    Object.assign(counted, { loads: 0, stores: 0 })
    set.add(sha256('akest'))
    expect(counted.stores).toBeLessThanOrEqual(5 + 4)
  })
})
