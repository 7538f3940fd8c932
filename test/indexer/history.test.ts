// The index is a function of the chain: what is taken back leaves no trace in it, and made again from the blocks it is the
// same to the byte.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { reindex } from '../../src/chain/reindex.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { kzg } from '../../src/primitives/blobs.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { testChain } from '../support/chain.ts'
import { busyChain, readerRows } from './actions.ts'

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.nat({ max: 1000 }) }) },
  { weight: 1, arbitrary: fc.record({ back: fc.nat({ max: 1000 }) }) },
)

it('comes back exactly, and is the same when it is made again', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 25, maxLength: 40 }), async (steps) => {
      const { actions, node, store } = await busyChain(await testChain())
      const { chain } = node
      const told: { readonly snapshot: bigint; readonly rows: readonly string[] }[] = []
      const tell = async () => told.push({ snapshot: chain.snapshot(), rows: await readerRows(store) })
      for (const step of steps) {
        await tell()
        if ('act' in step) {
          await actions[step.act % actions.length]?.()
          continue
        }
        const [then] = told.splice(step.back % told.length)
        expect(await chain.rollback(then?.snapshot ?? 0n)).toBe(true)
        expect(await readerRows(store)).toEqual(then?.rows)
      }
      const live = await readerRows(store)
      await reindex(store, new Runtime(chain.spec, kzg), indexer, () => undefined)
      expect(await readerRows(store)).toEqual(live)
    }),
    { numRuns: 4 },
  )
})
