// Forks of another chain: state on demand, few round trips, blocks of before, restarts, and what goes wrong. The other chain is a
// kestrel of its own behind a proxy.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeDeployData, encodeFunctionData, type Hex, numberToHex, pad, parseEther, toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type RunningNode, startNode } from '../../src/library.ts'
import { asm, returnTop } from '../support/assembler.ts'
import { token } from '../support/contracts.ts'
import { chainToFork, type Forked, forkOf } from '../support/forked.ts'

const HOLDER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const STRANGER = '0x00000000000000000000000000000000000a11ce'
const SLOTS = '0x0000000000000000000000000000000000510751'
const COUNT = 300

/** Returns the sum of the first `calldata[0]` slots. */
const SUM = asm(
  ...['PUSH0', 'PUSH0'], // sum, i
  'JUMPDEST', // 2
  ...['DUP1', 'PUSH0', 'CALLDATALOAD', 'EQ', 'PUSH1 0x16', 'JUMPI'],
  ...['DUP1', 'SLOAD', 'SWAP1', 'SWAP2', 'ADD', 'SWAP1', 'PUSH1 0x01', 'ADD', 'PUSH1 0x02', 'JUMP'],
  'JUMPDEST', // 0x16
  ...['POP', ...returnTop],
)

let forked: Forked
let tokenAt: Hex
let firstTransfer: Hex

const send = (node: RunningNode, request: object) =>
  node.request<Hex>('eth_sendTransaction', [{ gas: '0x186a0', ...request }])
const transfer = (to: Hex, amount: bigint) =>
  encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [to, amount] })
const balanceOf = (node: RunningNode, of: Hex, block: unknown = 'latest') =>
  node.request<Hex>('eth_call', [
    { to: tokenAt, data: encodeFunctionData({ abi: token.abi, functionName: 'balanceOf', args: [of] }) },
    block,
  ])
const accountOf = (node: RunningNode) => node.accounts[0]?.address as Hex

beforeAll(async () => {
  forked = await chainToFork()
  const { origin } = forked
  const data = encodeDeployData({ ...token, args: ['Forked', parseEther('1000')] })
  const deployed = await send(origin, { from: accountOf(origin), data, gas: '0x2dc6c0' })
  const receipt = await origin.request<{ contractAddress: Hex }>('eth_getTransactionReceipt', [deployed])
  tokenAt = receipt.contractAddress
  firstTransfer = await send(origin, { from: accountOf(origin), to: tokenAt, data: transfer(HOLDER, 5n) })
  await origin.request('anvil_setCode', [SLOTS, SUM])
  for (let slot = 0; slot < COUNT; slot++)
    await origin.request('anvil_setStorageAt', [SLOTS, numberToHex(slot), pad(toHex(slot + 1))])
  await origin.request('anvil_setBalance', [STRANGER, toHex(12_345n)])
  await origin.request('anvil_mine', ['0x2'])
})
afterAll(() => forked[Symbol.asyncDispose]())
beforeEach(() => {
  Object.assign(forked.proxy, { delay: 0, spoil: () => undefined, refusal: undefined })
})

