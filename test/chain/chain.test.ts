// The chain's public behaviour: submitted transactions are mined or pending, a rollback leaves no trace, and nothing is visible
// before it is on disk. The test's store can be delayed or made to fail.
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { BlockChain } from '../../src/chain/block-chain.ts'
import { createChain } from '../../src/chain/open.ts'
import type { ChainEvents } from '../../src/chain/types.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import type { Hash } from '../../src/lib/hex.ts'
import { TransactionJournal } from '../../src/pool/transaction-journal.ts'
import type { Transaction } from '../../src/primitives/types.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { memoryRecordLog } from '../../src/state/record-log.ts'
import type { KvStore } from '../../src/state/types.ts'
import { everyRow, TestStore } from '../support/stores.ts'
import { GWEI, KEEPER, KEYS, keyAt, LOGGERS, reopen, signed, smallSpec, textOf, words } from './support.ts'

async function chainOn(inner?: KvStore) {
  const store = new TestStore(inner ?? (await openMemoryStore()))
  const spec = smallSpec()
  await createChain(store, spec, indexer)
  const chain = reopen(store, spec)
  onTestFinished(async () => {
    store.beforeWrite = () => undefined
    store.afterWrite = () => undefined
    await chain.close()
  })
  return { store, spec, chain, send: (transaction: Transaction) => chain.submit(transaction.raw) }
}

const pooledIn = (chain: BlockChain): Hash[] => {
  const { pending, queued } = chain.pool.content()
  return [...pending.values(), ...queued.values()]
    .flat()
    .map(({ hash }) => hash)
    .sort()
}

/** The journal's transactions as a new process would load them. */
function journalOf({ log }: KvStore): Hash[] {
  const copy = memoryRecordLog()
  copy.append(log.read().records)
  return new TransactionJournal(copy)
    .load()
    .map(({ transaction: { hash } }) => hash)
    .sort()
}

/** Delays the next batch that contains a block until `release` is called. */
function holdBlock(store: TestStore, moment: 'beforeWrite' | 'afterWrite') {
  let release: () => void = () => undefined
  let reached: () => void = () => undefined
  const reach = new Promise<void>((resolve) => {
    reached = resolve
  })
  store[moment] = async (batch) => {
    if (!batch.some(({ key }) => key[0] === 0x20)) return
    store[moment] = () => undefined
    reached()
    await new Promise<void>((resolve) => {
      release = resolve
    })
  }
  return { reached: reach, release: () => release() }
}

const failOnBlock = (batch: readonly { readonly key: Uint8Array }[]): void => {
  if (batch.some(({ key }) => key[0] === 0x20)) throw new Error('killed')
}

