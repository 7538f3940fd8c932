// Forks of chains of other programs: anvil, and go-ethereum in development mode where it is found or can be built.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodeDeployData, encodeFunctionData, getAddress, type Hex, pad, parseEther } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { findAnvil } from '../../bench/contenders.ts'
import { gethProgram } from '../../scripts/fuzz-geth/geth.ts'
import type { RunningNode } from '../../src/library.ts'
import { delegate, STAKING } from '../precompiles/staking-support.ts'
import { asm, returnTop } from '../support/assembler.ts'
import { token } from '../support/contracts.ts'
import { forkOf, proxyTo } from '../support/forked.ts'
import { freePort } from '../support/process.ts'

const STRANGER = '0x00000000000000000000000000000000000a11ce'
const anvil = findAnvil()
const geth = await gethProgram('geth')

const gethFlags = async (port: number): Promise<string[]> => [
  ...['--dev', '--dev.gaslimit', '30000000', '--gcmode', 'archive', '--ipcdisable', '--nodiscover', '--port', '0'],
  ...['--authrpc.port', String(await freePort()), '--http', '--http.port', String(port), '--http.api', 'eth,debug'],
  ...['--ws', '--ws.port', String(port), '--ws.api', 'eth'],
]

/** Programs by name; undefined: not here. */
const PROGRAMS = [
  ['anvil', anvil, async (port: number) => ['--port', String(port)]],
  ['geth --dev', geth, gethFlags],
] as const

/** JSON-RPC of a server. Throws its error. */
const client =
  (url: string) =>
  async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answered = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = (await answered.json()) as { result: T; error?: { message: string } }
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }

type Receipt = {
  readonly status: Hex
  readonly contractAddress: Hex
  readonly blockNumber: Hex
  readonly logs: object[]
}

