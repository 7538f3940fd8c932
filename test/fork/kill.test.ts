// `kill -9` of a fork under load at random moments: everything acknowledged is there after the next start, which needs the forked chain
// for nothing that was read before, and `check` finds nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, numberToHex, pad, toHex } from 'viem'
import { afterAll, expect, test, vi } from 'vitest'
import { run } from '../cli/support.ts'
import { asm } from '../support/assembler.ts'
import { request } from '../support/chain.ts'
import { chainToFork } from '../support/forked.ts'
import { type RunningProcess, startProcess, temporaryFolder } from '../support/process.ts'

const ROUNDS = 3
const SENDERS = [0, 1, 2]
const COUNTER = '0x000000000000000000000000000000000000c0c0'
/** Adds one to the slot that the calldata names, under a guard against reentrancy in slot 2^64. */
const COUNT = asm(
  ...['PUSH1 0x02', 'PUSH9 0x010000000000000000', 'SSTORE'],
  ...['PUSH0', 'CALLDATALOAD', 'DUP1', 'SLOAD', 'PUSH1 0x01', 'ADD', 'SWAP1', 'SSTORE'],
  ...['PUSH1 0x01', 'PUSH9 0x010000000000000000', 'SSTORE'],
)
const FOLDER = await temporaryFolder()
const forked = await chainToFork()
afterAll(async () => {
  await forked[Symbol.asyncDispose]()
  await FOLDER.remove()
})

/** Acknowledged sends with the slots that they raise, and the blocks of those with a receipt. */
const accepted = new Map<Hex, Hex>()
const mined = new Map<Hex, Hex>()

/** Sends from an account and reads each receipt, until the node ends. */
async function keepSending({ url }: RunningProcess, index: number): Promise<void> {
  const accounts = (await request(url, 'eth_accounts')) as Hex[]
  for (;;) {
    // Each send reads a slot that nobody has read before.
    const slot = pad(toHex(BigInt(accepted.size) * 8n + BigInt(index)))
    const call = { from: accounts[index], to: COUNTER, data: slot, gas: '0x186a0' }
    const hash = (await request(url, 'eth_sendTransaction', [call])) as Hex
    accepted.set(hash, slot)
    const receipt = (await request(url, 'eth_getTransactionReceipt', [hash])) as { blockHash: Hex } | null
    if (receipt !== null) mined.set(hash, receipt.blockHash)
  }
}

async function checkAcknowledged({ url }: RunningProcess): Promise<void> {
  for (const [hash, blockHash] of mined)
    expect(await request(url, 'eth_getTransactionReceipt', [hash])).toMatchObject({ blockHash })
  const wanted = new Map<Hex, bigint>()
  for (const [hash, slot] of accepted) {
    await expect
      .poll(() => request(url, 'eth_getTransactionReceipt', [hash]), { timeout: 5_000 })
      .toMatchObject({ status: '0x1' })
    wanted.set(slot, (wanted.get(slot) ?? 5n) + 1n)
  }
  for (const [slot, count] of wanted) {
    const found = BigInt((await request(url, 'eth_getStorageAt', [COUNTER, slot, 'latest'])) as Hex)
    // A send whose answer the kill has cut off may have raised it too.
    expect([count, count + 1n]).toContain(found)
  }
}

test(`${ROUNDS} kills of a fork lose nothing`, { timeout: 120_000 }, async () => {
  const { origin, proxy } = forked
  await origin.request('anvil_setCode', [COUNTER, COUNT])
  for (let slot = 0n; slot < 400n; slot++)
    await origin.request('anvil_setStorageAt', [COUNTER, numberToHex(slot), pad('0x05')])
  const flags = ['--datadir', FOLDER.path, '--no-storage-caching']
  const url = ['--fork-url', proxy.url]
  for (let round = 0; round < ROUNDS; round++) {
    const node = await startProcess([...flags, ...url])
    if (round > 0) await checkAcknowledged(node)
    const sends = SENDERS.map((index) => keepSending(node, index).catch(() => undefined))
    const before = mined.size
    await vi.waitUntil(() => mined.size >= before + 5, { timeout: 20_000 })
    // The moment of a kill is random.
    await sleep(Math.random() * 50)
    await node.kill()
    await Promise.all(sends)
    const { code, stdout } = await run(FOLDER.path, 'check', '--datadir', FOLDER.path)
    expect([code, stdout]).toEqual([0, ''])
  }
  const last = await startProcess(flags)
  await checkAcknowledged(last)
  expect(await last.stop()).toBe(0)
})
