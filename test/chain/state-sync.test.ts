// State snapshots: equal bytes on every node, refused when any byte is altered, and a chain that continues from one like the
// original chain.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { BlockChain } from '../../src/chain/block-chain.ts'
import { FEWEST_STATES } from '../../src/chain/limits.ts'
import { createChain, storedSpec } from '../../src/chain/open.ts'
import { reindex } from '../../src/chain/reindex.ts'
import { type StateSnapshot, sha256 } from '../../src/chain/state-sync/format.ts'
import type { KnownBlock } from '../../src/chain/state-sync/head.ts'
import { StateRestore } from '../../src/chain/state-sync/restore.ts'
import { type StateSnapshotOptions, StateSnapshots } from '../../src/chain/state-sync/state-snapshots.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { type Address, EMPTY_BYTES, fromHex, hexToAddress, toHex, ZERO_HASH } from '../../src/lib/hex.ts'
import { encodeBlock } from '../../src/primitives/block.ts'
import { createAddress } from '../../src/primitives/create-address.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { presets } from '../../src/spec/presets.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import type { KvStore } from '../../src/state/types.ts'
import { everyRow, TestStore } from '../support/stores.ts'
import { CHAIN_ID, ETHER, findings, KEYS, keyAt, reopen, signed, textOf, words } from './support.ts'

/** A native chain with the test's keys. */
const spec = presets.kestrel({
  chainId: CHAIN_ID,
  accounts: KEYS.map(({ address }) => address),
  balance: 1_000n * ETHER,
  timestamp: 1_700_000_000n,
})
const runtime = () => new Runtime(spec)

/** for (i = word 0; i < word 1; i++) SSTORE(i, i + 1) */
const FILLER = '0x6000355b6020358110156' + '01a57' + '8080600101905560010160035' + '65b00'
const filler = (length: number): Uint8Array => {
  const code = FILLER.slice(2)
  return fromHex(`0x60${length.toString(16).padStart(2, '0')}80600b6000396000f3${code}`)
}
const CODE_LENGTH = (FILLER.length - 2) / 2
const contractOf = (nonce: bigint): Address => createAddress(keyAt(0).address, nonce)

const LAST = 310n
/** Small enough for many chunks. */
const CHUNK = 16_000
const INTERVAL = 100n

let origin: { store: KvStore; chain: BlockChain }
let folder: string
let snapshots: readonly StateSnapshot[]
let chunks: readonly Uint8Array[]

/** Transactions of a block: contracts with one code, one with another, storage, and transfers to new accounts. */
function transactionsOf(n: bigint) {
  const to = (index: bigint): Address => hexToAddress(`0x${(0xabc000n + index).toString(16).padStart(40, '0')}`)
  if (n === 1n)
    return [0n, 1n, 2n].map((nonce) => {
      const data = filler(nonce === 2n ? CODE_LENGTH - 1 : CODE_LENGTH)
      return signed(0, nonce, { to: null, data, gasLimit: 500_000n })
    })
  if (n === 2n)
    return [3n, 4n].map((nonce) =>
      signed(0, nonce, { to: contractOf(nonce - 3n), data: words(0n, 500n), gasLimit: 13_000_000n }),
    )
  const data = words(n, n + 3n)
  if (n % 10n !== 0n) return []
  const nonce = 5n + 2n * (n / 10n - 1n)
  return [
    signed(0, nonce, { to: to(n), value: n }),
    signed(0, nonce + 1n, { to: contractOf(n % 20n === 0n ? 0n : 1n), data }),
  ]
}

async function grow(chain: BlockChain, last: bigint) {
  while (chain.head.number < last) {
    const n = chain.head.number + 1n
    for (const { raw } of transactionsOf(n)) await chain.submit(raw)
    const { refused } = await chain.produce({ timestamp: 1_700_000_000n + 3n * n })
    expect(refused).toEqual([])
  }
}

const newFolder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'kestrel-snapshots-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

async function follow(chain: BlockChain, options: Partial<StateSnapshotOptions> = {}): Promise<StateSnapshots> {
  const failures: unknown[] = []
  const followed = await StateSnapshots.open(chain, {
    folder: options.folder ?? newFolder(),
    indexer,
    interval: INTERVAL,
    chunkSize: CHUNK,
    onError: (error) => failures.push(error),
    ...options,
  })
  await followed.settled()
  expect(failures).toEqual([])
  return followed
}

