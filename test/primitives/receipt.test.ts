// Reference: @ethereumjs/vm's receipt encoding and bloom filter.
import { Bloom, encodeReceipt as referenceEncoding } from '@ethereumjs/vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bigToFixed, fromHex, toHash, toHex } from '../../src/lib/hex.ts'
import { bloomTest, decodeReceipt, encodeReceipt, logsBloom, mergeBlooms } from '../../src/primitives/receipt.ts'
import {
  decodeBodyTransaction,
  decodeStoredReceipts,
  decodeStoredTransaction,
  encodeBodyTransaction,
  encodeStoredReceipts,
  encodeStoredTransaction,
  isFormerRow,
  storedLogs,
  storedReceipt,
} from '../../src/primitives/stored-rows.ts'
import { impersonatedTransaction, signTransaction } from '../../src/primitives/transaction.ts'
import type { Log, Receipt, TransactionType } from '../../src/primitives/types.ts'
import { formerReceiptsRow } from '../support/former-rows.ts'
import { address, bytes, fields, hash, log, privateKey, TYPES, uint } from './arbitraries.ts'

const outcome = fc.oneof(
  fc.record({ status: fc.constantFrom(0 as const, 1 as const), root: fc.constant(undefined) }),
  fc.record({ status: fc.constant(undefined), root: hash }),
)

const receiptOf = (type: TransactionType): fc.Arbitrary<Receipt> =>
  fc
    .record({
      outcome,
      // Never zero, which the reference would encode as a zero byte.
      cumulativeGasUsed: fc.bigInt({ min: 1n, max: 2n ** 62n }),
      gasUsed: uint(62),
      logs: fc.array(log, { maxLength: 4 }),
      contractAddress: fc.option(address),
      effectiveGasPrice: uint(200),
      blobGasUsed: type === 3 ? uint(62) : fc.constant(undefined),
      blobGasPrice: type === 3 ? uint(200) : fc.constant(undefined),
    })
    .map(({ outcome, ...rest }) => ({ type, ...outcome, bloom: logsBloom(rest.logs), ...rest }))

/** Receipts of a block: the cumulative gas of each is the sum of what it and those before it used. */
const receiptsOf = (type: TransactionType): fc.Arbitrary<Receipt[]> =>
  fc.array(receiptOf(type), { maxLength: 4 }).map((receipts) => {
    let cumulativeGasUsed = 0n
    return receipts.map((receipt) => {
      cumulativeGasUsed += receipt.gasUsed
      return { ...receipt, cumulativeGasUsed }
    })
  })

/** A transaction for the receipt at a position: the position as a hash. */
const transactionOf = (_: Receipt, position: number) => ({ hash: toHash(bigToFixed(BigInt(position), 32)) })

const referenceBloom = (logs: readonly Log[]) => {
  const bloom = new Bloom()
  for (const { address, topics } of logs) for (const value of [address, ...topics]) bloom.add(fromHex(value))
  return bloom.bitvector
}

