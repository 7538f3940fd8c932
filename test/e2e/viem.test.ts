// viem against the node: reads, transfers, contracts, events, reverts, estimates.
import {
  type Abi,
  BaseError,
  ContractFunctionRevertedError,
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  getContract,
  getContractAddress,
  keccak256,
  type Log,
  parseEther,
  parseGwei,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { formatAbiItem } from 'viem/utils'
import { describe, expect, test, vi } from 'vitest'
import { account } from '../support/chain.ts'
import compiled from '../support/contracts/contracts.json' with { type: 'json' }
import { deployFrames, deployToken, frames, token } from '../support/contracts.ts'
import { processForFile } from '../support/process.ts'

const clients = await processForFile()
const { viem, walletOf, overSocket } = clients
const stranger = () => privateKeyToAccount(generatePrivateKey()).address

test('the ABIs in these tests equal those of the compiled contracts', () => {
  const signatures = (abi: Abi) => abi.flatMap((item) => ('name' in item ? [formatAbiItem(item)] : [])).sort()
  expect(signatures(token.abi)).toEqual(signatures(compiled.contracts.Token.abi as Abi))
  expect(signatures(frames.abi)).toEqual(signatures(compiled.contracts.Frames.abi as Abi))
})

describe('the chain with viem', () => {
  test('has its id, funded accounts and blocks with a base fee', async () => {
    expect(await viem.getChainId()).toBe(125)
    expect(await viem.getBalance({ address: account(9).address })).toBe(parseEther('10000'))
    const genesis = await viem.getBlock({ blockNumber: 0n })
    expect(genesis.baseFeePerGas).toBe(parseGwei('1'))
    expect(await viem.getBlock({ blockHash: genesis.hash })).toEqual(genesis)
  })

  test('transfers exactly the value and the fee', async () => {
    const to = stranger()
    const before = await viem.getBalance({ address: account(0).address })
    const hash = await walletOf(0).sendTransaction({ to, value: 12_345n })
    const receipt = await viem.waitForTransactionReceipt({ hash })
    expect(receipt).toMatchObject({ status: 'success', gasUsed: 21_000n, type: 'eip1559', contractAddress: null })
    expect(await viem.getBalance({ address: to })).toBe(12_345n)
    const fee = receipt.gasUsed * receipt.effectiveGasPrice
    expect(await viem.getBalance({ address: account(0).address })).toBe(before - 12_345n - fee)
    expect(await viem.getBalance({ address: to, blockNumber: receipt.blockNumber - 1n })).toBe(0n)
  })

  test('has a fee history by EIP-1559', async () => {
    const hash = await walletOf(1).sendTransaction({ to: stranger(), value: 1n, maxPriorityFeePerGas: 7n })
    const { blockNumber } = await viem.waitForTransactionReceipt({ hash })
    const history = await viem.getFeeHistory({ blockCount: 2, blockNumber, rewardPercentiles: [50] })
    const [parent, block] = await Promise.all([
      viem.getBlock({ blockNumber: blockNumber - 1n }),
      viem.getBlock({ blockNumber }),
    ])
    expect(history.oldestBlock).toBe(blockNumber - 1n)
    expect(history.reward?.[1]).toEqual([7n])
    expect(history.gasUsedRatio[1]).toBeCloseTo(21_000 / Number(block.gasLimit), 12)
    const target = block.gasLimit / 2n
    const base = block.baseFeePerGas ?? 0n
    const next = base - (base * (target - block.gasUsed)) / target / 8n
    expect(history.baseFeePerGas).toEqual([parent.baseFeePerGas, base, next])
  })

  test('suggests fees with which a transaction is mined at once', async () => {
    const { maxFeePerGas } = await viem.estimateFeesPerGas()
    expect(maxFeePerGas).toBeGreaterThan((await viem.getBlock()).baseFeePerGas ?? 0n)
    const gasPrice = await viem.getGasPrice()
    const hash = await walletOf(2).sendTransaction({ to: stranger(), gasPrice })
    expect(await viem.waitForTransactionReceipt({ hash, timeout: 5_000 })).toMatchObject({ status: 'success' })
  })
})

describe('a contract with viem', () => {
  test('is deployed at the address of its creator and nonce, and can be read and written', async () => {
    const nonce = await viem.getTransactionCount({ address: account(3).address })
    const { address, receipt } = await deployToken(clients, 3)
    expect(address).toBe(getContractAddress({ from: account(3).address, nonce: BigInt(nonce) }))
    expect(receipt.to).toBeNull()
    const contract = getContract({ address, abi: token.abi, client: { public: viem, wallet: walletOf(3) } })
    expect(await contract.read.name()).toBe('Token')
    expect(await contract.read.decimals()).toBe(18)
    const hash = await contract.write.transfer([account(4).address, 30n])
    const { blockNumber } = await viem.waitForTransactionReceipt({ hash })
    expect(await contract.read.balanceOf([account(4).address])).toBe(30n)
    expect(await contract.read.balanceOf([account(3).address])).toBe(parseEther('1000') - 30n)
    expect(await contract.read.balanceOf([account(4).address], { blockNumber: blockNumber - 1n })).toBe(0n)
    const results = await viem.multicall({
      contracts: [
        { ...contract, functionName: 'symbol' },
        { ...contract, functionName: 'balanceOf', args: [account(4).address] },
        { ...contract, functionName: 'refuse', args: ['no'] },
      ],
    })
    expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'failure'])
  })

  test('returns its events by range, topic and block, and to polling filters', async () => {
    const { address, receipt } = await deployToken(clients, 3)
    const filter = await viem.createContractEventFilter({ abi: token.abi, address, fromBlock: 0n })
    const to = [stranger(), stranger()] as const
    for (const [i, recipient] of to.entries()) {
      const hash = await walletOf(3).writeContract({
        ...token,
        address,
        functionName: 'transfer',
        args: [recipient, BigInt(i)],
      })
      await viem.waitForTransactionReceipt({ hash })
    }
    const all = await viem.getContractEvents({ abi: token.abi, address, fromBlock: 0n, strict: true })
    expect(all.map(({ args }) => args)).toEqual([
      { from: '0x0000000000000000000000000000000000000000', to: account(3).address, value: parseEther('1000') },
      { from: account(3).address, to: to[0], value: 0n },
      { from: account(3).address, to: to[1], value: 1n },
    ])
    const event = getAbiItem({ abi: token.abi, name: 'Transfer' })
    const second = await viem.getLogs({ event, args: { to: to[1] }, fromBlock: 'earliest' })
    expect(second).toEqual([all[2]])
    expect(await viem.getLogs({ blockHash: receipt.blockHash })).toHaveLength(1)
    expect(await viem.getLogs({ address, event, args: { to: [...to] }, fromBlock: 0n })).toEqual(all.slice(1))
    expect(await viem.getFilterChanges({ filter })).toEqual(all.slice(1))
    expect(await viem.getFilterChanges({ filter })).toEqual([])
    expect(await viem.getFilterLogs({ filter })).toEqual(all)
    expect(await viem.uninstallFilter({ filter })).toBe(true)
    await expect(viem.getFilterChanges({ filter })).rejects.toThrow('filter not found')
  })

  test('notifies watchers of its events and blocks, by polling and over a WebSocket', async () => {
    const { address } = await deployToken(clients, 5)
    const socket = overSocket()
    const fetching = vi.spyOn(globalThis, 'fetch')
    const seen = { polled: [] as Log[], pushed: [] as Log[], heads: [] as bigint[], hashes: [] as string[] }
    const watched = { abi: token.abi, address, eventName: 'Transfer' } as const
    const stops = [
      viem.watchContractEvent({ ...watched, onLogs: (logs) => seen.polled.push(...logs) }),
      socket.watchContractEvent({ ...watched, onLogs: (logs) => seen.pushed.push(...logs) }),
      socket.watchBlocks({ onBlock: ({ number }) => seen.heads.push(number) }),
      socket.watchPendingTransactions({ onTransactions: (hashes) => seen.hashes.push(...hashes) }),
    ]
    // The subscriptions are active once a later request on the same connection has been answered.
    await socket.getBlockNumber({ cacheTime: 0 })
    // The polling watcher sees events from the creation of its filter on.
    await vi.waitUntil(() =>
      fetching.mock.calls.some(
        ([, init], i) =>
          String(init?.body).includes('eth_newFilter') && fetching.mock.settledResults[i]?.type === 'fulfilled',
      ),
    )
    fetching.mockRestore()
    const hash = await walletOf(5).writeContract({
      ...token,
      address,
      functionName: 'transfer',
      args: [stranger(), 5n],
    })
    const { logs, blockNumber } = await viem.waitForTransactionReceipt({ hash })
    await expect.poll(() => seen.polled.length).toBe(1)
    await expect.poll(() => seen.pushed.length).toBe(1)
    await expect.poll(() => seen.heads).toContain(blockNumber)
    await expect.poll(() => seen.hashes).toContain(hash)
    expect(seen.pushed[0]).toMatchObject({ ...logs[0], args: { value: 5n } })
    for (const stop of stops) stop()
    ;(await socket.transport.getRpcClient()).close()
  })
})

