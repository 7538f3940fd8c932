// What a block costs, in exact counts: rows and bytes written, hashes, and rows read. A block's rows are most of what a single
// transaction costs a node that mines each one at once.
import { describe, expect, it, vi } from 'vitest'
import { createChain } from '../../src/chain/open.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import type { Transaction } from '../../src/primitives/types.ts'
import type { GenesisSpec } from '../../src/spec/chain-spec.ts'
import { presets } from '../../src/spec/presets.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { TestStore } from '../support/stores.ts'
import { CHAIN_ID, KEYS, reopen, signed, smallSpec } from './support.ts'

const hashes = vi.hoisted(() => ({ count: 0 }))
vi.mock('hash-wasm', async (original) => {
  const library = await original<typeof import('hash-wasm')>()
  const createKeccak: typeof library.createKeccak = async (bits) => {
    const hasher = await library.createKeccak(bits)
    const { digest } = hasher
    const counted = (form: 'binary') => {
      hashes.count++
      return digest(form)
    }
    return Object.assign(hasher, { digest: counted })
  }
  return { ...library, createKeccak }
})

type Cost = { rows: number; bytes: number; reads: number; hashes: number }

/** A chain in memory whose blocks are counted. */
async function countedChain(spec: GenesisSpec) {
  const store = new TestStore(await openMemoryStore())
  await createChain(store, spec, indexer)
  const chain = reopen(store, spec)
  // Fixed times, because each new one takes a slot of EIP-4788. Blocks within a second share it on a native chain only.
  const second = spec.native === undefined ? 1n : 0n
  let timestamp = 1_767_225_601n
  let cost: Cost = { rows: 0, bytes: 0, reads: 0, hashes: 0 }
  const { get } = store
  store.get = (key) => {
    cost.reads++
    return get.call(store, key)
  }
  store.beforeWrite = (batch) => {
    cost.rows += batch.length
    for (const op of batch) cost.bytes += op.key.length + (op.type === 'put' ? op.value.length : 0)
  }
  return async (transactions: readonly Transaction[]): Promise<Cost> => {
    cost = { rows: 0, bytes: 0, reads: 0, hashes: 0 }
    const before = hashes.count
    const builder = await chain.openBlock({ timestamp })
    await builder.take(transactions)
    await builder.seal()
    timestamp += second
    return { ...cost, hashes: hashes.count - before }
  }
}

/** A transfer to a new account. */
const transfer = (nonce: number): Transaction =>
  signed(0, BigInt(nonce), {
    to: hexToAddress(`0x${(0x1000000n + BigInt(nonce) * 0x100001n).toString(16).padStart(40, '0')}`),
    value: 1n,
    gasLimit: 21_000n,
  })

/** The middle one of the costs, and their mean: one block in 32 stores the trie nodes of all. */
function summary(costs: readonly Cost[]) {
  const of = (name: keyof Cost) => {
    const sorted = costs.map((cost) => cost[name]).sort((a, b) => a - b)
    const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length
    return { median: sorted[sorted.length >> 1] ?? 0, mean }
  }
  return { rows: of('rows'), bytes: of('bytes'), reads: of('reads'), hashes: of('hashes') }
}

async function costs(spec: GenesisSpec) {
  const block = await countedChain(spec)
  for (let nonce = 0; nonce < 32; nonce++) await block([transfer(nonce)])
  const transfers: Cost[] = []
  for (let nonce = 32; nonce < 96; nonce++) transfers.push(await block([transfer(nonce)]))
  await block([])
  const empty: Cost[] = []
  for (let i = 0; i < 64; i++) empty.push(await block([]))
  return { transfers: summary(transfers), empty: summary(empty) }
}

const nativeSpec = (): GenesisSpec =>
  presets.kestrel({ chainId: CHAIN_ID, accounts: KEYS.map(({ address }) => address) })

describe.each([
  ['from a geth genesis', () => smallSpec(), { rows: 40, mean: 50, hashes: 24, emptyRows: 17, emptyBytes: 1_600 }],
  ['with native modules', nativeSpec, { rows: 42, mean: 52, hashes: 27, emptyRows: 14, emptyBytes: 1_300 }],
])('a chain %s', (_, spec, most) => {
  it('writes and hashes little for a block of one transfer, and for an empty one', { timeout: 180_000 }, async () => {
    const { transfers, empty } = await costs(spec())
    expect(transfers.rows.median).toBeLessThanOrEqual(most.rows)
    expect(transfers.rows.mean).toBeLessThanOrEqual(most.mean)
    expect(transfers.hashes.median).toBeLessThanOrEqual(most.hashes)
    expect(empty.rows.median).toBeLessThanOrEqual(most.emptyRows)
    expect(empty.bytes.median).toBeLessThanOrEqual(most.emptyBytes)
  })
})
