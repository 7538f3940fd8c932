// A chain on a disk that refuses writes for a while equals afterwards, row by row, a chain whose disk never failed. No cache
// may keep values of a failed batch.
import { describe, expect, it, onTestFinished } from 'vitest'
import { createChain } from '../../src/chain/open.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { GuardedStore } from '../../src/state/guarded-store.ts'
import { isCachedRow } from '../../src/state/keyspace.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { RowCache } from '../../src/state/row-cache.ts'
import { everyRow, TestStore } from '../support/stores.ts'
import { FACTORY, KEEPER, keyAt, LOGGERS, reopen, signed, smallSpec, words } from './support.ts'

const NO_ROOM = new Error('IO error: /data/chain/000009.ldb: No space left on device')

/** A chain on a simulated disk (row cache, guarded store) that a test can fill. */
async function chainOnDisk() {
  const disk = new TestStore(await openMemoryStore())
  let isFull = false
  const fill = () => {
    isFull = true
    disk.beforeWrite = disk.beforeAppend = () => {
      throw NO_ROOM
    }
  }
  const empty = () => {
    isFull = false
    disk.beforeWrite = disk.beforeAppend = () => undefined
  }
  const waiting: (() => void)[] = []
  const report = {
    failed: () => undefined,
    recovered() {
      for (const go of waiting.splice(0)) go()
    },
    lost: (line: string) => expect.unreachable(line),
  }
  const reopenable = Object.assign(disk, {
    sync: async () => undefined,
    reopen: async () => undefined,
    hasRoom: async () => !isFull,
  })
  const guarded = new GuardedStore(reopenable, report, { retryDelay: 1 })
  const store = new RowCache(guarded, isCachedRow, 10_000)
  const spec = smallSpec()
  await createChain(store, spec, indexer)
  const chain = reopen(store, spec)
  onTestFinished(() => chain.close())
  const recovered = () => new Promise<void>((resolve) => waiting.push(resolve))
  return { chain, disk, fill, empty, recovered }
}

/** Transactions of a block: a transfer, a changed slot, logs, and a contract that is created once. */
const transactionsOf = (n: bigint) => [
  signed(0, n, { to: keyAt(1).address, value: n + 1n }),
  signed(1, n, { to: KEEPER, data: words(n % 3n, n) }),
  signed(2, n, n === 4n ? { to: FACTORY } : { to: LOGGERS[2] ?? null, data: words(n, 7n, n, 8n) }),
]

describe('a full disk', () => {
  it('leaves a chain equal to one whose disk never failed', async () => {
    const failing = await chainOnDisk()
    const whole = await chainOnDisk()
    for (let n = 0n; n < 12n; n++) {
      const draft = { timestamp: 100n + n }
      for (const transaction of transactionsOf(n)) {
        await failing.chain.submit(transaction.raw)
        await whole.chain.submit(transaction.raw)
      }
      if (n % 2n === 1n) {
        const goesOn = failing.recovered()
        failing.fill()
        await expect(failing.chain.produce(draft)).rejects.toThrow(/^disk full$/)
        const { chain } = failing
        const before = chain.head
        // Sends are refused at once, before anything is built or pooled; reads are answered.
        const late = signed(3, 0n)
        await expect(chain.submit(late.raw)).rejects.toThrow(/^disk full$/)
        await expect(chain.edit((view) => view.setBalance(KEEPER, 5n))).rejects.toThrow(/^disk full$/)
        await expect(chain.rewind(0n)).rejects.toThrow(/^disk full$/)
        expect(chain.pool.get(late.hash)).toBeUndefined()
        expect([chain.head, (await chain.at('latest')).view.nonce(keyAt(0).address)]).toEqual([before, n])
        expect(chain.pool.pending).toBe(3)
        failing.empty()
        await goesOn
      }
      if (n === 7n) await Promise.all([failing, whole].map(({ chain }) => chain.edit((v) => v.setBalance(KEEPER, 9n))))
      const one = await failing.chain.produce(draft)
      const other = await whole.chain.produce(draft)
      expect(one.block.header).toEqual(other.block.header)
      expect(one.block.transactions).toHaveLength(3)
    }
    expect(await everyRow(failing.disk)).toEqual(await everyRow(whole.disk))
    const id = failing.chain.snapshot()
    expect(await failing.chain.rollback(id)).toBe(true)
    await Promise.all([failing, whole].map(({ chain }) => chain.rewind(5n)))
    expect(await everyRow(failing.disk)).toEqual(await everyRow(whole.disk))
    expect(failing.chain.errors).toEqual([])
  })

  it('refuses a transaction whose journal record cannot be written, and does not keep it', async () => {
    const { chain, disk, fill, empty, recovered } = await chainOnDisk()
    const goesOn = recovered()
    fill()
    const transaction = signed(0, 0n)
    await expect(chain.submit(transaction.raw)).rejects.toThrow(/^disk full$/)
    expect([chain.pool.get(transaction.hash), disk.log.read().records]).toEqual([undefined, []])
    empty()
    await goesOn
    expect(await chain.submit(transaction.raw)).toBe(transaction.hash)
  })
})
