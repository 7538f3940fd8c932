// Transactions go through the journal and a real database, and come back as they were.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ChainError } from '../../src/lib/errors.ts'
import { fromHex } from '../../src/lib/hex.ts'
import { Journal } from '../../src/pool/journal.ts'
import type { PooledTransaction } from '../../src/pool/types.ts'
import { impersonatedTransaction, signTransaction } from '../../src/primitives/transaction.ts'
import type { Transaction } from '../../src/primitives/types.ts'
import { KEY, RANGE } from '../../src/state/keyspace.ts'
import { openMemoryStore, openStore } from '../../src/state/kv.ts'
import type { KvStore, Op } from '../../src/state/types.ts'
import { account, GWEI, hash, transaction } from './support.ts'

const keys = { key: KEY.journal, range: RANGE.journal() }
const privateKey = fromHex(hash(1))
const signed = (nonce: bigint, fields: Partial<Transaction> = {}): PooledTransaction => ({
  transaction: signTransaction({ ...transaction(), nonce, ...fields }, privateKey),
  sidecar: undefined,
})
const hashOf = (pooled: PooledTransaction | undefined) => pooled?.transaction.hash ?? hash(0)

/** A store that counts its batches and holds them back until `release`, or refuses them. */
async function slowStore() {
  const store = await openMemoryStore()
  const batches: (readonly Op[])[] = []
  const held: (() => void)[] = []
  const slow: KvStore = {
    get: (key) => store.get(key),
    scan: (range) => store.scan(range),
    snapshot: () => store.snapshot(),
    close: () => store.close(),
    async write(batch) {
      batches.push(batch)
      await new Promise<void>((resolve) => held.push(resolve))
      await store.write(batch)
    },
  }
  const release = async () => {
    await settle()
    for (const resolve of held.splice(0)) resolve()
  }
  return { slow, store, batches, release }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))
const load = (store: KvStore) => new Journal(store, keys).load()

describe('load', () => {
  test('gives everything back in the order it came, after the database was closed', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'journal-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const blobs: PooledTransaction = {
      ...signed(3n, {
        type: 3,
        maxFeePerBlobGas: GWEI,
        blobVersionedHashes: [`0x01${'ab'.repeat(31)}` as Transaction['hash']],
      }),
      sidecar: {
        version: 1,
        blobs: [new Uint8Array(1_000).fill(7)],
        commitments: [new Uint8Array(48).fill(1)],
        proofs: Array.from({ length: 128 }, (_, n) => new Uint8Array(48).fill(n)),
      },
    }
    const impersonated = { transaction: impersonatedTransaction(transaction(), account(0xabc)), sidecar: undefined }
    const all = [signed(2n), impersonated, signed(0n), blobs, signed(1n, { type: 0 })]

    const before = await openStore(directory)
    const journal = new Journal(before, keys)
    expect(await journal.load()).toEqual([])
    await Promise.all(all.map((pooled) => journal.record(pooled)))
    await before.close()

    const after = await openStore(directory)
    const again = new Journal(after, keys)
    expect(await again.load()).toEqual(all)
    const late = signed(9n)
    await again.record(late)
    await again.forget(hashOf(all[1]))
    await after.close()

    const last = await openStore(directory)
    expect(await load(last)).toEqual([all[0], ...all.slice(2), late])
    await last.close()
  })

  test('names the row that cannot be read', async () => {
    const store = await openMemoryStore()
    await store.write([{ type: 'put', key: KEY.journal(hash(5)), value: Uint8Array.of(1, 2, 3) }])
    await expect(load(store)).rejects.toThrow(ChainError)
    await expect(load(store)).rejects.toThrow(hash(5).slice(2))
  })

  test('leaves the rows of others alone', async () => {
    const store = await openMemoryStore()
    await store.write([{ type: 'put', key: KEY.meta('head'), value: Uint8Array.of(1) }])
    expect(await load(store)).toEqual([])
  })
})

describe('record', () => {
  test('settles only when the row is on disk', async () => {
    const { slow, store, release } = await slowStore()
    const pooled = signed(0n)
    let done = false
    const recorded = new Journal(slow, keys).record(pooled).then(() => {
      done = true
    })
    await settle()
    expect(done).toBe(false)
    expect(store.get(KEY.journal(hashOf(pooled)))).toBeUndefined()
    await release()
    await recorded
    expect(await load(store)).toEqual([pooled])
  })

  test('a burst is one batch, and what comes while it is written is one more', async () => {
    const { slow, store, batches, release } = await slowStore()
    const journal = new Journal(slow, keys)
    const all = Array.from({ length: 60 }, (_, nonce) => signed(BigInt(nonce)))
    const first = all.slice(0, 20).map((pooled) => journal.record(pooled))
    await settle()
    const second = all.slice(20, 40).map((pooled) => journal.record(pooled))
    await settle()
    const third = all.slice(40).map((pooled) => journal.record(pooled))
    await settle()
    expect(batches.map((batch) => batch.length)).toEqual([20])
    await release()
    await Promise.all(first)
    await release()
    await Promise.all([...second, ...third])
    expect(batches.map((batch) => batch.length)).toEqual([20, 40])
    expect(await load(store)).toEqual(all)
  })

  test('rejects when the disk fails, and the next one goes on', async () => {
    const store = await openMemoryStore()
    let broken = true
    const failing: KvStore = {
      get: (key) => store.get(key),
      scan: (range) => store.scan(range),
      snapshot: () => store.snapshot(),
      close: () => store.close(),
      write: (batch) => (broken ? Promise.reject(new ChainError('storage', 'disk full')) : store.write(batch)),
    }
    const journal = new Journal(failing, keys)
    await expect(journal.record(signed(0n))).rejects.toThrow('disk full')
    broken = false
    const next = signed(1n)
    await journal.record(next)
    expect(await load(store)).toEqual([next])
  })
})

