// When blocks are made and their timestamps. A real chain in memory; for tests of the disk, with a store that can be delayed or
// made to fail.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { BlockChain } from '../../src/chain/block-chain.ts'
import { createChain } from '../../src/chain/open.ts'
import { Solo, type SoloOptions } from '../../src/consensus/solo.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { ZERO_ADDRESS } from '../../src/lib/hex.ts'
import type { Block, Transaction } from '../../src/primitives/types.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { GWEI, keyAt, reopen, signed, smallSpec } from '../chain/support.ts'
import { TestStore } from '../support/stores.ts'

/** A producer on a small chain, stopped after the test; not started if `starts` is false. */
async function producing(options: Partial<SoloOptions> & { starts?: boolean } = {}) {
  const store = new TestStore(await openMemoryStore())
  const spec = smallSpec()
  await createChain(store, spec, indexer)
  const chain = reopen(store, spec)
  const errors: unknown[] = []
  const solo = new Solo(chain, {
    automine: true,
    interval: 0,
    coinbase: ZERO_ADDRESS,
    gasLimit: 30_000_000n,
    onError: (error) => errors.push(error),
    ...options,
  })
  if (options.starts !== false) await solo.start()
  onTestFinished(async () => {
    store.beforeWrite = () => undefined
    await solo.stop()
    await chain.close()
  })
  return { store, chain, solo, errors, send: (transaction: Transaction) => chain.submit(transaction.raw) }
}

async function blocks(chain: BlockChain): Promise<Block[]> {
  const all: Block[] = []
  for (let number = 0n; number <= chain.head.number; number++) {
    const block = await chain.block({ number })
    if (block === undefined) throw new Error(`block ${number} is missing`)
    all.push(block)
  }
  return all
}

const times = async (chain: BlockChain): Promise<bigint[]> =>
  (await blocks(chain)).map(({ header }) => header.timestamp)
const rises = (values: readonly bigint[]): boolean =>
  values.every((value, i) => i === 0 || value > (values[i - 1] ?? value))
const now = (): bigint => BigInt(Math.floor(Date.now() / 1000))
/** Waits long enough for automine to have made its blocks. */
const turns = async (count = 20): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Positive control: waits until another producer, with an interval of 20 ms, has made blocks: the first was not just slow. */
async function othersMake(count: bigint): Promise<void> {
  const { chain, solo } = await producing({ automine: false, interval: 0.02 })
  await vi.waitUntil(() => chain.head.number >= count, { timeout: 10_000 })
  await solo.stop()
}

