// Scalars on the wire, decoded and encoded. Messages and limits are those of geth's hexutil; values come from the Ethereum
// JSON-RPC specification ("Hex value encoding") and EIP-1898.
import { describe, expect, it, test } from 'vitest'
import type { z } from 'zod'
import * as codec from '../../src/rpc/codec.ts'

/** The message with which a schema refuses a value; undefined if it accepts it. */
const refusal = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message

describe('quantity', () => {
  test.each([
    ['0x0', 0n],
    ['0x41', 65n],
    ['0x400', 1024n],
    [`0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
  ])('%s', (wire, value) => {
    expect(codec.quantity.parse(wire)).toBe(value)
    expect(codec.quantity.encode(value)).toBe(wire)
  })

  it('may have leading zeros in requests, but not in responses', () => {
    expect(codec.quantity.parse('0x0400')).toBe(1024n)
    expect(codec.quantity.parse(`0x${'0'.repeat(65)}`)).toBe(0n)
    expect(codec.index.parse('0x00')).toBe(0)
    expect(codec.uint64.parse(`0x${'0'.repeat(48)}ffffffffffffffff`)).toBe(2n ** 64n - 1n)
    expect(codec.quantity.encode(1024n)).toBe('0x400')
  })

  test.each([
    ['0x', 'hex string "0x"'],
    [`0x01${'0'.repeat(64)}`, 'number does not fit 256 bits'],
    ['ff', 'hex string without 0x prefix'],
    ['', 'empty hex string'],
    ['0xzz', 'invalid hex string'],
    [`0x1${'0'.repeat(64)}`, 'number does not fit 256 bits'],
    [`0x1${'0'.repeat(1_000_000)}`, 'number does not fit 256 bits'],
    [5, 'expected a string'],
    [null, 'expected a string'],
    [{ toString: 'x' }, 'expected a string'],
  ])('refuses %j', (wire, message) => {
    expect(refusal(codec.quantity, wire)).toBe(message)
  })

  it('of 64 bits is refused above 64 bits', () => {
    expect(codec.uint64.parse('0xffffffffffffffff')).toBe(2n ** 64n - 1n)
    expect(refusal(codec.uint64, '0x10000000000000000')).toBe('number does not fit 64 bits')
  })
})

describe('numbers for development methods', () => {
  test.each([
    ['0x0a', 10n],
    ['10', 10n],
    [10, 10n],
    [0, 0n],
    ['1000000000000000000000', 10n ** 21n],
  ])('%j', (wire, value) => {
    expect(codec.looseQuantity.parse(wire)).toBe(value)
  })

  test.each(['0x', -1, 1.5, 2 ** 53, Number.NaN, 'ten', '-1', `0x1${'0'.repeat(64)}`, `1${'0'.repeat(78)}`, true])(
    'refuses %j',
    (wire) => {
      expect(codec.looseQuantity.safeParse(wire).success).toBe(false)
    },
  )
})

it('accepts JSON integers for the amounts of a call object, but no bare decimal strings', () => {
  expect(codec.amount.parse(21000)).toBe(21000n)
  expect(codec.amount.parse('0x5208')).toBe(21000n)
  expect(refusal(codec.amount, '21000')).toBe('hex string without 0x prefix')
})

describe('data', () => {
  it('is decoded and encoded as whole bytes', () => {
    expect(codec.data.parse('0x004200')).toEqual(new Uint8Array([0, 0x42, 0]))
    expect(codec.data.parse('0x')).toEqual(new Uint8Array())
    expect(codec.data.encode(new Uint8Array([0xab]))).toBe('0xab')
    expect(refusal(codec.data, '0xf0f0f')).toBe('hex string of odd length')
    expect(refusal(codec.data, '004200')).toBe('hex string without 0x prefix')
  })

  it('of a fixed size must have this size', () => {
    const mixed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    expect(codec.address.parse(mixed)).toBe(mixed.toLowerCase())
    expect(refusal(codec.address, '0x5aAeb6')).toBe('hex string has length 6, want 40 for an address')
    expect(refusal(codec.hash, `0x${'0'.repeat(63)}`)).toBe('hex string has length 63, want 64 for a hash')
  })
})

describe('storage keys, as geth decodes them', () => {
  test.each([
    ['0x0', { slot: 0n, full: false }, '0x0'],
    ['0x00', { slot: 0n, full: false }, '0x0'],
    ['0xabc', { slot: 0xabcn, full: false }, '0xabc'],
    [`0x${'0'.repeat(63)}1`, { slot: 1n, full: true }, `0x${'0'.repeat(63)}1`],
  ])('%s', (wire, key, echoed) => {
    expect(codec.storageKey.parse(wire)).toEqual(key)
    expect(codec.storageKey.encode(key)).toBe(echoed)
  })

  it('are at most 32 bytes of hex', () => {
    expect(refusal(codec.storageKey, '0xasdf')).toBe('invalid hex in storage key: "0xasdf"')
    const long = `0x${'0'.repeat(65)}`
    expect(refusal(codec.storageKey, long)).toBe(`storage key too long (want at most 32 bytes): "${long}"`)
  })
})

describe('block references', () => {
  const hash = `0x${'ab'.repeat(32)}`

  test.each([
    ['latest', 'latest'],
    ['finalized', 'finalized'],
    ['0x10', { number: 16n }],
    ['0x0137', { number: 311n }],
    [311, { number: 311n }],
    [hash.toUpperCase().replace('0X', '0x'), { hash }],
    [{ blockHash: hash, requireCanonical: true }, { hash }],
    [{ blockNumber: '0x0' }, { number: 0n }],
    [{ blockNumber: 'safe' }, 'safe'],
    [{ blockNumber: '0x0a' }, { number: 10n }],
    [{ blockNumber: 10 }, { number: 10n }],
  ])('%j', (wire, ref) => {
    expect(codec.blockRef.parse(wire)).toEqual(ref)
  })

  test.each([
    ['2', 'hex string without 0x prefix'],
    ['Latest', 'hex string without 0x prefix'],
    ['0x8000000000000000', 'block number larger than int64'],
    [{}, 'block object names neither blockHash nor blockNumber'],
    [{ blockHash: hash, blockNumber: '0x1' }, 'cannot specify both BlockHash and BlockNumber, choose one or the other'],
    [true, 'expected a block number, tag, hash or object'],
    [-1, 'negative number'],
    [1.5, 'not an integer, or too large for a JSON number'],
  ])('refuses %j', (wire, message) => {
    expect(refusal(codec.blockRef, wire)).toBe(message)
  })

  it('default to the head', () => {
    expect(codec.atBlock.parse(undefined)).toBe('latest')
  })

  it('survive encoding', () => {
    expect(codec.blockRef.encode({ number: 16n })).toBe('0x10')
    expect(codec.blockRef.encode('earliest')).toBe('earliest')
  })
})

describe('objects with arbitrary keys', () => {
  const balances = codec.mapOf(codec.address, codec.quantity)
  const who = `0x${'11'.repeat(20)}`

  it('are decoded to maps and encoded', () => {
    const map = balances.parse({ [who]: '0x1' })
    expect([...map]).toEqual([[who, 1n]])
    expect(balances.encode(map)).toEqual({ [who]: '0x1' })
  })

  it('report the invalid entry', () => {
    expect(balances.safeParse({ [who]: '1' }).error?.issues[0]).toMatchObject({
      path: [who],
      message: 'hex string without 0x prefix',
    })
    expect(refusal(balances, { toString: '0x1' })).toBe('hex string without 0x prefix')
    expect(balances.parse(JSON.parse('{"__proto__":{"x":"0x1"}}')).size).toBe(0)
    expect(refusal(balances, [])).toBe('expected an object')
  })
})
