// State files in anvil's JSON: from node to node, and from and to anvil 1.7.1 where it is installed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeFunctionData } from 'viem'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { findAnvil } from '../../bench/contenders.ts'
import { type RunningNode, type StartOptions, startNode } from '../../src/library.ts'
import { freePort } from '../support/process.ts'
import { folder, run } from './support.ts'

const STAKING = '0x0000000000000000000000000000000000000800'
const staking = JSON.parse(readFileSync(join(import.meta.dirname, '../../solidity/abi/Staking.json'), 'utf8'))

type Json = Readonly<Record<string, unknown>>
const [ALICE, BOB] = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
] as const
/** Creates a contract that stores the first word of its input in slot 0 and logs it. */
const LOGGER = '0x600c8060095f395ff35f35805f555f5260205fa000'

async function started(options: StartOptions): Promise<RunningNode> {
  const node = await startNode(options)
  onTestFinished(() => node.stop())
  return node
}

/** At the root, where anvil answers too. */
async function request<Result>(url: string, method: string, params: readonly unknown[] = []): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result: Result; error?: { message: string } }
  if (error !== undefined) throw new Error(error.message)
  return result
}

/** A transfer, a contract and a call of it that logs; returns what a client may ask about them. */
async function history(url: string) {
  const send = async (transaction: Json) => {
    const hash = await request<string>(url, 'eth_sendTransaction', [{ from: ALICE, ...transaction }])
    // anvil answers before it makes the block.
    await vi.waitUntil(() => request(url, 'eth_getTransactionReceipt', [hash]), 10_000)
    return hash
  }
  await send({ to: BOB, value: '0x5' })
  const { contractAddress: to } = await request<Json>(url, 'eth_getTransactionReceipt', [await send({ data: LOGGER })])
  const called = await send({ to, data: `0x${'7'.padStart(64, '0')}` })
  return { to, called, ...(await seen(url, called, to)) }
}

async function seen(url: string, called: unknown, to: unknown) {
  const ask = (method: string, ...params: unknown[]) => request<Json>(url, method, params)
  const { transactionHash, transactionIndex, blockHash, gasUsed, effectiveGasPrice, logs } = await ask(
    'eth_getTransactionReceipt',
    called,
  )
  const receipt = { transactionHash, transactionIndex, blockHash, gasUsed, effectiveGasPrice }
  const [log] = logs as Json[]
  return {
    receipt,
    log: { address: log?.address, data: log?.data, logIndex: log?.logIndex },
    logs: ((await ask('eth_getLogs', { fromBlock: '0x0' })) as unknown as unknown[]).length,
    balance: await ask('eth_getBalance', BOB, 'latest'),
    nonce: await ask('eth_getTransactionCount', ALICE, 'latest'),
    word: await ask('eth_getStorageAt', to, '0x0', 'latest'),
    first: (await ask('eth_getBlockByNumber', '0x1', false))?.hash,
  }
}