describe('a revert with viem', () => {
  test('is decoded: reason, custom error, and the receipt of a sent transaction', async () => {
    const { address } = await deployToken(clients, 6)
    const poor = account(7).address
    const refused = await reverted(
      viem.readContract({ ...token, address, functionName: 'refuse', args: ['not today'] }),
    )
    expect(refused.reason).toBe('not today')
    const unpaid = await reverted(
      viem.simulateContract({ ...token, address, functionName: 'transfer', args: [stranger(), 9n], account: poor }),
    )
    expect(unpaid.data).toMatchObject({ errorName: 'InsufficientBalance', args: [poor, 0n, 9n] })
    const estimated = await reverted(
      viem.estimateContractGas({
        ...token,
        address,
        functionName: 'transferFrom',
        args: [account(6).address, poor, 1n],
        account: poor,
      }),
    )
    expect(estimated.reason).toBe('allowance exceeded')

    const data = encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [stranger(), 9n] })
    const hash = await walletOf(7).sendTransaction({ to: address, data, gas: 100_000n })
    const receipt = await viem.waitForTransactionReceipt({ hash })
    expect(receipt).toMatchObject({ status: 'reverted', logs: [] })
    expect(receipt.gasUsed).toBeLessThan(100_000n)
  })

  const reverted = async (call: Promise<unknown>): Promise<ContractFunctionRevertedError> => {
    const error = await call.catch((error: unknown) => error)
    const cause = error instanceof BaseError ? error.walk((e) => e instanceof ContractFunctionRevertedError) : undefined
    if (cause instanceof ContractFunctionRevertedError) return cause
    throw new Error('no revert', { cause: error })
  }
})