describe('rolling the chain back', () => {
  it('restores the snapshot’s database, pool and head after any operations', async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant('send' as const),
          key: fc.nat({ max: KEYS.length - 1 }),
          skip: fc.constantFrom(0n, 0n, 0n, 1n),
          to: fc.constantFrom(KEEPER, ...LOGGERS),
        }),
      },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('mine' as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const), amount: fc.bigInt(1n, 9n) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('snapshot' as const) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('rollback' as const), id: fc.nat({ max: 9 }) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('rewind' as const), to: fc.nat({ max: 9 }) }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
        const { store, spec, chain, send } = await chainOn()
        const rows = () => everyRow(store)
        type Moment = { readonly rows: Map<string, string>; readonly head: Hash; readonly waiting: readonly Hash[] }
        const moment = async (): Promise<Moment> => ({
          rows: await rows(),
          head: chain.head.hash,
          waiting: pooledIn(chain),
        })
        const taken = new Map<bigint, Moment & { readonly number: bigint }>()
        const byNumber: Moment[] = [await moment()]
        for (const step of steps) {
          const before = chain.head.number
          if (step.do === 'send') {
            const from = keyAt(step.key).address
            const data = words(before % 3n, chain.pool.nextNonce(from))
            await send(signed(step.key, chain.pool.nextNonce(from) + step.skip, { to: step.to, data })).catch(
              (error: Error) => {
                expect(error.message).toMatch(/already known|underpriced/)
              },
            )
          } else if (step.do === 'mine') {
            await chain.produce({ timestamp: chain.head.timestamp + 1n })
            byNumber.push(await moment())
          } else if (step.do === 'edit') {
            await chain.edit((view) => view.addBalance(KEEPER, step.amount))
            byNumber[Number(before)] = await moment()
          } else if (step.do === 'snapshot') {
            taken.set(chain.snapshot(), { ...(await moment()), number: before })
          } else if (step.do === 'rollback') {
            const id = [...taken.keys()][step.id]
            expect(await chain.rollback(999n)).toBe(false)
            if (id === undefined) continue
            const wanted = taken.get(id)
            expect(await chain.rollback(id)).toBe(true)
            expect(await moment()).toEqual({ rows: wanted?.rows, head: wanted?.head, waiting: wanted?.waiting })
            expect(await chain.rollback(id)).toBe(false)
            for (const later of [...taken.keys()]) if (later >= id) taken.delete(later)
            byNumber.length = Number(wanted?.number) + 1
            byNumber[Number(wanted?.number)] = await moment()
          } else {
            const to = step.to % byNumber.length
            const wanted = byNumber[to]
            await chain.rewind(BigInt(to))
            expect(chain.head.hash).toBe(wanted?.head)
            expect(pooledIn(chain)).toEqual([])
            // Block 0 is restored as in the genesis, other blocks with their amendments.
            if (to > 0) expect(await rows()).toEqual(wanted?.rows)
            for (const [id, { number }] of taken) if (number > BigInt(to)) taken.delete(id)
            if (to === 0) taken.clear()
            byNumber.length = to + 1
            byNumber[to] = await moment()
          }
        }
        expect(chain.errors).toEqual([])
        // After a restart the chain and its pending transactions are the same.
        const last = await moment()
        await vi.waitUntil(() => journalOf(store).join() === last.waiting.join(), { interval: 2 })
        const again = reopen(store, spec)
        await again.restorePool()
        expect(again.head.hash).toBe(last.head)
        expect(pooledIn(again)).toEqual(last.waiting)
      }),
      { numRuns: 25 },
    )
  })

  it('emits the removed blocks and logs, newest first', async () => {
    const { chain, send } = await chainOn()
    const id = chain.snapshot()
    await send(signed(0, 0n, { to: LOGGERS[1] ?? null, data: words(1n, 2n) }))
    const first = await chain.produce()
    const second = await chain.produce()
    const removals: unknown[] = []
    const live: ChainEvents = chain.events
    live.on('removed', (blocks, logs) =>
      removals.push([blocks.map(({ header }) => header.hash), logs.map(({ logIndex }) => logIndex)]),
    )
    await chain.rollback(id)
    expect(removals).toEqual([
      [
        [second.block.header.hash, first.block.header.hash],
        [0, 1],
      ],
    ])
  })

  it('to an unknown block is refused, and changes nothing', async () => {
    const { store, chain } = await chainOn()
    await chain.produce()
    const before = await everyRow(store)
    await expect(chain.rewind(2n)).rejects.toMatchObject({ code: 'header-not-found' })
    expect(await everyRow(store)).toEqual(before)
  })

  it('does not disturb calls in progress', async () => {
    const { store, chain } = await chainOn()
    const write = (word: bigint) => chain.edit((view) => view.setStorage(KEEPER, 0n, word))
    await write(1n)
    await chain.produce()
    await write(2n)
    await chain.produce()
    for (const word of [3n, 4n, 5n]) await write(word)
    // Read older blocks when rows and history are already deleted on disk, but the writer has not been notified yet.
    const seen: bigint[] = []
    store.afterWrite = async () => {
      for (const number of [0n, 1n]) seen.push((await chain.at({ number })).view.storage(KEEPER, 0n))
    }
    await chain.rewind(1n)
    store.afterWrite = () => undefined
    expect(seen).toEqual([1n, 2n])
    expect((await chain.at('latest')).view.storage(KEEPER, 0n)).toBe(2n)
  })
})

