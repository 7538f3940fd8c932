// Flags of `start` that decide how blocks are made and which methods are open.
import { encodeFunctionData, type Hex, parseEther, parseGwei, toHex } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { account } from '../support/chain.ts'
import { deployToken, token } from '../support/contracts.ts'
import { clientsOf, startProcess } from '../support/process.ts'
import { openSocket } from '../support/wire.ts'

async function nodeWith(...flags: string[]) {
  const node = await startProcess(['--in-memory', ...flags])
  onTestFinished(async () => {
    expect(await node.stop(), node.output()).toBe(0)
  })
  return clientsOf(node.url)
}
const to = account(9).address

test('--block-time: blocks at an interval, also empty ones; transactions wait for the next one', async () => {
  const { viem, walletOf, wsUrl } = await nodeWith('--block-time', '1')
  const socket = await openSocket(wsUrl)
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
  await socket.next()
  const head = async () => JSON.parse(await socket.next()).params.result as Record<'number' | 'timestamp', Hex>
  const first = await head()
  // A block has just been made, so there is a second for these.
  const hashes = await Promise.all(
    [0, 1, 2, 3].map((index) => walletOf(index).sendTransaction({ to, value: 1n, gas: 21_000n })),
  )
  const receipts = await Promise.all(hashes.map((hash) => viem.waitForTransactionReceipt({ hash })))
  expect(new Set(receipts.map(({ blockNumber }) => blockNumber)).size).toBeLessThanOrEqual(2)
  const second = await head()
  const third = await head()
  expect(Number(second.number)).toBe(Number(first.number) + 1)
  expect(Number(third.number)).toBe(Number(first.number) + 2)
  expect(Number(third.timestamp)).toBeGreaterThan(Number(first.timestamp))
  socket.close()
})

test('--no-mining: blocks only on request; sends of the node’s accounts do not wait', async () => {
  const { rpc, viem } = await nodeWith('--no-mining')
  const [from] = (await rpc('eth_accounts')) as Hex[]
  const hashes: unknown[] = []
  for (let i = 0; i < 3; i++) hashes.push(await rpc('eth_sendTransaction', { from, to, value: '0x1' }))
  expect(await viem.getBlockNumber({ cacheTime: 0 })).toBe(0n)
  expect(await rpc('eth_getTransactionReceipt', hashes[0])).toBeNull()
  await rpc('evm_mine')
  expect((await viem.getBlock()).transactions).toEqual(hashes)
})

describe('the pending block without mining', () => {
  test('shows state, nonces, logs and calls after the pending transactions', async () => {
    const clients = await nodeWith()
    const { rpc, viem, walletOf } = clients
    const { address } = await deployToken(clients, 0)
    await rpc('evm_setAutomine', false)
    const data = encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [to, 5n] })
    await walletOf(0).sendTransaction({ to: address, data })
    const balanceOf = { ...token, address, functionName: 'balanceOf', args: [to] } as const
    expect(await viem.readContract(balanceOf)).toBe(0n)
    expect(await viem.readContract({ ...balanceOf, blockTag: 'pending' })).toBe(5n)
    expect(await viem.getTransactionCount({ address: account(0).address, blockTag: 'pending' })).toBe(2)
    // As Hardhat and Ignition do: with fees and the next nonce, on pending.
    const request = {
      from: account(0).address,
      to: address,
      data,
      nonce: '0x2',
      maxFeePerGas: toHex(parseGwei('5')),
      maxPriorityFeePerGas: '0x1',
    }
    expect(await rpc('eth_call', request, 'pending')).toBe(toHex(1n, { size: 32 }))
    const gas = (await rpc('eth_estimateGas', request, 'pending')) as Hex
    // In the pending state the recipient has a balance, so its slot costs less than a new one (EIP-2200: 5000, not 20000).
    expect(Number(gas)).toBeLessThan(Number(await rpc('eth_estimateGas', request, 'latest')))
    await rpc('evm_mine')
    expect(await viem.readContract(balanceOf)).toBe(5n)
  })
})

test('--production: no development methods, no keys, kestrel’s client name', async () => {
  const { rpc, raw, viem } = await nodeWith('--production', '--preset', 'kestrel')
  expect(await rpc('web3_clientVersion')).toMatch(/^kestrel/)
  expect(await rpc('eth_accounts')).toEqual([])
  for (const method of ['evm_mine', 'anvil_setBalance', 'hardhat_reset', 'evm_snapshot', 'anvil_impersonateAccount'])
    expect((await raw(method)).error?.code, method).toBe(-32601)
  expect((await raw('eth_sendTransaction', { from: account(0).address, to })).error?.message).toBe('unknown account')
  const unprotected = { to, value: 1n, gas: 21_000n, gasPrice: parseGwei('3'), nonce: 0, type: 'legacy' } as const
  const bare = await account(0).signTransaction(unprotected)
  await expect(viem.sendRawTransaction({ serializedTransaction: bare })).rejects.toThrow('replay-protected')
  const serializedTransaction = await account(0).signTransaction({ ...unprotected, chainId: 125 })
  const hash = await viem.sendRawTransaction({ serializedTransaction })
  expect(await viem.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
})

test('--accounts, --balance, --chain-id, --gas-limit, --call-gas-cap', async () => {
  const { rpc, raw, viem } = await nodeWith(
    '--accounts',
    '2',
    '--balance',
    '7.5',
    '--chain-id',
    '31337',
    '--gas-limit',
    '12000000',
    '--call-gas-cap',
    '100000',
  )
  expect(await rpc('eth_chainId')).toBe('0x7a69')
  expect(await rpc('eth_accounts')).toHaveLength(2)
  expect(await viem.getBalance({ address: account(1).address })).toBe(parseEther('7.5'))
  await rpc('evm_mine')
  expect((await viem.getBlock()).gasLimit).toBe(12_000_000n)
  // GAS PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
  const code = { [to]: { code: '0x5a5f5260205ff3' } }
  const answer = await raw('eth_call', { to, gas: '0xffffff' }, 'latest', code)
  expect(Number(answer.result)).toBeLessThan(100_000)
})
