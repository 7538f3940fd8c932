// The canonical chain on disk under random blocks, amendments and rewinds. After each step blocks, receipts, look-ups, index
// and state are consistent, in memory and on disk, and a rewind restores the database byte for byte.

import fc from 'fast-check'
import { getContractAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { CanonicalChain, type StateCheckpoint } from '../../src/chain/canonical-chain.ts'
import { createChain } from '../../src/chain/open.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { ChainError } from '../../src/lib/errors.ts'
import { fromHex, type Hash, hexToAddress } from '../../src/lib/hex.ts'
import type { Block, Receipt, Transaction } from '../../src/primitives/types.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import type { KvStore } from '../../src/state/types.ts'
import { everyRow, TestStore } from '../support/stores.ts'
import {
  blockOn,
  CHILD_CODE,
  FACTORY,
  KEEPER,
  KEYS,
  keyAt,
  LOGGERS,
  REVERTER,
  signed,
  smallSpec,
  textOf,
  words,
} from './support.ts'

const CHILD = hexToAddress(
  getContractAddress({
    opcode: 'CREATE2',
    from: FACTORY,
    salt: '0x00',
    // As in FACTORY's code: set slot 0 to one, then return CHILD_CODE.
    bytecode: `0x60016000556e${CHILD_CODE.slice(2)}600052600f6011f3`,
  }),
)

/** The action of one transaction in a random block. */
const act = fc.record({
  key: fc.nat({ max: KEYS.length - 1 }),
  call: fc.oneof(
    fc.record({ to: fc.constantFrom(...LOGGERS), input: fc.tuple(...[0, 0, 0, 0, 0].map(() => fc.bigInt(0n, 2n))) }),
    fc.record({ to: fc.constantFrom(KEEPER, CHILD), input: fc.tuple(fc.bigInt(0n, 3n), fc.bigInt(0n, 2n)) }),
    fc.record({ to: fc.constantFrom(FACTORY, FACTORY, CHILD, REVERTER, keyAt(3).address), input: fc.constant([]) }),
    fc.record({ to: fc.constant(null), input: fc.constant([]) }),
  ),
})
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('block' as const), acts: fc.array(act, { maxLength: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('amend' as const), what: fc.nat({ max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rewind' as const), to: fc.nat({ max: 20 }) }) },
)

function transactionsOf(canonical: CanonicalChain, acts: readonly Act[]): Transaction[] {
  const view = canonical.view()
  return acts.map(({ key, call: { to, input } }, i) => {
    const { address } = keyAt(key)
    const nonce = view.nonce(address) + BigInt(acts.slice(0, i).filter((other) => other.key === key).length)
    // A creation runs its input as code: STOP, which creates an empty contract.
    return signed(key, nonce, { to, data: words(...input), value: to === keyAt(3).address ? 5n : 0n })
  })
}

function amend(canonical: CanonicalChain, what: number): Promise<void> {
  return canonical.amend((view) => {
    if (what === 0) view.setBalance(keyAt(0).address, view.balance(keyAt(0).address) + 1n)
    if (what === 1) view.setStorage(KEEPER, 9n, 4n)
    if (what === 2) view.deleteAccount(CHILD)
    if (what === 3) view.clearStorage(KEEPER)
    if (what === 4) view.setCode(REVERTER, Uint8Array.of(0x00))
  })
}

type Mined = { readonly block: Block; readonly receipts: readonly Receipt[] }
type Moment = { readonly point: StateCheckpoint; readonly rows: Map<string, string>; readonly mined: readonly Mined[] }

const momentOf = async (canonical: CanonicalChain, mined: readonly Mined[]): Promise<Moment> => ({
  point: canonical.checkpoint,
  rows: await everyRow(canonical.store),
  mined,
})

const minedText = ({ block, receipts }: Mined): string => textOf({ block, receipts })

/** Expects that the chain has exactly these blocks, and no transaction of the removed ones. */
function check(canonical: CanonicalChain, { point, mined }: Moment, removedBlocks: readonly Mined[]): void {
  expect(canonical.checkpoint).toEqual(point)
  expect(canonical.head.number).toBe(BigInt(mined.length))
  for (const { block, receipts } of mined) {
    const { number, hash, stateRoot } = block.header
    expect(textOf(canonical.blocks.block(number))).toBe(textOf(block))
    expect(textOf(canonical.blocks.receipts(number))).toBe(textOf(receipts))
    expect(canonical.blocks.number(hash)).toBe(number)
    for (const [index, transaction] of block.transactions.entries()) {
      const found = canonical.blocks.receipt(transaction.hash)
      expect([found?.header.hash, found?.index, found?.transaction.from]).toEqual([hash, index, transaction.from])
      expect(textOf(found?.receipt)).toBe(textOf(receipts[index]))
      const before = receipts.slice(0, index).flatMap(({ logs }) => logs).length
      expect(found?.firstLogIndex).toBe(before)
    }
    if (canonical.checkpointAt(number).version === canonical.checkpointAt(number - 1n).version + 1) {
      expect(canonical.viewAt(number).root()).toBe(stateRoot)
    }
  }
  const hashes = new Set<Hash>(mined.flatMap(({ block }) => block.transactions.map(({ hash }) => hash)))
  const blocks = new Set<Hash>(mined.map(({ block }) => block.header.hash))
  for (const { block } of removedBlocks) {
    if (!blocks.has(block.header.hash)) expect(canonical.blocks.number(block.header.hash)).toBeUndefined()
    for (const { hash } of block.transactions)
      if (!hashes.has(hash)) expect(canonical.blocks.transaction(hash)).toBeUndefined()
  }
  const above = canonical.head.number + 1n
  expect([canonical.blocks.header(above), canonical.blocks.block(above), canonical.blocks.receipts(above)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(() => canonical.viewAt(above)).toThrow(ChainError)
}

describe.each(['shanghai', 'prague'] as const)('under the rules of %s', (fork) => {
  it('the canonical chain is consistent after any commits, amendments and rewinds', {
    timeout: 120_000,
  }, async () => {
    const spec = smallSpec(fork)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const store = await openMemoryStore()
        await createChain(store, spec, indexer)
        const canonical = new CanonicalChain(store, new Runtime(spec), indexer)
        const moments: Moment[] = [await momentOf(canonical, [])]
        const removedBlocks: Mined[] = []
        const last = (): Moment => moments.at(-1) ?? fail('there is always block 0')
        for (const step of steps) {
          if (step.do === 'block') {
            const executed = await blockOn(canonical, spec, transactionsOf(canonical, step.acts))
            expect(executed.refused).toEqual([])
            await canonical.commit(executed)
            moments.push(await momentOf(canonical, [...last().mined, executed]))
          } else if (step.do === 'amend') {
            await amend(canonical, step.what)
            moments.push(await momentOf(canonical, last().mined))
          } else {
            const before = last().mined
            moments.length = (step.to % moments.length) + 1
            const { point, mined, rows } = last()
            const removed = await canonical.rewind(point)
            removedBlocks.push(...removed)
            expect(removed.map(textOf)).toEqual(before.slice(mined.length).toReversed().map(minedText))
            expect(await everyRow(store)).toEqual(rows)
          }
          check(canonical, last(), removedBlocks)
        }
        check(new CanonicalChain(store, new Runtime(spec), indexer), last(), removedBlocks)
        await store.close()
      }),
      { numRuns: 15 },
    )
  })
})

describe('a canonical chain', () => {
  const open = async (store?: KvStore) => {
    const spec = smallSpec()
    const inner = new TestStore(store ?? (await openMemoryStore()))
    await createChain(inner, spec, indexer)
    return { store: inner, spec, canonical: new CanonicalChain(inner, new Runtime(spec), indexer) }
  }

  it('stays at its head when the disk fails, and can continue', async () => {
    const { store, spec, canonical } = await open()
    await canonical.commit(await blockOn(canonical, spec, [signed(0, 0n, { to: KEEPER, data: words(1n, 7n) })]))
    const before = await everyRow(store)
    const { checkpoint: point, head } = canonical
    const block = await blockOn(canonical, spec, [signed(0, 1n, { to: KEEPER, data: words(1n, 8n) })])

    store.beforeWrite = () => {
      throw new Error('no space left on device')
    }
    await expect(canonical.commit(block)).rejects.toThrow('no space left')
    await expect(canonical.amend((view) => view.setStorage(KEEPER, 1n, 9n))).rejects.toThrow('no space left')
    await expect(canonical.rewind({ number: 0n, version: 0 })).rejects.toThrow('no space left')
    expect([canonical.checkpoint, canonical.head]).toEqual([point, head])
    expect(await everyRow(store)).toEqual(before)
    expect(canonical.view().storage(KEEPER, 1n)).toBe(7n)
    expect(canonical.blocks.transaction(block.block.transactions[0]?.hash ?? head.hash)).toBeUndefined()

    store.beforeWrite = () => undefined
    await canonical.commit(block)
    expect(canonical.head.hash).toBe(block.block.header.hash)
    expect(canonical.view().storage(KEEPER, 1n)).toBe(8n)
    expect(canonical.viewAt(1n).storage(KEEPER, 1n)).toBe(7n)
    expect(canonical.viewAt(0n).storage(KEEPER, 1n)).toBe(0n)
  })

  it('fetches for an index whose rows change meanwhile, and commits only with a whole one', async () => {
    const { store, spec, canonical } = await open()
    const block = await blockOn(canonical, spec, [signed(0, 0n, { to: KEEPER, data: words(1n, 7n) })])
    const changing = { ...indexer, block: () => Promise.reject(new Error('a member of a ranking is not there')) }
    const other = new CanonicalChain(store, new Runtime(spec), changing)
    await other.prepareIndex(block)
    await expect(other.commit(block)).rejects.toThrow('a member of a ranking is not there')
  })

  it('has the block after a restart when the process ended just after its batch was written', async () => {
    const { store, spec, canonical } = await open()
    const block = await blockOn(canonical, spec, [signed(0, 0n, { to: KEEPER, data: words(1n, 7n) })])
    store.afterWrite = () => {
      throw new Error('killed')
    }
    await expect(canonical.commit(block)).rejects.toThrow('killed')
    store.afterWrite = () => undefined
    const again = new CanonicalChain(store, new Runtime(spec), indexer)
    expect(again.head.hash).toBe(block.block.header.hash)
    expect(again.view().root()).toBe(again.head.stateRoot)
    await again.commit(await blockOn(again, spec, [signed(0, 1n, { to: KEEPER, data: words(1n, 8n) })]))
    expect(again.viewAt(1n).storage(KEEPER, 1n)).toBe(7n)
    await again.rewind(again.checkpointAt(0n))
    expect(await everyRow(store)).toEqual(await everyRow((await open()).store))
  })

  it('commits only blocks that were executed on its head', async () => {
    const { spec, canonical } = await open()
    const first = await blockOn(canonical, spec, [])
    const second = await blockOn(canonical, spec, [signed(0, 0n)])
    await canonical.commit(first)
    await expect(canonical.commit(first)).rejects.toThrow(/not built on the head/)
    await expect(canonical.commit(second)).rejects.toThrow(/not built on the head/)
    const stale = await blockOn(canonical, spec, [])
    await canonical.amend((view) => view.setBalance(KEEPER, 1n))
    await expect(canonical.commit(stale)).rejects.toThrow(/not built on the head/)
    expect(canonical.head.number).toBe(1n)
  })

  it('has no state above its head', async () => {
    const { canonical } = await open()
    expect(() => canonical.checkpointAt(1n)).toThrow(new ChainError('header-not-found', 'header not found'))
    expect(() => canonical.viewAt(1n)).toThrow(new ChainError('header-not-found', 'header not found'))
  })

  it('can be created only in an empty store', async () => {
    const { store, spec } = await open()
    const before = await everyRow(store)
    const foreign = await openMemoryStore()
    await foreign.write([{ type: 'put', key: fromHex('0x4c617374426c6f636b'), value: fromHex('0x01') }])
    for (const full of [store, foreign]) {
      await expect(createChain(full, spec, indexer)).rejects.toThrow(/not empty/)
    }
    expect(await everyRow(store)).toEqual(before)
    expect([...(await everyRow(foreign))]).toEqual([['0x4c617374426c6f636b', '0x01']])
    expect(() => new CanonicalChain(foreign, new Runtime(spec), indexer)).toThrow(ChainError)
  })
})

function fail(words: string): never {
  throw new Error(words)
}
