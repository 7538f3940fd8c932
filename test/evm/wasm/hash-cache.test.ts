// The interpreter's cache of hashes against another implementation: more inputs than cache entries, most of them twice, and
// again in a second message.

import { keccak256, numberToBytes } from 'viem'
import { expect, test } from 'vitest'
import { fromHex, toHex } from '../../../src/lib/hex.ts'
import { runCode } from './run-code.ts'

const COUNT = 6_000
const MASK = 0x0fff
const LOOP = 4

// for (i = n; i > 0; i--) h = keccak(h . keccak((i & MASK) . 7)); both inputs use the same memory.
const CODE = [
  ...['5f', '611770', '5b'],
  ...['80', '610fff', '16', '5f', '52', '6007', '6020', '52', '6040', '5f', '20', '6020', '52'],
  ...[
    '90',
    '5f',
    '52',
    '6040',
    '5f',
    '20',
    '90',
    '6001',
    '90',
    '03',
    '80',
    `60${LOOP.toString(16).padStart(2, '0')}`,
    '57',
  ],
  ...['50', '5f', '52', '6020', '5f', 'f3'],
].join('')

test('KECCAK256 with cached hashes equals hashes computed each time', async () => {
  const seven = numberToBytes(7, { size: 32 })
  let expected = new Uint8Array(32)
  for (let i = COUNT; i > 0; i--) {
    const inner = keccak256(new Uint8Array([...numberToBytes(i & MASK, { size: 32 }), ...seven]), 'bytes')
    expected = new Uint8Array(keccak256(new Uint8Array([...expected, ...inner]), 'bytes'))
  }
  for (const time of ['first', 'second']) {
    const { error, returnData } = await runCode(fromHex(`0x${CODE}`), 'wasm', { gasLimit: 10_000_000n })
    expect([time, error, toHex(returnData)]).toEqual([time, undefined, toHex(expected)])
  }
})

test('KECCAK256 of zeros is right with an empty cache of hashes', async () => {
  // h(0 . 0) = 0xad3228b6…, the slot of a mapping's element 0 at slot 0.
  const { returnData } = await runCode(fromHex('0x60405f205f5260205ff3'), 'wasm')
  expect(toHex(returnData)).toBe('0xad3228b676f7d3cd4284a5443f17f1962b36e491b30a40b2405849e597ba5fb5')
})
