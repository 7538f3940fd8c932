// A chain that keeps 128 states, compared with an archive of the same blocks: equal answers above its horizon, refusals below,
// and a constant number of history rows.
import { describe, expect, it } from 'vitest'
import type { BlockChain } from '../../src/chain/block-chain.ts'
import { FEWEST_STATES } from '../../src/chain/limits.ts'
import { reindex } from '../../src/chain/reindex.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { bytesByPrefix, everyRow, TestStore } from '../support/stores.ts'
import {
  FACTORY,
  findings,
  KEEPER,
  keyAt,
  LOGGERS,
  openSmallChain,
  reopen,
  signed,
  smallSpec,
  textOf,
  words,
} from './support.ts'

const KEPT = BigInt(FEWEST_STATES)
const EDITED = hexToAddress(`0x${'00'.repeat(19)}ed`)
/** Prefixes of rows that pruning deletes: history, change lists, undo rows of the index. */
const PRUNED = [0x18, 0x19, 0x46]

const transactionsOf = (n: bigint) => [
  signed(0, n, { to: keyAt(1).address, value: n + 1n }),
  signed(1, n, { to: KEEPER, data: words(n % 5n, n % 7n) }),
  signed(2, n, n === 4n ? { to: FACTORY } : { to: LOGGERS[2] ?? null, data: words(n, 7n, n, 8n) }),
]

async function grow(chain: BlockChain, from: bigint, to: bigint): Promise<void> {
  for (let n = from; n < to; n++) {
    for (const { raw } of transactionsOf(n)) await chain.submit(raw)
    await chain.produce({ timestamp: 100n + n })
    // Some blocks have several versions.
    for (let edit = 0n; n % 10n === 3n && edit < 3n; edit++) {
      await chain.edit((view) => view.setBalance(EDITED, 100n * n + edit))
    }
  }
}

/** The contents of a state as text: balances, slots, a proof of both, and a call. */
async function stateAt(chain: BlockChain, number: bigint): Promise<string> {
  const { view } = await chain.at({ number })
  const accounts = [keyAt(0).address, keyAt(1).address, KEEPER, EDITED]
  const call = { from: keyAt(3).address, to: KEEPER, data: words(1n, number) }
  return textOf([
    view.root(),
    accounts.map((of) => [of, view.account(of)]),
    [0n, 1n, 2n, 3n, 4n].map((slot) => view.storage(KEEPER, slot)),
    view.prove(KEEPER, [1n, 9n]),
    view.prove(keyAt(1).address, []),
    await chain.call({ ...call, gasLimit: 100_000n } as Parameters<BlockChain['call']>[0], { number }),
  ])
}

const unavailable = (oldest: bigint) =>
  expect.objectContaining({
    code: 'state-not-available',
    message: expect.stringMatching(
      new RegExp(`^historical state [0-9a-f]{64} is not available: states before block ${oldest} were pruned$`),
    ),
  })