describe('the state of a fork', () => {
  it('is that of the other chain at the block, and then its own', async () => {
    const { origin, proxy } = forked
    await using fork = await forkOf(proxy)
    expect(fork.chainId).toBe(4242)
    expect(await fork.request('eth_blockNumber')).toBe(await origin.request('eth_blockNumber'))
    for (const [method, ...params] of [
      ['eth_getBalance', STRANGER],
      ['eth_getCode', tokenAt],
      ['eth_getTransactionCount', HOLDER],
      ['eth_getStorageAt', SLOTS, '0x7'],
      ['eth_getStorageAt', tokenAt, '0x0'],
      ['eth_getBalance', '0x00000000000000000000000000000000000000ff'],
    ] as const)
      expect(await fork.request(method, [...params, 'latest'])).toEqual(
        await origin.request(method, [...params, 'latest']),
      )
    expect(await balanceOf(fork, HOLDER)).toBe(await balanceOf(origin, HOLDER))

    const before = await balanceOf(origin, STRANGER)
    const sent = await send(fork, { from: accountOf(fork), to: tokenAt, data: transfer(STRANGER, 7n) })
    const receipt = await fork.request<{ status: Hex; logs: unknown[] }>('eth_getTransactionReceipt', [sent])
    expect(receipt).toMatchObject({ status: '0x1', logs: [{ address: tokenAt.toLowerCase() }] })
    expect(BigInt(await balanceOf(fork, STRANGER))).toBe(BigInt(before) + 7n)
    expect(await balanceOf(origin, STRANGER)).toBe(before)
  })

  it('gives the development accounts their coins and keeps their nonces', async () => {
    const { origin, proxy } = forked
    await using fork = await forkOf(proxy, { balance: '7' })
    const params = [accountOf(fork), 'latest']
    expect(await fork.request('eth_getBalance', params)).toBe(toHex(parseEther('7')))
    expect(await fork.request('eth_getTransactionCount', params)).toBe(
      await origin.request('eth_getTransactionCount', params),
    )
  })

  it('changes for an impersonated holder', async () => {
    await using fork = await forkOf(forked.proxy)
    await fork.request('anvil_impersonateAccount', [HOLDER])
    await fork.request('anvil_setBalance', [HOLDER, toHex(parseEther('1'))])
    await send(fork, { from: HOLDER, to: tokenAt, data: transfer(STRANGER, 5n) })
    expect(BigInt(await balanceOf(fork, HOLDER))).toBe(0n)
  })

  it.each(['compiled', 'wasm', 'library'] as const)('is read by the engine %s', async (engine) => {
    await using fork = await forkOf(forked.proxy, { engine })
    const sum = await fork.request('eth_call', [{ to: SLOTS, data: pad(toHex(50)) }, 'latest'])
    expect(BigInt(String(sum))).toBe((50n * 51n) / 2n)
    const sent = await send(fork, { from: accountOf(fork), to: tokenAt, data: transfer(STRANGER, 1n) })
    expect(await fork.request('eth_getTransactionReceipt', [sent])).toMatchObject({ status: '0x1' })
  })

  it('goes back with evm_revert, and keeps what was fetched', async () => {
    const { proxy } = forked
    await using fork = await forkOf(proxy)
    const snapshot = await fork.request('evm_snapshot')
    const before = await balanceOf(fork, STRANGER)
    await send(fork, { from: accountOf(fork), to: tokenAt, data: transfer(STRANGER, 7n) })
    expect(await fork.request('evm_revert', [snapshot])).toBe(true)
    proxy.forget()
    expect(await balanceOf(fork, STRANGER)).toBe(before)
    expect(proxy.exchanges).toBe(0)
  })
})

describe('round trips', () => {
  it('are at most 20 for 300 slots in one call, and none for the same again', async () => {
    const { proxy } = forked
    await using fork = await forkOf(proxy)
    proxy.forget()
    const call = () => fork.request('eth_call', [{ to: SLOTS, data: pad(toHex(COUNT)) }, 'latest'])
    expect(BigInt(String(await call()))).toBe((BigInt(COUNT) * BigInt(COUNT + 1)) / 2n)
    expect(proxy.exchanges).toBeLessThanOrEqual(20)
    proxy.forget()
    await call()
    expect(proxy.exchanges).toBe(0)
  })

  it('are few without eth_createAccessList too', async () => {
    const { proxy } = forked
    proxy.spoil = ({ method }) =>
      method === 'eth_createAccessList'
        ? { result: undefined, error: { code: -32601, message: 'no such method' } }
        : undefined
    await using fork = await forkOf(proxy)
    proxy.forget()
    await fork.request('eth_call', [{ to: SLOTS, data: pad(toHex(COUNT)) }, 'latest'])
    expect(proxy.exchanges).toBeLessThanOrEqual(20)
  })

  it('are one for a plain transfer to a known account, and none for the next', async () => {
    const { proxy } = forked
    await using fork = await forkOf(proxy)
    const pay = () => send(fork, { from: accountOf(fork), to: STRANGER, value: '0x1' })
    proxy.forget()
    await pay()
    expect(proxy.exchanges).toBeLessThanOrEqual(1)
    proxy.forget()
    await pay()
    expect(proxy.exchanges).toBe(0)
  })

  it('are few for a batch of reads', async () => {
    const { proxy, origin } = forked
    await using fork = await forkOf(proxy)
    const reads = Array.from({ length: 40 }, (_, index) => ({
      jsonrpc: '2.0',
      id: index,
      method: 'eth_getStorageAt',
      // Not in order, which would be fetched ahead.
      params: [SLOTS, numberToHex((index * 7) % COUNT), 'latest'],
    }))
    const ask = async (node: RunningNode) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(node.rpcUrl, { method: 'POST', headers, body: JSON.stringify(reads) })
      return answer.json()
    }
    proxy.forget()
    expect(await ask(fork)).toEqual(await ask(origin))
    // The account, then the slots of 32 reads, and the others as soon as the first of these are answered.
    expect(proxy.exchanges).toBeLessThanOrEqual(6)
  })

  it('are none for a call that another fork of the same block has run', async () => {
    const { proxy } = forked
    const caches = mkdtempSync(join(tmpdir(), 'kestrel-cache-'))
    vi.stubEnv('XDG_CACHE_HOME', caches)
    onTestFinished(() => {
      vi.unstubAllEnvs()
      rmSync(caches, { recursive: true })
    })
    const call = (node: RunningNode) => node.request('eth_call', [{ to: SLOTS, data: pad(toHex(40)) }, 'latest'])
    const first = await forkOf(proxy, { storageCaching: true })
    const sum = await call(first)
    await first.stop()
    await using second = await forkOf(proxy, { storageCaching: true })
    proxy.forget()
    expect(await call(second)).toBe(sum)
    expect(proxy.exchanges).toBe(0)
  })
})