async function chunksOf(from: StateSnapshots, { height, chunks: count }: StateSnapshot): Promise<Uint8Array[]> {
  const read = Array.from({ length: count }, (_, index) => from.chunk(height, 1, index))
  return (await Promise.all(read)).map((chunk) => chunk ?? EMPTY_BYTES)
}

beforeAll(async () => {
  const store = await openMemoryStore()
  await createChain(store, spec, indexer, runtime())
  const chain = reopen(store, spec)
  folder = mkdtempSync(join(tmpdir(), 'kestrel-snapshots-'))
  const made = await StateSnapshots.open(chain, {
    folder,
    indexer,
    interval: INTERVAL,
    chunkSize: CHUNK,
    onError: fail,
  })
  for (let n = INTERVAL; n < LAST; n += INTERVAL) {
    await grow(chain, n)
    await made.settled()
  }
  await grow(chain, LAST)
  origin = { store, chain }
  snapshots = made.list()
  chunks = snapshots[0] === undefined ? [] : await chunksOf(made, snapshots[0])
  await made.close()
  return async () => {
    await chain.close()
    rmSync(folder, { recursive: true, force: true })
  }
}, 120_000)

function fail(error: unknown): never {
  throw error
}

const newest = (): StateSnapshot => snapshots[0] ?? fail(new Error('there is no snapshot'))
/** This chain has no IBC, so its app hash is the block's hash. */
const appHash = async (height: bigint): Promise<KnownBlock> => ({
  appHash: (await origin.chain.header({ number: height }))?.hash ?? ZERO_HASH,
})

/** Restores chunks into a store. */
async function restored(store: KvStore, given: readonly Uint8Array[] = chunks, of: StateSnapshot = newest()) {
  const restore = new StateRestore({ store, spec, runtime: runtime(), indexer, onRefused: (why) => refusals.push(why) })
  const refusals: string[] = []
  expect(await restore.offer(of, await appHash(of.height))).toBe('accept')
  const results: string[] = []
  for (const [index, chunk] of given.entries()) {
    const { result } = await restore.apply(index, chunk, 'peer')
    results.push(result)
    if (result !== 'accept') break
  }
  return { restore, results, refusals }
}

/** A new store with every row of another. */
async function copyOf(store: KvStore): Promise<KvStore> {
  const copy = await openMemoryStore()
  const rows = await everyRow(store)
  await copy.write(Array.from(rows, ([key, value]) => ({ type: 'put', key: fromHex(key), value: fromHex(value) })))
  return copy
}

const faultsOf = (store: KvStore): Promise<string[]> => findings(store, spec)

async function openRestored(store?: KvStore): Promise<{ store: KvStore; chain: BlockChain & { errors: unknown[] } }> {
  const into = store ?? (await openMemoryStore())
  const { restore } = await restored(into)
  expect(restore.height).toBe(newest().height)
  const found = await storedSpec(into)
  if (found === undefined) throw new Error('there is no chain')
  const chain = reopen(into, found)
  onTestFinished(() => chain.close())
  return { store: into, chain }
}

