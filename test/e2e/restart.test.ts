// A chain is the same after a stop and a start of its process, to the byte.
import { type Address, encodeFunctionData, type Hex, parseEther, parseGwei, toHex } from 'viem'
import { afterAll, describe, expect, test } from 'vitest'
import { account } from '../support/chain.ts'
import { deployToken, token } from '../support/contracts.ts'
import { type Clients, clientsOf, startProcess, temporaryFolder } from '../support/process.ts'
import { provenAccount } from '../support/proofs.ts'

const folder = await temporaryFolder()
afterAll(() => folder.remove())

/** Runs the process on the folder during `use`, and then stops it with SIGINT. */
async function session<T>(
  flags: readonly string[],
  use: (clients: Clients, startedIn: number) => Promise<T>,
): Promise<T> {
  const node = await startProcess(['--datadir', folder.path, ...flags])
  try {
    return await use(clientsOf(node.url), node.startedIn)
  } finally {
    expect(await node.stop(), node.output()).toBe(0)
  }
}

/** All readable data of the chain in wire form. */
async function everything({ rpc, viem }: Clients, contract: Address) {
  const head = Number(await viem.getBlockNumber({ cacheTime: 0 }))
  const numbers = Array.from({ length: head + 1 }, (_, number) => toHex(number))
  const accounts = [contract, ...[0, 1, 2, 3].map((index) => account(index).address)]
  const perAccount = (method: string, block: string) => Promise.all(accounts.map((one) => rpc(method, one, block)))
  return {
    blocks: await Promise.all(numbers.map((number) => rpc('eth_getBlockByNumber', number, true))),
    receipts: await Promise.all(numbers.map((number) => rpc('eth_getBlockReceipts', number))),
    logs: await rpc('eth_getLogs', { fromBlock: 'earliest', toBlock: 'latest' }),
    balances: await Promise.all(numbers.map((number) => perAccount('eth_getBalance', number))),
    nonces: await perAccount('eth_getTransactionCount', 'latest'),
    code: await rpc('eth_getCode', contract, 'latest'),
    storage: await Promise.all(['0x0', '0x1', '0x2'].map((slot) => rpc('eth_getStorageAt', contract, slot, 'latest'))),
    proofs: await Promise.all(numbers.map((number) => rpc('eth_getProof', contract, ['0x1'], number))),
  }
}

const signed = (index: number, nonce: number): Promise<Hex> =>
  account(index).signTransaction({
    chainId: 125,
    type: 'eip1559',
    to: account(9).address,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: parseGwei('20'),
    maxPriorityFeePerGas: 1n,
    nonce,
  })

describe('a chain in a folder', () => {
  let contract: Address
  let before: Awaited<ReturnType<typeof everything>>
  let gapped: Hex
  let waiting: Hex

  test('is written', async () => {
    await session([], async (clients) => {
      const { viem, walletOf, rpc } = clients
      contract = (await deployToken(clients, 0)).address
      for (let i = 0; i < 5; i++) {
        const data = encodeFunctionData({
          abi: token.abi,
          functionName: 'transfer',
          args: [account(i).address, BigInt(i)],
        })
        await viem.waitForTransactionReceipt({ hash: await walletOf(0).sendTransaction({ to: contract, data }) })
        const hash = await walletOf(1).sendTransaction({ to: account(2).address, value: parseEther('1') })
        await viem.waitForTransactionReceipt({ hash })
      }
      // Outside any block; the next block's state root includes it.
      await rpc('anvil_setBalance', account(3).address, '0x1234')
      await rpc('anvil_mine')
      gapped = await viem.sendRawTransaction({ serializedTransaction: await signed(4, 1) })
      before = await everything(clients, contract)
      expect(before.blocks).toHaveLength(13)
    })
  })

  test('is the same after a stop and a start', async () => {
    await session(['--no-mining'], async (clients, startedIn) => {
      const { viem, rpc } = clients
      expect(await everything(clients, contract)).toEqual(before)
      expect(startedIn).toBeLessThan(5_000)
      expect(await viem.getBalance({ address: account(3).address })).toBe(0x1234n)
      for (const address of [contract, account(0).address, account(9).address])
        await provenAccount(clients, { address, slots: [toHex(1), toHex(99)] }, 12n)
      const filter = await viem.createContractEventFilter({ abi: token.abi, address: contract, fromBlock: 0n })
      expect(await viem.getFilterLogs({ filter })).toHaveLength(6)
      expect(await viem.getFilterChanges({ filter })).toEqual([])

      expect(await rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' })
      waiting = await viem.sendRawTransaction({ serializedTransaction: await signed(5, 0) })
      expect(await rpc('txpool_status')).toEqual({ pending: '0x1', queued: '0x1' })
    })
  })

  test('keeps pending transactions, in the pool and counted', async () => {
    await session(['--no-mining'], async ({ rpc, viem }) => {
      expect(await rpc('txpool_status')).toEqual({ pending: '0x1', queued: '0x1' })
      const content = (await rpc('txpool_content')) as Record<string, Record<Address, Record<string, { hash: Hex }>>>
      expect(content.pending?.[account(5).address]?.['0']?.hash).toBe(waiting)
      expect(content.queued?.[account(4).address]?.['1']?.hash).toBe(gapped)
      expect(await viem.getTransactionCount({ address: account(5).address, blockTag: 'pending' })).toBe(1)
      expect(await viem.getBlockNumber({ cacheTime: 0 })).toBe(12n)
    })
  })

  test('mines pending transactions when mining is enabled again', async () => {
    await session([], async ({ rpc, viem }) => {
      expect(await viem.waitForTransactionReceipt({ hash: waiting })).toMatchObject({
        status: 'success',
        blockNumber: 13n,
      })
      expect(await rpc('eth_getTransactionReceipt', gapped)).toBeNull()
      await viem.sendRawTransaction({ serializedTransaction: await signed(4, 0) })
      expect(await viem.waitForTransactionReceipt({ hash: gapped })).toMatchObject({ status: 'success' })
      expect(await viem.getBalance({ address: account(9).address })).toBe(parseEther('10000') + 3n)
      expect(await rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
      const blocks = (await Promise.all([12n, 13n, 14n].map((blockNumber) => viem.getBlock({ blockNumber })))).map(
        ({ parentHash, hash }) => ({ parentHash, hash }),
      )
      expect(blocks[1]?.parentHash).toBe(blocks[0]?.hash)
      expect(blocks[2]?.parentHash).toBe(blocks[1]?.hash)
    })
  })

  test('keeps increasing timestamps after the clock was set ahead', async () => {
    const ahead = await session([], async ({ dev, viem }) => {
      await dev.increaseTime({ seconds: 86_400 })
      await dev.mine({ blocks: 1 })
      return (await viem.getBlock()).timestamp
    })
    await session([], async ({ viem, walletOf }) => {
      const hash = await walletOf(1).sendTransaction({ to: account(2).address, value: 1n })
      const { blockNumber } = await viem.waitForTransactionReceipt({ hash })
      expect((await viem.getBlock({ blockNumber })).timestamp).toBeGreaterThanOrEqual(ahead)
    })
  })

  test('cannot be opened by a second process, which does not change it', async () => {
    await session([], async ({ viem }) => {
      await expect(startProcess(['--datadir', folder.path])).rejects.toThrow(/in use/)
      expect(await viem.getBlockNumber({ cacheTime: 0 })).toBeGreaterThan(14n)
    })
  })
})