describe('blocks before the fork', () => {
  it('are those of the other chain', async () => {
    const { origin, proxy } = forked
    await using fork = await forkOf(proxy)
    await send(fork, { from: accountOf(fork), to: STRANGER, value: '0x1' })
    const head = await origin.request<Hex>('eth_blockNumber')
    const { hash } = await origin.request<{ hash: Hex }>('eth_getBlockByNumber', ['0x1', false])
    for (const [method, ...params] of [
      ['eth_getBlockByNumber', '0x1', true],
      ['eth_getBlockByNumber', 'earliest', false],
      ['eth_getBlockByNumber', head, true],
      ['eth_getBlockByHash', hash, true],
      ['eth_getTransactionByHash', firstTransfer],
      ['eth_getTransactionReceipt', firstTransfer],
      ['eth_getBlockReceipts', '0x2'],
      ['eth_getBalance', accountOf(origin), '0x1'],
      ['eth_getHeaderByNumber', '0x1'],
      ['debug_traceTransaction', firstTransfer, { tracer: 'callTracer' }],
    ] as const)
      expect([method, await fork.request(method, params)]).toEqual([method, await origin.request(method, params)])
    expect(await balanceOf(fork, HOLDER, '0x1')).toBe(await balanceOf(origin, HOLDER, '0x1'))
    expect(await fork.request('eth_getTransactionByHash', [pad('0x1')])).toBeNull()
  })

  it('are traced here, also where the other chain has no traces', async () => {
    const { origin, proxy } = forked
    const methods: string[] = []
    proxy.spoil = ({ method }) => {
      methods.push(method)
      return method.startsWith('debug_')
        ? { result: undefined, error: { code: -32601, message: 'no such method' } }
        : undefined
    }
    await using fork = await forkOf(proxy)
    // The other chain has native modules, which give fees to others: traces with balances differ.
    for (const options of [{ tracer: 'callTracer' }, {}]) {
      const params = [firstTransfer, options]
      const trace = await origin.request('debug_traceTransaction', params)
      expect(await fork.request('debug_traceTransaction', params)).toEqual(trace)
    }
    const params = ['0x2', { tracer: 'callTracer' }]
    expect(await fork.request('debug_traceBlockByNumber', params)).toEqual(
      await origin.request('debug_traceBlockByNumber', params),
    )
    expect(methods.filter((method) => method.startsWith('debug_'))).toEqual([])
  })

  it('have no transactions of later blocks of the other chain', async () => {
    await using forkable = await chainToFork()
    await using fork = await forkOf(forkable.proxy)
    const later = await send(forkable.origin, { from: accountOf(forkable.origin), to: STRANGER, value: '0x1' })
    expect(await forkable.origin.request('eth_getTransactionReceipt', [later])).not.toBeNull()
    expect(await fork.request('eth_getTransactionReceipt', [later])).toBeNull()
    expect(await fork.request('eth_getBlockByNumber', ['0x1', false])).toBeNull()
  })

  it('give their logs together with those of the fork', async () => {
    const { origin, proxy } = forked
    await using fork = await forkOf(proxy)
    await send(fork, { from: accountOf(fork), to: tokenAt, data: transfer(STRANGER, 7n) })
    const filter = { fromBlock: 'earliest', toBlock: 'latest', address: tokenAt }
    const logs = await fork.request<{ blockNumber: Hex }[]>('eth_getLogs', [filter])
    const before = await origin.request<unknown[]>('eth_getLogs', [filter])
    expect(logs.slice(0, -1)).toEqual(before)
    expect(logs).toHaveLength(before.length + 1)
  })

  it('have the hashes that BLOCKHASH gives', async () => {
    const { origin, proxy } = forked
    await using fork = await forkOf(proxy)
    const { hash } = await origin.request<{ hash: Hex }>('eth_getBlockByNumber', ['0x1', false])
    const code = asm('PUSH1 0x01', 'BLOCKHASH', ...returnTop)
    expect(await fork.request('eth_call', [{ to: STRANGER }, 'latest', { [STRANGER]: { code } }])).toBe(hash)
  })
})

