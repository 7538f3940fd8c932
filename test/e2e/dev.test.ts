// Development methods between contract tests: snapshots, time, impersonated accounts, many blocks at once. The requests are
// those of hardhat-network-helpers and of viem's test client.
import { encodeFunctionData, type Hex, keccak256, numberToHex, parseEther, parseGwei, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { account } from '../support/chain.ts'
import { deployFrames, deployToken, token } from '../support/contracts.ts'
import { clientsOf, processForFile, startProcess } from '../support/process.ts'
import { openSocket } from '../support/wire.ts'

const clients = await processForFile()
const { viem, dev, walletOf, rpc, raw, wsUrl } = clients
const alice = account(0).address
const bob = account(1).address
const stranger = () => privateKeyToAccount(generatePrivateKey()).address

/** The timestamp and number of the latest block. */
const latest = async () => {
  const { timestamp, number } = await viem.getBlock()
  return { timestamp, number }
}
const send = async (value: bigint, to = bob) =>
  viem.waitForTransactionReceipt({ hash: await walletOf(0).sendTransaction({ to, value }) })
/** Runs code by eth_call with a state override. */
const run = (code: Hex, block: unknown = 'latest') => rpc('eth_call', { to: CODE }, block, { [CODE]: { code } })
const CODE = `0x${'c0'.repeat(20)}`
/** Code that returns the word pushed by an opcode: OPCODE PUSH0 MSTORE PUSH1 32 PUSH0 RETURN. */
const returning = (opcode: string): Hex => `0x${opcode}5f5260205ff3`
const TIMESTAMP = returning('42')

/** `performance.now()` at the newest reset. */
let began = 0
beforeEach(async () => {
  began = performance.now()
  await rpc('hardhat_reset')
})

test('Hardhat’s network helpers accept the node as a development network', async () => {
  expect(await rpc('web3_clientVersion')).toMatch(/^(anvil|HardhatNetwork|zksync)/)
  expect(await rpc('hardhat_metadata')).toMatchObject({ chainId: 125, latestBlockNumber: 0 })
  expect(await rpc('anvil_nodeInfo')).toMatchObject({ currentBlockNumber: '0x0', environment: { chainId: 125 } })
  expect(await rpc('hardhat_getAutomine')).toBe(true)
})

describe('snapshots over JSON-RPC', () => {
  test('can be nested, and inner reverts leave the outer ones usable', async () => {
    const to = stranger()
    const outer = await rpc('evm_snapshot')
    await send(1n, to)
    const inner = await rpc('evm_snapshot')
    await send(2n, to)
    expect(await viem.getBalance({ address: to })).toBe(3n)
    expect(await rpc('evm_revert', inner)).toBe(true)
    expect(await viem.getBalance({ address: to })).toBe(1n)
    expect(await rpc('evm_revert', inner)).toBe(false)
    const again = await rpc('evm_snapshot')
    await send(4n, to)
    expect(await rpc('evm_revert', outer)).toBe(true)
    expect(await viem.getBalance({ address: to })).toBe(0n)
    expect(await rpc('evm_revert', again)).toBe(false)
    expect((await latest()).number).toBe(0n)
  })

  test('restore everything: blocks, receipts, logs, code, nonces, time, the pool', async () => {
    const { address } = await deployToken(clients, 0)
    await rpc('evm_setAutomine', false)
    const waiting = await walletOf(2).sendTransaction({ to: bob, value: 1n, gas: 21_000n })
    const before = { ...(await latest()), nonce: await viem.getTransactionCount({ address: alice }) }
    const snapshot = await rpc('evm_snapshot')

    await rpc('evm_setAutomine', true)
    await viem.waitForTransactionReceipt({ hash: waiting })
    const later = await deployToken(clients, 0)
    await rpc('hardhat_setCode', bob, '0xfe')
    await rpc('hardhat_setStorageAt', address, '0x1', numberToHex(7, { size: 32 }))
    await rpc('evm_increaseTime', 1_000_000)
    await rpc('hardhat_mine', '0x5')
    await rpc('evm_setAutomine', false)
    expect(await rpc('evm_revert', snapshot)).toBe(true)

    expect({ ...(await latest()), nonce: await viem.getTransactionCount({ address: alice }) }).toEqual(before)
    expect(await rpc('eth_getTransactionReceipt', later.receipt.transactionHash)).toBeNull()
    expect(await rpc('eth_getTransactionByHash', later.receipt.transactionHash)).toBeNull()
    expect(await rpc('eth_getBlockByHash', later.receipt.blockHash, false)).toBeNull()
    expect(await rpc('eth_getLogs', { fromBlock: '0x0' })).toHaveLength(1)
    expect(await rpc('eth_getCode', bob, 'latest')).toBe('0x')
    expect(await rpc('eth_getCode', later.address, 'latest')).toBe('0x')
    expect(await rpc('eth_getStorageAt', address, '0x1', 'latest')).toBe(numberToHex(parseEther('1000'), { size: 32 }))
    expect(await rpc('eth_getTransactionByHash', waiting)).toMatchObject({ blockNumber: null })
    await rpc('evm_setAutomine', true)
    const mined = await viem.waitForTransactionReceipt({ hash: waiting })
    expect(mined.blockNumber).toBe(before.number + 1n)
    expect((await latest()).timestamp).toBeLessThan(before.timestamp + 1_000n)
  })

  test('can serve as fixtures dozens of times', async () => {
    const { address } = await deployToken(clients, 0)
    let snapshot = await rpc('evm_snapshot')
    for (let round = 0; round < 30; round++) {
      const data = encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [bob, BigInt(round)] })
      const hash = await walletOf(0).sendTransaction({ to: address, data })
      expect(await viem.waitForTransactionReceipt({ hash })).toMatchObject({ blockNumber: 2n, status: 'success' })
      expect(await rpc('evm_revert', snapshot)).toBe(true)
      snapshot = await rpc('evm_snapshot')
    }
    expect(await viem.readContract({ ...token, address, functionName: 'balanceOf', args: [bob] })).toBe(0n)
  })

  test('report removed logs to subscribers', async () => {
    const socket = await openSocket(wsUrl)
    const ask = async (method: string, ...params: unknown[]) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      return JSON.parse(await socket.next()).result
    }
    const snapshot = await rpc('evm_snapshot')
    expect(await ask('eth_subscribe', 'logs', {})).toMatch(/^0x/)
    await deployToken(clients, 0)
    expect(JSON.parse(await socket.next()).params.result).toMatchObject({ blockNumber: '0x1', removed: false })
    await rpc('evm_revert', snapshot)
    expect(JSON.parse(await socket.next()).params.result).toMatchObject({ blockNumber: '0x1', removed: true })
    socket.close()
  })
})