describe.each(PROGRAMS)('a fork of %s', (name, program, flags) => {
  if (program === undefined) {
    it.skip(`is not tried: there is no ${name} here`, () => undefined)
    return
  }
  let child: ChildProcess
  let url: string
  let ask: ReturnType<typeof client>
  let proxy: Awaited<ReturnType<typeof proxyTo>>
  let holder: Hex
  let tokenAt: Hex
  let paid: Receipt & { readonly transactionHash: Hex; readonly blockHash: Hex }

  const balanceOf = (of: Hex) => ({
    to: tokenAt,
    data: encodeFunctionData({ abi: token.abi, functionName: 'balanceOf', args: [of] }),
  })
  const transfer = (amount: bigint) => ({
    from: holder,
    to: tokenAt,
    data: encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [STRANGER, amount] }),
    gas: '0x7a120',
  })
  const mined = async (message: object): Promise<typeof paid> => {
    const hash = await ask<Hex>('eth_sendTransaction', [message])
    // geth refuses while it indexes.
    const receipt = () => ask<typeof paid | null>('eth_getTransactionReceipt', [hash]).catch(() => null)
    const found = await vi.waitUntil(receipt, { timeout: 30_000 })
    expect(found.status).toBe('0x1')
    return found
  }
  /** A transfer of the holder's tokens on a fork. */
  const pay = async (fork: RunningNode): Promise<Receipt> => {
    await fork.request('anvil_impersonateAccount', [holder])
    const hash = await fork.request<Hex>('eth_sendTransaction', [transfer(7n)])
    return fork.request('eth_getTransactionReceipt', [hash])
  }
  const isEqual = async (fork: RunningNode, method: string, ...params: readonly unknown[]) =>
    expect([method, await fork.request(method, params)]).toEqual([method, await ask(method, params)])

  beforeAll(async () => {
    const port = await freePort()
    child = spawn(program, await flags(port), { stdio: 'ignore' })
    url = `http://127.0.0.1:${port}`
    ask = client(url)
    await vi.waitUntil(() => ask('eth_chainId').catch(() => undefined), { timeout: 60_000 })
    proxy = await proxyTo(url)
    ;[holder = '0x'] = await ask<Hex[]>('eth_accounts')
    const data = encodeDeployData({ ...token, args: ['Forked', parseEther('1000')] })
    tokenAt = (await mined({ from: holder, data, gas: '0xe4e1c0' })).contractAddress
    paid = await mined(transfer(5n))
    await mined({ from: holder, to: STRANGER, value: '0x3039', gas: '0x7a120' })
    await mined(transfer(6n))
  }, 120_000)
  afterAll(async () => {
    child.kill()
    if (child.exitCode === null) await once(child, 'exit')
    await proxy[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    Object.assign(proxy, { spoil: () => undefined })
    proxy.forget()
  })

  it('has its state', async () => {
    await using fork = await forkOf(proxy)
    await isEqual(fork, 'eth_chainId')
    await isEqual(fork, 'eth_blockNumber')
    await isEqual(fork, 'eth_getTransactionCount', holder, 'latest')
    await isEqual(fork, 'eth_getBalance', STRANGER, 'latest')
    await isEqual(fork, 'eth_getCode', tokenAt, 'latest')
    await isEqual(fork, 'eth_getStorageAt', tokenAt, pad('0x2'), 'latest')
    await isEqual(fork, 'eth_call', balanceOf(STRANGER), 'latest')
    // geth's chain has the prices of a later fork (Amsterdam).
    if (name === 'anvil') await isEqual(fork, 'eth_estimateGas', transfer(1n), 'latest')
    await isEqual(fork, 'eth_getBalance', STRANGER, '0x1')
    await isEqual(fork, 'eth_call', balanceOf(STRANGER), paid.blockNumber)
  })

  it('goes on from it, with logs of both sides', async () => {
    await using fork = await forkOf(proxy)
    expect(await pay(fork)).toMatchObject({ status: '0x1', logs: [{ address: tokenAt.toLowerCase() }] })
    expect(BigInt(await fork.request<Hex>('eth_call', [balanceOf(STRANGER), 'latest']))).toBe(18n)
    const filter = [{ fromBlock: '0x0', toBlock: 'latest', address: tokenAt }]
    const before = await ask<object[]>('eth_getLogs', filter)
    const logs = await fork.request<object[]>('eth_getLogs', filter)
    expect(logs.slice(0, -1)).toEqual(before)
    expect(logs).toHaveLength(before.length + 1)
    const newest = await fork.request<object[]>('erigon_getLatestLogs', [{ address: tokenAt }, { logCount: 3 }])
    expect(newest).toEqual(
      logs
        .slice(-3)
        .toReversed()
        .map((log) => expect.objectContaining(log)),
    )
  })

  it.runIf(name === 'anvil')('goes on from it, with traces of both sides', async () => {
    await using fork = await forkOf(proxy)
    await pay(fork)
    const filter = [{ fromBlock: '0x1', toAddress: [tokenAt] }]
    const found = () => fork.request<object[]>('trace_filter', filter)
    const before = await ask<object[]>('trace_filter', filter)
    expect(await found()).toEqual([...before, expect.objectContaining({ type: 'call' })])
    const missing = { result: undefined, error: { code: -32601, message: 'Method not found' } }
    proxy.spoil = ({ method }) => (method === 'trace_filter' ? missing : undefined)
    // anvil names no method of a creation.
    expect((await found()).slice(1, -1)).toEqual(before.slice(1))
  })

  it.runIf(name === 'geth --dev')('has no traces of blocks that are not executed here as there', async () => {
    await using fork = await forkOf(proxy)
    // geth has no trace_filter, and its blocks follow a later fork (Amsterdam).
    const asked = fork.request('trace_filter', [{ fromBlock: '0x1', toAddress: [tokenAt] }])
    await expect(asked).rejects.toThrow(/has no trace_filter, and block \d+ is not executed here as on that chain/)
  })

  it('has the blocks of before', async () => {
    await using fork = await forkOf(proxy)
    await fork.request('evm_mine')
    await isEqual(fork, 'eth_getBlockByNumber', '0x0', false)
    await isEqual(fork, 'eth_getBlockByNumber', paid.blockNumber, true)
    await isEqual(fork, 'eth_getBlockByHash', paid.blockHash, true)
    await isEqual(fork, 'eth_getTransactionByHash', paid.transactionHash)
    await isEqual(fork, 'eth_getTransactionReceipt', paid.transactionHash)
    await isEqual(fork, 'eth_getBlockReceipts', paid.blockNumber)
    const code = asm('PUSH1 0x01', 'BLOCKHASH', ...returnTop)
    const { hash } = await ask<{ hash: Hex }>('eth_getBlockByNumber', ['0x1', false])
    expect(await fork.request('eth_call', [{ to: STRANGER }, 'latest', { [STRANGER]: { code } }])).toBe(hash)
  })

  it('has the fees of before', async () => {
    await using fork = await forkOf(proxy)
    type Fees = { readonly oldestBlock: Hex; readonly baseFeePerGas: Hex[]; readonly gasUsedRatio: number[] }
    const theirs = await ask<Fees>('eth_feeHistory', ['0x3', 'latest', []])
    await fork.request('evm_mine')
    const ours = await fork.request<Fees>('eth_feeHistory', ['0x4', 'latest', []])
    expect(ours.oldestBlock).toBe(theirs.oldestBlock)
    expect(ours.gasUsedRatio.slice(0, 3)).toEqual(theirs.gasUsedRatio)
    // EIP-1559: the fork's first block has the fee that the other chain's next one would have.
    expect(ours.baseFeePerGas.slice(0, 4)).toEqual(theirs.baseFeePerGas)
  })

  it('proves its state with --fork-verify', async () => {
    await using fork = await forkOf(proxy, { forkVerify: true })
    await isEqual(fork, 'eth_getBalance', STRANGER, 'latest')
    await isEqual(fork, 'eth_getBalance', pad('0x77', { size: 20 }), 'latest')
    await isEqual(fork, 'eth_call', balanceOf(STRANGER), 'latest')
    expect(await pay(fork)).toMatchObject({ status: '0x1' })
    expect(proxy.methods).toContain('eth_getProof')
    expect(proxy.methods).not.toContain('eth_getStorageAt')
  })

  it('takes native modules, which take its coins', async () => {
    await using fork = await forkOf(proxy, { native: true })
    await fork.request('anvil_impersonateAccount', [holder])
    const delegated = { from: holder, to: STAKING, data: delegate(parseEther('5'), getAddress(holder)), gas: '0x7a120' }
    const hash = await fork.request<Hex>('eth_sendTransaction', [delegated])
    expect(await fork.request('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
    expect(await pay(fork)).toMatchObject({ status: '0x1' })
    const pool = await (await fetch(`${fork.url}/api/v2/native/pool`)).json()
    expect(pool).toMatchObject({ bonded_tokens: parseEther('3005').toString() })
    expect(await fork.request('dev_invariants')).toEqual([])
  })

  it('needs no eth_createAccessList', async () => {
    proxy.spoil = ({ method }) =>
      method === 'eth_createAccessList'
        ? { result: undefined, error: { code: -32601, message: 'the method does not exist' } }
        : undefined
    await using fork = await forkOf(proxy)
    await isEqual(fork, 'eth_call', balanceOf(STRANGER), 'latest')
    expect(await pay(fork)).toMatchObject({ status: '0x1' })
  })

  it('works over a WebSocket', async () => {
    await using fork = await forkOf({ url: url.replace('http', 'ws') })
    await isEqual(fork, 'eth_call', balanceOf(STRANGER), 'latest')
    expect(await pay(fork)).toMatchObject({ status: '0x1' })
  })

  it('begins at the block that is named', async () => {
    const number = BigInt(paid.blockNumber)
    await using fork = await forkOf({ url: `${url}@${number}` })
    expect(await fork.request('eth_blockNumber')).toBe(paid.blockNumber)
    expect(BigInt(await fork.request<Hex>('eth_call', [balanceOf(STRANGER), 'latest']))).toBe(5n)
    expect(await fork.request('eth_getTransactionReceipt', [paid.transactionHash])).toMatchObject({ status: '0x1' })
  })

  it('begins at a number behind the head', async () => {
    // geth makes empty blocks now and then.
    const head = async () => BigInt(await ask<Hex>('eth_blockNumber'))
    const before = await head()
    await using fork = await forkOf({ url }, { forkBlockNumber: -1 })
    const at = await fork.request<Hex>('eth_blockNumber')
    expect(BigInt(at) + 1n).toBeGreaterThanOrEqual(before)
    expect(BigInt(at) + 1n).toBeLessThanOrEqual(await head())
    const call = [balanceOf(STRANGER), at]
    expect(await fork.request('eth_call', call)).toBe(await ask('eth_call', call))
  })

  it('is asked with headers', async () => {
    const guarded = createServer((request, response) => {
      if (request.headers['x-key'] !== 'a-secret-key') {
        response.writeHead(401).end()
        return
      }
      const passed = fetch(url, { method: 'POST', body: request, duplex: 'half', headers: JSON_BODY } as RequestInit)
      void passed.then(async (answer) => response.writeHead(200, JSON_BODY).end(await answer.text()))
    }).listen(0, '127.0.0.1')
    await once(guarded, 'listening')
    onTestFinished(() => {
      guarded.closeAllConnections()
      guarded.close()
    })
    const at = { url: `http://127.0.0.1:${(guarded.address() as AddressInfo).port}` }
    await expect(forkOf(at)).rejects.toThrow(/HTTP status 401/)
    await using fork = await forkOf(at, { forkHeader: ['X-Key: a-secret-key'] })
    await isEqual(fork, 'eth_getBalance', STRANGER, 'latest')
  })

  it('asks the next URL when the first one is dead', async () => {
    await using fork = await forkOf(proxy, {
      forkUrl: [`http://127.0.0.1:${await freePort()}`, url],
      forkRetries: 1,
    })
    await isEqual(fork, 'eth_call', balanceOf(STRANGER), 'latest')
  })
})

const JSON_BODY = { 'content-type': 'application/json' }