describe('forget', () => {
  test('what was mined before it was written is never written', async () => {
    const { slow, store, batches, release } = await slowStore()
    const journal = new Journal(slow, keys)
    const [early, quick, kept] = [signed(0n), signed(1n), signed(2n)]
    const settled = [journal.record(early)]
    await settle()
    settled.push(journal.record(quick), journal.record(kept), journal.forget(hashOf(quick)))
    await release()
    await release()
    await Promise.all(settled)
    expect(batches.map((batch) => batch.map(({ type }) => type))).toEqual([['put'], ['put']])
    expect(await load(store)).toEqual([early, kept])
  })

  test('what is on its way to the disk is deleted by the next batch', async () => {
    const { slow, store, release } = await slowStore()
    const journal = new Journal(slow, keys)
    const pooled = signed(0n)
    const recorded = journal.record(pooled)
    await settle()
    const forgotten = journal.forget(hashOf(pooled))
    await release()
    await recorded
    await release()
    await forgotten
    expect(await load(store)).toEqual([])
  })

  test('forgotten and recorded again, it is there', async () => {
    const store = await openMemoryStore()
    const journal = new Journal(store, keys)
    const pooled = signed(0n)
    await journal.record(pooled)
    await Promise.all([journal.forget(hashOf(pooled)), journal.record(pooled)])
    expect(await load(store)).toEqual([pooled])
  })

  test('a stranger costs no batch', async () => {
    const { slow, batches } = await slowStore()
    await new Journal(slow, keys).forget(hash(77))
    expect(batches).toEqual([])
  })
})

describe('along with a block', () => {
  /** A journal that writes by itself only when it is told that it may. */
  async function riding() {
    const { slow, store, batches, release } = await slowStore()
    let mayWrite: () => void = () => undefined
    const ready = new Promise<void>((resolve) => {
      mayWrite = resolve
    })
    return { journal: new Journal(slow, keys, () => ready), store, batches, release, mayWrite }
  }
  const shape = (ops: readonly Op[]) => ops.map(({ type, key }) => [type, key])

  test('go the rows that wait, but for those of its own transactions', async () => {
    const { journal, store, batches, mayWrite } = await riding()
    const [mined, other] = [signed(0n), signed(1n)]
    const recorded = [journal.record(mined), journal.record(other)]
    const { ops, landed } = journal.stage([mined.transaction])
    expect(shape(ops)).toEqual([['put', KEY.journal(hashOf(other))]])
    await store.write(ops)
    landed()
    const forgotten = journal.forget(hashOf(mined))
    mayWrite()
    await Promise.all([...recorded, forgotten])
    expect(batches).toEqual([])
    expect(await load(store)).toEqual([other])
  })

  test('a crowd does not wait for a block', async () => {
    const { journal, batches, release } = await riding()
    const crowd = Array.from({ length: 20 }, (_, n) => signed(BigInt(n)))
    const recorded = crowd.map((transaction) => journal.record(transaction))
    await settle()
    await release()
    await Promise.all(recorded)
    expect(batches.map((batch) => batch.length)).toEqual([20])
  })

  test('goes the deletion of rows that it makes needless', async () => {
    const { journal, store, batches, release, mayWrite } = await riding()
    mayWrite()
    const recorded = journal.record(signed(0n))
    await release()
    await recorded
    const { ops, landed } = journal.stage([signed(0n).transaction, signed(1n).transaction])
    expect(shape(ops)).toEqual([['del', KEY.journal(hashOf(signed(0n)))]])
    await store.write(ops)
    landed()
    await journal.forget(hashOf(signed(0n)))
    expect(batches.length).toBe(1)
    expect(await load(store)).toEqual([])
  })

  test('goes nothing while a batch of the journal is on its way, nor is anything lost by a block that fails', async () => {
    const { journal, store, release, mayWrite } = await riding()
    const first = journal.record(signed(0n))
    // This block's batch never lands.
    journal.stage([])
    mayWrite()
    await settle()
    expect(journal.stage([signed(0n).transaction]).ops).toEqual([])
    await release()
    await first
    expect(await load(store)).toEqual([signed(0n)])
  })
})