describe('time over JSON-RPC', () => {
  test('can be increased and set, and calls see it', async () => {
    const start = await latest()
    await rpc('evm_increaseTime', toHex(3_600))
    await rpc('evm_mine')
    const later = await latest()
    // After a reset the clock continues from block 0.
    const elapsed = Math.ceil((performance.now() - began) / 1000)
    expect(Number(later.timestamp - start.timestamp)).toBeGreaterThanOrEqual(3_600)
    expect(Number(later.timestamp - start.timestamp)).toBeLessThanOrEqual(3_601 + elapsed)

    await rpc('evm_setNextBlockTimestamp', toHex(later.timestamp + 500n))
    // At `latest` a call sees the block's timestamp, at `pending` that of the next block.
    expect(await run(TIMESTAMP)).toBe(numberToHex(later.timestamp, { size: 32 }))
    expect(await run(TIMESTAMP, 'pending')).toBe(numberToHex(later.timestamp + 500n, { size: 32 }))
    await send(1n)
    expect((await latest()).timestamp).toBe(later.timestamp + 500n)
    await rpc('evm_mine')
    const after = (await latest()).timestamp
    expect(after).toBeGreaterThanOrEqual(later.timestamp + 500n)
    expect(after).toBeLessThan(later.timestamp + 510n)
    expect(start.number + 3n).toBe((await latest()).number)

    const refused = await raw('evm_setNextBlockTimestamp', toHex(start.timestamp))
    expect(refused.error?.code).toBe(-32602)
  })

  test('accepts numbers and hex, as different tools write them', async () => {
    const { timestamp } = await latest()
    const wanted = [Number(timestamp) + 1_000, toHex(timestamp + 2_000n), String(timestamp + 3_000n)]
    for (const time of wanted) {
      await rpc('evm_setNextBlockTimestamp', time)
      await rpc('evm_mine')
    }
    expect((await latest()).timestamp).toBe(timestamp + 3_000n)
    await rpc('evm_mine', Number(timestamp) + 5_000)
    expect((await latest()).timestamp).toBe(timestamp + 5_000n)
    await rpc('evm_mine', { timestamp: Number(timestamp) + 6_000, blocks: 3 })
    expect((await latest()).number).toBe(7n)
  })
})