describe('an estimate with viem', () => {
  test.each([
    ['passing on gas through 20 frames', 'descend', [20n, 10n]],
    ['passing on gas through one frame', 'descend', [1n, 1n]],
    ['getting a refund', 'waste', [20n]],
    ['wanting more gas than it uses', 'greedy', []],
  ] as const)('suffices, and less does not, for a call %s', async (_, functionName, args) => {
    const { address } = await deployFrames(clients, 8)
    const data = encodeFunctionData({ abi: frames.abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
    const gas = await viem.estimateGas({ account: account(8), to: address, data })
    await expect(viem.call({ account: account(8), to: address, data, gas: gas - 1n })).rejects.toThrow()
    const hash = await walletOf(8).sendTransaction({ to: address, data, gas })
    expect(await viem.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
  })

  test('is 21000 for a transfer, and enough for a deployment', async () => {
    expect(await viem.estimateGas({ account: account(8), to: stranger(), value: 1n })).toBe(21_000n)
    const gas = await viem.estimateGas({ account: account(8), data: frames.bytecode })
    const hash = await walletOf(8).sendTransaction({ data: frames.bytecode, gas })
    expect(await viem.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success', gasUsed: gas })
  })
})

test('an access list has the slots of Solidity’s layout, and saves as much gas as it costs', async () => {
  const { address } = await deployToken(clients, 9)
  const to = stranger()
  const data = encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [to, 1n] })
  const { accessList, gasUsed } = await viem.createAccessList({ account: account(9), to: address, data })
  const balanceSlot = (of: `0x${string}`) =>
    keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [of, 2n]))
  expect(accessList).toHaveLength(1)
  expect(accessList[0]?.address).toBe(address.toLowerCase())
  expect([...(accessList[0]?.storageKeys ?? [])].sort()).toEqual(
    [balanceSlot(account(9).address), balanceSlot(to)].sort(),
  )
  const hash = await walletOf(9).sendTransaction({ to: address, data, accessList })
  const receipt = await viem.waitForTransactionReceipt({ hash })
  expect(receipt.gasUsed).toBe(gasUsed)
})
