// Methods about whole states of a fork, of which only a part is here: proofs, roots, dumps, ranges, changed accounts.
import { gunzipSync } from 'node:zlib'
import { type Hex, numberToHex, pad, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningNode } from '../../src/library.ts'
import { asm, returnTop } from '../support/assembler.ts'
import { chainToFork, type Forked, forkOf } from '../support/forked.ts'

const STRANGER = '0x00000000000000000000000000000000000a11ce'
const BOX = '0x000000000000000000000000000000000000b0b0'
/** Writes the second word of the calldata to the slot that the first one names. */
const STORE = asm('PUSH1 0x20', 'CALLDATALOAD', 'PUSH0', 'CALLDATALOAD', 'SSTORE')
/** EIP-161 and EIP-7610: deployed by the sender, it returns no code and writes 9 to slot 3 of its own storage. */
const CREATION = asm(
  'PUSH1 0x09',
  'PUSH1 0x03',
  'SSTORE',
  'PUSH1 0x5b',
  'PUSH0',
  'MSTORE8',
  'PUSH1 0x01',
  'PUSH0',
  'RETURN',
)

let forked: Forked
let fork: RunningNode
let begin: bigint

const accountOf = (node: RunningNode) => node.accounts[0]?.address as Hex
const send = (node: RunningNode, request: object) =>
  node.request<Hex>('eth_sendTransaction', [{ gas: '0x186a0', from: accountOf(node), ...request }])
const store = (slot: Hex, word: Hex) => ({ to: BOX, data: `${pad(slot)}${pad(word).slice(2)}` })
const slotOf = (node: RunningNode, slot: Hex) => node.request<Hex>('eth_getStorageAt', [BOX, slot, 'latest'])

beforeAll(async () => {
  forked = await chainToFork()
  const { origin, proxy } = forked
  await origin.request('anvil_setCode', [BOX, STORE])
  for (const slot of ['0x1', '0x2', '0x3']) await origin.request('anvil_setStorageAt', [BOX, slot, pad('0x05')])
  await origin.request('anvil_setBalance', [STRANGER, '0x3039'])
  await origin.request('anvil_mine', ['0x2'])
  fork = await forkOf(proxy)
  begin = BigInt(await fork.request<Hex>('eth_blockNumber'))
  await send(fork, store('0x1', '0x07'))
  await send(fork, store('0x2', '0x00'))
})
afterAll(async () => {
  await fork.stop()
  await forked[Symbol.asyncDispose]()
})

const at = (after: bigint): Hex => numberToHex(begin + after)

describe('eth_getProof on a fork', () => {
  it('is the forked chain’s up to the block of the fork', async () => {
    const { origin } = forked
    for (const block of [at(0n), '0x1'])
      expect(await fork.request('eth_getProof', [STRANGER, ['0x0'], block])).toEqual(
        await origin.request('eth_getProof', [STRANGER, ['0x0'], block]),
      )
  })

  it('is an error in words after it', async () => {
    for (const block of ['latest', 'pending', at(1n)])
      await expect(fork.request('eth_getProof', [STRANGER, [], block])).rejects.toThrow(
        `a fork has no complete state trie after block ${begin}`,
      )
  })

  it('is the forked chain’s while the block of the fork is the newest', async () => {
    const { origin, proxy } = forked
    await using fresh = await forkOf(proxy)
    const truth = await origin.request('eth_getProof', [STRANGER, [], 'latest'])
    await send(origin, { to: STRANGER, value: '0x1' })
    expect(await fresh.request('eth_getProof', [STRANGER, [], 'latest'])).toEqual(truth)
  })
})

describe('eth_getAccount on a fork', () => {
  it('has the storage root of what is here as a whole', async () => {
    const empty = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
    expect(await fork.request('eth_getAccount', [STRANGER, 'latest'])).toMatchObject({
      balance: '0x3039',
      storageRoot: empty,
    })
    const deployed = await send(fork, { data: CREATION, gas: '0x30d40' })
    const { contractAddress } = await fork.request<{ contractAddress: Hex }>('eth_getTransactionReceipt', [deployed])
    // The same code with the same storage on a chain of its own.
    const twin = await send(forked.origin, { data: CREATION, gas: '0x30d40' })
    const other = await forked.origin.request<{ contractAddress: Hex }>('eth_getTransactionReceipt', [twin])
    const { storageRoot } = await forked.origin.request<{ storageRoot: Hex }>('eth_getAccount', [
      other.contractAddress,
      'latest',
    ])
    expect(storageRoot).not.toBe(empty)
    expect(await fork.request('eth_getAccount', [contractAddress, 'latest'])).toMatchObject({ storageRoot })
  })

  it('is an error in words for an account of which only a part is here, and passed on for the block of the fork', async () => {
    await expect(fork.request('eth_getAccount', [BOX, 'latest'])).rejects.toThrow('no complete state trie')
    expect(await fork.request('eth_getAccount', [BOX, at(0n)])).toEqual(
      await forked.origin.request('eth_getAccount', [BOX, at(0n)]),
    )
  })
})