describe('mining over JSON-RPC', () => {
  test('mines a thousand blocks at an interval of timestamps without waiting for it', async () => {
    await rpc('evm_mine')
    const first = await latest()
    const began = performance.now()
    expect(await rpc('hardhat_mine', '0x3e8', '0x3c')).toBe(true)
    const took = performance.now() - began
    const last = await latest()
    expect(last.number).toBe(first.number + 1_000n)
    const second = await viem.getBlock({ blockNumber: first.number + 1n })
    expect(last.timestamp).toBe(second.timestamp + 999n * 60n)
    const middle = await viem.getBlock({ blockNumber: first.number + 500n })
    expect(middle.timestamp).toBe(second.timestamp + 499n * 60n)
    expect((await viem.getBlock({ blockNumber: first.number + 501n })).parentHash).toBe(middle.hash)
    await send(1n)
    // Time is the subject: 2 s on an idle machine, minutes if every block waited for its interval. The machine may be busy.
    expect(took, 'milliseconds').toBeLessThan(20_000)
  })

  test('leaves transactions in the pending block while mining is off', async () => {
    await rpc('evm_setAutomine', false)
    const { address } = account(3)
    const hashes = await Promise.all(
      [1n, 2n].map((value, i) => walletOf(i).sendTransaction({ to: address, value, nonce: 0, gas: 21_000n })),
    )
    expect(await rpc('txpool_status')).toEqual({ pending: '0x2', queued: '0x0' })
    const pending = await viem.getBlock({ blockTag: 'pending' })
    expect([...pending.transactions].sort()).toEqual([...hashes].sort())
    const balance = await viem.getBalance({ address })
    expect(await viem.getBalance({ address, blockTag: 'pending' })).toBe(balance + 3n)
    expect(await rpc('hardhat_dropTransaction', hashes[0])).toBe(true)
    await rpc('hardhat_mine')
    expect((await viem.getBlock()).transactions).toEqual([hashes[1]])
    await rpc('evm_setAutomine', true)
    await send(1n)
  })

  test('makes blocks by evm_setIntervalMining', async () => {
    await rpc('evm_setAutomine', false)
    await rpc('evm_setIntervalMining', 200)
    const { hash } = { hash: await walletOf(0).sendTransaction({ to: bob, value: 1n, gas: 21_000n }) }
    expect(await viem.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
    const { number } = await latest()
    await expect.poll(async () => (await latest()).number, { timeout: 5_000 }).toBeGreaterThan(number + 1n)
    await rpc('evm_setIntervalMining', 0)
    await rpc('evm_setAutomine', true)
  })

  test('uses the base fee, randomness and miner that were set', async () => {
    await rpc('hardhat_setNextBlockBaseFeePerGas', toHex(parseGwei('7')))
    const randomness = keccak256('0x07')
    await rpc('hardhat_setPrevRandao', randomness)
    const miner = stranger()
    await rpc('hardhat_setCoinbase', miner)
    await rpc('evm_mine')
    const block = await viem.getBlock()
    expect(block).toMatchObject({ baseFeePerGas: parseGwei('7'), mixHash: randomness, miner: miner.toLowerCase() })
    // PREVRANDAO, COINBASE, BASEFEE equal the header's fields.
    expect(await run(returning('44'))).toBe(randomness)
    expect(await run(returning('41'))).toBe(`0x${miner.slice(2).toLowerCase().padStart(64, '0')}`)
    await rpc('evm_mine')
    // EIP-1559 after an empty block: an eighth less.
    expect((await viem.getBlock()).baseFeePerGas).toBe(parseGwei('7') - parseGwei('7') / 8n)
    await rpc('evm_setBlockGasLimit', toHex(20_000_000))
    await rpc('evm_mine')
    expect((await viem.getBlock()).gasLimit).toBe(20_000_000n)
    await rpc('evm_setBlockGasLimit', toHex(36_000_000))
  })
})

describe('accounts over JSON-RPC', () => {
  test('can be set, and the next block’s state root includes them', async () => {
    const { address } = await deployToken(clients, 0)
    const who = stranger()
    await rpc('hardhat_setBalance', who, toHex(parseEther('5')))
    await rpc('hardhat_setNonce', who, '0x2a')
    await rpc('hardhat_setCode', who, '0x602a5f5260205ff3')
    await rpc('hardhat_setStorageAt', who, '0x5', numberToHex(9, { size: 32 }))
    expect(await viem.getBalance({ address: who })).toBe(parseEther('5'))
    expect(await viem.getTransactionCount({ address: who })).toBe(42)
    expect((await viem.call({ to: who })).data).toBe(numberToHex(42, { size: 32 }))
    expect(await viem.getStorageAt({ address: who, slot: '0x5' })).toBe(numberToHex(9, { size: 32 }))
    const { stateRoot } = await viem.getBlock()
    await rpc('evm_mine')
    expect((await viem.getBlock()).stateRoot).not.toBe(stateRoot)
    await dev.setStorageAt({ address, index: 1, value: numberToHex(123n, { size: 32 }) })
    expect(await viem.readContract({ ...token, address, functionName: 'totalSupply' })).toBe(123n)
  })

  test('without a key can send when impersonated, also contracts', async () => {
    const { address } = await deployToken(clients, 0)
    const whale = stranger()
    await rpc('hardhat_setBalance', whale, toHex(parseEther('1')))
    await rpc('hardhat_setBalance', address, toHex(parseEther('1')))
    for (const from of [whale, address]) {
      expect((await raw('eth_sendTransaction', { from, to: bob, value: '0x1' })).error?.message).toBe('unknown account')
      await rpc('hardhat_impersonateAccount', from)
      const hash = await rpc('eth_sendTransaction', { from, to: bob, value: '0x1' })
      expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1', from: from.toLowerCase() })
      expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({ hash, from: from.toLowerCase() })
      await rpc('hardhat_stopImpersonatingAccount', from)
      expect((await raw('eth_sendTransaction', { from, to: bob, value: '0x1' })).error?.message).toBe('unknown account')
    }
    await rpc('anvil_autoImpersonateAccount', true)
    await rpc('hardhat_setBalance', whale, toHex(parseEther('1')))
    expect(await rpc('eth_sendTransaction', { from: whale, to: bob, value: '0x1' })).toMatch(/^0x/)
    await rpc('anvil_autoImpersonateAccount', false)
  })
})

describe('the state of the whole chain', () => {
  test('can be moved from one node to another as a dump', async () => {
    const { address } = await deployToken(clients, 0)
    const frames = await deployFrames(clients, 1)
    await send(parseEther('3'), account(5).address)
    const dump = await rpc('anvil_dumpState')
    const other = await startProcess(['--in-memory'])
    const there = clientsOf(other.url)
    expect(await there.rpc('anvil_loadState', dump)).toBe(true)
    for (const who of [alice, account(5).address, address, frames.address]) {
      expect(await there.viem.getBalance({ address: who })).toBe(await viem.getBalance({ address: who }))
      expect(await there.viem.getTransactionCount({ address: who })).toBe(
        await viem.getTransactionCount({ address: who }),
      )
      expect(await there.viem.getCode({ address: who })).toBe(await viem.getCode({ address: who }))
    }
    expect(await there.viem.readContract({ ...token, address, functionName: 'balanceOf', args: [alice] })).toBe(
      parseEther('1000'),
    )
    const hash = await there.walletOf(0).sendTransaction({ to: bob, value: 1n })
    expect(await there.viem.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
    await other.stop()
  })

  test('loses edits of genesis by a revert and by a reset', async () => {
    const balance = () => viem.getBalance({ address: bob })
    const snapshot = await rpc('evm_snapshot')
    await rpc('hardhat_setBalance', bob, '0x1')
    expect(await balance()).toBe(1n)
    expect(await rpc('evm_revert', snapshot)).toBe(true)
    expect(await balance()).toBe(parseEther('10000'))
    await rpc('hardhat_setBalance', bob, '0x1')
    await rpc('evm_mine')
    await rpc('hardhat_reset')
    expect(await balance()).toBe(parseEther('10000'))
    await rpc('hardhat_setBalance', bob, '0x1')
    await rpc('hardhat_reset')
    expect(await balance()).toBe(parseEther('10000'))
  })

  test('starts over with a reset', async () => {
    const genesis = await viem.getBlock({ blockNumber: 0n })
    const { receipt } = await deployToken(clients, 0)
    await rpc('hardhat_setBalance', bob, '0x0')
    await rpc('evm_increaseTime', 1_000_000)
    const snapshot = await rpc('evm_snapshot')
    await rpc('hardhat_reset')
    expect(await viem.getBlock()).toEqual(genesis)
    expect(await viem.getBalance({ address: bob })).toBe(parseEther('10000'))
    expect(await viem.getTransactionCount({ address: alice })).toBe(0)
    expect(await rpc('eth_getTransactionReceipt', receipt.transactionHash)).toBeNull()
    expect(await rpc('evm_revert', snapshot)).toBe(false)
    await send(1n)
    expect(Number((await latest()).timestamp)).toBeLessThan(Date.now() / 1000 + 60)
  })
})
