// A fork in a data directory: the commands that open it, restarts, and what happens to it in between.
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeDeployData, encodeFunctionData, type Hex, numberToHex, pad, parseEther, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hexToAddress, hexToHash, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import type { RunningNode } from '../../src/library.ts'
import { decodeRow, encodeRow } from '../../src/state/history.ts'
import { KEY, RANGE } from '../../src/state/keyspace.ts'
import { openStore } from '../../src/state/kv.ts'
import type { KvStore } from '../../src/state/types.ts'
import { folder, ONE_LINE, runHere } from '../cli/support.ts'
import { asm, returnTop } from '../support/assembler.ts'
import { token } from '../support/contracts.ts'
import { chainToFork, type Forked, forkOf } from '../support/forked.ts'
import { temporaryFolder } from '../support/process.ts'

const HOLDER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const GUARDED = '0x0000000000000000000000000000000000009a4d'
const STRANGER = '0x00000000000000000000000000000000000a11ce'
const HASHES = '0x0000000000000000000000000000000000004a54'
const BEACON_ROOTS = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'
/** EIP-4788: the timestamp is at timestamp % 8191, the root 8191 slots later. */
const RING = 8191n

/** A guard against reentrancy, which leaves slot 0 as it was, around a write of the calldata to slot 1. */
const GUARD = asm(
  ...['PUSH1 0x02', 'PUSH0', 'SSTORE'],
  ...['PUSH0', 'CALLDATALOAD', 'PUSH1 0x01', 'SSTORE'],
  ...['PUSH1 0x01', 'PUSH0', 'SSTORE'],
)
/** Stores and returns the hash of the block in the calldata. */
const HASH = asm(...['PUSH0', 'CALLDATALOAD', 'BLOCKHASH', 'DUP1', 'PUSH0', 'SSTORE'], ...returnTop)

let forked: Forked
let tokenAt: Hex

const accountOf = (node: RunningNode) => node.accounts[0]?.address as Hex
const send = (node: RunningNode, request: object) =>
  node.request<Hex>('eth_sendTransaction', [{ gas: '0x186a0', from: accountOf(node), ...request }])
const transfer = (to: Hex, amount: bigint) => ({
  to: tokenAt,
  data: encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [to, amount] }),
})
const deployment = encodeDeployData({ ...token, args: ['Forked', parseEther('1000')] })
const headOf = (node: RunningNode) =>
  node.request<{ hash: Hex; number: Hex; timestamp: Hex; stateRoot: Hex }>('eth_getBlockByNumber', ['latest', false])

/** A fork at block `begin` with blocks of all kinds of changes, stopped; and its data directory. */
type Made = { readonly datadir: string; readonly begin: number; readonly head: Awaited<ReturnType<typeof headOf>> }

async function makeFork(datadir: string): Promise<Made> {
  const fork = await forkOf(forked.proxy, { datadir })
  const begin = Number(await fork.request('eth_blockNumber'))
  await send(fork, { to: GUARDED, data: pad('0x07') })
  await send(fork, { to: GUARDED, data: pad('0x08') })
  await send(fork, transfer(HOLDER, 7n))
  await send(fork, { data: deployment, gas: '0x2dc6c0' })
  await fork.request('anvil_setBalance', [HOLDER, '0x5'])
  await send(fork, { to: HASHES, data: pad('0x01') })
  // Fails for want of gas.
  await send(fork, { to: GUARDED, data: pad('0x09'), gas: '0x5400' })
  // What the fork has written without reading it.
  const { number, timestamp } = await headOf(fork)
  const slot = toHex((BigInt(timestamp) % RING) + RING)
  await fork.request('eth_getStorageAt', [BEACON_ROOTS, slot, numberToHex(begin)])
  const head = await headOf(fork)
  expect(head.number).toBe(number)
  await fork.stop()
  return { datadir, begin, head }
}

let made: Made
const scratch = await temporaryFolder()

/** A copy of the fork, for a test that changes it. */
async function copy(): Promise<Made> {
  const datadir = await folder()
  await cp(made.datadir, datadir, { recursive: true })
  return { ...made, datadir }
}

beforeAll(async () => {
  forked = await chainToFork()
  const { origin } = forked
  const deployed = await send(origin, { data: deployment, gas: '0x2dc6c0' })
  const receipt = await origin.request<{ contractAddress: Hex }>('eth_getTransactionReceipt', [deployed])
  tokenAt = receipt.contractAddress
  for (const [address, code] of [
    [GUARDED, GUARD],
    [HASHES, HASH],
  ])
    await origin.request('anvil_setCode', [address, code])
  await origin.request('anvil_setStorageAt', [GUARDED, '0x0', pad('0x01')])
  await origin.request('anvil_setBalance', [STRANGER, '0x3039'])
  await origin.request('anvil_mine', ['0x2'])
  made = await makeFork(join(scratch.path, 'fork'))
})
afterAll(async () => {
  await forked[Symbol.asyncDispose]()
  await scratch.remove()
})