describe.each(TYPES)('receipts of type %i', (type) => {
  test('encode as in the library, and decode', () => {
    fc.assert(
      fc.property(receiptOf(type), (receipt) => {
        const { status, root, cumulativeGasUsed, bloom, logs } = receipt
        const reference = referenceEncoding(
          {
            cumulativeBlockGasUsed: cumulativeGasUsed,
            bitvector: referenceBloom(logs),
            logs: logs.map(({ address, topics, data }) => [fromHex(address), topics.map(fromHex), data]),
            ...(root === undefined ? { status: status ?? 0 } : { stateRoot: fromHex(root) }),
          } as Parameters<typeof referenceEncoding>[0],
          type,
        )
        expect(toHex(encodeReceipt(receipt))).toBe(toHex(reference))
        expect(decodeReceipt(reference)).toEqual({ type, status, root, cumulativeGasUsed, bloom, logs })
      }),
      { numRuns: 50 },
    )
  })

  test('survive storing and reading, all at once and one by one', () => {
    fc.assert(
      fc.property(receiptsOf(type), (receipts) => {
        const row = encodeStoredReceipts(receipts.map(transactionOf), receipts)
        expect(decodeStoredReceipts(row)).toEqual(receipts)
        let firstLogIndex = 0
        for (const [position, receipt] of receipts.entries()) {
          expect(storedReceipt(row, position)).toEqual({ receipt, firstLogIndex, length: expect.any(Number) })
          firstLogIndex += receipt.logs.length
        }
        expect(storedReceipt(row, receipts.length)).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  test('yield their logs, with the place of each', () => {
    fc.assert(
      fc.property(receiptsOf(type), fc.nat({ max: 5 }), (receipts, wanted) => {
        const row = encodeStoredReceipts(receipts.map(transactionOf), receipts)
        const logs = receipts.flatMap((receipt, transactionIndex) =>
          receipt.logs.map((log) => ({
            log,
            transactionHash: transactionOf(receipt, transactionIndex).hash,
            transactionIndex,
          })),
        )
        const placed = logs.map((found, logIndex) => ({ ...found, logIndex }))
        expect(storedLogs(row, () => true)).toEqual(placed)
        expect(storedLogs(row, (...[, , , , logIndex]) => logIndex === wanted)).toEqual(
          placed.slice(wanted, wanted + 1),
        )
      }),
      { numRuns: 50 },
    )
  })

  test('are read from a row of an older database, which has blooms and no hashes', () => {
    fc.assert(
      fc.property(receiptsOf(type), (receipts) => {
        const row = formerReceiptsRow(receipts)
        expect(isFormerRow(row)).toBe(true)
        expect(decodeStoredReceipts(row)).toEqual(receipts)
      }),
      { numRuns: 50 },
    )
  })
})

test.each(['0x', '0x00', '0x80', '0xc0', '0x05c0', '0x02', '0x02c480808080'])('%s is no receipt', (hex) => {
  expect(() => decodeReceipt(fromHex(hex))).toThrow(expect.objectContaining({ code: 'invalid-block' }))
})

describe('a log bloom', () => {
  test('has three known bits for a known value', () => {
    // Yellow Paper 4.3.1 by hand: keccak256(0x00…00, 20 bytes) begins with 5380 c7b7 ae81, modulo 2048 896, 1975, 1665. Counted
    // from the end these are bit 0 of byte 143, bit 7 of byte 9, and bit 1 of byte 47.
    const zero = new Uint8Array(20)
    const expected = new Uint8Array(256)
    expected[255 - 896 / 8] = 0x01
    expected[255 - (1975 - 7) / 8] = 0x80
    expected[255 - (1665 - 1) / 8] = 0x02
    expect(logsBloom([{ address: `0x${'00'.repeat(20)}` as Log['address'], topics: [], data: zero }])).toEqual(expected)
  })

  test('contains what was added, and otherwise equals the library’s', () => {
    fc.assert(
      fc.property(fc.array(log, { minLength: 1, maxLength: 20 }), bytes(20), (logs, other) => {
        const bloom = logsBloom(logs)
        expect(bloom).toEqual(referenceBloom(logs))
        for (const { address, topics } of logs) {
          for (const value of [address, ...topics]) expect(bloomTest([fromHex(value)])(bloom)).toBe(true)
        }
        expect(bloomTest([other])(bloom)).toBe(new Bloom(bloom).check(other))
      }),
      { numRuns: 50 },
    )
  })

  test('of a block covers all of its logs', () => {
    fc.assert(
      fc.property(fc.array(fc.array(log, { maxLength: 3 }), { maxLength: 5 }), (lists) => {
        expect(mergeBlooms(lists.map(logsBloom))).toEqual(referenceBloom(lists.flat()))
      }),
      { numRuns: 30 },
    )
  })
})

describe.each(TYPES)('stored transactions of type %i', (type) => {
  test('survive storing and reading when signed', () => {
    fc.assert(
      fc.property(fields(type), privateKey, (tx, key) => {
        const signed = signTransaction(tx, key)
        expect(decodeStoredTransaction(encodeStoredTransaction(signed))).toEqual(signed)
        const item = encodeBodyTransaction(signed)
        // Sender and encoding: the hash follows from the latter.
        expect(item.length).toBe(20 + signed.raw.length)
        expect(decodeBodyTransaction(item)).toEqual(signed)
      }),
      { numRuns: 30 },
    )
  })

  test('keep sender and hash when impersonated', () => {
    fc.assert(
      fc.property(fields(type), address, (tx, from) => {
        const impersonated = impersonatedTransaction(tx, from)
        expect(decodeStoredTransaction(encodeStoredTransaction(impersonated))).toEqual(impersonated)
        expect(decodeBodyTransaction(encodeBodyTransaction(impersonated))).toEqual(impersonated)
      }),
      { numRuns: 30 },
    )
  })
})

test('a damaged stored row throws ChainError storage', () => {
  for (const row of [new Uint8Array(0), new Uint8Array(52), new Uint8Array(80)]) {
    expect(() => decodeStoredTransaction(row)).toThrow(expect.objectContaining({ code: 'storage' }))
    expect(() => decodeBodyTransaction(row)).toThrow(expect.objectContaining({ code: 'storage' }))
  }
  for (const hex of [
    '0x',
    '0x80',
    '0xc1c0',
    '0xc180',
    '0x01',
    '0x0180',
    '0x01c1c0',
    '0x01c180',
    '0xc9c80080808080808080',
  ]) {
    expect(() => decodeStoredReceipts(fromHex(hex))).toThrow(expect.objectContaining({ code: 'storage' }))
  }
})
