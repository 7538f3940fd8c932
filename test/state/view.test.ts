import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StateAdapter } from '../../src/evm/ethereumjs/state-adapter.ts'
import { fromHex } from '../../src/lib/hex.ts'
import { StateStore } from '../../src/state/state-store.ts'
import { everyRow } from '../support/stores.ts'
import {
  apply,
  at,
  block,
  checkProofs,
  depthAfter,
  goBack,
  land,
  look,
  lookAt,
  lookFor,
  record,
  rootOf,
  run,
  storageOf,
  twins,
  type Version,
  WHO,
  who,
} from './reference-state.ts'

describe('a view', () => {
  it('agrees with @ethereumjs/statemanager after any writes, reverts and commits', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(block, { minLength: 1, maxLength: 5 }), async (blocks) => {
        const { store, ours, reference } = await twins()
        for (const steps of blocks) {
          const view = ours.at(ours.version)
          const adapter = new StateAdapter(view)
          let depth = 0
          for (const step of steps) {
            await apply(adapter, step, depth)
            await apply(reference, step, depth)
            depth = depthAfter(step, depth)
            if (step.do === 'root') expect(view.root()).toBe(await rootOf(reference))
            if (step.do === 'look') {
              expect(await lookAt(view)).toEqual(await look(reference))
              expect(WHO.map((of) => view.hasStorage(of))).toEqual(await storageOf(reference))
            }
          }
          for (; depth > 0; depth--) {
            await adapter.commit()
            await reference.commit()
          }
          expect(await lookAt(view)).toEqual(await look(reference))
          expect(WHO.map((of) => view.hasStorage(of))).toEqual(await storageOf(reference))
          expect(view.root()).toBe(await rootOf(reference))
          expect(WHO.map((of) => view.hasStorage(of))).toEqual(await storageOf(reference))
          await land(ours, view)
          expect(await lookAt(ours.at(ours.version))).toEqual(await look(reference))
          expect(ours.at(ours.version).root()).toBe(await rootOf(reference))
        }
        await store.close()
      }),
      { numRuns: 60 },
    )
  })

  it('reads and proves every version, and rewinds to it exactly', { timeout: 120_000 }, async () => {
    const history = fc.array(fc.oneof({ weight: 4, arbitrary: block }, { weight: 1, arbitrary: fc.nat({ max: 9 }) }), {
      minLength: 2,
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(history, async (episodes) => {
        const twin = await twins()
        const { store, reference } = twin
        let ours = twin.ours
        const versions: Version[] = [await record(ours, reference)]
        for (const episode of episodes) {
          if (typeof episode === 'number') {
            const to = episode % versions.length
            versions.length = to + 1
            await goBack(ours, to)
            const { rows, root } = at(versions, to)
            expect(await everyRow(store)).toEqual(rows)
            await reference.setStateRoot(fromHex(root))
          } else {
            const view = ours.at(ours.version)
            await run(new StateAdapter(view), episode, (step) => void (step.do === 'root' && view.root()))
            await run(reference, episode)
            await land(ours, view)
            versions.push(await record(ours, reference))
          }
          expect(ours.version).toBe(versions.length - 1)
          // Every other episode runs without caches, as after a restart.
          if (episodes.indexOf(episode) % 2 === 1) ours = new StateStore(store, ours.version)
          for (const [version, recorded] of versions.entries()) {
            expect(await lookAt(ours.at(version))).toEqual(recorded.content)
            expect(ours.at(version).root()).toBe(recorded.root)
          }
        }
        for (const [version, recorded] of versions.entries()) await checkProofs(ours.at(version), recorded)
        await store.close()
      }),
      { numRuns: 30 },
    )
  })

  it('reads its own version while others are staged, written and rewound', async () => {
    // Accounts to read at each moment: before the batch, when it is on disk, and when its writer knows.
    const moments = fc.array(fc.record({ who, moment: fc.nat({ max: 2 }) }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(block, moments), { minLength: 2, maxLength: 5 }), async (blocks) => {
        const { store, reference, ours } = await twins()
        const first = await record(ours, reference)
        // One reader for each version: a view opened before any later version is known, read step by step.
        const readers = [{ ...first, view: ours.at(0) }]
        for (const [steps, reads] of blocks) {
          const view = ours.at(ours.version)
          await run(new StateAdapter(view), steps)
          await run(reference, steps)
          const { rows, codes } = await view.changes()
          const { ops, afterWrite } = ours.stage(rows, codes)
          for (const [moment, happens] of [() => undefined, () => store.write(ops), afterWrite].entries()) {
            await happens()
            for (const read of reads.filter((read) => read.moment === moment)) {
              const of = at(WHO, read.who)
              for (const { view, content } of readers) {
                expect(await lookFor(of, new StateAdapter(view))).toBe(content[of])
                expect(await lookFor(of, new StateAdapter(ours.at(view.version)))).toBe(content[of])
              }
            }
          }
          readers.push({ ...(await record(ours, reference)), view: ours.at(ours.version) })
        }
        const to = Math.floor(readers.length / 2)
        const { ops, afterWrite } = ours.rewind(to)
        for (const happens of [() => undefined, () => store.write(ops), afterWrite]) {
          await happens()
          for (const { view, content } of readers.slice(0, to + 1)) {
            expect(await lookAt(ours.at(view.version))).toEqual(content)
          }
        }
        for (const { view, content } of readers.slice(0, to + 1)) expect(await lookAt(view)).toEqual(content)
        await store.close()
      }),
      { numRuns: 30 },
    )
  })

  it('does not change with its fork', async () => {
    await fc.assert(
      fc.asyncProperty(block, block, block, fc.boolean(), async (before, onView, onFork, rootFirst) => {
        const { store, ours, reference } = await twins()
        const view = ours.at(ours.version)
        await run(new StateAdapter(view), before)
        await run(reference, before)
        if (rootFirst) view.root()
        const fork = view.fork()
        const base = await reference.getStateRoot()

        await run(new StateAdapter(view), onView)
        await run(new StateAdapter(fork), onFork)
        await run(reference, onView)
        expect(view.root()).toBe(await rootOf(reference))
        expect(await lookAt(view)).toEqual(await look(reference))
        await reference.setStateRoot(base)
        await run(reference, onFork)
        expect(fork.root()).toBe(await rootOf(reference))
        expect(await lookAt(fork)).toEqual(await look(reference))
        await land(ours, fork)
        expect(ours.at(ours.version).root()).toBe(await rootOf(reference))
        await store.close()
      }),
      { numRuns: 30 },
    )
  })
})