it('--fork-transaction-hash begins in the middle of a block', async () => {
  await using forkable = await chainToFork({ mining: false })
  const { origin, proxy } = forkable
  const [from, to] = [accountOf(origin), STRANGER]
  const sent: Hex[] = []
  for (const value of [1, 2, 4]) sent.push(await send(origin, { from, to, value: toHex(value) }))
  await origin.request('anvil_mine', ['0x1'])
  await using fork = await forkOf(proxy, { forkTransactionHash: sent[2] })
  expect(await fork.request('eth_getBalance', [STRANGER, 'latest'])).toBe('0x3')
  const block = ['latest', false]
  const { transactions, number, timestamp } = await origin.request<Record<string, unknown>>(
    'eth_getBlockByNumber',
    block,
  )
  expect(transactions).toEqual(sent)
  const begun = await fork.request('eth_getBlockByNumber', block)
  expect(begun).toMatchObject({ transactions: sent.slice(0, 2), number, timestamp })
  // The transaction itself comes next.
  const raw = await origin.request('eth_getRawTransactionByHash', [sent[2]])
  await fork.request('eth_sendRawTransaction', [raw])
  expect(await fork.request('eth_getBalance', [STRANGER, 'latest'])).toBe('0x7')
  // The beginning has the transactions before it, and the accounts' coins.
  await fork.request('anvil_reset')
  expect(await fork.request('eth_getBlockByNumber', block)).toEqual(begun)
  expect(await fork.request('eth_getBalance', [accountOf(fork), 'latest'])).toBe(toHex(parseEther('10000')))
})

describe('eth_feeHistory', () => {
  it('goes over the border', async () => {
    const { origin, proxy } = forked
    await using fork = await forkOf(proxy)
    await send(fork, { from: accountOf(fork), to: STRANGER, value: '0x1' })
    type History = { oldestBlock: Hex; baseFeePerGas: Hex[]; gasUsedRatio: number[]; reward: Hex[][] }
    const before = await origin.request<History>('eth_feeHistory', ['0x3', 'latest', [50]])
    const whole = await fork.request<History>('eth_feeHistory', ['0x4', 'latest', [50]])
    expect(whole.oldestBlock).toBe(before.oldestBlock)
    expect(whole.gasUsedRatio).toHaveLength(4)
    expect(whole.gasUsedRatio.slice(0, 3)).toEqual(before.gasUsedRatio)
    expect(whole.baseFeePerGas.slice(0, 3)).toEqual(before.baseFeePerGas.slice(0, 3))
    expect(whole.reward.slice(0, 3)).toEqual(before.reward)
  })
})

