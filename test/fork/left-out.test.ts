// A transaction on a fork that reads something else in its block than when it was sent: the block does not wait for the forked chain.
import { type Hex, numberToHex, pad, toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { RunningNode } from '../../src/library.ts'
import { asm } from '../support/assembler.ts'
import { chainToFork, type Forked, forkOf } from '../support/forked.ts'

const POINTER = '0x0000000000000000000000000000000000510752'
/** With calldata sets slot 0 to it; without writes the slot that slot 0 names to slot 1. */
const FOLLOW = asm(
  ...['CALLDATASIZE', 'PUSH1 0x0b', 'JUMPI'],
  ...['PUSH0', 'SLOAD', 'SLOAD', 'PUSH1 0x01', 'SSTORE', 'STOP'],
  ...['JUMPDEST', 'PUSH0', 'CALLDATALOAD', 'PUSH0', 'SSTORE', 'STOP'], // 0x0b
)
/** What slot 77 has on the forked chain. */
const FOLLOWED = pad('0x52')

let forked: Forked

beforeAll(async () => {
  forked = await chainToFork()
  const { origin } = forked
  await origin.request('anvil_setCode', [POINTER, FOLLOW])
  await origin.request('anvil_setStorageAt', [POINTER, '0x0', pad('0x05')])
  await origin.request('anvil_setStorageAt', [POINTER, numberToHex(77), FOLLOWED])
  await origin.request('anvil_mine', ['0x1'])
})
afterAll(() => forked[Symbol.asyncDispose]())
beforeEach(() => {
  forked.proxy.delay = 0
})

const send = (node: RunningNode, request: object) =>
  node.request<Hex>('eth_sendTransaction', [{ gas: '0x186a0', ...request }])
/** Two senders: the first changes what the second reads, and is first in the block. */
async function sendBoth(fork: RunningNode): Promise<readonly [Hex, Hex]> {
  const [one, other] = fork.accounts
  const tip = { maxFeePerGas: toHex(10n ** 10n), maxPriorityFeePerGas: toHex(2n * 10n ** 9n) }
  const set = await send(fork, { from: one?.address, to: POINTER, data: pad(toHex(77)), ...tip })
  return [set, await send(fork, { from: other?.address, to: POINTER })]
}
const isMined = async (fork: RunningNode, hash: Hex) =>
  (await fork.request<{ status: Hex } | null>('eth_getTransactionReceipt', [hash]))?.status === '0x1'
const copied = (fork: RunningNode) => fork.request('eth_getStorageAt', [POINTER, '0x1', 'latest'])

it('it is in the block that evm_mine makes', async () => {
  await using fork = await forkOf(forked.proxy, { mining: false })
  const hashes = await sendBoth(fork)
  await fork.request('evm_mine')
  expect(await Promise.all(hashes.map((hash) => isMined(fork, hash)))).toEqual([true, true])
  expect(await copied(fork)).toBe(FOLLOWED)
})

it('blocks of an interval leave it out until it was fetched, and take others meanwhile', async () => {
  const { proxy } = forked
  await using fork = await forkOf(proxy, { mining: false })
  const [from, , to] = fork.accounts.map(({ address }) => address)
  const [set, follow] = await sendBoth(fork)
  proxy.delay = 8000
  await fork.request('anvil_setIntervalMining', [1])
  await expect.poll(() => isMined(fork, set), { timeout: 7000 }).toBe(true)
  const transferred = await send(fork, { from, to })
  await expect.poll(() => isMined(fork, transferred), { timeout: 7000 }).toBe(true)
  expect(await isMined(fork, follow)).toBe(false)
  await expect.poll(() => isMined(fork, follow), { timeout: 20_000 }).toBe(true)
  expect(await copied(fork)).toBe(FOLLOWED)
}, 60_000)

it('automine takes it as soon as it was fetched', async () => {
  await using fork = await forkOf(forked.proxy, { mining: false })
  const hashes = await sendBoth(fork)
  await fork.request('evm_setAutomine', [true])
  for (const hash of hashes) await expect.poll(() => isMined(fork, hash), { timeout: 10_000 }).toBe(true)
  expect(await copied(fork)).toBe(FOLLOWED)
})
