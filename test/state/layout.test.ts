// Slots of storage layouts, against Solidity's rules computed with viem; the two composites against plain arrays and maps.
import fc from 'fast-check'
import { encodeAbiParameters, encodePacked, keccak256, parseAbiParameters, stringToHex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Hash, hexToAddress } from '../../src/lib/hex.ts'
import { cell, enumerable, layout, list, mapping, queue, struct } from '../../src/state/layout.ts'
import { address, bool, bytes, dec, hash, oneOf, text, u64, u256 } from '../../src/state/storage-types.ts'
import type { SlotAccess } from '../../src/state/types.ts'

const alice = hexToAddress('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
const bob = hexToAddress('0x70997970C51812dc3A010C7d01b50e0d17dc79C8')

let words: Map<bigint, bigint>
let slots: SlotAccess
beforeEach(() => {
  words = new Map()
  slots = memorySlots(words)
})

function memorySlots(words: Map<bigint, bigint>): SlotAccess {
  return {
    load: (slot) => words.get(slot) ?? 0n,
    store(slot, word) {
      if (slot < 0n || slot >= 1n << 256n || word < 0n || word >= 1n << 256n) throw new Error('not a word')
      if (word === 0n) words.delete(slot)
      else words.set(slot, word)
    },
  }
}
const readOnly: SlotAccess = {
  load: () => 0n,
  store() {
    throw new Error('read only')
  },
}

// Solidity documentation, "Layout of State Variables in Storage".
const uintElement = (key: bigint, slot: bigint) =>
  BigInt(keccak256(encodeAbiParameters(parseAbiParameters('uint256, uint256'), [key, slot])))
const addressElement = (key: `0x${string}`, slot: bigint) =>
  BigInt(keccak256(encodeAbiParameters(parseAbiParameters('address, uint256'), [key, slot])))
const stringElement = (key: string, slot: bigint) => BigInt(keccak256(encodePacked(['string', 'uint256'], [key, slot])))
const arrayData = (slot: bigint) => BigInt(keccak256(encodeAbiParameters(parseAbiParameters('uint256'), [slot])))

describe('storage types', () => {
  const one = layout({
    small: u64,
    large: u256,
    flag: bool,
    owner: address,
    id: hash,
    rate: dec,
    status: oneOf('unspecified', 'unbonded', 'unbonding', 'bonded'),
  })

  it('read unwritten slots as zero', () => {
    const o = one.open(readOnly)
    expect([o.small.get(), o.large.get(), o.flag.get(), o.rate.get()]).toEqual([0n, 0n, false, 0n])
    expect(o.owner.get()).toBe(`0x${'0'.repeat(40)}`)
    expect(o.id.get()).toBe(`0x${'0'.repeat(64)}`)
    expect(o.status.get()).toBe('unspecified')
  })

  it('are right-aligned, one slot each, in order of declaration', () => {
    const o = one.open(slots)
    o.small.set(7n)
    o.large.set((1n << 256n) - 1n)
    o.flag.set(true)
    o.owner.set(alice)
    o.id.set(`0x${'ab'.repeat(32)}` as Hash)
    o.rate.set(10n ** 17n)
    o.status.set('bonded')
    expect([...words]).toEqual([
      [0n, 7n],
      [1n, (1n << 256n) - 1n],
      [2n, 1n],
      [3n, 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266n],
      [4n, BigInt(`0x${'ab'.repeat(32)}`)],
      [5n, 100_000_000_000_000_000n],
      [6n, 3n],
    ])
    expect([o.small.get(), o.large.get(), o.flag.get(), o.rate.get()]).toEqual([
      7n,
      (1n << 256n) - 1n,
      true,
      10n ** 17n,
    ])
    expect([o.owner.get(), o.id.get(), o.status.get()]).toEqual([alice, `0x${'ab'.repeat(32)}`, 'bonded'])
  })

  it('refuse values that do not fit', () => {
    const o = one.open(slots)
    expect(() => o.small.set(1n << 64n)).toThrow(RangeError)
    expect(() => o.large.set(-1n)).toThrow(RangeError)
    expect(() => o.large.set(1n << 256n)).toThrow(RangeError)
    expect(() => o.status.set('jailed' as 'bonded')).toThrow(RangeError)
    expect(words.size).toBe(0)
  })

  it('decode any word, including corrupt storage', () => {
    for (let slot = 0n; slot < 7n; slot++) words.set(slot, (1n << 256n) - 1n)
    const o = one.open(slots)
    expect(o.small.get()).toBe((1n << 64n) - 1n)
    expect(o.flag.get()).toBe(true)
    expect(o.owner.get()).toBe(`0x${'f'.repeat(40)}`)
    expect(o.status.get()).toBe('unspecified')
  })
})

describe('byte strings', () => {
  const SLOT = 5n
  it('of up to 31 bytes are left-aligned in the slot, with twice the length in the last byte', () => {
    text.write(slots, SLOT, 'kestrel')
    expect([...words]).toEqual([[SLOT, BigInt(`0x${Buffer.from('kestrel').toString('hex')}${'00'.repeat(24)}0e`)]])
    text.write(slots, SLOT, 'a'.repeat(31))
    expect([...words]).toEqual([[SLOT, BigInt(`0x${'61'.repeat(31)}3e`)]])
  })

  it('of 32 bytes and more are at keccak256(slot), with twice the length plus one in the slot', () => {
    text.write(slots, SLOT, 'b'.repeat(33))
    expect([...words].sort()).toEqual(
      [
        [SLOT, 67n],
        [arrayData(SLOT), BigInt(`0x${'62'.repeat(32)}`)],
        [arrayData(SLOT) + 1n, BigInt(`0x62${'00'.repeat(31)}`)],
      ].sort(),
    )
    expect(text.read(slots, SLOT)).toBe('b'.repeat(33))
  })

  it('clear their data slots when they shrink or are cleared', () => {
    text.write(slots, SLOT, 'c'.repeat(100))
    text.write(slots, SLOT, 'd'.repeat(40))
    expect(words.size).toBe(3)
    text.write(slots, SLOT, 'd')
    expect(words.size).toBe(1)
    text.write(slots, SLOT, 'e'.repeat(100))
    text.clear(slots, SLOT)
    expect(words.size).toBe(0)
  })

  it('return any text and bytes unchanged', () => {
    text.write(slots, SLOT, '\ufeffmark')
    expect(text.read(slots, SLOT)).toBe('\ufeffmark')
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 100 }), { minLength: 1, maxLength: 4 }), (texts) => {
        for (const written of texts) {
          text.write(slots, SLOT, written)
          expect(text.read(slots, SLOT)).toBe(written)
        }
        text.clear(slots, SLOT)
        expect(words.size).toBe(0)
      }),
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (written) => {
        bytes.write(slots, SLOT, written)
        expect(bytes.read(slots, SLOT)).toEqual(written)
      }),
    )
  })

  it('are refused with a length that is corrupt', () => {
    words.set(SLOT, (1n << 256n) - 1n)
    expect(() => text.read(slots, SLOT)).toThrow('stored string of')
    expect(() => text.write(slots, SLOT, 'x')).toThrow('stored string of')
    words.set(SLOT, 0xfen)
    expect(() => text.read(slots, SLOT)).toThrow('stored string of 127 bytes')
  })
})