describe('a state snapshot', () => {
  it('is made at the interval, and the newest two are kept', async () => {
    expect(snapshots.map(({ height, format }) => [height, format])).toEqual([
      [300n, 1],
      [200n, 1],
    ])
    expect(readdirSync(folder).sort()).toEqual(['200', '300'])
    expect(newest().chunks).toBeGreaterThan(3)
    expect(toHex(newest().metadata)).toBe(toHex(Buffer.concat(chunks.map(sha256))))
    expect(toHex(newest().hash)).toBe(toHex(sha256(newest().metadata)))
  })

  it('has the same bytes when made again, later, on a reindexed copy, and on a chain that began with it', async () => {
    const copy = await copyOf(origin.store)
    await reindex(copy, runtime(), indexer, () => undefined)
    const reindexed = reopen(copy, spec)
    onTestFinished(() => reindexed.close())
    const began = await openRestored()
    for (const chain of [origin.chain, reindexed, began.chain]) {
      const again = await follow(chain)
      // The heads of the first two are ten blocks further.
      expect(again.list()).toEqual([newest()])
      expect((await chunksOf(again, newest())).map(toHex)).toEqual(chunks.map(toHex))
      await again.close()
    }
  })

  it('is removed if it was not finished, or if a chunk is damaged on disk', async () => {
    const copied = newFolder()
    cpSync(folder, copied, { recursive: true })
    mkdirSync(join(copied, '400.tmp'))
    writeFileSync(join(copied, '400.tmp', '0'), 'half')
    mkdirSync(join(copied, '500'))
    const found = await follow(origin.chain, { folder: copied })
    expect(readdirSync(copied).sort()).toEqual(['200', '300'])
    expect(found.list()).toEqual(snapshots)

    expect(await found.chunk(300n, 2, 0)).toBeUndefined()
    expect(await found.chunk(300n, 1, newest().chunks)).toBeUndefined()
    expect(await found.chunk(250n, 1, 0)).toBeUndefined()
    const file = join(copied, '300', '2')
    const bytes = readFileSync(file)
    bytes[7] = (bytes[7] ?? 0) ^ 1
    writeFileSync(file, bytes)
    expect(await found.chunk(300n, 1, 1)).toBeDefined()
    expect(await found.chunk(300n, 1, 2)).toBeUndefined()
    expect(found.list().map(({ height }) => height)).toEqual([200n])
    expect(readdirSync(copied)).toEqual(['200'])
    await found.close()
  })

  it('is abandoned when the chain is closed, and leaves no files', async () => {
    const made = newFolder()
    const ended = await StateSnapshots.open(origin.chain, {
      folder: made,
      indexer,
      interval: INTERVAL,
      chunkSize: CHUNK,
      onError: fail,
    })
    await ended.close()
    // It may have finished if it takes less than a turn.
    expect(readdirSync(made).filter((name) => name !== '300')).toEqual([])
  })
})

