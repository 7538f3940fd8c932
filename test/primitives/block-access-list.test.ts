// The encoding of block access lists (EIP-7928), and what makes one invalid. Real ones, with go-ethereum's hashes, are in
// test/chain/amsterdam.test.ts.
import { expect, it } from 'vitest'
import { bigToWord, fromHex, hexToAddress, toHex } from '../../src/lib/hex.ts'
import { keccakHash } from '../../src/lib/keccak.ts'
import {
  type AccountAccess,
  type BlockAccessList,
  checkBlockAccessList,
  decodeBlockAccessList,
  encodeBlockAccessList,
  NO_ACCESSES,
  NO_ACCESSES_HASH,
} from '../../src/primitives/block-access-list.ts'

const none = { storageChanges: [], storageReads: [], balanceChanges: [], nonceChanges: [], codeChanges: [] }
const account = (tail: string, fields: Partial<AccountAccess> = {}): AccountAccess => ({
  address: hexToAddress(`0x${tail.padStart(40, '0')}`),
  ...none,
  ...fields,
})
const slot = (number: number) => bigToWord(BigInt(number))
const at = <T>(index: number, value: T) => ({ index, value })

/** By hand: [[0x00…01, [[1, [[0, 5]]]], [0], [[2, 0]], [[2, 1]], [[2, 0xaa]]]]. */
const ONE = `0xeceb94${'00'.repeat(19)}01c6c501c3c28005c180c3c20280c3c20201c4c30281aa`

it('a list has the encoding of the EIP', () => {
  const list = [
    account('1', {
      storageChanges: [{ slot: slot(1), changes: [at(0, 5n)] }],
      storageReads: [slot(0)],
      balanceChanges: [at(2, 0n)],
      nonceChanges: [at(2, 1n)],
      codeChanges: [at(2, Uint8Array.of(0xaa))],
    }),
  ]
  expect(toHex(encodeBlockAccessList(list))).toBe(ONE)
  expect(decodeBlockAccessList(fromHex(ONE))).toEqual(list)
})

it('no accesses have the hash that the EIP names', () => {
  expect(encodeBlockAccessList([])).toEqual(NO_ACCESSES)
  expect(keccakHash(NO_ACCESSES)).toBe('0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347')
  expect(NO_ACCESSES_HASH).toBe(keccakHash(NO_ACCESSES))
})

const changed = (...numbers: number[]) => numbers.map((number) => ({ slot: slot(number), changes: [at(1, 1n)] }))

it.each<[string, BlockAccessList, string]>([
  ['accounts out of order', [account('2'), account('1')], 'accounts must be unique and sorted'],
  ['an account twice', [account('1'), account('1')], 'accounts must be unique and sorted'],
  ['changed slots out of order', [account('1', { storageChanges: changed(2, 1) })], 'changed slots must be unique'],
  ['read slots out of order', [account('1', { storageReads: [slot(256), slot(3)] })], 'read slots must be unique'],
  ['a slot read twice', [account('1', { storageReads: [slot(3), slot(3)] })], 'read slots must be unique'],
  [
    'a slot that is read and written',
    [account('1', { storageChanges: changed(1), storageReads: [slot(1)] })],
    'a slot read and written',
  ],
  [
    'a slot without changes',
    [account('1', { storageChanges: [{ slot: slot(1), changes: [] }] })],
    'a slot without changes',
  ],
  ['an index twice', [account('1', { balanceChanges: [at(1, 1n), at(1, 2n)] })], 'balance changes must be unique'],
  ['indices out of order', [account('1', { nonceChanges: [at(2, 1n), at(1, 2n)] })], 'nonce changes must be unique'],
  [
    'a code above 65,536 bytes',
    [account('1', { codeChanges: [at(1, new Uint8Array(65_537))] })],
    'a code of 65537 bytes',
  ],
])('%s makes a list invalid', (_, list, words) => {
  expect(() => decodeBlockAccessList(encodeBlockAccessList(list))).toThrow(words)
})

it.each([
  ['a slot with a leading zero', ONE.replace('0xeceb', '0xeeed').replace('c6c501', 'c8c7820001')],
  ['a missing field', `0xdad994${'00'.repeat(19)}01c0c0c0c0`],
  ['bytes after the list', `${ONE}c0`],
])('%s makes an encoding invalid', (_, hex) => {
  expect(() => decodeBlockAccessList(fromHex(hex))).toThrow(expect.objectContaining({ code: 'invalid-block' }))
})

it('a list may have an item for each 2,000 gas of the block, and indices up to that behind the transactions', () => {
  // Two accounts, one slot written, one read: four items.
  const list = [account('1', { storageChanges: changed(1), storageReads: [slot(2)] }), account('2')]
  expect(() => checkBlockAccessList(list, 8_000n, 0)).not.toThrow()
  expect(() => checkBlockAccessList(list, 7_999n, 0)).toThrow('exceeds size constraint: items=4, limit=3')
  const later = [account('1', { balanceChanges: [at(1, 1n), at(4, 1n)] })]
  expect(() => checkBlockAccessList(later, 8_000n, 3)).not.toThrow()
  expect(() => checkBlockAccessList(later, 8_000n, 2)).toThrow('has index 4, limit: 3')
})
