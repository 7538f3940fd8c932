// Hex is decoded strictly: a character that is not a digit is refused at any position, even if its low byte is a digit's code.
import { expect, test } from 'vitest'
import { bigToBytes, bigToFixed, bytesToBig, fromHex, toHex } from '../../src/lib/hex.ts'

test('hex of either case is decoded to the same bytes', () => {
  expect([...fromHex('0x00ff7F80aBcDeF')]).toEqual([0, 255, 127, 128, 171, 205, 239])
  expect(fromHex('0x')).toHaveLength(0)
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
  expect(fromHex(toHex(bytes))).toEqual(bytes)
})

test.each(['', '0', '0x0', 'ff', '1x00', '0xg0', '0x0g', '0x 1', '0x-1', '0x:0', '0x@0', '0x`0', '0x/0'])(
  '%j is refused',
  (text) => {
    expect(() => fromHex(text)).toThrow(TypeError)
  },
)

test.each(['0x\u0130\u0131', '0x0\u0130', '0x\u01300', '0x\u0660\u0661', '0x\u{1d7d8}', '0x\u00ff0'])(
  '%j is refused',
  (text) => {
    expect(() => fromHex(text)).toThrow(TypeError)
  },
)

const SIZES = Array.from({ length: 41 }, (_, size) => size)
test.each(SIZES)('integers of %i bytes are those of their hex digits', (size) => {
  for (const byteAt of [(at: number) => 0xff - at, () => 0xff, (at: number) => (at === 0 ? 1 : 0)]) {
    const bytes = Uint8Array.from({ length: size }, (_, at) => byteAt(at))
    const value = size === 0 ? 0n : BigInt(toHex(bytes))
    expect(bytesToBig(bytes)).toBe(value)
    expect(bigToBytes(value)).toEqual(bytes)
    const fixed = Math.max(size, 32)
    expect(bigToFixed(value, fixed)).toEqual(Uint8Array.from([...new Uint8Array(fixed - size), ...bytes]))
  }
})

test.each([
  [-1n, 8],
  [-1n, 32],
  [256n, 1],
  [2n ** 256n, 32],
])('%d does not fit %i bytes', (value, size) => {
  expect(() => bigToFixed(value, size)).toThrow(RangeError)
})