describe('ranges of the state of a fork', () => {
  it('have the slots on disk', async () => {
    const { hash } = await fork.request<{ hash: Hex }>('eth_getBlockByNumber', [at(2n), false])
    const slots = async (index: number) => {
      const page = await fork.request<{ storage: Record<string, { key: Hex; value: Hex }> }>('debug_storageRangeAt', [
        ...[hash, index, BOX, '0x', 10],
      ])
      return Object.fromEntries(Object.values(page.storage).map(({ key, value }) => [key, value]))
    }
    expect(await slots(0)).toEqual({ [pad('0x01')]: pad('0x07'), [pad('0x02')]: pad('0x05') })
    expect(await slots(1)).toEqual({ [pad('0x01')]: pad('0x07') })
  })

  it('ask the forked chain for nothing', async () => {
    forked.proxy.forget()
    for (const block of [at(0n), at(1n), 'latest']) {
      const dump = await fork.request<{ accounts: Record<string, { balance: string }> }>('debug_dumpBlock', [block])
      expect(dump.accounts[STRANGER]?.balance).toBe('12345')
      const { accounts } = await fork.request<typeof dump>('debug_accountRange', [block, '0x', 256, false, false])
      expect(accounts).toEqual(dump.accounts)
    }
    expect(forked.proxy.exchanges).toBe(0)
  })

  it('have the root that the block has', async () => {
    const { stateRoot } = await fork.request<{ stateRoot: Hex }>('eth_getBlockByNumber', [at(2n), false])
    expect(await fork.request('debug_dumpBlock', [at(2n)])).toMatchObject({ root: stateRoot.slice(2) })
    const { hash } = await fork.request<{ hash: Hex }>('eth_getBlockByNumber', [at(2n), false])
    expect(await fork.request('debug_intermediateRoots', [hash])).toHaveLength(1)
  })
})

describe('the accounts that blocks of a fork changed', () => {
  it('are those of its own blocks', async () => {
    const sender = accountOf(fork).toLowerCase()
    const between = await fork.request('debug_getModifiedAccountsByNumber', [at(0n), at(1n)])
    expect(between).toEqual(expect.arrayContaining([sender, BOX]))
    expect(await fork.request('debug_getModifiedAccountsByNumber', [at(1n)])).toEqual(between)
    const { hash } = await fork.request<{ hash: Hex }>('eth_getBlockByNumber', [at(1n), false])
    expect(await fork.request('debug_getModifiedAccountsByHash', [hash])).toEqual(between)
  })

  it('are the forked chain’s for its blocks, and an error for both together', async () => {
    const { origin } = forked
    for (const params of [[at(0n)], ['0x1'], ['0x1', at(0n)]])
      expect(await fork.request('debug_getModifiedAccountsByNumber', params)).toEqual(
        await origin.request('debug_getModifiedAccountsByNumber', params),
      )
    await expect(fork.request('debug_getModifiedAccountsByNumber', ['0x1', at(1n)])).rejects.toThrow(
      `block 1 is on the forked chain, block ${begin + 1n} on the fork`,
    )
  })
})

describe('a dump of a fork', () => {
  it('makes another fork of the same block the same, and leaves what it lacks', async () => {
    const dump = await fork.request<Hex>('anvil_dumpState')
    const { accounts } = JSON.parse(gunzipSync(Buffer.from(dump.slice(2), 'hex')).toString())
    expect(accounts[BOX].storage).toEqual({ [pad('0x01')]: pad('0x07'), [pad('0x02')]: pad('0x00') })
    await using other = await forkOf(forked.proxy, { forkBlockNumber: String(begin) })
    expect(await slotOf(other, '0x2')).toBe(pad('0x05'))
    expect(await other.request('anvil_loadState', [dump])).toBe(true)
    expect(await Promise.all(['0x1', '0x2', '0x3'].map((slot) => slotOf(other, slot as Hex)))).toEqual([
      pad('0x07'),
      pad('0x00'),
      pad('0x05'),
    ])
    expect(await other.request('eth_getBalance', [STRANGER, 'latest'])).toBe('0x3039')
  })

  it('with many accounts is loaded with few requests', async () => {
    const accounts = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [pad(toHex(0xc0de0000 + index), { size: 20 }), { balance: '0x1' }]),
    )
    await using other = await forkOf(forked.proxy)
    forked.proxy.forget()
    const data = toHex(new TextEncoder().encode(JSON.stringify({ accounts })))
    expect(await other.request('anvil_loadState', [data])).toBe(true)
    expect(forked.proxy.exchanges).toBeLessThan(100)
    const last = pad(toHex(0xc0de0000 + 299), { size: 20 })
    expect(await other.request('eth_getBalance', [last, 'latest'])).toBe('0x1')
  })
})

it('a client’s tracer on a fork reads the hashes of blocks before it', async () => {
  const { origin } = forked
  const { hash } = await origin.request<{ hash: Hex }>('eth_getBlockByNumber', ['0x2', false])
  const tracer = '{ step() {}, fault() {}, result(context) { return toHex(context.output) } }'
  const code = asm('PUSH1 0x02', 'BLOCKHASH', ...returnTop)
  const stateOverrides = { [STRANGER]: { code } }
  expect(await fork.request('debug_traceCall', [{ to: STRANGER }, 'latest', { tracer, stateOverrides }])).toBe(hash)
})

it('the pool of a fork shows what waits', async () => {
  await using other = await forkOf(forked.proxy, { mining: false })
  const hash = await other.request<Hex>('eth_sendTransaction', [{ from: accountOf(other), to: STRANGER, value: '0x1' }])
  expect(await other.request('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
  for (const method of ['txpool_content', 'txpool_inspect']) {
    expect(JSON.stringify(await other.request(method)).toLowerCase()).toContain(STRANGER)
  }
  expect(await other.request('eth_getTransactionByHash', [hash])).toMatchObject({ blockNumber: null })
  expect(await other.request('dev_invariants', ['latest'])).toEqual([])
})
