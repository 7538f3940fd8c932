// Reference: @ethereumjs/rlp.
import { type NestedUint8Array, RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromHex } from '../../src/lib/hex.ts'
import { decodeRlp, joinList, splitItems, splitList } from '../../src/primitives/rlp.ts'

const string = fc.oneof(
  { weight: 5, arbitrary: fc.uint8Array({ maxLength: 70 }) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 250, maxLength: 260 }) },
)
const { list } = fc.letrec<{ item: Uint8Array | NestedUint8Array; list: NestedUint8Array }>((tie) => ({
  item: fc.oneof({ maxDepth: 5 }, string, tie('list')),
  list: fc.array(tie('item'), { maxLength: 6 }),
}))

test('reads what the library writes', () => {
  fc.assert(
    fc.property(list, (value) => {
      expect(decodeRlp(RLP.encode(value))).toEqual(value)
    }),
    { numRuns: 300 },
  )
})

test('a list is cut into encodings and joined again', () => {
  fc.assert(
    fc.property(list, (value) => {
      const encoded = RLP.encode(value)
      const items = splitList(encoded)
      expect(items).toEqual(value.map((item) => RLP.encode(item)))
      expect(joinList(items)).toEqual(encoded)
      expect([...splitItems(encoded)]).toEqual([encoded])
    }),
    { numRuns: 300 },
  )
})

test.each([55, 56, 255, 256, 65_535, 65_536, 300_000])('a list of %i bytes gets the prefix of the library', (size) => {
  const items = Array.from({ length: size }, () => Uint8Array.of(1))
  expect(joinList(items)).toEqual(RLP.encode(items))
})

test('random bytes: both read the same, or both refuse', () => {
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

describe('refused', () => {
  test.each([
    ['nothing', '0x'],
    ['a short byte with a prefix', '0x817f'],
    ['a long form for 55 bytes', `0xb837${'00'.repeat(55)}`],
    ['a length with a leading zero', `0xb90038${'00'.repeat(56)}`],
    ['an item that ends after its list', '0xc28201'],
    ['two items', '0x0102'],
  ])('%s', (_, hex) => {
    expect(() => decodeRlp(fromHex(hex))).toThrow('rlp: ')
  })
})