describe('automatic mining', () => {
  it('mines every transaction of a burst, at whatever moment each arrives', async () => {
    const { chain, send } = await producing()
    const sent: Transaction[] = []
    for (let nonce = 0n; nonce < 40n; nonce++)
      for (const key of [0, 1, 2, 3]) sent.push(signed(key, nonce, { gasLimit: 21_000n }))
    let arrival = 0
    await Promise.all(
      sent.map(async (transaction) => {
        // Vary the moment: in this turn of the event loop, in one of the next, in between.
        const wait = arrival++ % 7
        if (wait > 4) await turns(wait)
        else for (let i = 0; i < wait * 3; i++) await undefined
        await send(transaction)
      }),
    )
    await vi.waitUntil(() => sent.every(({ hash }) => chain.transaction(hash) !== undefined), { timeout: 10_000 })
    expect(chain.pool.hasReady()).toBe(false)
    const mined = (await blocks(chain)).flatMap(({ transactions }) => transactions)
    expect(mined.length).toBe(sent.length)
    expect(chain.head.number).toBeLessThan(BigInt(sent.length))
  })

  it('puts transactions that arrive together into one block', async () => {
    const { chain, send } = await producing()
    await Promise.all([0, 1, 2, 3].map((key) => send(signed(key, 0n))))
    await vi.waitUntil(() => chain.head.number > 0n)
    expect((await blocks(chain)).map(({ transactions }) => transactions.length)).toEqual([0, 4])
  })

  it('makes a block for a transaction that arrives while an open block takes nothing', async () => {
    const { chain, solo, send } = await producing({ automine: false })
    const first = signed(0, 0n)
    const second = signed(1, 0n)
    await send(first)
    const open = chain.openBlock.bind(chain)
    const tries = vi.spyOn(chain, 'openBlock').mockImplementationOnce(async (attributes) => {
      const builder = await open(attributes)
      vi.spyOn(builder, 'take').mockImplementationOnce(() => send(second).then(() => undefined))
      return builder
    })
    solo.setMode({ automine: true })
    await vi.waitUntil(() => chain.head.number === 1n, { timeout: 2_000 })
    expect((await blocks(chain))[1]?.transactions.map(({ hash }) => hash)).toEqual([first.hash, second.hash])
    expect(tries.mock.calls.length).toBe(2)
  })

  it('does not loop on a transaction that fits no block, and takes it when there is room', async () => {
    const { chain, solo, send, errors } = await producing()
    const tries = vi.spyOn(chain, 'produce')
    solo.next.gasLimit = 50_000n
    // The pool applies the new limit.
    await expect(send(signed(0, 0n, { gasLimit: 100_000n }))).rejects.toThrow('exceeds block gas limit')
    solo.next.gasLimit = 30_000_000n
    solo.setMode({ automine: false })
    await send(signed(0, 0n, { gasLimit: 100_000n }))
    await send(signed(1, 0n, { gasLimit: 60_000n }))
    // A lower limit removes pending transactions above it: they could never be mined.
    solo.next.gasLimit = 70_000n
    solo.setMode({ automine: true })
    await vi.waitUntil(() => chain.head.number === 1n)
    await turns(50)
    expect((await blocks(chain))[1]?.transactions.map(({ from }) => from)).toEqual([keyAt(1).address])
    expect(tries.mock.calls.length).toBeLessThan(5)
    expect(errors).toEqual([])
  })

  it('keeps a transaction below the base fee until a block lowers the base fee', async () => {
    const { chain, solo, send } = await producing()
    // 1 gwei at block 0; an empty block lowers it by an eighth: 0.875, then 0.765625.
    await send(signed(0, 0n, { maxFeePerGas: 800_000_000n, maxPriorityFeePerGas: 0n }))
    await turns()
    expect(chain.head.number).toBe(0n)
    await solo.mine(1n)
    await vi.waitUntil(() => chain.head.number === 2n)
    const made = await blocks(chain)
    expect(made.map(({ transactions }) => transactions.length)).toEqual([0, 0, 1])
    expect(made.map(({ header }) => header.baseFeePerGas)).toEqual([GWEI, 875_000_000n, 765_625_000n])
  })

  it('applies a set base fee at once, and only to the next block', async () => {
    const { chain, solo, send } = await producing()
    await send(signed(0, 0n, { maxFeePerGas: 500n, maxPriorityFeePerGas: 0n }))
    await turns()
    expect(chain.head.number).toBe(0n)
    solo.next.baseFeePerGas = 400n
    await vi.waitUntil(() => chain.head.number === 1n)
    expect(chain.head.baseFeePerGas).toBe(400n)
    // 21,000 of 30,000,000 gas: 400 - 400 * (15,000,000 - 21,000) / 15,000,000 / 8 = 400 - 49 = 351.
    expect(solo.next.baseFeePerGas).toBeUndefined()
    await send(signed(0, 1n, { maxFeePerGas: 351n, maxPriorityFeePerGas: 0n }))
    await vi.waitUntil(() => chain.head.number === 2n)
    expect(chain.head.baseFeePerGas).toBe(351n)
  })

  it('keeps a transaction whose fee cap is below the base fee of one block', async () => {
    const { chain, solo, send } = await producing({ automine: false })
    const transaction = signed(0, 0n, { maxFeePerGas: 2n * GWEI })
    await send(transaction)
    solo.next.baseFeePerGas = 3n * GWEI
    await solo.mine(1n)
    expect(chain.pool.get(transaction.hash)).toBeDefined()
    await solo.mine(4n)
    expect(chain.transaction(transaction.hash)?.header.number).toBe(5n)
  })

  it('continues after a block that failed', async () => {
    const { chain, store, solo, send, errors } = await producing({ automine: false })
    const sent = [signed(0, 0n), signed(1, 0n)]
    await Promise.all(sent.map(send))
    const diskFull = new Error('no space left on device')
    store.beforeWrite = (batch) => {
      if (batch.length > 4) throw diskFull
    }
    solo.setMode({ automine: true })
    await vi.waitUntil(() => errors.length > 0)
    expect(errors).toEqual([diskFull])
    expect(chain.head.number).toBe(0n)
    expect(sent.map(({ hash }) => chain.pool.get(hash)?.hash)).toEqual(sent.map(({ hash }) => hash))
    // The disk has room again: the block is retried without a new transaction.
    store.beforeWrite = () => undefined
    await vi.waitUntil(() => chain.head.number === 1n, { timeout: 3_000 })
    expect(sent.map(({ hash }) => chain.transaction(hash)?.header.number)).toEqual([1n, 1n])
  })
})