describe('slots of a layout', () => {
  it('are those of Solidity for mappings', () => {
    const { plain, nested, named } = layout({
      plain: mapping(address, u256),
      nested: mapping(u256, mapping(u256, struct({ a: u64, b: u64, c: u256 }))),
      named: mapping(text, u256),
    }).open(slots)
    plain.at(alice).set(1n)
    nested.at(4n).at(9n).set({ a: 2n, b: 3n, c: 4n })
    named.at('evm').set(5n)
    const inner = uintElement(9n, uintElement(4n, 1n))
    expect(Object.fromEntries(words)).toEqual(
      Object.fromEntries([
        [addressElement(alice, 0n), 1n],
        [inner, 2n],
        [inner + 1n, 3n],
        [inner + 2n, 4n],
        [stringElement('evm', 2n), 5n],
      ]),
    )
    // Widely published: element 0 of a mapping at slot 0.
    expect(uintElement(0n, 0n)).toBe(0xad3228b676f7d3cd4284a5443f17f1962b36e491b30a40b2405849e597ba5fb5n)
    layout({ m: mapping(u256, u256) })
      .open(slots)
      .m.at(0n)
      .set(6n)
    expect(words.get(0xad3228b676f7d3cd4284a5443f17f1962b36e491b30a40b2405849e597ba5fb5n)).toBe(6n)
  })

  it('are those of Solidity for dynamic arrays', () => {
    const { pairs } = layout({ pairs: list(struct({ who: address, amount: u256 })) }).open(slots)
    pairs.push({ who: alice, amount: 1n })
    pairs.push({ who: bob, amount: 2n })
    // Widely published: keccak256 of slot 0.
    const data = 0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563n
    expect(arrayData(0n)).toBe(data)
    expect(Object.fromEntries(words)).toEqual({
      0: 2n,
      [`${data}`]: BigInt(alice),
      [`${data + 1n}`]: 1n,
      [`${data + 2n}`]: BigInt(bob),
      [`${data + 3n}`]: 2n,
    })
    expect(pairs.pop()).toEqual({ who: bob, amount: 2n })
    pairs.put(0, { who: bob, amount: 9n })
    expect([pairs.length, pairs.at(0), pairs.at(1), pairs.at(-1)]).toEqual([
      1,
      { who: bob, amount: 9n },
      undefined,
      undefined,
    ])
    expect(() => pairs.put(1, { who: bob, amount: 9n })).toThrow(RangeError)
    pairs.clear()
    expect(words.size).toBe(0)
    expect(pairs.pop()).toBeUndefined()
  })

  it('follow the widths of the preceding members, from any base', () => {
    const inner = struct({ a: u64, b: struct({ c: bool, d: text }) })
    const { first, last } = layout({
      first: inner,
      all: enumerable(u64, u64),
      next: queue(u64),
      last: cell(u256),
    }).open(slots, 100n)
    last.set(8n)
    first.set({ a: 1n, b: { c: true, d: 'x' } })
    first.update({ a: 2n })
    expect(first.get()).toEqual({ a: 2n, b: { c: true, d: 'x' } })
    expect(Object.fromEntries(words)).toEqual({
      100: 2n,
      101: 1n,
      102: BigInt(stringToHex('x', { size: 32 })) + 2n,
      109: 8n, // 3 slots of the struct, 3 each of enumerable and queue
    })
  })

  it('hold lists as values, inside structs too', () => {
    const { grants } = layout({ grants: mapping(address, struct({ limit: u256, allow: list(text) })) }).open(slots)
    const grant = grants.at(alice)
    grant.set({ limit: 1n, allow: ['a', 'b'.repeat(50), 'c'] })
    expect(grant.get()).toEqual({ limit: 1n, allow: ['a', 'b'.repeat(50), 'c'] })
    grant.update({ allow: ['d'] })
    expect(grant.get()).toEqual({ limit: 1n, allow: ['d'] })
    expect(words.size).toBe(3)
    grant.clear()
    expect(words.size).toBe(0)
    words.set(addressElement(alice, 0n) + 1n, 1n << 200n)
    expect(() => grant.get()).toThrow('stored list of')
  })

  it('may be elements of a mapping', () => {
    const { books } = layout({ books: mapping(u64, layout({ total: u256, entries: mapping(u64, u256) })) }).open(slots)
    books.at(3n).entries.at(2n).set(1n)
    expect([...words.keys()]).toEqual([uintElement(2n, uintElement(3n, 0n) + 1n)])
  })

  it('can be opened read-only', () => {
    const all = layout({ a: u64, b: enumerable(u64, text), c: queue(u64), d: list(u64) }).open(readOnly)
    expect([all.a.get(), all.b.size, all.c.length, all.d.get()]).toEqual([0n, 0, 0, []])
    expect(() => all.b.set(1n, 'x')).toThrow('read only')
    expect(() => all.c.push(1n)).toThrow('read only')
  })
})