describe('anvil_reset', () => {
  const head = (node: RunningNode) => node.request<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])

  it('makes a fork of a chain of its own, another fork, and goes back to its beginning', async () => {
    const { origin, proxy } = forked
    await using node = await startNode()
    expect(node.chainId).toBe(125)
    await send(node, { from: accountOf(node), to: STRANGER, value: '0x1' })
    expect(await node.request('hardhat_reset', [{ forking: { jsonRpcUrl: proxy.url, blockNumber: 2 } }])).toBe(true)
    expect(await node.request('eth_chainId')).toBe('0x1092')
    expect((await head(node)).hash).toBe(
      (await origin.request<{ hash: Hex }>('eth_getBlockByNumber', ['0x2', false])).hash,
    )
    expect(await balanceOf(node, HOLDER)).toBe(await balanceOf(origin, HOLDER, '0x2'))
    await node.request('anvil_reset', [{ forking: { jsonRpcUrl: proxy.url } }])
    expect((await head(node)).hash).toBe((await head(origin)).hash)
    expect(await node.request('anvil_nodeInfo')).toMatchObject({
      forkConfig: {
        forkUrl: new URL(proxy.url).origin,
        forkBlockNumber: Number(await origin.request('eth_blockNumber')),
      },
    })
    expect(await node.request('hardhat_metadata')).toMatchObject({ forkedNetwork: { chainId: 4242 } })
    await send(node, { from: accountOf(node), to: tokenAt, data: transfer(STRANGER, 9n) })
    await node.request('anvil_reset')
    expect((await head(node)).hash).toBe((await head(origin)).hash)
    expect(await balanceOf(node, STRANGER)).toBe(await balanceOf(origin, STRANGER))
    const sent = await send(node, { from: accountOf(node), to: tokenAt, data: transfer(STRANGER, 9n) })
    expect(await node.request('eth_getTransactionReceipt', [sent])).toMatchObject({ status: '0x1' })
    expect(await node.request('debug_traceTransaction', [sent, { tracer: 'prestateTracer' }])).toHaveProperty(
      tokenAt.toLowerCase(),
    )
  })

  it.each([
    ['http://169.254.169.254/latest', /link-local/],
    ['http://[fe80::1]/', /link-local/],
    ['file:///etc/passwd', /expected an http/],
    ['not a url', /expected an http/],
  ])('refuses %s', async (jsonRpcUrl, words) => {
    await using node = await startNode()
    await expect(node.request('anvil_reset', [{ forking: { jsonRpcUrl } }])).rejects.toThrow(words)
    expect(await node.request('eth_chainId')).toBe('0x7d')
  })

  it('leaves the chain as it is when the other one cannot be forked', async () => {
    await using node = await startNode({ forkRetries: 0 })
    const before = await head(node)
    const unreachable = { forking: { jsonRpcUrl: 'http://127.0.0.1:9/' } }
    await expect(node.request('anvil_reset', [unreachable])).rejects.toThrow(
      /http:\/\/127\.0\.0\.1:9 cannot be reached/,
    )
    expect(await head(node)).toEqual(before)
  })

  it('anvil_setRpcUrl changes the server', async () => {
    const { origin, proxy } = forked
    await using fork = await forkOf(proxy)
    proxy.refusal = { status: 503, body: '' }
    await expect(fork.request('eth_getBalance', [STRANGER, 'latest'])).rejects.toThrow(/503/)
    await fork.request('anvil_setRpcUrl', [origin.rpcUrl])
    expect(await fork.request('eth_getBalance', [STRANGER, 'latest'])).toBe('0x3039')
  })
})

describe('a fork on disk', () => {
  const folder = () => {
    const path = mkdtempSync(join(tmpdir(), 'kestrel-fork-'))
    onTestFinished(() => rmSync(path, { recursive: true }))
    return path
  }

  it('takes more gas than Osaka allows (EIP-7825) and blocks of one second, before and after a restart', async () => {
    const datadir = folder()
    const gas = '0x1000001'
    const pay = async (node: RunningNode) => {
      const sent = await send(node, { from: accountOf(node), to: STRANGER, value: '0x1', gas })
      expect(await node.request('eth_getTransactionByHash', [sent])).toMatchObject({ gas })
      expect(await node.request('eth_getTransactionReceipt', [sent])).toMatchObject({ status: '0x1' })
      const { timestamp } = await node.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
      await node.request('evm_setNextBlockTimestamp', [timestamp])
      await node.request('evm_mine')
      expect(await node.request('eth_getBlockByNumber', ['latest', false])).toMatchObject({ timestamp })
    }
    const first = await forkOf(forked.proxy, { datadir, hardfork: 'osaka' })
    await pay(first)
    await first.stop()
    await using again = await forkOf(forked.proxy, { datadir, forkUrl: [] })
    expect(await again.request('anvil_nodeInfo')).toMatchObject({ hardFork: 'osaka' })
    await pay(again)
  })

  it('can be sent to without the other chain, also if it has no block of its own', async () => {
    const datadir = folder()
    const first = await forkOf(forked.proxy, { datadir })
    await first.stop()
    await using again = await forkOf(forked.proxy, { datadir, forkUrl: [] })
    const head = ['eth_getBlockByNumber', ['latest', false]] as const
    expect(await again.request(...head)).toEqual(await forked.origin.request(...head))
    expect(await again.request('eth_feeHistory', ['0xa', 'latest', [20]])).toMatchObject({ gasUsedRatio: [] })
    const [from, to] = again.accounts.map(({ address }) => address)
    const sent = await send(again, { from, to, value: '0x1' })
    expect(await again.request('eth_getTransactionReceipt', [sent])).toMatchObject({ status: '0x1' })
  })

  it('continues without the other chain, with all that was fetched', async () => {
    const datadir = folder()
    const first = await forkOf(forked.proxy, { datadir })
    const sum = { to: SLOTS, data: pad(toHex(20)) }
    const before = await first.request('eth_call', [sum, 'latest'])
    await send(first, { from: accountOf(first), to: tokenAt, data: transfer(STRANGER, 7n) })
    const held = await balanceOf(first, STRANGER)
    const head = await first.request('eth_getBlockByNumber', ['latest', true])
    await first.stop()

    await using again = await forkOf(forked.proxy, { datadir, forkUrl: [] })
    expect(await again.request('eth_getBlockByNumber', ['latest', true])).toEqual(head)
    expect(await again.request('eth_call', [sum, 'latest'])).toBe(before)
    expect(await balanceOf(again, STRANGER)).toBe(held)
    await expect(again.request('eth_getStorageAt', [SLOTS, '0x100', 'latest'])).rejects.toThrow(/--fork-url/)
  })
})