const check = async (datadir: string, ...flags: string[]) => {
  const { code, stdout, stderr } = await runHere('check', '--datadir', datadir, ...flags)
  return { code, stdout, stderr }
}

describe('a fork on disk', () => {
  it('has no fault', async () => {
    const { stdout, stderr } = await check(made.datadir)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/checking index\nnothing is damaged\n$/)
  })

  it.each(['library', 'wasm'])('is executed again on the engine %s without a difference', async (engine) => {
    const { code, stdout, stderr } = await check(made.datadir, '--execute', '--engine', engine)
    expect([code, stdout, stderr]).toEqual([0, '', expect.stringMatching(/executed 6 blocks in .*: no difference\n$/)])
  })

  it('is executed again from its first block on only', async () => {
    const { datadir, begin } = made
    const { code, stderr } = await check(datadir, '--execute', '--from', String(begin))
    const words = `kestrel: the chain is a fork of block ${begin}: begin with block ${begin + 1}\n`
    expect([code, stderr]).toEqual([1, words])
  })

  it('continues after a guard has left a slot as it was', async () => {
    const { datadir, head } = await copy()
    await using again = await forkOf(forked.proxy, { datadir, forkUrl: [] })
    expect(await headOf(again)).toEqual(head)
    await send(again, { to: GUARDED, data: pad('0x0a') })
    expect(await again.request('eth_getStorageAt', [GUARDED, '0x1', 'latest'])).toBe(pad('0x0a'))
    expect(await again.request('eth_getStorageAt', [GUARDED, '0x0', 'latest'])).toBe(pad('0x01'))
  })

  it('is indexed again without a change', async () => {
    const { datadir } = await copy()
    const indexed = await runHere('reindex', '--datadir', datadir)
    expect([indexed.code, indexed.stderr]).toEqual([0, expect.stringMatching(/indexed 7 blocks in .*\n$/)])
    expect((await check(datadir)).stdout).toBe('')
  })

  it('is rewound and takes its exported blocks again, but not to before its first block', async () => {
    const { datadir, begin, head } = await copy()
    const file = join(await folder(), 'blocks.rlp')
    const exported = await runHere('export', file, '--datadir', datadir)
    expect([exported.code, exported.stderr]).toEqual([0, expect.stringContaining('exported 6 blocks')])
    const early = await runHere('rewind', '--to', String(begin - 1), '--datadir', datadir)
    expect([early.code, early.stderr]).toEqual([1, expect.stringMatching(ONE_LINE)])
    expect(early.stderr).toContain(`the chain is a fork of block ${begin}`)
    for (const to of [begin + 4, begin]) {
      const { code } = await runHere('rewind', '--to', String(to), '--datadir', datadir)
      expect([code, (await check(datadir)).stdout]).toEqual([0, ''])
    }
    // An edit between the blocks is not exported, so the blocks after it do not fit.
    const imported = await runHere('import', file, '--datadir', datadir)
    expect(imported.stderr).toMatch(new RegExp(`kestrel: block ${begin + 5}: stateRoot is [^\n]*\n$`))
    expect((await check(datadir)).stdout).toBe('')
    expect(BigInt(head.number)).toBe(BigInt(begin + 6))
  })

  it('exports no block of the forked chain, and its own fit on no other chain', async () => {
    const { datadir, begin } = made
    const cwd = await folder()
    const refused = await runHere('export', join(cwd, 'no'), '--first', String(begin), '--datadir', datadir)
    expect(refused.stderr).toContain(`the chain has blocks since block ${begin + 1} only`)
    const file = join(cwd, 'blocks.rlp')
    await runHere('export', file, '--datadir', datadir)
    const other = join(cwd, 'other')
    const genesis = join(import.meta.dirname, '../conformance/execution-apis/genesis.json')
    expect((await runHere('init', '--genesis', genesis, '--datadir', other)).code).toBe(0)
    const { code, stderr } = await runHere('import', file, '--datadir', other)
    expect([code, stderr]).toEqual([1, expect.stringMatching(ONE_LINE)])
    expect(stderr).toContain(`block ${begin + 1}`)
  })

  it('needs the forked chain for what it has not read', async () => {
    const { datadir } = await copy()
    const file = join(await folder(), 'blocks.rlp')
    await using twin = await forkOf(forked.proxy, { datadir })
    await send(twin, { to: STRANGER, value: '0x1' })
    await twin.stop()
    await runHere('export', file, '--datadir', datadir)
    const { code, stderr } = await runHere('import', file, '--datadir', (await copy()).datadir)
    expect([code, stderr]).toEqual([1, expect.stringMatching(ONE_LINE)])
    expect(stderr).toMatch(/--fork-url/)
  })

  it('has no genesis', async () => {
    const { datadir, begin } = made
    const printed = await runHere('genesis', '--datadir', datadir)
    expect([printed.code, printed.stdout]).toEqual([1, ''])
    expect(printed.stderr).toBe(
      `kestrel: ${datadir} holds a fork of chain 4242 at block ${begin}: it has no genesis file\n`,
    )
    const genesis = join(import.meta.dirname, '../conformance/execution-apis/genesis.json')
    const begun = await runHere('init', '--genesis', genesis, '--datadir', datadir)
    expect([begun.code, begun.stderr]).toEqual([1, expect.stringContaining('holds another chain')])
  })
})