describe('an enumerable map in storage', () => {
  const parts = layout({ it: enumerable(address, struct({ amount: u256, note: text })) })

  it('stores keys, their positions from 1, and values', () => {
    const { it } = parts.open(slots)
    it.set(alice, { amount: 5n, note: '' })
    expect(Object.fromEntries(words)).toEqual(
      Object.fromEntries([
        [0n, 1n],
        [arrayData(0n), BigInt(alice)],
        [addressElement(alice, 1n), 1n],
        [addressElement(alice, 2n), 5n],
      ]),
    )
  })

  const key = fc.integer({ min: 0, max: 7 }).map((n) => hexToAddress(`0x${'0'.repeat(39)}${n}`))
  const record = fc.record({ amount: fc.bigInt(0n, 1000n), note: fc.string({ maxLength: 40 }) })
  const step = fc.oneof(
    fc.tuple(fc.constant('set' as const), key, record),
    fc.tuple(fc.constant('delete' as const), key),
  )

  it('behaves like a map and an array of its keys with swap removal', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        words.clear()
        const { it } = parts.open(slots)
        const map = new Map<string, { amount: bigint; note: string }>()
        const order: string[] = []
        for (const [what, of, to] of steps) {
          if (what === 'set') {
            if (!map.has(of)) order.push(of)
            map.set(of, to)
            it.set(of, to)
          } else {
            expect(it.delete(of)).toBe(map.delete(of))
            const place = order.indexOf(of)
            const last = order.pop()
            if (place < 0 && last !== undefined) order.push(last)
            else if (last !== undefined && last !== of) order[place] = last
          }
          expect([...it.keys()]).toEqual(order)
          expect(it.size).toBe(map.size)
          expect(it.has(of)).toBe(map.has(of))
        }
        expect([...it.entries()]).toEqual(order.map((of) => [of, map.get(of)]))
        expect([...it.keys(2)]).toEqual(order.slice(2))
        for (const of of order) expect(it.get(hexToAddress(of))).toEqual(map.get(of))
        for (const of of order) it.delete(hexToAddress(of))
        expect(words.size).toBe(0)
      }),
    )
  })
})