describe('what goes wrong', () => {
  const ask = (fork: RunningNode) => fork.request('eth_getBalance', [STRANGER, 'latest'])
  const secret = /a-secret-key/

  it.each<[string, RegExp, (method: string) => object | undefined]>([
    ['nonsense', /another form/, (method) => (method === 'eth_getBalance' ? { result: 'zebra' } : undefined)],
    ['nothing', /another form/, (method) => (method === 'eth_getBalance' ? { result: null } : undefined)],
    [
      'no state',
      /no state of block \d+: use an archive node or a newer block/,
      (method) =>
        method === 'eth_getBalance'
          ? { result: undefined, error: { code: -32000, message: 'missing trie node ab' } }
          : undefined,
    ],
  ])('%s instead of a balance is an error, and never a zero', async (_, words, answer) => {
    const { proxy } = forked
    await using fork = await forkOf(proxy)
    proxy.spoil = ({ method }) => answer(method)
    await expect(ask(fork)).rejects.toThrow(words)
    await expect(ask(fork)).rejects.not.toThrow(secret)
    proxy.spoil = () => undefined
    expect(await ask(fork)).toBe('0x3039')
  })

  it.each([
    ['a page', { status: 200, body: '<html>' }, /not JSON/],
    ['an error of the server', { status: 503, body: '' }, /HTTP status 503/],
    ['a limit of rate', { status: 429, body: '' }, /HTTP status 429/],
    ['an empty list', { status: 200, body: '[]' }, /does not answer/],
  ])('%s is an error that names the server', async (_, refusal, words) => {
    const { proxy } = forked
    await using fork = await forkOf(proxy)
    Object.assign(proxy, { refusal })
    await expect(ask(fork)).rejects.toThrow(words)
    await expect(ask(fork)).rejects.toThrow(/http:\/\/127\.0\.0\.1:\d+ /)
    await expect(ask(fork)).rejects.not.toThrow(secret)
    await expect(send(fork, { from: accountOf(fork), to: STRANGER, value: '0x1' })).rejects.toThrow(words)
    Object.assign(proxy, { refusal: undefined })
    await send(fork, { from: accountOf(fork), to: STRANGER, value: '0x1' })
    expect(await ask(fork)).toBe('0x303a')
  })

  it('a server of another chain is an error, at a restart and after anvil_setRpcUrl', async () => {
    const { proxy } = forked
    await using other = await startNode({ chainId: 4243 })
    await using same = await startNode({ chainId: 4242 })
    await using fork = await forkOf(proxy)
    for (const [node, words] of [
      [other, /has chain 4243, not chain 4242/],
      [same, /has another hash now/],
    ] as const) {
      await fork.request('anvil_setRpcUrl', [node.rpcUrl])
      await expect(ask(fork)).rejects.toThrow(words)
      await expect(fork.request('eth_getBlockByNumber', ['0x1', false])).rejects.toThrow(words)
    }
    await fork.request('anvil_setRpcUrl', [proxy.url])
    expect(await ask(fork)).toBe('0x3039')
  })

  it('keys are in no answer, whatever the server says', async () => {
    const { proxy } = forked
    const forkHeader = ['Authorization: Bearer another-secret']
    await using fork = await forkOf(proxy, { forkHeader })
    const message = 'no such key: another-secret, a-secret-key'
    proxy.spoil = () => ({ result: undefined, error: { code: -32000, message, data: { key: 'another-secret' } } })
    for (const [method, ...params] of [
      ['eth_getBalance', STRANGER, 'latest'],
      ['eth_getBlockByNumber', '0x1', false],
      ['eth_getTransactionByHash', pad('0x1')],
    ] as const) {
      const thrown: unknown = await fork.request(method, params).catch((error) => error)
      expect(String(thrown)).toContain('no such key')
      expect(JSON.stringify([String(thrown), thrown])).not.toMatch(/another-secret|a-secret-key/)
    }
  })

  it('a call does not wait for an access list that does not come', async () => {
    const { proxy } = forked
    await using fork = await forkOf(proxy, { forkTimeout: 500 })
    proxy.silent = 'eth_createAccessList'
    const sum = await fork.request('eth_call', [{ to: SLOTS, data: pad(toHex(5)) }, 'latest'])
    proxy.silent = undefined
    expect(BigInt(String(sum))).toBe(15n)
  })

  it('a start that fails in the middle is begun anew by the next', async () => {
    const { proxy } = forked
    const datadir = mkdtempSync(join(tmpdir(), 'kestrel-fork-'))
    onTestFinished(() => rmSync(datadir, { recursive: true }))
    proxy.spoil = ({ method }) => (method === 'eth_getCode' ? { result: 'zebra' } : undefined)
    await expect(forkOf(proxy, { datadir })).rejects.toThrow(/another form/)
    proxy.spoil = () => undefined
    await using fork = await forkOf(proxy, { datadir })
    expect(await fork.request('eth_getBalance', [accountOf(fork), 'latest'])).toBe(toHex(parseEther('10000')))
  })

  it('other requests and blocks go on while an answer is under way', async () => {
    const { proxy } = forked
    await using fork = await forkOf(proxy, { blockTime: 1 })
    proxy.delay = 3000
    const slow = ask(fork)
    const sent = send(fork, { from: accountOf(fork), to: tokenAt, data: transfer(STRANGER, 7n) })
    const began = await fork.request<Hex>('eth_blockNumber')
    const asked = performance.now()
    await fork.request('eth_getBalance', [accountOf(fork), 'latest'])
    expect(performance.now() - asked).toBeLessThan(1000)
    await expect
      .poll(() => fork.request<Hex>('eth_blockNumber').then(Number), { timeout: 2900 })
      .toBeGreaterThan(Number(began))
    expect(await slow).toBe('0x3039')
    proxy.delay = 0
    await sent
  })

  it('calls that wait hold no place of other calls', async () => {
    const { proxy } = forked
    await using fork = await forkOf(proxy)
    const known = await balanceOf(fork, HOLDER)
    proxy.delay = 6000
    // Twice as many as may run at a time.
    const slow = Array.from({ length: 8 }, (_, i) => balanceOf(fork, pad(toHex(i + 1), { size: 20 })))
    let answered = 0
    for (const each of slow) void each.then(() => answered++)
    await sleep(500)
    expect(await balanceOf(fork, HOLDER)).toBe(known)
    expect(answered).toBe(0)
    expect(await Promise.all(slow)).toEqual(slow.map(() => pad('0x')))
  }, 30_000)

  it('fees are known without the other chain, as far back as the own blocks', async () => {
    const { proxy } = forked
    const datadir = mkdtempSync(join(tmpdir(), 'kestrel-fork-'))
    onTestFinished(() => rmSync(datadir, { recursive: true }))
    const first = await forkOf(proxy, { datadir })
    await send(first, { from: accountOf(first), to: HOLDER, value: '0x1' })
    const head = await first.request('eth_blockNumber')
    await first.stop()
    await using again = await forkOf(proxy, { datadir, forkUrl: [] })
    const fees = await again.request<{ gasUsedRatio: number[] }>('eth_feeHistory', ['0xa', 'latest', [20]])
    expect(fees).toMatchObject({ oldestBlock: head, gasUsedRatio: [21_000 / 36_000_000] })
    await send(again, { from: accountOf(again), to: HOLDER, value: '0x1' })
  })
})

