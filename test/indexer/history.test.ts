// The index is a function of the chain: a rollback leaves no trace in it, and a rebuild from the blocks gives the same bytes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createChain } from '../../src/chain/open.ts'
import { reindex } from '../../src/chain/reindex.ts'
import { readBlocks } from '../../src/cli/import.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { LIST } from '../../src/indexer/tables.ts'
import { ChainError } from '../../src/lib/errors.ts'
import { encodeHeader } from '../../src/primitives/header.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { parseGenesisText } from '../../src/spec/genesis-file.ts'
import { KEY } from '../../src/state/keyspace.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { listLength } from '../../src/tables/list.ts'
import { KEEPER, keyAt, reopen, signed, smallSpec, words } from '../chain/support.ts'
import { testChain } from '../support/chain.ts'
import { TestStore } from '../support/stores.ts'
import { busyChain, readerRows } from './actions.ts'

/** A chain from go-ethereum with the forks from Frontier to Prague. */
const CONFORMANCE = join(import.meta.dirname, '../conformance/execution-apis')

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ act: fc.nat({ max: 1000 }) }) },
  { weight: 1, arbitrary: fc.record({ back: fc.nat({ max: 1000 }) }) },
)
const quietly = () => undefined

describe('the index of a chain', () => {
  it('is restored exactly when the chain is rolled back', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 30 }), async (steps) => {
        const { actions, node, store } = await busyChain(await testChain())
        const momentOf = async () => ({ snapshot: node.chain.snapshot(), rows: await readerRows(store) })
        const first = await momentOf()
        const moments: (typeof first)[] = []
        for (const step of steps) {
          moments.push(await momentOf())
          if ('act' in step) {
            await actions[step.act % actions.length]?.()
            continue
          }
          const [then] = moments.splice(step.back % moments.length)
          expect(await node.chain.rollback(then?.snapshot ?? 0n)).toBe(true)
          expect(await readerRows(store)).toEqual(then?.rows)
        }
        expect(await node.chain.rollback(first.snapshot)).toBe(true)
        expect(await readerRows(store)).toEqual(first.rows)
      }),
      { numRuns: 3 },
    )
  })

  it('is the same when it is rebuilt', { timeout: 60_000 }, async () => {
    const { actions, node, store } = await busyChain(await testChain())
    const { chain } = node
    const run = async (acts: readonly (() => Promise<unknown>)[]) => {
      for (const act of acts) await act()
    }
    await run(actions)
    const snapshot = chain.snapshot()
    await run(actions)
    await chain.rollback(snapshot)
    await run(actions.slice(5))
    const live = await readerRows(store)
    // The chain has all kinds of rows: calls, tokens, and contracts.
    for (const list of [LIST.calls, LIST.transfers, LIST.contracts]) {
      expect(listLength(store, list)).toBeGreaterThan(0)
    }
    const done: bigint[] = []
    await reindex(store, new Runtime(chain.spec), indexer, (number) => done.push(number))
    expect(await readerRows(store)).toEqual(live)
    expect(done).toEqual(Array.from({ length: Number(chain.head.number) + 1 }, (_, number) => BigInt(number)))
  })

  it('is the same when it is rebuilt from blocks of other forks', { timeout: 60_000 }, async () => {
    const spec = parseGenesisText(readFileSync(join(CONFORMANCE, 'genesis.json'), 'utf8'))
    const store = await openMemoryStore()
    await createChain(store, spec, indexer)
    const chain = reopen(store, spec)
    for (const raw of readBlocks(join(CONFORMANCE, 'chain.rlp'))) await chain.importBlock(raw)
    const live = await readerRows(store)
    await reindex(store, new Runtime(spec), indexer, quietly)
    expect(await readerRows(store)).toEqual(live)
    expect(listLength(store, LIST.withdrawals)).toBeGreaterThan(0)
  })
})

describe('a database', () => {
  /** A small chain with blocks and state edits, and its rows. */
  async function small() {
    const spec = smallSpec()
    const store = new TestStore(await openMemoryStore())
    await createChain(store, spec, indexer)
    const chain = reopen(store, spec)
    await chain.edit((view) => view.setBalance(keyAt(1).address, 5n))
    for (const nonce of [0n, 1n]) {
      await chain.submit(signed(0, nonce, { to: KEEPER, data: words(nonce, 7n), value: 1n }).raw)
      await chain.produce()
      await chain.edit((view) => view.setBalance(keyAt(2).address, nonce))
    }
    return { spec, store, chain, rows: await readerRows(store), runtime: new Runtime(spec) }
  }

  it('cannot be opened until an interrupted rebuild of the index is complete', async () => {
    const { spec, store, rows, runtime } = await small()
    for (const writes of [1, 2, 4]) {
      let left = writes
      store.beforeWrite = () => {
        if (left-- === 0) throw new Error('killed')
      }
      await expect(reindex(store, runtime, indexer, quietly)).rejects.toThrow('killed')
      store.beforeWrite = () => undefined
      expect(() => reopen(store, spec)).toThrow(
        new ChainError('storage', 'the index of this database is not complete; make it again with `kestrel reindex`'),
      )
    }
    await reindex(store, runtime, indexer, quietly)
    expect(await readerRows(store)).toEqual(rows)
    const chain = reopen(store, spec)
    await chain.rewind(0n)
    expect(listLength(store, LIST.transactions)).toBe(0)
  })

  it('whose index has another layout cannot be opened', async () => {
    const { spec, store, runtime } = await small()
    await store.write([{ type: 'put', key: KEY.meta('index'), value: Buffer.from('0') }])
    expect(() => reopen(store, spec)).toThrow(/another layout.*kestrel reindex/)
    await reindex(store, runtime, indexer, quietly)
    expect(reopen(store, spec).head.number).toBe(2n)
  })

  it('whose blocks have different results when executed again gets no index', async () => {
    const { chain, store, runtime } = await small()
    const header = await chain.header({ number: 1n })
    if (header === undefined) throw new Error('there is a block 1')
    const wrong = encodeHeader({ ...header, gasUsed: header.gasUsed + 1n })
    await store.write([{ type: 'put', key: KEY.header(1n), value: wrong }])
    await expect(reindex(store, runtime, indexer, quietly)).rejects.toThrow(
      new ChainError(
        'storage',
        `block 1 does not come out as it did: gasUsed is ${header.gasUsed}, not ${header.gasUsed + 1n}`,
      ),
    )
  })
})
