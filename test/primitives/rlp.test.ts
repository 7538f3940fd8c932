// Reference: @ethereumjs/rlp.
import { type NestedUint8Array, RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromHex, type Hex, toHex } from '../../src/lib/hex.ts'
import { decodeRlp, encodeRlp, joinList, splitItems, splitList } from '../../src/primitives/rlp.ts'

const string = fc.oneof(
  { weight: 5, arbitrary: fc.uint8Array({ maxLength: 70 }) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 250, maxLength: 260 }) },
)
const { list } = fc.letrec<{ item: Uint8Array | NestedUint8Array; list: NestedUint8Array }>((tie) => ({
  item: fc.oneof({ maxDepth: 5 }, string, tie('list')),
  list: fc.array(tie('item'), { maxLength: 6 }),
}))

test('RLP is encoded as by the library, and decoded', () => {
  fc.assert(
    fc.property(list, (value) => {
      expect(encodeRlp(value)).toEqual(RLP.encode(value))
      expect(decodeRlp(RLP.encode(value))).toEqual(value)
    }),
    { numRuns: 150 },
  )
})

test('a list is split into encodings and joined again', () => {
  fc.assert(
    fc.property(list, (value) => {
      const encoded = RLP.encode(value)
      const items = splitList(encoded)
      expect(items).toEqual(value.map((item) => RLP.encode(item)))
      expect(joinList(items)).toEqual(encoded)
      expect([...splitItems(encoded)]).toEqual([encoded])
    }),
    { numRuns: 150 },
  )
})

test.each([
  [0, '80', 'c0'],
  [55, 'b7', 'f7'],
  [56, 'b838', 'f838'],
  [255, 'b8ff', 'f8ff'],
  [256, 'b90100', 'f90100'],
  [65_536, 'ba010000', 'fa010000'],
  // More items than a function can take as arguments.
  [300_000, 'ba0493e0', 'fa0493e0'],
])('%i bytes: prefix %s as a string, %s as a list', (size, string, list) => {
  const payload = 'cc'.repeat(size)
  const items = '01'.repeat(size)
  expect(toHex(encodeRlp(fromHex(`0x${payload}`)))).toBe(`0x${string}${payload}`)
  expect(toHex(encodeRlp([...fromHex(`0x${items}`)].map((byte) => Uint8Array.of(byte))))).toBe(`0x${list}${items}`)
  expect(decodeRlp(fromHex(`0x${list}${items}`))).toHaveLength(size)
})

test('random bytes are decoded as by the library, or refused by both', () => {
  const read = (decode: (bytes: Uint8Array) => unknown, bytes: Uint8Array) => {
    try {
      return decode(bytes)
    } catch {
      return 'refused'
    }
  }
  const start = fc.constantFrom(0, 0x7f, 0x80, 0x81, 0x82, 0xb7, 0xb8, 0xb9, 0xc0, 0xc1, 0xc4, 0xc8, 0xf7, 0xf8, 0xf9)
  const bytes = fc.array(fc.oneof(start, fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(
      bytes.map((list) => Uint8Array.from(list)),
      (input) => {
        expect(read(decodeRlp, input)).toEqual(read((bytes) => RLP.decode(bytes), input))
      },
    ),
    { numRuns: 5000 },
  )
})

describe('malformed RLP', () => {
  test.each([
    ['nothing', '0x'],
    ['a short byte with a prefix', '0x817f'],
    ['a long form for 55 bytes', `0xb837${'00'.repeat(55)}`],
    ['a length with a leading zero', `0xb90038${'00'.repeat(56)}`],
    ['an item longer than its list', '0xc28201'],
    ['two items', '0x0102'],
  ])('%s', (_, hex) => {
    expect(() => decodeRlp(fromHex(hex))).toThrow('rlp: ')
  })
})

test('hex is encoded as its bytes, and invalid hex is refused', () => {
  const names: Hex[] = ['0x', '0x7f', '0x80', `0x${'ab'.repeat(32)}`]
  expect(toHex(encodeRlp([...names, [names]]))).toBe(toHex(RLP.encode([...names, [names]])))
  for (const wrong of ['0x1', '0xzz', '0x0'] as const) expect(() => encodeRlp([wrong])).toThrow(TypeError)
})