describe('with --fork-verify', () => {
  it('the state is the same', async () => {
    await using fork = await forkOf(forked.proxy, { forkVerify: true })
    expect(await fork.request('eth_getBalance', [STRANGER, 'latest'])).toBe('0x3039')
    expect(await balanceOf(fork, HOLDER)).toBe(await balanceOf(forked.origin, HOLDER))
    const sent = await send(fork, { from: accountOf(fork), to: tokenAt, data: transfer(STRANGER, 1n) })
    expect(await fork.request('eth_getTransactionReceipt', [sent])).toMatchObject({ status: '0x1' })
  })

  it('an account that does not exist may have zeros for hashes, as go-ethereum answers', async () => {
    const { proxy, origin } = forked
    const nobody = pad('0x0b0d', { size: 20 })
    const truth = await origin.request<object>('eth_getProof', [nobody, [], 'latest'])
    const zeros = { ...truth, codeHash: pad('0x'), storageHash: pad('0x') }
    proxy.spoil = ({ method, params }) =>
      method === 'eth_getProof' && params[0] === nobody ? { result: zeros } : undefined
    await using fork = await forkOf(proxy, { forkVerify: true })
    expect(await fork.request('eth_getBalance', [nobody, 'latest'])).toBe('0x0')
  })

  it('a lie is an error, and nothing of it is kept', async () => {
    const { proxy, origin } = forked
    await using fork = await forkOf(proxy, { forkVerify: true })
    const truth = await origin.request<{ balance: Hex }>('eth_getProof', [STRANGER, [], 'latest'])
    proxy.spoil = ({ method }) =>
      method === 'eth_getProof' ? { result: { ...truth, balance: '0xffffff' } } : undefined
    await expect(fork.request('eth_getBalance', [STRANGER, 'latest'])).rejects.toThrow(
      new RegExp(`false account ${STRANGER}`),
    )
    proxy.spoil = () => undefined
    expect(await fork.request('eth_getBalance', [STRANGER, 'latest'])).toBe('0x3039')
  })
})