describe('a block that is being written', () => {
  it('is not visible before it is on disk', async () => {
    const { store, chain, send } = await chainOn()
    const transaction = signed(0, 0n, { to: KEEPER, data: words(1n, 7n) })
    await send(transaction)
    // Fill the cache, so that readers get the old row.
    expect((await chain.at('latest')).view.storage(KEEPER, 1n)).toBe(0n)
    const order: string[] = []
    chain.events.on('block', () => order.push(`block ${chain.head.number}`))
    const hold = holdBlock(store, 'afterWrite')
    const producing = chain.produce()
    await hold.reached
    const hash = await hashOnDisk(store)
    expect(chain.head.number).toBe(0n)
    expect(chain.transaction(transaction.hash)).toBeUndefined()
    expect(chain.receipt(transaction.hash)).toBeUndefined()
    expect(await chain.header({ hash })).toBeUndefined()
    expect(chain.receipts(hash)).toBeUndefined()
    await expect(chain.at({ hash })).rejects.toMatchObject({ code: 'header-not-found' })
    expect(order).toEqual([])
    hold.release()
    const { block } = await producing
    expect(block.header.hash).toBe(hash)
    expect(order).toEqual(['block 1'])
    expect((await chain.at({ hash })).view.storage(KEEPER, 1n)).toBe(7n)
    expect(chain.receipt(transaction.hash)?.receipt.status).toBe(1)
  })

  it('does not stop readers of the blocks before it, nor the pool', async () => {
    const { store, chain, send } = await chainOn()
    await send(signed(0, 0n, { to: KEEPER, data: words(1n, 7n) }))
    const { view } = await chain.at('latest')
    for (const moment of ['beforeWrite', 'afterWrite'] as const) {
      const { number } = chain.head
      const hold = holdBlock(store, moment)
      const producing = chain.produce()
      await hold.reached
      expect(view.storage(KEEPER, 1n)).toBe(0n)
      const { returnData } = await chain.call({ to: KEEPER }, { number })
      expect(returnData.length).toBe(0)
      // It stays pending: the pool's head is the old one.
      await send(signed(1, number))
      hold.release()
      await producing
      expect(pooledIn(chain)).toEqual([signed(1, number).hash])
      await chain.produce()
    }
    expect(chain.head.number).toBe(4n)
    expect((await chain.at({ number: 0n })).view.storage(KEEPER, 1n)).toBe(0n)
  })
})

describe('a process that is killed while it writes', () => {
  it('before the batch: the head is unchanged, the transactions are pending, and the next block takes them', async () => {
    const { store, spec, chain, send } = await chainOn()
    const first = signed(0, 0n, { to: KEEPER, data: words(1n, 7n) })
    await send(first)
    await chain.produce({ timestamp: 10n })
    const sent = [signed(0, 1n, { to: KEEPER, data: words(1n, 8n) }), signed(0, 2n), signed(1, 0n), signed(2, 4n)]
    for (const transaction of sent) await send(transaction)
    const before = await everyRow(store)
    const head = chain.head
    store.beforeWrite = failOnBlock
    await expect(chain.produce({ timestamp: 20n })).rejects.toThrow('killed')
    expect(await everyRow(store)).toEqual(before)

    // In this process, in which only the disk failed ...
    expect(chain.head).toBe(head)
    expect(pooledIn(chain)).toEqual(sent.map(({ hash }) => hash).sort())
    store.beforeWrite = () => undefined
    // ... and in a new one, on the contents of the disk.
    const copy = await openMemoryStore()
    await copy.write([...before].map(([key, value]) => ({ type: 'put', key: bytes(key), value: bytes(value) })))
    copy.log.append(store.log.read().records)
    const next = reopen(copy, spec)
    await next.restorePool()
    for (const survivor of [chain, next]) {
      expect(pooledIn(survivor)).toEqual(sent.map(({ hash }) => hash).sort())
      const { block, refused } = await survivor.produce({ timestamp: 20n })
      expect(refused).toEqual([])
      expect(block.transactions.map(({ hash }) => hash).sort()).toEqual(
        sent
          .slice(0, 3)
          .map(({ hash }) => hash)
          .sort(),
      )
      expect((await survivor.at('latest')).view.storage(KEEPER, 1n)).toBe(8n)
      expect(pooledIn(survivor)).toEqual(sent.slice(3).map(({ hash }) => hash))
    }
    expect(next.head.hash).toBe(chain.head.hash)
    await next.close()
  })

  it('after the batch: the block is committed, and its transactions are not pending again', async () => {
    const { store, spec, chain, send } = await chainOn()
    const mined = signed(0, 0n, { to: KEEPER, data: words(1n, 7n) })
    const gapped = signed(0, 2n)
    for (const transaction of [mined, gapped]) await send(transaction)
    store.afterWrite = failOnBlock
    await expect(chain.produce()).rejects.toThrow('killed')
    store.afterWrite = () => undefined
    const next = reopen(store, spec)
    await next.restorePool()
    expect(next.head.number).toBe(1n)
    expect(next.transaction(mined.hash)?.header.hash).toBe(next.head.hash)
    expect(pooledIn(next)).toEqual([gapped.hash])
    expect(journalOf(store)).toEqual([gapped.hash])
    const { block } = await next.produce()
    expect([block.header.number, block.transactions]).toEqual([2n, []])
  })

  it('during a rollback: all of it is rolled back, or nothing', async () => {
    const { store, spec, chain } = await chainOn()
    const genesis = await everyRow(store)
    await chain.produce()
    await chain.produce()
    const before = await everyRow(store)
    store.beforeWrite = () => {
      throw new Error('killed')
    }
    await expect(chain.rewind(0n)).rejects.toThrow('killed')
    store.beforeWrite = () => undefined
    expect(await everyRow(store)).toEqual(before)
    expect([chain.head.number, reopen(store, spec).head.number]).toEqual([2n, 2n])

    store.afterWrite = () => {
      throw new Error('killed')
    }
    await expect(chain.rewind(0n)).rejects.toThrow('killed')
    store.afterWrite = () => undefined
    expect(await everyRow(store)).toEqual(genesis)
    const next = reopen(store, spec)
    expect(next.head.number).toBe(0n)
    expect((await next.produce()).block.header.number).toBe(1n)
  })
})

