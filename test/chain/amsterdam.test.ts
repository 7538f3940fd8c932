// A chain whose middle is the beginning of Amsterdam: its blocks are go-ethereum's to the hash, and the block access lists are stored,
// checked, answered and removed with them.
import { describe, expect, it } from 'vitest'
import { checkExecution } from '../../src/chain/check-execution.ts'
import { reindex } from '../../src/chain/reindex.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { type Hash, hexToAddress, toHex } from '../../src/lib/hex.ts'
import { keccakHash } from '../../src/lib/keccak.ts'
import { encodeBlock } from '../../src/primitives/block.ts'
import { decodeBlockAccessList } from '../../src/primitives/block-access-list.ts'
import { sealHeader } from '../../src/primitives/header.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { KEY, RANGE } from '../../src/state/keyspace.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { ACCEPTED, amsterdamChain, amsterdamChainSpec } from '../support/amsterdam-chain.ts'
import { testChain } from '../support/chain.ts'
import { findings, openSmallChain, signed, smallSpec, words } from './support.ts'

const made = await amsterdamChain()
const raws = made.map(({ block }) => encodeBlock(block))
const hashOf = (number: number) => ACCEPTED[number - 1] as Hash

/** A chain with the blocks, and its store. */
async function imported() {
  const store = await openMemoryStore()
  const chain = await openSmallChain({ store, spec: amsterdamChainSpec() })
  for (const raw of raws) await chain.importBlock(raw)
  return { store, chain }
}

async function rowsOfLists(store: Awaited<ReturnType<typeof imported>>['store']): Promise<number> {
  let count = 0
  for await (const _ of store.scan(RANGE.accessLists())) count++
  return count
}

describe.each(['compiled', 'wasm'] as const)('blocks before and after the beginning of Amsterdam, on %s', (engine) => {
  it('have the hashes that go-ethereum accepts', async () => {
    const blocks = engine === 'compiled' ? made : await amsterdamChain(engine)
    expect(blocks.map(({ block }) => block.header.hash)).toEqual(ACCEPTED)
  })
})

describe('the gas of a block of Amsterdam', () => {
  it('is the larger one of its dimensions, in the header, and the sum of what was paid, in the receipts', () => {
    // A new slot: 64 bytes at 1,530 state gas. The first transaction has none, and 21,000 execution gas.
    const last = made[8]
    expect(last?.receipts.map(({ gasUsed }) => gasUsed)).toEqual([21_000n, 125_333n])
    expect(last?.receipts[1]?.cumulativeGasUsed).toBe(146_333n)
    expect(last?.block.header.gasUsed).toBe(64n * 1_530n)
  })
})

describe('a precompile that fails', () => {
  it('takes all gas, also what its new account would have cost', async () => {
    const chain = await openSmallChain({ spec: smallSpec('amsterdam') })
    // (1, 0) is no point of the curve; go-ethereum has counted 300,000 gas for the same transaction.
    const to = hexToAddress(`0x${'7'.padStart(40, '0')}`)
    await chain.submit(signed(0, 0n, { to, value: 1_000n, data: words(1n), gasLimit: 300_000n }).raw)
    const { block, receipts } = (await chain.produce()) ?? expect.fail('no block')
    expect(receipts).toMatchObject([{ status: 0, gasUsed: 300_000n }])
    expect(block.header.gasUsed).toBe(300_000n)
  })
})

