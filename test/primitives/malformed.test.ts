// Malformed encodings are refused. Each is a valid list with one fault, encoded with @ethereumjs/rlp.
import { type NestedUint8Array, RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ChainError } from '../../src/lib/errors.ts'
import { bigToBytes, fromHex, toHex } from '../../src/lib/hex.ts'
import { decodeNetworkTransaction } from '../../src/primitives/blobs.ts'
import { SECP256K1_N } from '../../src/primitives/signature.ts'
import {
  decodeSigned,
  decodeTransaction,
  encodeTransaction,
  signTransaction,
} from '../../src/primitives/transaction.ts'
import { fields, privateKey, TYPES } from './arbitraries.ts'

type Item = Uint8Array | NestedUint8Array

const int = (value: bigint | number): Uint8Array => bigToBytes(BigInt(value))
const filled = (size: number) => new Uint8Array(size).fill(0x11)
const LEADING_ZERO = Uint8Array.of(0, 1)
const ZERO_BYTE = Uint8Array.of(0)
const LIST: Item = []

/** A valid list of each type, by field name in wire order. */
const call = { gasLimit: int(21000), to: filled(20), value: int(1), data: filled(3) }
const signature = { v: int(1), r: int(1), s: int(1) }
const accessList: Item = [[filled(20), [filled(32)]]]
const fees = { maxPriorityFeePerGas: int(2), maxFeePerGas: int(3) }
const head = { chainId: int(125), nonce: int(7) }
const authorization = [int(125), filled(20), int(0), int(1), int(1), int(1)]
const VALID: Record<number, Record<string, Item>> = {
  0: { nonce: int(7), gasPrice: int(3), ...call, ...signature, v: int(27) },
  1: { ...head, gasPrice: int(3), ...call, accessList, ...signature },
  2: { ...head, ...fees, ...call, accessList, ...signature },
  3: {
    ...head,
    ...fees,
    ...call,
    accessList,
    maxFeePerBlobGas: int(1),
    blobVersionedHashes: [filled(32)],
    ...signature,
  },
  4: { ...head, ...fees, ...call, accessList, authorizationList: [authorization], ...signature },
}

function encode(type: number, changes: Record<string, Item> = {}): Uint8Array {
  const payload = RLP.encode(Object.values({ ...VALID[type], ...changes }))
  return type === 0 ? payload : Uint8Array.of(type, ...payload)
}

const rejects = (raw: Uint8Array, words: string | RegExp) => {
  for (const decode of [decodeTransaction, decodeSigned, decodeNetworkTransaction]) {
    expect(() => decode(raw)).toThrow(expect.objectContaining({ name: 'ChainError', code: 'transaction-rejected' }))
    expect(() => decode(raw)).toThrow(words)
  }
}

test.each(TYPES)('the list of type %i that the cases below modify is valid', (type) => {
  expect(toHex(encodeTransaction(decodeTransaction(encode(type))))).toBe(toHex(encode(type)))
})