describe('a transaction that cannot be written to the journal', () => {
  it('is refused and not added to the pool', async () => {
    const { store, chain, send } = await chainOn()
    store.beforeAppend = () => {
      throw new Error('no space left on device')
    }
    await expect(send(signed(0, 0n))).rejects.toThrow('no space left')
    expect(pooledIn(chain)).toEqual([])
    store.beforeAppend = () => undefined
    await send(signed(0, 0n))
    expect((await chain.produce()).block.transactions.length).toBe(1)
  })
})

describe('building a block', () => {
  it('changes nothing until the block is committed', async () => {
    const { store, chain, send } = await chainOn()
    await send(signed(0, 0n, { to: KEEPER, data: words(1n, 7n) }))
    const before = await everyRow(store)
    const built = await chain.build({ timestamp: 5n })
    expect(await everyRow(store)).toEqual(before)
    expect((await chain.at('latest')).view.storage(KEEPER, 1n)).toBe(0n)
    const skipped = await chain.produce()
    await expect(chain.commit(built)).rejects.toMatchObject({ code: 'invalid-block' })
    expect(chain.head.hash).toBe(skipped.block.header.hash)
  })

  it('writes nothing for an abandoned block', async () => {
    const { store, chain } = await chainOn()
    const before = await everyRow(store)
    const builder = await chain.openBlock()
    await builder.take()
    builder.abandon()
    expect(chain.head.number).toBe(0n)
    expect(await everyRow(store)).toEqual(before)
  })

  it('shows the pending block, and gives each reader a separate state', async () => {
    const { chain, send } = await chainOn()
    await send(signed(0, 0n, { to: KEEPER, data: words(1n, 7n) }))
    const one = await chain.at('pending')
    const other = await chain.at('pending')
    expect(one.header.number).toBe(1n)
    one.view.setStorage(KEEPER, 1n, 99n)
    expect(other.view.storage(KEEPER, 1n)).toBe(7n)
    expect((await chain.at('latest')).view.storage(KEEPER, 1n)).toBe(0n)
    await send(signed(1, 0n, { to: KEEPER, data: words(1n, 8n), maxPriorityFeePerGas: 0n, maxFeePerGas: 2n * GWEI }))
    expect((await chain.at('pending')).view.storage(KEEPER, 1n)).toBe(8n)
    expect((await chain.block('pending'))?.transactions.length).toBe(2)
  })
})

describe('an edit of the state at the head', () => {
  it('applies at the head and later blocks, not to earlier ones', async () => {
    const { chain } = await chainOn()
    await chain.produce()
    const { hash, stateRoot } = chain.head
    await chain.edit((view) => view.setStorage(KEEPER, 5n, 6n))
    expect([chain.head.hash, chain.head.stateRoot]).toEqual([hash, stateRoot])
    expect((await chain.at({ hash })).view.storage(KEEPER, 5n)).toBe(6n)
    expect((await chain.at({ number: 0n })).view.storage(KEEPER, 5n)).toBe(0n)
    await chain.produce()
    expect((await chain.at('latest')).view.storage(KEEPER, 5n)).toBe(6n)
    expect((await chain.at('latest')).view.root()).toBe(chain.head.stateRoot)
  })

  it('that throws changes no state', async () => {
    const { store, chain } = await chainOn()
    const before = textOf([...(await everyRow(store))])
    await expect(
      chain.edit((view) => {
        view.setBalance(KEEPER, 1n)
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(textOf([...(await everyRow(store))])).toBe(before)
    expect((await chain.at('latest')).view.balance(KEEPER)).toBe(0n)
  })
})

/** Hash of block 1 on disk, even if the chain does not show it. */
async function hashOnDisk(store: KvStore): Promise<Hash> {
  for (const [key, value] of await everyRow(store)) {
    if (key.startsWith('0x21') && value === '0x01') return `0x${key.slice(4)}` as Hash
  }
  throw new Error('block 1 is not on disk')
}

const bytes = (hex: string): Uint8Array => Buffer.from(hex.slice(2), 'hex')
