// The ABI decoder against viem's encoder, and the levels of strictness.
import { parseAbiParameters } from 'abitype'
import fc from 'fast-check'
import { type AbiParameter, encodeAbiParameters, hexToBytes } from 'viem'
import { describe, expect, it } from 'vitest'
import { decodeValues, encodeValues } from '../../src/precompiles/abi.ts'
import { decodeAbi, type Shape, type Strictness } from '../../src/primitives/abi-decoder.ts'

const wordOf = (value: bigint) => BigInt.asUintN(256, value).toString(16).padStart(64, '0')
/** Calldata after the selector, word by word; hex strings are inserted unchanged. */
const words = (...of: (bigint | string)[]) =>
  hexToBytes(`0x${of.map((word) => (typeof word === 'bigint' ? wordOf(word) : word)).join('')}`)
const parameters = (text: string): readonly AbiParameter[] => parseAbiParameters(text) as readonly AbiParameter[]
const hexOf = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`

/** An ABI type with up to a few levels of nesting, and a value of it. */
type Typed = { parameter: AbiParameter; value: unknown }
const uint = fc
  .constantFrom(8, 64, 256)
  .chain((bits) =>
    fc.bigInt(0n, 2n ** BigInt(bits) - 1n).map((value): Typed => ({ parameter: { type: `uint${bits}` }, value })),
  )
const int = fc
  .constantFrom(8, 64, 256)
  .chain((bits) =>
    fc
      .bigInt(-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n)
      .map((value): Typed => ({ parameter: { type: `int${bits}` }, value })),
  )
const hexBytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(hexOf)
const leaf: fc.Arbitrary<Typed> = fc.oneof(
  uint,
  int,
  fc.boolean().map((value) => ({ parameter: { type: 'bool' }, value })),
  hexBytes(20).map((value) => ({ parameter: { type: 'address' }, value })),
  hexBytes(4).map((value) => ({ parameter: { type: 'bytes4' }, value })),
  fc.string({ unit: 'grapheme', maxLength: 70 }).map((value) => ({ parameter: { type: 'string' }, value })),
  fc.uint8Array({ maxLength: 70 }).map((value) => ({ parameter: { type: 'bytes' }, value: hexOf(value) })),
)
const { typed } = fc.letrec<{ typed: Typed }>((tie) => ({
  typed: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.tuple(tie('typed'), fc.nat(3)).map(([of, length]) => ({
      parameter: { ...of.parameter, type: `${of.parameter.type}[]` },
      value: Array.from({ length }, () => of.value),
    })),
    fc.array(tie('typed'), { minLength: 1, maxLength: 3 }).map((of) => ({
      parameter: { type: 'tuple', components: of.map(({ parameter }, i) => ({ ...parameter, name: `f${i}` })) },
      value: Object.fromEntries(of.map(({ value }, i) => [`f${i}`, value])),
    })),
  ),
}))

describe('strict ABI decoding', () => {
  it('decodes what viem encodes, with or without extra bytes', () => {
    fc.assert(
      fc.property(fc.array(typed, { maxLength: 4 }), fc.uint8Array({ maxLength: 40 }), (of, behind) => {
        const list = of.map(({ parameter }) => parameter)
        const values = of.map(({ value }) => value)
        const data = hexToBytes(encodeAbiParameters(list, values as never))
        expect(decodeValues(list, data)).toEqual(values)
        expect(decodeValues(list, Uint8Array.of(...data, ...behind))).toEqual(values)
        expect(encodeValues(list, values)).toEqual(data)
      }),
    )
  })

  it('returns bigint for small integers and lower case for addresses', () => {
    const alice = 'f39fd6e51aad88f6f4ce6ab8827279cfffb92266'
    expect(decodeValues(parameters('uint8, address, int8'), words(7n, BigInt(`0x${alice}`), -1n))).toEqual([
      7n,
      `0x${alice}`,
      -1n,
    ])
  })

  it('of damaged data refuses it or returns values, and throws no other error', () => {
    const list = parameters('address, string[], (uint64 a, bytes b)[], bool')
    const good = encodeValues(list, [`0x${'11'.repeat(20)}`, ['a', 'b'.repeat(40)], [{ a: 1n, b: '0x01' }], true])
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length), (at, byte, length) => {
        const data = good.slice(0, length)
        if (at < length) data[at] = byte
        try {
          const values = decodeValues(list, data)
          // Not checked: string padding, and offsets that are still valid. What was decoded can be encoded.
          expect(decodeValues(list, encodeValues(list, values))).toEqual(values)
        } catch (error) {
          expect(String(error)).toMatch(/^ChainError: invalid calldata: /)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    ['an address with dirty high bits', 'address', words(1n << 160n)],
    ['a bool other than 0 and 1', 'bool', words(2n)],
    ['a uint64 too large', 'uint64', words(1n << 64n)],
    ['an int64 too large', 'int64', words(1n << 63n)],
    ['an int64 too small', 'int64', words(-(1n << 63n) - 1n)],
    ['bytes4 with non-zero padding', 'bytes4', words(`0102030405${'00'.repeat(27)}`)],
    ['empty data', 'uint256', new Uint8Array(0)],
    ['half a word', 'uint256', new Uint8Array(31)],
    ['an offset beyond the data', 'string', words(64n)],
    ['an offset beyond any number', 'string', words((1n << 256n) - 1n)],
    ['a string longer than the data', 'string', words(32n, 33n, 'ff'.repeat(32))],
    ['a string that is not UTF-8', 'string', words(32n, 1n, 'ff'.padEnd(64, '0'))],
    ['an array longer than the data', 'uint256[]', words(32n, 2n, 1n)],
    ['an array longer than any data', 'uint256[]', words(32n, 1n << 255n)],
    ['an array of tuples longer than the data', '(uint256 a, uint256 b)[]', words(32n, 1n, 1n)],
  ])('refuses %s', (_, type, data) => {
    expect(() => decodeValues(parameters(type), data)).toThrow('invalid calldata: ')
  })

  it('refuses to read the same bytes many times', () => {
    // 200 elements that point to one string of 6,400 bytes.
    const offsets = Array.from({ length: 200 }, () => 200n * 32n)
    const bomb = words(32n, 200n, ...offsets, 6_400n, '61'.repeat(6_400))
    expect(() => decodeValues(parameters('string[]'), bomb)).toThrow('invalid calldata: overlapping data')
  })
})

const raw: Shape<unknown> = {
  scalar: (_type, value) => value,
  array: (values) => values,
  tuple: (_components, values) => values,
}

describe('exact and lenient ABI decoding', () => {
  const decode = (type: string, data: Uint8Array, strictness: Strictness) =>
    decodeAbi<unknown>(parameters(type), data, strictness, raw)

  it('differ in bits beyond the type, bytes after the data, and UTF-8', () => {
    const dirty = words((1n << 160n) + 7n)
    expect(decode('address', dirty, 'lenient')).toEqual([`0x${'7'.padStart(40, '0')}`])
    expect(() => decode('address', dirty, 'exact')).toThrow('dirty address')
    expect(decode('uint8', words(7n, 8n), 'lenient')).toEqual([7n])
    expect(() => decode('uint8', words(7n, 8n), 'exact')).toThrow('not the standard encoding')
    const text = words(32n, 1n, 'ff'.padEnd(64, '0'))
    for (const strictness of ['exact', 'lenient'] as const)
      expect(decode('string', text, strictness)).toEqual(['\ufffd'])
  })

  it('exact data have the standard order and zero padding', () => {
    const padded = words(32n, 1n, '6100'.padEnd(64, '0'))
    expect(decode('string', padded, 'exact')).toEqual(['a'])
    const dirty = words(32n, 1n, '6101'.padEnd(64, '0'))
    expect(decode('string', dirty, 'lenient')).toEqual(['a'])
    expect(() => decode('string', dirty, 'exact')).toThrow('not the standard encoding')
    const swapped = words(96n, 64n, 0n, 0n)
    expect(decode('bytes, bytes', swapped, 'lenient')).toEqual(['0x', '0x'])
    expect(() => decode('bytes, bytes', swapped, 'exact')).toThrow('not the standard encoding')
  })

  it('lenient data may share bytes, up to a bound', () => {
    // An array of byte strings whose offsets are all the same.
    const shared = (count: number, size: number) => {
      const offsets = Array.from({ length: count }, () => BigInt(count * 32))
      return words(32n, BigInt(count), ...offsets, BigInt(size), '07'.repeat(size))
    }
    const seven = `0x${'07'.repeat(32)}`
    expect(decode('bytes[]', shared(2, 32), 'lenient')).toEqual([[seven, seven]])
    expect(() => decode('bytes[]', shared(2, 32), 'exact')).toThrow('not the standard encoding')
    // 4,096 times 100 kB would be 400 MB.
    expect(() => decode('bytes[]', shared(4096, 100_000), 'lenient')).toThrow('overlapping data')
  })

  it('decoding of arrays that contain themselves ends, however deep the type is nested', () => {
    // The only element of each level is at offset 0: the array itself.
    const loop = words(32n, ...Array.from({ length: 40 }, (): bigint => 1n), 0n)
    for (const strictness of ['strict', 'exact', 'lenient'] as const)
      expect(() => decode(`uint256${'[]'.repeat(60)}`, loop, strictness)).toThrow('invalid calldata: ')
    // 20 levels of 64 elements that all point to the next level: 64^20 values without the bound.
    const level = [64n, ...Array.from({ length: 64 }, () => 64n * 32n)]
    const bomb = words(32n, ...Array.from({ length: 20 }, () => level).flat(), 0n)
    expect(() => decode(`uint256${'[]'.repeat(20)}`, bomb, 'lenient')).toThrow('overlapping data')
  })

  it('fixed arrays and functions are decoded; the length of a fixed array is bounded by the data', () => {
    expect(decode('uint8[2], bool', words(1n, 2n, 1n), 'exact')).toEqual([[1n, 2n], true])
    expect(() => decode('uint8[4000000000]', words(1n), 'lenient')).toThrow('array beyond the data')
    const code = `${'ab'.repeat(24)}${'00'.repeat(8)}`
    expect(decodeAbi<unknown>([{ type: 'function' }], words(code), 'exact', raw)).toEqual([`0x${'ab'.repeat(24)}`])
  })
})