describe('the block interval', () => {
  it('makes a block every interval, also without transactions', async () => {
    const { chain, send } = await producing({ automine: false, interval: 0.03 })
    await vi.waitUntil(() => chain.head.number >= 3n)
    const transaction = signed(0, 0n)
    await send(transaction)
    await vi.waitUntil(() => chain.transaction(transaction.hash) !== undefined)
    expect(rises(await times(chain))).toBe(true)
  })

  it('with automatic mining makes a block at once, and one every interval', async () => {
    // No interval of an hour ends within this test.
    const { chain, solo, send } = await producing({ automine: true, interval: 3_600 })
    const transaction = signed(0, 0n)
    await send(transaction)
    await vi.waitUntil(() => chain.transaction(transaction.hash) !== undefined, { interval: 5 })
    expect(chain.head.number).toBe(1n)
    solo.setMode({ interval: 0.02 })
    expect(solo.mode()).toEqual({ automine: true, interval: 0.02 })
    await vi.waitUntil(() => chain.head.number > 1n)
  })

  it('without automatic mining makes no block when it is 0, until one is requested', async () => {
    const { chain, solo, send } = await producing({ automine: false })
    await send(signed(0, 0n))
    await othersMake(2n)
    expect(chain.head.number).toBe(0n)
    await solo.mine(2n)
    expect((await blocks(chain)).map(({ transactions }) => transactions.length)).toEqual([0, 1, 0])
  })

  it('can be changed while the producer runs', async () => {
    const { chain, solo, send } = await producing({ automine: false })
    await send(signed(0, 0n))
    expect(solo.mode()).toEqual({ automine: false, interval: 0 })
    solo.setMode({ automine: true })
    await vi.waitUntil(() => chain.head.number === 1n)
    solo.setMode({ automine: false, interval: 0.02 })
    expect(solo.mode()).toEqual({ automine: false, interval: 0.02 })
    await vi.waitUntil(() => chain.head.number >= 3n)
    solo.setMode({ interval: 0 })
    const { number } = chain.head
    await send(signed(0, 1n))
    await othersMake(4n)
    // One block may have been open.
    expect(chain.head.number - number).toBeLessThanOrEqual(1n)
  })

  it('starts with the producer, and not before', async () => {
    const { chain, solo, send } = await producing({ starts: false, interval: 0.02 })
    await send(signed(0, 0n))
    await othersMake(3n)
    expect(chain.head.number).toBe(0n)
    await solo.start()
    await vi.waitUntil(() => chain.head.number >= 2n)
    expect((await blocks(chain))[1]?.transactions.length).toBe(1)
  })
})