describe('a queue in storage', () => {
  const parts = layout({ it: queue(struct({ n: u64, note: text })) })

  it('stores head, tail and numbered items', () => {
    const { it } = parts.open(slots)
    it.push({ n: 7n, note: '' })
    it.push({ n: 8n, note: '' })
    expect(it.shift()).toEqual({ n: 7n, note: '' })
    expect(Object.fromEntries(words)).toEqual(
      Object.fromEntries([
        [0n, 1n],
        [1n, 2n],
        [uintElement(1n, 2n), 8n],
      ]),
    )
  })

  const item = fc.record({ n: fc.bigInt(0n, 99n), note: fc.string({ maxLength: 40 }) })
  const step = fc.oneof(
    fc.tuple(fc.constant('push' as const), item),
    fc.tuple(fc.constant('shift' as const)),
    fc.tuple(fc.constant('put' as const), item, fc.nat(4)),
  )

  it('behaves like an array', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        words.clear()
        const { it } = parts.open(slots)
        const array: { n: bigint; note: string }[] = []
        for (const [what, of, at] of steps) {
          if (what === 'push') expect([it.push(of), array.push(of)][0]).toBeUndefined()
          else if (what === 'shift') expect(it.shift()).toEqual(array.shift())
          else if (at < array.length) {
            it.put(at, of)
            array[at] = of
          } else expect(() => it.put(at, of)).toThrow(RangeError)
          expect([...it]).toEqual(array)
          expect(it.length).toBe(array.length)
          expect([it.at(0), it.at(2), it.at(-1)]).toEqual([array[0], array[2], undefined])
        }
        while (it.length > 0) it.shift()
        // Only the two counters remain.
        expect([...words.keys()].every((slot) => slot < 2n)).toBe(true)
      }),
    )
  })
})
