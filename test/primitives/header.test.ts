// Reference: @ethereumjs/block.
import { createBlockHeader } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bigToBytes, fromHex, toHex } from '../../src/lib/hex.ts'
import { decodeHeader, encodeHeader, sealHeader } from '../../src/primitives/header.ts'
import type { Header } from '../../src/primitives/types.ts'
import { header } from './arbitraries.ts'

/** Drops undefined values, which the library does not accept. */
const defined = (record: Header) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))

describe.each([
  [15, Hardfork.Byzantium],
  [16, Hardfork.London],
  [17, Hardfork.Shanghai],
  [20, Hardfork.Cancun],
  [21, Hardfork.Prague],
] as const)('%i fields (%s)', (fieldCount, hardfork) => {
  test('encodes, hashes and decodes', () => {
    const common = new Common({ chain: Mainnet, hardfork })
    fc.assert(
      fc.property(header(fieldCount), (fields) => {
        const { sha3Uncles: uncleHash, transactionsRoot: transactionsTrie, receiptsRoot: receiptTrie, ...rest } = fields
        const reference = createBlockHeader(
          { ...defined(rest as Header), uncleHash, transactionsTrie, receiptTrie },
          { common, skipConsensusFormatValidation: true, setHardfork: false },
        )
        const sealed = sealHeader(fields)
        expect(sealed.hash).toBe(toHex(reference.hash()))
        expect(toHex(encodeHeader(fields))).toBe(toHex(reference.serialize()))
        expect(decodeHeader(reference.serialize())).toEqual(sealed)
      }),
      { numRuns: 50 },
    )
  })
})

test('a header with a fork’s field but without those of earlier forks is refused', () => {
  const [full] = fc.sample(header(21), 1)
  if (!full) throw new Error('no sample')
  for (const missing of ['baseFeePerGas', 'withdrawalsRoot', 'blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot']) {
    expect(() => encodeHeader({ ...full, [missing]: undefined })).toThrow(
      expect.objectContaining({ code: 'invalid-block' }),
    )
  }
  const cancunHalf = { ...full, requestsHash: undefined, parentBeaconBlockRoot: undefined }
  expect(() => encodeHeader(cancunHalf)).toThrow(expect.objectContaining({ code: 'invalid-block' }))
})

describe('a malformed header', () => {
  const [sample] = fc.sample(header(21), { numRuns: 1, seed: 1 })
  const items = RLP.decode(encodeHeader(sample as Header)) as Uint8Array[]
  const change = (at: number, item: Uint8Array) => items.map((old, index) => (index === at ? item : old))

  test.each<[string, Uint8Array[]]>([
    ['14 fields', items.slice(0, 14)],
    ['18 fields', items.slice(0, 18)],
    ['19 fields', items.slice(0, 19)],
    ['22 fields', [...items, bigToBytes(1n)]],
    ['parent hash of 31 bytes', change(0, new Uint8Array(31))],
    ['coinbase of 32 bytes', change(2, new Uint8Array(32))],
    ['bloom of 255 bytes', change(6, new Uint8Array(255))],
    ['number with a leading zero', change(8, Uint8Array.of(0, 1))],
    ['number of 65 bits', change(8, bigToBytes(2n ** 64n))],
    ['difficulty of 257 bits', change(7, bigToBytes(2n ** 256n))],
    ['nonce of 7 bytes', change(14, new Uint8Array(7))],
    ['base fee with a leading zero', change(15, Uint8Array.of(0))],
    ['empty requests hash', change(20, new Uint8Array(0))],
  ])('%s', (_, list) => {
    expect(() => decodeHeader(RLP.encode(list))).toThrow(expect.objectContaining({ code: 'invalid-block' }))
  })

  test('a string', () => {
    expect(() => decodeHeader(fromHex('0x80'))).toThrow(expect.objectContaining({ code: 'invalid-block' }))
  })
})