describe('damage of a fork', () => {
  const damaged = async (damage: (store: KvStore, begin: bigint) => Promise<void>): Promise<string> => {
    const { datadir, begin } = await copy()
    const store = await openStore(join(datadir, 'chain'))
    await damage(store, BigInt(begin))
    await store.close()
    return (await check(datadir)).stdout
  }
  const change = (store: KvStore, key: Uint8Array, value: Uint8Array) => {
    const row = decodeRow(store.get(key) ?? new Uint8Array(0))
    return store.write([{ type: 'put', key, value: encodeRow({ ...row, value }) }])
  }

  it('of a slot is found', async () => {
    const key = KEY.slot(hexToAddress(GUARDED), hexToHash(pad('0x01')))
    expect(await damaged((store) => change(store, key, Uint8Array.of(0x77)))).toContain(
      'state: a row of the state is damaged',
    )
  })

  it('of a list of changes is found', async () => {
    const lost = (store: KvStore) => store.write([{ type: 'del', key: KEY.changes(3) }])
    expect(await damaged(lost)).toContain('version 3: its list of changes is missing')
  })

  it('of a fetched value that a block replaced is found', async () => {
    const key = KEY.history(KEY.slot(hexToAddress(GUARDED), hexToHash(pad('0x01'))), 0)
    const lost = (store: KvStore) => store.write([{ type: 'del', key }])
    expect(await damaged(lost)).toContain('history: has')
  })

  it('of an account that was fetched and never changed is found', async () => {
    const lost = (store: KvStore) => store.write([{ type: 'del', key: KEY.account(hexToAddress(ZERO_ADDRESS)) }])
    expect(await damaged(lost)).toContain(`index: account ${ZERO_ADDRESS}`)
  })

  it('of a block is found', async () => {
    const lost = (store: KvStore, begin: bigint) => store.write([{ type: 'del', key: KEY.receipts(begin) }])
    expect(await damaged(lost)).toMatch(/block \d+: .*missing|damaged/)
  })

  it('of the index is found', async () => {
    const lost = async (store: KvStore) => {
      for await (const [key] of store.scan({ ...RANGE.index(), limit: 1 })) await store.write([{ type: 'del', key }])
    }
    expect(await damaged(lost)).toMatch(/^index row 0x\w+: is missing/)
  })
})

describe('a pruned fork', () => {
  it('has what was fetched, without the other chain too', async () => {
    const datadir = await folder()
    const first = await forkOf(forked.proxy, { datadir, prune: 128 })
    const begin = await first.request('eth_blockNumber')
    const held = await first.request('eth_getBalance', [STRANGER, 'latest'])
    for (const word of ['0x01', '0x02', '0x03', '0x04'] as const) await send(first, { to: GUARDED, data: pad(word) })
    await send(first, transfer(HOLDER, 7n))
    const created = await send(first, { data: deployment, gas: '0x2dc6c0' })
    await first.request('anvil_mine', ['0xa0'])
    await expect(first.request('eth_getBalance', [STRANGER, begin])).rejects.toThrow(/pruned/)
    await send(first, { to: GUARDED, data: pad('0x05') })
    const head = await headOf(first)
    await first.stop()
    expect((await check(datadir)).stdout).toBe('')

    await using again = await forkOf(forked.proxy, { datadir, prune: 128, forkUrl: [] })
    expect(await headOf(again)).toEqual(head)
    expect(await again.request('eth_getBalance', [STRANGER, 'latest'])).toBe(held)
    const receipt = await again.request<{ contractAddress: Hex }>('eth_getTransactionReceipt', [created])
    expect(await again.request('eth_getCode', [receipt.contractAddress, 'latest'])).not.toBe('0x')
    await send(again, { to: GUARDED, data: pad('0x06') })
    await send(again, transfer(HOLDER, 7n))
    expect(await again.request('eth_getStorageAt', [GUARDED, '0x1', 'latest'])).toBe(pad('0x06'))
    await again.stop()
    expect((await check(datadir)).stdout).toBe('')
  })
})