describe.each(TYPES)('type %i', (type) => {
  const has = (name: string) => name in (VALID[type] ?? {})
  const integers = ['chainId', 'nonce', 'gasPrice', 'maxPriorityFeePerGas', 'maxFeePerGas', 'gasLimit', 'value']
  integers.push('maxFeePerBlobGas', 'v', 'r', 's')

  test.each(integers.filter(has))('%s: leading zeros, a zero byte, too large, a list', (name) => {
    rejects(encode(type, { [name]: LEADING_ZERO }), 'leading zero')
    rejects(encode(type, { [name]: ZERO_BYTE }), 'leading zero')
    rejects(encode(type, { [name]: int(2n ** 256n) }), 'does not fit')
    // A list in place of the chain id makes a blob transaction look like its network form.
    rejects(encode(type, { [name]: LIST }), type === 3 && name === 'chainId' ? /./ : 'expected a string')
  })

  test('nonce and gas limit have 64 bits, and the last nonce is invalid (EIP-2681)', () => {
    rejects(encode(type, { nonce: int(2n ** 64n) }), 'does not fit 64 bits')
    rejects(encode(type, { nonce: int(2n ** 64n - 1n) }), 'nonce has max value')
    rejects(encode(type, { gasLimit: int(2n ** 64n) }), 'does not fit 64 bits')
    expect(decodeTransaction(encode(type, { nonce: int(2n ** 64n - 2n) })).nonce).toBe(2n ** 64n - 2n)
    expect(decodeTransaction(encode(type, { gasLimit: int(2n ** 64n - 1n) })).gasLimit).toBe(2n ** 64n - 1n)
  })

  test('gas limit times fee fits 256 bits', () => {
    const fee = type < 2 ? 'gasPrice' : 'maxFeePerGas'
    rejects(encode(type, { gasLimit: int(2), [fee]: int(2n ** 255n) }), 'does not fit 256 bits')
    expect(decodeTransaction(encode(type, { gasLimit: int(1), [fee]: int(2n ** 255n) })).maxFeePerGas).toBe(2n ** 255n)
  })

  test.each([1, 19, 21, 32])('to has %i bytes', (size) => {
    rejects(encode(type, { to: filled(size) }), 'to must have 0 or 20 bytes')
  })

  test('a transaction whose data or to is a list is refused', () => {
    rejects(encode(type, { data: LIST }), 'expected a string')
    rejects(encode(type, { to: LIST }), 'expected a string')
  })

  test('r and s must be in 1..n-1', () => {
    for (const name of ['r', 's']) {
      for (const value of [0n, SECP256K1_N, 2n ** 256n - 1n]) {
        rejects(encode(type, { [name]: int(value) }), 'invalid transaction v, r, s values')
      }
    }
    expect(decodeTransaction(encode(type, { s: int(SECP256K1_N - 1n) })).s).toBe(SECP256K1_N - 1n)
  })

  test.each(type === 0 ? [0, 1, 26, 29, 34] : [2, 27, 28, 285])('v is %i', (v) => {
    rejects(encode(type, { v: int(v) }), 'invalid transaction v, r, s values')
  })

  test('a transaction with one element more or less is refused', () => {
    const items = Object.values(VALID[type] ?? {})
    const wrap = (list: Item) => (type === 0 ? RLP.encode(list) : Uint8Array.of(type, ...RLP.encode(list)))
    rejects(wrap(items.slice(0, -1)), 'wrong number of elements')
    rejects(wrap([...items, int(1)]), 'wrong number of elements')
  })

  test('a truncated transaction, or one with an extra byte, is refused', () => {
    const raw = encode(type)
    for (let length = 0; length < raw.length; length++) rejects(raw.subarray(0, length), /./)
    rejects(Uint8Array.of(...raw, 0), 'more than one value')
  })
})

test.each([2, 3, 4])('type %i: tip above the fee cap', (type) => {
  rejects(encode(type, { maxPriorityFeePerGas: int(4) }), 'max priority fee per gas higher than max fee per gas')
})

test.each([3, 4])('type %i creates no contract', (type) => {
  rejects(encode(type, { to: filled(0) }), 'of type create')
})

describe.each([1, 2, 3, 4])('access list, type %i', (type) => {
  test.each<[string, Item]>([
    ['not a list', int(1)],
    ['an entry that is not a list', [int(1)]],
    ['an entry of one element', [[filled(20)]]],
    ['an entry of three elements', [[filled(20), [], []]]],
    ['an address of 19 bytes', [[filled(19), []]]],
    ['an empty address', [[filled(0), []]]],
    ['keys that are not a list', [[filled(20), filled(32)]]],
    ['a key of 31 bytes', [[filled(20), [filled(31)]]]],
    ['a key that is a list', [[filled(20), [[]]]]],
  ])('%s', (_, list) => {
    rejects(encode(type, { accessList: list }), /./)
  })
})

describe('malformed blob hashes', () => {
  test.each<[string, Item, string]>([
    ['none', [], 'blob transaction missing blob hashes'],
    ['31 bytes', [filled(31)], 'must have 32 bytes'],
    ['a list', [[]], 'expected a string'],
    ['not a list', int(1), 'expected a list'],
  ])('%s', (_, blobVersionedHashes, words) => {
    rejects(encode(3, { blobVersionedHashes }), words)
  })
})

describe('malformed authorization lists', () => {
  const change = (at: number, item: Item) => authorization.map((old, index) => (index === at ? item : old))

  test.each<[string, Item, string]>([
    ['none', [], 'set code transaction with empty auth list'],
    ['not a list', int(1), 'expected a list'],
    ['not a tuple', [int(1)], 'expected a list'],
    ['five elements', [authorization.slice(0, 5)], 'wrong number of elements'],
    ['seven elements', [[...authorization, int(1)]], 'wrong number of elements'],
    ['chain id of 257 bits', [change(0, int(2n ** 256n))], 'does not fit'],
    ['address of 19 bytes', [change(1, filled(19))], 'must have 20 bytes'],
    ['no address', [change(1, filled(0))], 'must have 20 bytes'],
    ['nonce of 65 bits', [change(2, int(2n ** 64n))], 'does not fit'],
    ['parity of 9 bits', [change(3, int(256))], 'does not fit'],
    ['parity with a leading zero', [change(3, LEADING_ZERO)], 'does not fit'],
    ['r of 257 bits', [change(4, int(2n ** 256n))], 'does not fit'],
    ['s with a leading zero', [change(5, LEADING_ZERO)], 'leading zero'],
  ])('%s', (_, authorizationList, words) => {
    rejects(encode(4, { authorizationList }), words)
  })

  test.each([
    ['chain id', 0, 2n ** 256n - 1n],
    ['nonce', 2, 2n ** 64n - 1n],
    ['parity', 3, 255n],
    ['r', 4, 2n ** 256n - 1n],
    ['s', 5, 0n],
  ] as const)('the largest %s is decoded, though it can never be valid', (_, at, value) => {
    const raw = encode(4, { authorizationList: [change(at, int(value))] })
    const [tuple] = decodeTransaction(raw).authorizationList
    expect(Object.values(tuple ?? {})[at]).toBe(value)
  })
})