describe('the explorer of a fork', () => {
  const get = async (node: RunningNode, path: string) => {
    const response = await fetch(`${node.url}/api/v2${path}`)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  it('shows its own blocks as any chain, and those of before one by one', async () => {
    const { origin, proxy } = forked
    await using fork = await forkOf(proxy)
    const base = Number(await origin.request('eth_blockNumber'))
    const sent = await send(fork, { from: accountOf(fork), to: tokenAt, data: transfer(STRANGER, 7n) })
    expect((await get(fork, '/blocks')).body).toMatchObject({ items: [{ height: base + 1, transactions_count: 1 }] })
    expect((await get(fork, `/transactions/${sent}`)).body).toMatchObject({ block_number: base + 1, status: 'ok' })
    for (const path of ['/blocks/1', `/blocks/${base}`]) {
      const [ours, theirs] = await Promise.all([get(fork, path), get(origin, path)])
      expect([ours.status, ours.body.hash]).toEqual([200, theirs.body.hash])
      expect(ours.body).toMatchObject({
        transactions_count: theirs.body.transactions_count,
        gas_used: theirs.body.gas_used,
        transaction_fees: theirs.body.transaction_fees,
        timestamp: theirs.body.timestamp,
      })
    }
    const [ours, theirs] = await Promise.all([fork, origin].map((node) => get(node, `/transactions/${firstTransfer}`)))
    for (const field of [
      'hash',
      'value',
      'gas_used',
      'fee',
      'status',
      'raw_input',
      'block_number',
      'timestamp',
      'position',
    ])
      expect([field, ours?.body[field]]).toEqual([field, theirs?.body[field]])
    const logs = await Promise.all([fork, origin].map((node) => get(node, `/transactions/${firstTransfer}/logs`)))
    expect(logs[0]?.body.items).toHaveLength(1)
    expect(logs[0]?.body).toMatchObject({ items: [{ index: 0, block_number: 2 }] })
    const { hash } = (await origin.request('eth_getBlockByNumber', ['0x2', false])) as { hash: Hex }
    const { token_transfers: _transfers, token_transfers_overflow: _overflow, ...shown } = ours?.body ?? {}
    for (const of of [2, hash])
      expect((await get(fork, `/blocks/${of}/transactions`)).body).toMatchObject({ items: [shown], total_count: 1 })
    expect((await get(fork, '/blocks/2/transactions?type=contract_creation')).body.items).toEqual([])
    expect((await get(fork, '/blocks/2/transactions?type=contract_call')).body.items).toHaveLength(1)
    expect((await get(fork, '/blocks/2/internal-transactions')).body.items).toEqual([])
    expect((await get(fork, `/transactions/${pad('0x1')}`)).status).toBe(404)
    expect((await get(fork, `/blocks/${base + 100}`)).status).toBe(404)
  })

  it('shows accounts and contracts that only the other chain has had', async () => {
    const { proxy } = forked
    await using fork = await forkOf(proxy)
    expect((await get(fork, `/addresses/${STRANGER}`)).body).toMatchObject({
      coin_balance: '12345',
      is_contract: false,
    })
    expect((await get(fork, `/addresses/${tokenAt}`)).body).toMatchObject({ is_contract: true })
    expect((await get(fork, `/smart-contracts/${tokenAt}`)).status).toBe(200)
    proxy.refusal = { status: 503, body: '' }
    const refused = await get(fork, `/addresses/0x00000000000000000000000000000000deadbeef`)
    expect(refused.status).toBe(503)
    expect(JSON.stringify(refused.body)).not.toContain('a-secret-key')
  })
})
