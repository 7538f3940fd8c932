// The engine's table of slots with more slots than entries: a slot that is overwritten there keeps its value and stays warm.
import { expect, test } from 'vitest'
import { Machine } from '../../../src/evm/machine.ts'
import { Deadline } from '../../../src/lib/deadline.ts'
import { bytesToBig, fromHex, hexToAddress } from '../../../src/lib/hex.ts'
import { executeMessage } from '../../../src/runtime/execute-message.ts'
import type { StateView } from '../../../src/state/types.ts'
import { emptyView } from '../../support/native.ts'
import { COINBASE, envOf, forkChain, SENDER } from './differential.ts'
import { runCode } from './run-code.ts'

const SLOTS = 12_000n
const ROUNDS = 3n

// for (r = 3; r > 0; r--) for (i = 12000; i > 0; i--) slot[i] += i; then the sum of all slots.
const CODE = [
  ...['6003', '5b', '612ee0', '5b', '80', '54', '81', '01', '81', '55', '6001', '90', '03', '80', '6006', '57', '50'],
  ...['6001', '90', '03', '80', '6002', '57', '50'],
  ...['5f', '612ee0', '5b', '80', '54', '90', '91', '01', '90', '6001', '90', '03', '80', '6023', '57', '50'],
  ...['5f', '52', '6020', '5f', 'f3'],
].join('')

test.each(['wasm', 'library'] as const)(
  'SSTORE keeps the value of each of more slots than the table has places (%s)',
  async (engine) => {
    const { error, returnData } = await runCode(fromHex(`0x${CODE}`), engine, { gasLimit: 600_000_000n })
    expect([error, bytesToBig(returnData)]).toEqual([undefined, (ROUNDS * SLOTS * (SLOTS + 1n)) / 2n])
  },
)

const CONTRACT = hexToAddress(`0x${'c0'.repeat(20)}`)

/** The word that the contract returns, and the gas used, in a transaction on the view. */
async function call(
  view: StateView,
  { data = new Uint8Array(0), gasLimit = 100_000n, deadline = undefined as Deadline | undefined } = {},
): Promise<readonly [word: bigint, gas: bigint]> {
  const { spec, table } = forkChain('osaka')
  const block = { number: 1000n, timestamp: 1_700_000_000n, proposer: COINBASE }
  const machine = new Machine({ spec, view, table, natives: new Map(), blockHash: () => undefined, block, deadline })
  const nothing = { accessList: [], blobVersionedHashes: [], authorizationList: [], nonce: 0n }
  const prices = { value: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, maxFeePerBlobGas: 0n }
  const message = { from: SENDER, to: CONTRACT, data, gasLimit, ...nothing, ...prices }
  const result = await executeMessage(machine, envOf('osaka'), spec.chainId, message, 'call', { collector: undefined })
  expect(result.error).toBeUndefined()
  return [bytesToBig(result.returnData), result.gasUsed]
}

/** A view with the contract, whose slot 0 is 7. */
async function viewWith(code: string): Promise<StateView> {
  const view = await emptyView()
  view.setCode(CONTRACT, fromHex(`0x${code}`))
  view.setStorage(CONTRACT, 0n, 7n)
  return view
}

// PUSH0 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN: 21,000 + 2 + 2,100 + 2 + 6 + 3 + 2.
const READ = '5f545f5260205ff3'
const READ_GAS = 23_115n

test('SLOAD reads what the host has written, reverted and cleared between transactions', async () => {
  const view = await viewWith(READ)
  expect(await call(view)).toEqual([7n, READ_GAS])
  expect(await call(view)).toEqual([7n, READ_GAS])
  view.checkpoint()
  view.setStorage(CONTRACT, 0n, 8n)
  expect(await call(view)).toEqual([8n, READ_GAS])
  view.checkpoint()
  view.clearStorage(CONTRACT)
  expect(await call(view)).toEqual([0n, READ_GAS])
  view.revert()
  expect(await call(view)).toEqual([8n, READ_GAS])
  const fork = view.fork()
  fork.setStorage(CONTRACT, 0n, 9n)
  expect(await call(fork)).toEqual([9n, READ_GAS])
  view.revert()
  expect(await call(view)).toEqual([7n, READ_GAS])
  expect(await call(fork)).toEqual([9n, READ_GAS])
})

// PUSH0 SLOAD PUSH1 1 ADD DUP1 PUSH0 SSTORE PUSH0 MSTORE PUSH1 32 PUSH0 RETURN: 21,000, 2,100 for the cold slot, 2,900 for the
// first write of a value other than zero (EIP-2200), and 3 + 3 + 3 + 2 more than READ without its SLOAD.
const INCREMENT = '5f54600101805f555f5260205ff3'
const INCREMENT_GAS = READ_GAS + 3n + 3n + 3n + 2n + 2_900n

test('each transaction begins with cold slots and its own original values', async () => {
  const view = await viewWith(INCREMENT)
  for (const word of [8n, 9n, 10n]) expect(await call(view)).toEqual([word, INCREMENT_GAS])
  view.checkpoint()
  expect(await call(view)).toEqual([11n, INCREMENT_GAS])
  view.revert()
  expect(await call(view)).toEqual([11n, INCREMENT_GAS])
  expect(view.storage(CONTRACT, 0n)).toBe(11n)
})

test('a state that was read before is not read again, whichever view reads it', async () => {
  const view = await viewWith(READ)
  await call(view)
  let reads = 0
  const fork = view.fork()
  const word = fork.word.bind(fork)
  fork.word = (of, key) => {
    reads++
    return word(of, key)
  }
  expect([await call(fork), reads]).toEqual([[7n, READ_GAS], 0])
  fork.setStorage(CONTRACT, 0n, 8n)
  reads = 0
  expect([await call(fork), reads > 0]).toEqual([[8n, READ_GAS], true])
})

// CALLDATASIZE PUSH1 12 JUMPI, READ, and with data: JUMPDEST PUSH1 9 PUSH0 SSTORE JUMPDEST PUSH1 17 JUMP, for ever.
test('a write of a call that was stopped is gone', async () => {
  const view = await viewWith(`36600c57${READ}5b60095f555b601156`)
  const [, gas] = await call(view)
  view.checkpoint()
  const endless = { data: Uint8Array.of(1), gasLimit: 1_000_000_000n, deadline: new Deadline(1) }
  await expect(call(view, endless)).rejects.toThrow('took longer')
  view.revert()
  expect(await call(view)).toEqual([7n, gas])
})