describe('a state file', { timeout: 60_000 }, () => {
  it('begins a chain with accounts, blocks, logs and native modules of another node', async () => {
    const file = join(await folder(), 'state.json')
    const node = await started({ state: file })
    const { to, called, ...before } = await history(node.url)
    const { items } = (await (await fetch(`${node.url}/api/v2/native/validators`)).json()) as { items: Json[] }
    const stake = (name: string, ...more: bigint[]) =>
      encodeFunctionData({ abi: staking, functionName: name, args: [ALICE, items[0]?.operator_address, ...more] })
    await node.request('eth_sendTransaction', [{ from: ALICE, to: STAKING, data: stake('delegate', 10n ** 18n) }])
    const delegation = { to: STAKING, data: stake('delegation') }
    const delegated = await node.request<string>('eth_call', [delegation, 'latest'])
    expect(delegated).toContain((10n ** 18n).toString(16))
    const after = await seen(node.url, called, to)
    await node.stop()

    const next = await started({ state: file })
    expect(await seen(next.url, called, to)).toEqual(after)
    expect(after).toMatchObject({ receipt: before.receipt, first: before.first })
    expect(await next.request('eth_call', [delegation, 'latest'])).toBe(delegated)
    expect(await next.request('dev_invariants')).toEqual([])
    expect(await next.request('eth_blockNumber')).toBe('0x4')
    await expect(next.request('eth_getBalance', [BOB, '0x1'])).rejects.toThrow('states before block 4 were pruned')
    await expect(next.request('debug_traceTransaction', [called])).rejects.toThrow('pruned')
    // It goes on, and goes back to what it began with.
    const logs = (await (await fetch(`${next.url}/api/v2/addresses/${to}/logs`)).json()) as { items: Json[] }
    expect(logs.items).toMatchObject([{ transaction_hash: called, block_number: 3 }])
    await next.request('eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x1' }])
    await next.request('anvil_reset')
    expect(await seen(next.url, called, to)).toEqual(after)
  })

  it('is written at intervals and at the end, and a chain on disk goes on with its own state', async () => {
    const place = await folder()
    const [file, datadir] = [join(place, 'state.json'), join(place, 'chain')]
    const node = await started({ state: file, datadir, stateInterval: 0.2 })
    const { to, called, ...before } = await history(node.url)
    await vi.waitFor(async () => expect(JSON.parse(await readFile(file, 'utf8')).best_block_number).toBe(3), 20_000)
    await node.request('evm_mine')
    await node.stop()
    expect(await readdir(place)).toEqual(['chain', 'state.json'])
    await expect(startNode({ loadState: file, datadir })).rejects.toThrow('holds a chain already')
    const again = await started({ state: file, datadir })
    expect(await again.request('eth_blockNumber')).toBe('0x4')
    await again.stop()
    expect(await run(place, 'check', '--datadir', datadir)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nothing is damaged'),
    })
    // Loaded into a new folder it is whole, too.
    const copy = join(place, 'copy')
    const loaded = await started({ loadState: file, datadir: copy })
    expect(await seen(loaded.url, called, to)).toEqual(before)
    await loaded.request('evm_mine')
    await loaded.stop()
    expect(await run(place, 'check', '--datadir', copy)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nothing is damaged'),
    })
    expect(await run(place, 'check', '--datadir', copy, '--execute')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('executed 1 block'),
    })
  })

  it('gives the blocks that are whole, and only the state where none is', async () => {
    const file = join(await folder(), 'state.json')
    const node = await started({ dumpState: file })
    const { to, called, ...before } = await history(node.url)
    await node.stop()
    const json = JSON.parse(await readFile(file, 'utf8'))
    const load = async (changed: object) => {
      await writeFile(file, JSON.stringify({ ...json, ...changed }))
      return started({ loadState: file })
    }
    // Block 2 is missing: the chain begins with block 3.
    const some = await load({ blocks: json.blocks.filter((_: unknown, at: number) => at !== 2) })
    expect(await some.request('eth_getBlockByNumber', ['earliest', false])).toMatchObject({ number: '0x3' })
    expect(await seen(some.url, called, to)).toMatchObject({ receipt: before.receipt, word: before.word })
    const bare = await load({ blocks: [], transactions: [] })
    expect(await bare.request('eth_blockNumber')).toBe('0x3')
    expect(await bare.request('eth_getStorageAt', [to, '0x0', 'latest'])).toBe(before.word)
    expect(await bare.request('eth_getTransactionReceipt', [called])).toBeNull()
    await writeFile(file, '{"accounts":{"0x1":{}}}')
    await expect(startNode({ loadState: file })).rejects.toThrow('not a state dump')
    await expect(startNode({ loadState: `${file}.no` })).rejects.toThrow('ENOENT')
  })

  const anvil = findAnvil()
  it.skipIf(anvil === undefined)('goes to anvil and comes from it (skipped where anvil is not installed)', async () => {
    const place = await folder()
    const file = join(place, 'state.json')
    const run = async (...flags: string[]) => {
      const port = await freePort()
      const child = spawn(anvil ?? '', ['--port', String(port), '--silent', ...flags], { stdio: 'ignore' })
      onTestFinished(() => void child.kill('SIGKILL'))
      const url = `http://127.0.0.1:${port}`
      await vi.waitUntil(() => request(url, 'eth_chainId').catch(() => undefined), 20_000)
      const end = async () => {
        child.kill('SIGINT')
        await once(child, 'exit')
      }
      return { url, end }
    }
    const from = await run('--dump-state', file)
    const { to, called, ...before } = await history(from.url)
    await from.end()
    const here = await started({ state: file, chainId: 31_337 })
    expect(await seen(here.url, called, to)).toEqual(before)
    await here.request('eth_sendTransaction', [{ from: BOB, to: ALICE, value: '0x1' }])
    const after = await seen(here.url, called, to)
    await here.stop()
    const back = await run('--load-state', file)
    expect(await seen(back.url, called, to)).toEqual(after)
    expect(await request(back.url, 'eth_blockNumber')).toBe('0x4')
  })
})
