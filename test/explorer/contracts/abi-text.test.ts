// Parsing of arguments typed into the pages' forms. Bounds are those of the ABI specification's types.
import { describe, expect, it } from 'vitest'
import { exampleOf, InputError, typeText, valueOfText, weiOfText } from '../../../web/contract/abi-text.ts'

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const value = (type: string, text: string) => valueOfText({ type }, text)
const order = {
  type: 'tuple[]',
  name: 'orders',
  components: [
    { type: 'address', name: 'buyer' },
    { type: 'uint256[]', name: 'items' },
  ],
}

describe('a typed argument', () => {
  it('can be an exact integer in any notation', () => {
    expect(value('uint256', '115792089237316195423570985008687907853269984665640564039457584007913129639935')).toBe(
      2n ** 256n - 1n,
    )
    expect(value('uint256', ' 1,000_000 ')).toBe(1_000_000n)
    expect(value('uint8', '0xff')).toBe(255n)
    expect(value('uint256', '1.5e18')).toBe(1_500_000_000_000_000_000n)
    expect(value('int8', '-128')).toBe(-128n)
  })

  it.each([
    ['uint8', '256', 'The largest uint8 is 255.'],
    ['uint256', '-1', 'It must not be negative.'],
    ['int8', '128', 'The largest int8 is 127.'],
    ['int8', '-129', 'The least int8 is -128.'],
    ['uint256', '1.5', 'A whole number is expected, without a fraction.'],
    ['uint256', 'ten', 'A whole number is expected.'],
    ['uint256', '', 'A value is needed.'],
    ['bool', 'maybe', 'true or false is expected.'],
    ['address', '0x12', 'An address has 0x and 40 hexadecimal digits.'],
    // EIP-55: the checksum of this address begins 0x7099…
    ['address', ADDRESS.replace('C51812', 'c51812'), /^The capital letters do not fit/],
    ['bytes4', '0x123456', '4 bytes are expected, and there are 3.'],
    ['bytes', '0x123', /^Bytes are 0x/],
    ['uint256[]', '1, 2', /^This is not JSON/],
    ['uint256[]', '1', /^A list is expected/],
    ['uint256[2]', '[1]', '2 values are expected, and there are 1.'],
    ['uint256[][]', '[[1], [x]]', '[1]: [0]: A whole number is expected.'],
  ])('of type %s is refused as %j', (type, text, message) => {
    expect(() => value(type, text)).toThrow(InputError)
    expect(() => value(type, text)).toThrow(message)
  })

  it('can be a text, which is unchanged, or bytes', () => {
    expect(value('string', ' two words ')).toBe(' two words ')
    expect(value('bytes', '0x')).toBe('0x')
    expect(value('bytes4', '0x12345678')).toBe('0x12345678')
    expect(value('address', ADDRESS.toLowerCase())).toBe(ADDRESS.toLowerCase())
    expect([value('bool', 'True'), value('bool', '0')]).toEqual([true, false])
  })

  it('can be a list or a struct in JSON, in which numbers and addresses need no quotes', () => {
    expect(value('uint256[]', '[9007199254740993, "2", 0x3]')).toEqual([9007199254740993n, 2n, 3n])
    expect(value('string[]', '["a, b", "[c]"]')).toEqual(['a, b', '[c]'])
    expect(value('bool[2]', '[true, false]')).toEqual([true, false])
    const wanted = [[ADDRESS, [1n, 2n]]]
    expect(valueOfText(order, `[{"items": [1, 2], "buyer": ${ADDRESS}}]`)).toEqual(wanted)
    expect(valueOfText(order, `[[${ADDRESS}, [1, 2]]]`)).toEqual(wanted)
    expect(() => valueOfText(order, `[{"items": [1]}]`)).toThrow('[0]: The field buyer is missing.')
  })

  it('can be an amount of coins with 18 decimals', () => {
    expect(weiOfText('')).toBe(0n)
    expect(weiOfText('1.000000000000000001')).toBe(1_000_000_000_000_000_001n)
    expect(weiOfText('.5')).toBe(500_000_000_000_000_000n)
    expect(() => weiOfText('1e3')).toThrow(InputError)
    expect(() => weiOfText('0.0000000000000000001')).toThrow('A coin has 18 decimals.')
  })
})

it('the hint of an argument has its full type and an example', () => {
  expect(typeText(order)).toBe('(address buyer, uint256[] items)[]')
  expect(exampleOf(order)).toBe('[{"buyer": "0x…", "items": [1, …]}, …]')
  expect(exampleOf({ type: 'uint8[3]' })).toBe('[1, 1, 1]')
})