describe('block access lists', () => {
  it('are stored with their blocks, and found without fault', async () => {
    const { store, chain } = await imported()
    for (const [index, { block, accessList }] of made.entries()) {
      const { hash, blockAccessListHash } = block.header
      expect(hash).toBe(hashOf(index + 1))
      expect(chain.accessList(BigInt(index + 1))).toEqual(accessList)
      expect(accessList && keccakHash(accessList)).toBe(blockAccessListHash)
    }
    expect(await rowsOfLists(store)).toBe(6)
    expect(await findings(store, amsterdamChainSpec())).toEqual([])
    const runtime = new Runtime(amsterdamChainSpec(), undefined, 'wasm')
    expect(await checkExecution(store, { runtime, engine: 'wasm', onBlock: () => undefined })).toBeUndefined()
    await reindex(store, runtime, indexer, () => undefined)
    expect(await findings(store, amsterdamChainSpec())).toEqual([])
  })

  it('go with their blocks when these are taken back', async () => {
    const { store, chain } = await imported()
    await chain.rewind(5n)
    expect(await rowsOfLists(store)).toBe(2)
    expect(chain.accessList(6n)).toBeUndefined()
    expect(await findings(store, amsterdamChainSpec())).toEqual([])
    for (const raw of raws.slice(5)) await chain.importBlock(raw)
    expect(chain.accessList(9n)).toEqual(made[8]?.accessList)
  })

  it('are found when they are others than executed, or belong to no block', async () => {
    const { store } = await imported()
    const list = (number: bigint) => store.get(KEY.accessList(number)) ?? expect.fail('no list')
    await store.write([
      { type: 'put', key: KEY.accessList(5n), value: list(4n) },
      { type: 'put', key: KEY.accessList(77n), value: list(4n) },
    ])
    const found = await findings(store, amsterdamChainSpec())
    expect(found).toContain('block 5: its access list has another hash')
    expect(found).toContain('access lists: 7 rows for 6 of them')
  })

  it('decide whether a block is imported', async () => {
    const chain = await openSmallChain({ spec: amsterdamChainSpec() })
    for (const raw of raws.slice(0, 3)) await chain.importBlock(raw)
    const { block } = made[3] ?? expect.fail('no block')
    const header = sealHeader({ ...block.header, blockAccessListHash: hashOf(1) })
    const words = `blockAccessListHash is ${block.header.blockAccessListHash}, header says ${hashOf(1)}`
    await expect(chain.importBlock(encodeBlock({ ...block, header }))).rejects.toThrow(`block 4: ${words}`)
    const bare = sealHeader({ ...block.header, blockAccessListHash: undefined, slotNumber: undefined })
    await expect(chain.importBlock(encodeBlock({ ...block, header: bare }))).rejects.toThrow(
      'blockAccessListHash is missing',
    )
  })

  it('are answered as the specification of their methods says', async () => {
    const { node, rpc, raw } = await testChain({ spec: amsterdamChainSpec(), rpc: { development: false } })
    for (const each of raws) await node.chain.importBlock(each)
    const list = (await rpc('eth_getBlockAccessList', '0x4')) as { address: string }[]
    expect(await rpc('eth_getBlockAccessListByBlockNumber', '0x4')).toEqual(list)
    expect(await rpc('eth_getBlockAccessListByBlockHash', hashOf(4))).toEqual(list)
    const none = { storageChanges: [], storageReads: [], balanceChanges: [], nonceChanges: [], codeChanges: [] }
    // A withdrawal of 3 gwei, and one of nothing.
    const [paid, unpaid] = [`0x${'00'.repeat(18)}ddd1`, `0x${'00'.repeat(18)}ddd2`]
    expect(list.find(({ address }) => address === paid)).toEqual({
      address: paid,
      ...none,
      balanceChanges: [{ blockAccessIndex: '0xa', postBalance: '0xb2d05e00' }],
    })
    expect(list.find(({ address }) => address === unpaid)).toEqual({ address: unpaid, ...none })
    const encoded = await rpc('debug_getRawBlockAccessList', '0x4')
    expect(encoded).toBe(toHex(made[3]?.accessList ?? expect.fail('no list')))
    expect(await rpc('eth_getBlockAccessList', 'pending')).toBeNull()
    expect(await rpc('eth_getBlockAccessList', '0x99')).toBeNull()
    for (const method of ['eth_getBlockAccessList', 'debug_getRawBlockAccessList'])
      expect((await raw(method, '0x3')).error).toEqual({ code: -32001, message: 'Resource not found' })
    expect((await raw('debug_getRawBlockAccessList', '0x99')).error?.code).toBe(-32001)
  })

  it('have nothing of a transaction that was refused', () => {
    const refused = `0x${'00'.repeat(17)}fffff1`
    expect(made[6]?.refused).toHaveLength(1)
    const accounts = decodeBlockAccessList(made[6]?.accessList ?? expect.fail('no list'))
    expect(accounts.map(({ address }) => address)).not.toContain(refused)
  })
})