describe('a chain restored from a state snapshot', () => {
  it('has the same state, headers and blocks from its base on', async () => {
    const { store, chain } = await openRestored()
    expect(chain.base).toBe(300n)
    expect(chain.head).toEqual(await origin.chain.header({ number: 300n }))
    expect(await chain.block('latest')).toEqual(await origin.chain.block({ number: 300n }))
    expect(await chain.header('earliest')).toEqual(chain.head)
    expect(chain.receipts(chain.head.hash)).toEqual(origin.chain.receipts(chain.head.hash))
    for (const number of [0n, 1n, 299n]) {
      const hash = origin.chain.canonicalHash(number)
      // The hash of block 0 identifies the chain, so it is known without the block.
      expect(chain.canonicalHash(number)).toBe(number === 0n ? hash : undefined)
      expect(await chain.block({ number })).toBeUndefined()
      expect(await chain.header(hash === undefined ? { number } : { hash })).toBeUndefined()
      await expect(chain.at({ number })).rejects.toMatchObject({ code: 'header-not-found' })
      await expect(chain.rewind(number)).rejects.toMatchObject({ code: 'header-not-found' })
    }
    const { view } = await chain.at('latest')
    expect(view.root()).toBe(chain.head.stateRoot)
    // The state at the base is complete, row by row: the latest values without their history.
    const values = async (of: BlockChain) => {
      const accounts: string[] = []
      for await (const account of of.accounts()) accounts.push(textOf({ ...account, storage: [...account.storage] }))
      return accounts
    }
    const other = reopen(await copyOf(origin.store), spec)
    onTestFinished(() => other.close())
    await other.rewind(300n)
    expect(await values(chain)).toEqual(await values(other))
    expect(await faultsOf(store)).toEqual([])
  })

  it('continues with the same blocks, which can be traced and rolled back as on any chain', async () => {
    const { store, chain } = await openRestored()
    for (let number = 301n; number <= 305n; number++) {
      const block = await origin.chain.block({ number })
      await chain.importBlock(block === undefined ? EMPTY_BYTES : encodeBlock(block))
      expect(chain.head.hash).toBe(block?.header.hash)
    }
    // From here on both build blocks of the same transactions.
    await grow(chain, LAST)
    expect(chain.head.hash).toBe(origin.chain.head.hash)
    for (const number of [300n, 310n]) {
      const structLogs = {
        enableMemory: false,
        disableStack: true,
        disableStorage: true,
        enableReturnData: false,
        limit: 0,
      }
      const options = { choice: { name: 'callTracer', config: undefined, structLogs }, timeout: 10_000 }
      const traced = await chain.traces.block({ number }, options)
      expect(traced).toHaveLength(2)
      expect(textOf(traced)).toBe(textOf(await origin.chain.traces.block({ number }, options)))
    }
    expect(await faultsOf(store)).toEqual([])
    const before = await everyRow(store)
    await reindex(store, runtime(), indexer, () => undefined)
    expect(await everyRow(store)).toEqual(before)

    await chain.rewind(303n)
    expect(await faultsOf(store)).toEqual([])
    await grow(chain, LAST)
    expect(await everyRow(store)).toEqual(before)
    await chain.rewind(300n)
    expect(chain.head.number).toBe(300n)
    expect(await faultsOf(store)).toEqual([])
  })

  it('is pruned like any chain', async () => {
    const { store } = await openRestored()
    const chain = reopen(store, spec, FEWEST_STATES)
    expect(chain.oldestState).toBe(300n)
    const last = 300n + BigInt(FEWEST_STATES) + 20n
    for (let n = 301n; n <= last; n++) await chain.produce({ timestamp: 1_700_000_000n + 3n * n })
    expect([chain.base, chain.oldestState]).toEqual([300n, 320n])
    await expect(chain.at({ number: 319n })).rejects.toMatchObject({ code: 'state-not-available' })
    expect((await chain.at({ number: 320n })).header.number).toBe(320n)
    expect(await chain.block('earliest')).toEqual(await origin.chain.block({ number: 300n }))
    expect(await faultsOf(store)).toEqual([])
    const made = await follow(chain)
    expect(made.list().map(({ height }) => height)).toEqual([400n])
    await made.close()
  })

  it('has the hashes of 256 blocks for BLOCKHASH', async () => {
    const { chain } = await openRestored()
    // Returns BLOCKHASH(word 0).
    const code = fromHex('0x6000354060005260206000f3')
    const blockHashOf = async (of: BlockChain, number: bigint) => {
      const overrides = { accounts: [{ address: keyAt(3).address, code }] }
      const call = { from: keyAt(2).address, to: keyAt(3).address, data: words(number), gasLimit: 100_000n }
      return textOf(await of.call(call as Parameters<BlockChain['call']>[0], { number: 300n }, { overrides } as never))
    }
    for (const number of [44n, 45n, 299n, 300n])
      expect(await blockHashOf(chain, number)).toBe(await blockHashOf(origin.chain, number))
  })

  it('refuses a chunk with any altered byte, names its sender, and then accepts the right one', async () => {
    const store = await openMemoryStore()
    const restore = new StateRestore({ store, spec, runtime: runtime(), indexer })
    await restore.offer(newest(), await appHash(300n))
    for (const [index, chunk] of chunks.entries()) {
      const step = Math.max(1, Math.floor(chunk.length / 40))
      for (let at = 0; at < chunk.length; at += step) {
        const flipped = Uint8Array.from(chunk)
        flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
        expect(await restore.apply(index, flipped, 'liar')).toEqual({
          result: 'retry',
          refetch: [index],
          rejectSenders: ['liar'],
        })
      }
      expect(await restore.apply(index, chunk, 'peer')).toEqual({ result: 'accept', refetch: [], rejectSenders: [] })
    }
    expect(restore.height).toBe(300n)
    expect(await restore.apply(0, chunks[0] ?? EMPTY_BYTES, 'peer')).toMatchObject({ result: 'abort' })
    expect(await restore.offer(newest(), await appHash(300n))).toBe('abort')
  })

  it('refuses state snapshots with matching hashes but wrong content', async () => {
    const rows = chunks.slice(1)
    const forged: [readonly Uint8Array[], RegExp][] = [
      [[chunks[0] ?? EMPTY_BYTES, ...rows.slice(1)], /its state has the root|comes? with|without an account/],
      [[chunks[0] ?? EMPTY_BYTES, ...rows, ...rows.slice(-1)], /is not in its place/],
      [[chunks[0] ?? EMPTY_BYTES, ...rows.toReversed()], /./],
      [[chunks[0] ?? EMPTY_BYTES, Uint8Array.of(0xff)], /rlp/],
      [[chunks[0] ?? EMPTY_BYTES, Uint8Array.of(0xc2, 1, 2)], /rlp/],
      [[rows[0] ?? EMPTY_BYTES, ...rows], /./],
      [[EMPTY_BYTES, ...rows], /./],
    ]
    const store = await openMemoryStore()
    for (const [given, why] of forged) {
      const metadata = Buffer.concat(given.map(sha256))
      const forgery = { height: 300n, format: 1, chunks: given.length, hash: sha256(metadata), metadata }
      const { restore, results, refusals } = await restored(store, given, forgery)
      expect(results.at(-1)).toBe('reject-snapshot')
      expect(refusals).toEqual([expect.stringMatching(why)])
      expect(restore.height).toBeUndefined()
      expect(await storedSpec(store)).toBeUndefined()
    }
    // After all of these the right one is accepted.
    expect((await restored(store)).restore.height).toBe(300n)
  })

  it('refuses invalid offers', async () => {
    const store = await openMemoryStore()
    const offer = async (of: Partial<StateSnapshot>, hash?: KnownBlock) => {
      const restore = new StateRestore({ store, spec, runtime: runtime(), indexer })
      return restore.offer({ ...newest(), ...of }, hash ?? (await appHash(300n)))
    }
    expect(await offer({ format: 2 })).toBe('reject-format')
    expect(await offer({ hash: new Uint8Array(32) })).toBe('reject-sender')
    expect(await offer({ chunks: newest().chunks + 1 })).toBe('reject-sender')
    expect(await offer({ chunks: 0, metadata: EMPTY_BYTES, hash: sha256(EMPTY_BYTES) })).toBe('reject-sender')
    expect(await offer({ height: 0n })).toBe('reject')
    expect(await offer({})).toBe('accept')

    // The hash of another block, and the right hash for another height.
    const other = new StateRestore({ store, spec, runtime: runtime(), indexer })
    expect(await other.apply(0, chunks[0] ?? EMPTY_BYTES, '')).toMatchObject({ result: 'abort' })
    await other.offer(newest(), await appHash(299n))
    expect(await other.apply(0, chunks[0] ?? EMPTY_BYTES, '')).toMatchObject({ result: 'reject-snapshot' })
    await other.offer({ ...newest(), height: 299n }, await appHash(300n))
    expect(await other.apply(0, chunks[0] ?? EMPTY_BYTES, '')).toMatchObject({ result: 'reject-snapshot' })
    await other.offer(newest(), await appHash(300n))
    expect(await other.apply(1, chunks[1] ?? EMPTY_BYTES, '')).toMatchObject({ result: 'retry-snapshot' })

    const busy = new StateRestore({ store: await copyOf(origin.store), spec, runtime: runtime(), indexer })
    expect(await busy.offer(newest(), await appHash(300n))).toBe('abort')
  })

  it('does not exist after an interruption at any write, and the next restore starts over', {
    timeout: 120_000,
  }, async () => {
    const counted = new TestStore(await openMemoryStore())
    let writes = 0
    counted.beforeWrite = () => void writes++
    await restored(counted)
    expect(writes).toBeGreaterThan(5)
    const whole = await everyRow(counted)
    for (let last = 1; last < writes; last++) {
      const inner = await openMemoryStore()
      const store = new TestStore(inner)
      let count = 0
      store.beforeWrite = () => {
        if (++count > last) throw new Error('killed')
      }
      await expect(restored(store)).rejects.toThrow('killed')
      expect(await storedSpec(inner)).toBeUndefined()
      if (last % 3 === 0) {
        await restored(inner)
        expect(await everyRow(inner)).toEqual(whole)
      } else {
        // Creating a chain from its genesis instead leaves no row of the restore.
        await createChain(inner, spec, indexer, runtime())
        const began = reopen(inner, spec)
        expect([began.base, began.head.number, began.oldestState]).toEqual([0n, 0n, 0n])
        expect(await faultsOf(inner)).toEqual([])
      }
      await inner.close()
    }
  })
})
