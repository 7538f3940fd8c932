// The interpreter's cache of slots with more slots than entries: an evicted slot keeps its value.
import { expect, test } from 'vitest'
import { bytesToBig, fromHex } from '../../../src/lib/hex.ts'
import { runCode } from './run-code.ts'

const SLOTS = 6_000n
const ROUNDS = 3n

// for (r = 3; r > 0; r--) for (i = 6000; i > 0; i--) slot[i] += i; then the sum of all slots.
const CODE = [
  ...['6003', '5b', '611770', '5b', '80', '54', '81', '01', '81', '55', '6001', '90', '03', '80', '6006', '57', '50'],
  ...['6001', '90', '03', '80', '6002', '57', '50'],
  ...['5f', '611770', '5b', '80', '54', '90', '91', '01', '90', '6001', '90', '03', '80', '6023', '57', '50'],
  ...['5f', '52', '6020', '5f', 'f3'],
].join('')

test.each(['wasm', 'library'] as const)(
  'SSTORE keeps the value of each of more slots than the cache has places (%s)',
  async (engine) => {
    const { error, returnData } = await runCode(fromHex(`0x${CODE}`), engine, { gasLimit: 300_000_000n })
    expect([error, bytesToBig(returnData)]).toEqual([undefined, (ROUNDS * SLOTS * (SLOTS + 1n)) / 2n])
  },
)