describe('the envelope of a transaction', () => {
  test.each([
    ['0x', 'typed transaction too short'],
    ['0x01', 'typed transaction too short'],
    ['0x03', 'typed transaction too short'],
    ['0x7f', 'typed transaction too short'],
    ['0x00c0', 'transaction type not supported'],
    ['0x05c0', 'transaction type not supported'],
    ['0x7fc0', 'transaction type not supported'],
    ['0x80', 'expected a list'],
    ['0x83aabbcc', 'expected a list'],
    ['0xc0', 'wrong number of elements'],
    ['0x02c0', 'wrong number of elements'],
    ['0x0280', 'expected a list'],
    // Sizes that are not in the shortest form, or exceed the data.
    ['0x02f800', 'non-canonical size'],
    ['0x02f90001', 'non-canonical size'],
    ['0x02f837', 'non-canonical size'],
    ['0x028101', 'non-canonical size'],
    ['0xffffffffffffffffff', 'exceeds available input'],
    ['0xbfffffffffffffffff', 'exceeds available input'],
    ['0xc3', 'exceeds available input'],
  ])('%s', (raw, words) => {
    const decoders = raw.startsWith('0x03') ? [decodeTransaction, decodeNetworkTransaction] : [decodeTransaction]
    for (const decode of decoders) expect(() => decode(fromHex(raw))).toThrow(words)
    expect(() => decodeTransaction(fromHex(raw))).toThrow(expect.objectContaining({ code: 'transaction-rejected' }))
  })

  test('deep nesting is refused without using memory', () => {
    // 1 MB of list headers, each containing the rest.
    const size = 1 << 20
    const raw = new Uint8Array(size)
    for (let at = 0; at + 4 <= size; at += 4) {
      const length = size - at - 4
      raw.set([0xfa, length >> 16, (length >> 8) & 255, length & 255], at)
    }
    rejects(raw, /nested too deep|wrong number/)
    rejects(Uint8Array.from([2, ...raw]), /nested too deep|wrong number/)
  })
})

/** What `run` throws; undefined if nothing. */
function thrown(run: () => unknown): unknown {
  try {
    run()
    return undefined
  } catch (error) {
    return error
  }
}

const decodesOrRejects = (raw: Uint8Array) => {
  for (const decode of [decodeTransaction, decodeSigned, decodeNetworkTransaction]) {
    const error = thrown(() => decode(raw))
    expect([undefined, 'transaction-rejected']).toContain(error instanceof ChainError ? error.code : error)
  }
}

test('random bytes are decoded or rejected with a ChainError', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), decodesOrRejects), { numRuns: 2000 })
  const first = fc.constantFrom(0xc0, 0xf8, 0xf9, 1, 2, 3, 4)
  const withPrefix = fc
    .tuple(first, fc.uint8Array({ maxLength: 400 }))
    .map(([type, rest]) => Uint8Array.of(type, ...rest))
  fc.assert(fc.property(withPrefix, decodesOrRejects), { numRuns: 2000 })
})

test.each(TYPES)('type %i with some bytes changed: what still decodes encodes to the same bytes', (type) => {
  const signed = fc.tuple(fields(type), privateKey).map(([tx, key]) => signTransaction(tx, key).raw)
  const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(signed, changes, (raw, edits) => {
      const bytes = raw.slice()
      for (const [at, byte] of edits) bytes[at % bytes.length] = byte
      decodesOrRejects(bytes)
      const decoded = thrown(() => decodeTransaction(bytes)) === undefined ? decodeTransaction(bytes) : undefined
      if (decoded) expect(toHex(encodeTransaction(decoded))).toBe(toHex(bytes))
    }),
    { numRuns: 200 },
  )
})