describe('a pruned chain', () => {
  it('answers like an archive above its horizon, refuses below, and keeps blocks and index', async () => {
    const archiveStore = await openMemoryStore()
    const store = await openMemoryStore()
    const archive = await openSmallChain({ store: archiveStore })
    const chain = await openSmallChain({ store, prune: FEWEST_STATES })
    const last = 200n
    await grow(archive, 0n, last)
    await grow(chain, 0n, last)
    const oldest = last - KEPT
    expect([chain.head, chain.oldestState, archive.oldestState]).toEqual([archive.head, oldest, 0n])
    for (let number = oldest; number <= last; number++) {
      expect(await stateAt(chain, number)).toBe(await stateAt(archive, number))
    }
    for (const number of [0n, 1n, 4n, oldest - 1n]) {
      await expect(chain.at({ number })).rejects.toEqual(unavailable(oldest))
      await expect(chain.rewind(number)).rejects.toEqual(unavailable(oldest))
      const block = await chain.block({ number })
      expect(block).toEqual(await archive.block({ number }))
      const [transaction] = block?.transactions ?? []
      if (transaction === undefined) continue
      expect(chain.receipt(transaction.hash)).toEqual(archive.receipt(transaction.hash))
      await expect(chain.traces.replayTransaction(transaction.hash)).rejects.toEqual(unavailable(oldest))
    }
    // The block after the oldest state can be replayed, the oldest itself not: its parent's state was pruned.
    expect(await chain.traces.replayBlock({ number: oldest + 1n })).toHaveLength(3)
    await expect(chain.traces.replayBlock({ number: oldest })).rejects.toEqual(unavailable(oldest))
    // All rows except the horizon's are equal.
    const rows = await everyRow(store, PRUNED)
    expect(rows.delete(`0x00${Buffer.from('horizon').toString('hex')}`)).toBe(true)
    expect(rows).toEqual(await everyRow(archiveStore, PRUNED))
    await expect(reindex(store, new Runtime(smallSpec()), indexer, () => undefined)).rejects.toThrow(/were pruned/)

    // A rewind to the oldest state leaves the same rows as in the archive, and both continue equally.
    for (const one of [chain, archive]) {
      await one.rewind(oldest)
      await grow(one, oldest, oldest + 20n)
    }
    const after = await everyRow(store, PRUNED)
    after.delete(`0x00${Buffer.from('horizon').toString('hex')}`)
    expect(after).toEqual(await everyRow(archiveStore, PRUNED))
    expect(await stateAt(chain, oldest + 3n)).toBe(await stateAt(archive, oldest + 3n))
    expect(chain.oldestState).toBe(oldest)
  })

  it('has a constant number of history rows however long it grows', async () => {
    const store = await openMemoryStore()
    const chain = await openSmallChain({ store, prune: FEWEST_STATES })
    const counts = async () => {
      const sizes = await bytesByPrefix(store)
      return PRUNED.map((prefix) => sizes.get(prefix)?.rows ?? 0)
    }
    await grow(chain, 0n, 160n)
    const [history = 0, changes, undo] = await counts()
    // 128 blocks, thirteen of them with three more versions, and the genesis, which replaced nothing.
    const versions = 1 + 128 + 13 * 3
    expect(undo).toBe(versions)
    // Lists of changes stay from the last version before the horizon that stored trie nodes: up to 32 versions.
    const isBounded = (lists = 0) => lists >= versions && lists < versions + 32
    expect(changes).toSatisfy(isBounded)
    await grow(chain, 160n, 240n)
    const [later = 0, laterChanges, laterUndo] = await counts()
    expect(laterUndo).toBe(versions)
    expect(laterChanges).toSatisfy(isBounded)
    // Without pruning eighty more blocks would add some fifty per cent; the depths of the tries vary a little.
    expect(Math.abs(later - history)).toBeLessThan(history / 20)
  })

  it('is found intact after a rewind to any block whose state it has', { timeout: 60_000 }, async () => {
    const spec = smallSpec()
    const store = await openMemoryStore()
    const chain = await openSmallChain({ spec, store, prune: FEWEST_STATES })
    await grow(chain, 0n, 200n)
    const { number } = chain.head
    for (let back = KEPT - 8n; back < KEPT; back++) {
      await chain.rewind(number - back)
      expect(await findings(store, spec)).toEqual([])
    }
  })

  it('prunes an archive by a few states per block, and stays readable without pruning', async () => {
    const store = new TestStore(await openMemoryStore())
    const spec = smallSpec()
    const archive = await openSmallChain({ store, spec })
    await grow(archive, 0n, 150n)
    const chain = reopen(store, spec, FEWEST_STATES)
    const horizons: bigint[] = []
    for (let n = 150n; n < 162n; n++) {
      // A failed write does not move the horizon.
      store.beforeWrite = () => {
        store.beforeWrite = () => undefined
        throw new Error('the disk is full')
      }
      const before = chain.oldestState
      for (const { raw } of transactionsOf(n)) await chain.submit(raw)
      await expect(chain.produce({ timestamp: 100n + n })).rejects.toThrow(/disk/)
      expect(chain.oldestState).toBe(before)
      await chain.produce({ timestamp: 100n + n })
      horizons.push(chain.oldestState)
      await stateAt(chain, chain.oldestState)
    }
    // Five versions per block; a block number that ends in 4 has four versions (three edits): 1, 2, 3, 4a, 4b | …
    expect(horizons.slice(0, 3)).toEqual([4n, 7n, 12n])
    expect(horizons.at(-1)).toBe(162n - KEPT)
    const oldest = chain.oldestState
    const archived = reopen(store, spec)
    await grow(archived, 162n, 170n)
    expect(archived.oldestState).toBe(oldest)
    await stateAt(archived, oldest)
    await expect(archived.at({ number: oldest - 1n })).rejects.toEqual(unavailable(oldest))
  })

  it('refuses to revert to a snapshot below its horizon', async () => {
    const chain = await openSmallChain({ prune: FEWEST_STATES })
    const id = chain.snapshot()
    for (let n = 0n; n < KEPT + 5n; n++) await chain.produce({ timestamp: 100n + n })
    const { head } = chain
    await expect(chain.rollback(id)).rejects.toEqual(unavailable(5n))
    expect(chain.head).toBe(head)
  })
})
