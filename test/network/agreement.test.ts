// Four validators with real CometBFTs: equal blocks, transactions to any node, app hashes, and what a network's node refuses.
import { parseEther } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Hash } from '../../src/lib/hex.ts'
import { account } from '../support/chain.ts'
import { appHashOfStores } from '../support/network.ts'
import { NO_ENGINE, TestNetwork } from './support.ts'

describe.skipIf(NO_ENGINE !== undefined)(`four validators ${NO_ENGINE ?? ''}`, () => {
  let network: TestNetwork
  beforeAll(async () => {
    network = await TestNetwork.start()
  })

  it('mine transactions that were sent to any node, in the same block at all nodes', async () => {
    const bob = account(1).address
    for (let i = 0; i < 12; i++) {
      const hash = await network.wallet(i % 4).sendTransaction({ to: bob, value: parseEther('1'), nonce: i })
      const sent = await network.head(i % 4)
      const receipts = await Promise.all(
        network.all.map((node) => network.viem(node).waitForTransactionReceipt({ hash })),
      )
      expect(new Set(receipts.map(({ blockHash }) => blockHash)).size).toBe(1)
      expect(receipts[0]?.blockNumber).toBeLessThanOrEqual(sent + 3n)
    }
  })

  it('mine transactions of one sender that were sent to three nodes in the wrong nonce order', async () => {
    const to = account(2).address
    const hashes: `0x${string}`[] = []
    for (const [node, nonce] of [
      [1, 2],
      [2, 1],
      [3, 0],
    ] as const) {
      hashes.push(await network.wallet(node, 3).sendTransaction({ to, value: 1n, nonce, gas: 21_000n }))
    }
    for (const hash of hashes) {
      const { status } = await network.viem(0).waitForTransactionReceipt({ hash })
      expect(status).toBe('success')
    }
  })

  it('sign a header with the root over each block’s hash and IBC’s store as the app hash of the next height', async () => {
    const head = await network.head(0)
    await network.reach(head + 1n)
    for (let number = 1n; number < head; number++) {
      const { signed_header } = (await network.engine(1, `commit?height=${number + 1n}`)) as {
        signed_header: { header: { app_hash: string } }
      }
      const [block] = await network.blocksAt(number, [0])
      const { appHash } = (await network.rpc(0, 'kestrel_getCommit', `0x${number.toString(16)}`)) as {
        appHash: { evm: Hash; ibc: Hash }
      }
      expect(appHash.evm).toBe(block?.hash)
      expect(signed_header.header.app_hash).toBe(Buffer.from(appHashOfStores(appHash)).toString('hex').toUpperCase())
    }
  })

  it('answer wallets’ requests, and refuse development methods', async () => {
    expect(await network.rpc(0, 'net_peerCount')).toBe('0x3')
    expect(await network.rpc(0, 'net_listening')).toBe(true)
    expect(await network.rpc(0, 'eth_syncing')).toBe(false)
    expect(await network.rpc(0, 'eth_accounts')).toEqual([])
    for (const method of [
      'anvil_setBalance',
      'evm_mine',
      'evm_snapshot',
      'hardhat_mine',
      'miner_start',
      'debug_setHead',
      'anvil_mine',
      'evm_increaseTime',
    ])
      expect((await network.raw(0, method)).error?.code, method).toBe(-32601)
    const { error } = await network.raw(0, 'eth_sendRawTransaction', '0xdeadbeef')
    expect(error?.code).toBeLessThan(0)
  })

  it('halt without two thirds of the stake, and continue by themselves when it is back', async () => {
    await network.stop(2)
    await network.stop(3)
    // A block that was already decided may still be committed.
    const still = (await network.head(0)) + 1n
    await expect(network.eventually('a block', async () => (await network.head(0)) > still, 8_000)).rejects.toThrow()
    network.start(2)
    await network.reach(still + 3n, [0, 1, 2])
    network.start(3)
    await network.reach(still + 5n)
    expect(await network.rpc(3, 'eth_syncing')).toBe(false)
    expect(await network.differences()).toEqual([])
    for (const node of network.all) expect(await network.rpc(node, 'dev_invariants', 'latest')).toEqual([])
  })
})