describe('timestamps of blocks', () => {
  it('increase by at least one, however fast blocks are made', async () => {
    const { chain, solo, send } = await producing({ interval: 0.01 })
    await Promise.all([
      solo.mine(10n),
      solo.mine(10n),
      ...[0, 1, 2, 3].map(async (key) => {
        for (let nonce = 0n; nonce < 5n; nonce++) {
          await send(signed(key, nonce))
          await turns(key)
        }
      }),
    ])
    await vi.waitUntil(() => !chain.pool.hasReady())
    solo.setMode({ interval: 0 })
    const made = await times(chain)
    expect(made.length).toBeGreaterThan(20)
    expect(rises(made)).toBe(true)
  })

  it('follow the machine’s clock by default', async () => {
    const { chain, solo } = await producing()
    const before = now()
    await solo.mine(1n)
    expect(chain.head.timestamp).toBeGreaterThanOrEqual(before)
    expect(chain.head.timestamp).toBeLessThanOrEqual(now())
    await solo.mine(1n)
    expect(chain.head.timestamp - before).toBeLessThanOrEqual(2n)
  })

  it('equal a timestamp that was set for one block, and the clock continues from it', async () => {
    const { chain, solo } = await producing()
    const future = now() + 1_000_000n
    solo.next.timestamp = future
    expect(solo.nextTimestamp()).toBe(future)
    await solo.mine(1n)
    expect(chain.head.timestamp).toBe(future)
    expect(solo.next.timestamp).toBeUndefined()
    await solo.mine(1n)
    expect(chain.head.timestamp).toBe(future + 1n)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    try {
      const expected = solo.nextTimestamp()
      await solo.mine(1n)
      expect(chain.head.timestamp).toBe(expected)
      expect(Number(expected - future - 60n)).toBeLessThanOrEqual(2)
      expect(Number(expected - future - 60n)).toBeGreaterThanOrEqual(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('that were set apply to one block, also when several are made at once', async () => {
    const { chain, solo } = await producing()
    const future = now() + 5_000n
    solo.next.timestamp = future
    await Promise.all([solo.mine(1n), solo.mine(1n), solo.mine(1n)])
    expect((await times(chain)).slice(1)).toEqual([future, future + 1n, future + 2n])
  })

  it('of several mined blocks have the requested distance', async () => {
    const { chain, solo } = await producing()
    await solo.mine(4n, 60n)
    const [, first = 0n, ...rest] = await times(chain)
    expect(rest).toEqual([first + 60n, first + 120n, first + 180n])
    await solo.mine(2n, undefined, first + 1_000n)
    expect((await times(chain)).slice(5)).toEqual([first + 1_000n, first + 1_001n])
    await solo.mine(0n)
    expect(chain.head.number).toBe(6n)
  })

  it('follow a fixed interval when there is one', async () => {
    const { chain, solo } = await producing()
    await solo.mine(1n)
    const { timestamp } = chain.head
    solo.settings.timestampInterval = 12n
    await solo.mine(2n)
    expect(chain.head.timestamp).toBe(timestamp + 24n)
    solo.next.timestamp = timestamp + 100n
    await solo.mine(2n)
    expect((await times(chain)).slice(-2)).toEqual([timestamp + 100n, timestamp + 112n])
  })

  it('move with the offset, but never back', async () => {
    const { chain, solo } = await producing()
    solo.settings.timeOffset = 3_600n
    await solo.mine(1n)
    const { timestamp } = chain.head
    expect(Number(timestamp - now() - 3_600n)).toBeLessThanOrEqual(0)
    expect(Number(timestamp - now() - 3_600n)).toBeGreaterThanOrEqual(-2)
    solo.settings.timeOffset = -3_600n
    await solo.mine(1n)
    expect(chain.head.timestamp).toBe(timestamp + 1n)
  })

  it('and fees that are set while a block is open apply to the next one', async () => {
    const { chain, solo, store } = await producing()
    const future = now() + 9_000n
    store.beforeWrite = () => {
      store.beforeWrite = () => undefined
      solo.next.timestamp = future
      solo.next.baseFeePerGas = 7n
    }
    await solo.mine(1n)
    expect(chain.head.timestamp).toBeLessThan(future)
    await solo.mine(1n)
    expect([chain.head.timestamp, chain.head.baseFeePerGas]).toEqual([future, 7n])
    expect({ ...solo.next }).toEqual({ timestamp: undefined, baseFeePerGas: undefined, prevRandao: undefined })
  })
})

describe('waiting for a transaction to be mined', () => {
  it('ends with the block that takes the transaction', async () => {
    const { chain, solo, send } = await producing()
    const transaction = signed(0, 0n)
    await send(transaction)
    await solo.settled(transaction.hash)
    expect(chain.transaction(transaction.hash)?.header.number).toBe(1n)
  })

  it('ends at once for a transaction that no block will take', async () => {
    const { chain, solo, send } = await producing()
    const gapped = signed(0, 5n)
    await send(gapped)
    await solo.settled(gapped.hash)
    await solo.settled(signed(1, 0n).hash)
    solo.setMode({ automine: false })
    const waiting = signed(1, 0n)
    await send(waiting)
    await solo.settled(waiting.hash)
    expect(chain.head.number).toBe(0n)
  })

  it('lets concurrent senders share blocks, and a later sender get a separate block', async () => {
    const { chain, solo, send } = await producing()
    const sendAndSettle = async (transaction: Transaction) => {
      await send(transaction)
      await solo.settled(transaction.hash)
    }
    for (let wave = 0n; wave < 4n; wave++) {
      const nonces = Array.from({ length: 6 }, (_, i) => wave * 6n + BigInt(i))
      await Promise.all([0, 1, 2, 3].flatMap((key) => nonces.map((nonce) => sendAndSettle(signed(key, nonce)))))
    }
    await vi.waitUntil(() => !chain.pool.hasReady())
    const late = signed(0, 24n)
    await sendAndSettle(late)
    expect(chain.transaction(late.hash)).toBeDefined()
    const all = (await blocks(chain)).flatMap(({ transactions }) => transactions)
    expect(all.length).toBe(4 * 24 + 1)
    expect(chain.head.number).toBeLessThan(12n)
  })

  it('ends when the block fails', async () => {
    const { store, solo, send, errors } = await producing()
    store.beforeWrite = (batch) => {
      if (batch.length > 4) throw new Error('no space left on device')
    }
    const transaction = signed(0, 0n)
    await send(transaction)
    await solo.settled(transaction.hash)
    expect(errors.length).toBe(1)
  })
})

describe('stopping the producer', () => {
  it('waits for the open block, and makes no further block', async () => {
    for (const begin of ['automine', 'interval', 'mine'] as const) {
      const { chain, store, solo, send } = await producing({
        automine: begin === 'automine',
        interval: begin === 'interval' ? 0.01 : 0,
        starts: false,
      })
      if (begin !== 'mine') await send(signed(0, 0n))
      let writing = false
      let release: () => void = () => undefined
      store.beforeWrite = async () => {
        store.beforeWrite = () => undefined
        writing = true
        await new Promise<void>((resolve) => {
          release = resolve
        })
      }
      await solo.start()
      const mining = begin === 'mine' ? solo.mine(5n).catch((error: unknown) => error) : undefined
      await vi.waitUntil(() => writing, { interval: 2 })
      let stopped = false
      const stopping = solo.stop().then(() => {
        stopped = true
      })
      await turns()
      expect([begin, stopped, chain.head.number]).toEqual([begin, false, 0n])
      release()
      await stopping
      expect([begin, chain.head.number]).toEqual([begin, 1n])
      expect(await mining).toEqual(begin === 'mine' ? expect.objectContaining({ code: 'not-allowed' }) : undefined)
      await expect(solo.mine(1n)).rejects.toMatchObject({ code: 'not-allowed' })
      await turns()
      expect(chain.head.number).toBe(1n)
    }
  })

  it('ends every wait for a transaction', async () => {
    const { solo, send } = await producing()
    const transaction = signed(0, 0n)
    await send(transaction)
    const settled = solo.settled(transaction.hash)
    await solo.stop()
    await expect(settled).resolves.toBeUndefined()
  })
})
