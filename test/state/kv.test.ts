// The stores on disk and in memory behave alike. A store on disk keeps its rows over a restart and does not touch foreign
// folders.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ChainError } from '../../src/lib/errors.ts'
import { fromHex, toHex } from '../../src/lib/hex.ts'
import { KEY, within } from '../../src/state/keyspace.ts'
import { openMemoryStore, openStore } from '../../src/state/kv.ts'
import type { KeyRange, KvReader, KvStore, WriteOp } from '../../src/state/types.ts'
import { everyRow } from '../support/stores.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'kestrel-kv-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const bytes = (hex: string): Uint8Array => fromHex(hex)
const put = (key: string, value: string): WriteOp => ({ type: 'put', key: bytes(key), value: bytes(value) })
const del = (key: string): WriteOp => ({ type: 'del', key: bytes(key) })
const format = (): WriteOp => ({ type: 'put', key: KEY.meta('format'), value: Uint8Array.of(1) })

async function scanned(from: KvReader, range: KeyRange): Promise<[string, string][]> {
  const rows: [string, string][] = []
  for await (const [key, value] of from.scan(range)) rows.push([toHex(key), toHex(value)])
  return rows
}

const kinds: [string, () => Promise<KvStore>][] = [
  ['in memory', openMemoryStore],
  ['on disk', () => openStore(join(folder(), 'chain'))],
]

describe.each(kinds)('a store %s', (_, open) => {
  const opened = async (): Promise<KvStore> => {
    const store = await open()
    onTestFinished(() => store.close())
    return store
  }

  it('agrees with an ordered map after any writes', async () => {
    const key = fc.uint8Array({ minLength: 1, maxLength: 3, max: 3 })
    const op = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ type: fc.constant('put' as const), key, value: fc.uint8Array({ maxLength: 4 }) }),
      },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('del' as const), key }) },
    )
    const range = fc.record(
      { gte: key, lt: key, reverse: fc.boolean(), limit: fc.integer({ min: 1, max: 5 }) },
      { requiredKeys: ['gte', 'lt'] },
    )
    const store = await opened()
    const model = new Map<string, string>()
    await fc.assert(
      fc.asyncProperty(fc.array(op, { maxLength: 12 }), range, async (batch, range) => {
        await store.write(batch)
        for (const step of batch) {
          if (step.type === 'put') model.set(toHex(step.key), toHex(step.value))
          else model.delete(toHex(step.key))
        }
        for (const { key } of batch)
          expect(toHex(store.get(key) ?? bytes('0xdead'))).toBe(model.get(toHex(key)) ?? '0xdead')
        const gte = toHex(range.gte)
        const lt = toHex(range.lt)
        const inside = [...model].filter(([key]) => key >= gte && key < lt).sort(([a], [b]) => (a < b ? -1 : 1))
        if (range.reverse) inside.reverse()
        expect(await scanned(store, range)).toEqual(inside.slice(0, range.limit))
      }),
      { numRuns: 60 },
    )
  })

  it('has consistent readers, and scans of one moment', async () => {
    const store = await opened()
    await store.write([put('0x01', '0x0a'), put('0x02', '0x0b'), put('0x03', '0x0c')])
    const before: [string, string][] = [
      ['0x01', '0x0a'],
      ['0x02', '0x0b'],
      ['0x03', '0x0c'],
    ]
    const range = { gte: bytes('0x00'), lt: bytes('0xff') }
    const snapshot = store.consistentReader()
    const scan = store.scan(range)[Symbol.asyncIterator]()
    const first = await scan.next()
    await store.write([put('0x01', '0x99'), del('0x02'), put('0x04', '0x0d')])

    expect(toHex(snapshot.get(bytes('0x01')) ?? bytes('0x'))).toBe('0x0a')
    expect(toHex(snapshot.get(bytes('0x02')) ?? bytes('0x'))).toBe('0x0b')
    expect(snapshot.get(bytes('0x04'))).toBeUndefined()
    expect(await scanned(snapshot, range)).toEqual(before)
    await snapshot.close()

    const rest: [string, string][] = []
    for (let step = first; !step.done; step = await scan.next()) rest.push([toHex(step.value[0]), toHex(step.value[1])])
    expect(rest).toEqual(before)
    expect(await scanned(store, range)).toEqual([
      ['0x01', '0x99'],
      ['0x03', '0x0c'],
      ['0x04', '0x0d'],
    ])
  })

  it('returns nothing for an empty or reversed range', async () => {
    const store = await opened()
    await store.write([put('0x0102', '0x0a')])
    expect(await scanned(store, { gte: bytes('0x02'), lt: bytes('0x01') })).toEqual([])
    expect(await scanned(store, { gte: bytes('0x01'), lt: bytes('0x01') })).toEqual([])
    expect(await scanned(store, within(bytes('0x01')))).toEqual([['0x0102', '0x0a']])
    expect(await scanned(store, within(bytes('0x0102')))).toEqual([['0x0102', '0x0a']])
    await store.write([])
  })
})

describe('a database folder', () => {
  it('has its rows after a restart', async () => {
    const directory = join(folder(), 'a', 'chain')
    const store = await openStore(directory)
    await store.write([format(), put('0x1001', '0x0a'), put('0x1002', '0x')])
    const rows = await everyRow(store)
    await store.close()
    const again = await openStore(directory)
    onTestFinished(() => again.close())
    expect(await everyRow(again)).toEqual(rows)
    expect(rows.size).toBe(3)
  })

  it('is opened by one process at a time', async () => {
    const directory = join(folder(), 'chain')
    const store = await openStore(directory)
    await expect(openStore(directory)).rejects.toThrow(storage(/in use by another process/))
    await store.write([format()])
    await store.close()
    await (await openStore(directory)).close()
  })

  it('is refused and left unchanged when it has foreign files', async () => {
    const directory = folder()
    writeFileSync(join(directory, 'notes.txt'), 'mine')
    await expect(openStore(directory)).rejects.toThrow(storage(/holds no kestrel database/))
    expect(readdirSync(directory)).toEqual(['notes.txt'])
  })

  it('is refused when it is a file or cannot be created', async () => {
    const directory = folder()
    writeFileSync(join(directory, 'file'), 'mine')
    await expect(openStore(join(directory, 'file'))).rejects.toThrow(storage(/holds no kestrel database/))
    await expect(openStore(join(directory, 'file', 'below'))).rejects.toThrow(storage(/cannot open/))
    expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('mine')
  })

  it('may have the files of an interrupted first start', async () => {
    const directory = join(folder(), 'chain')
    mkdirSync(directory)
    for (const file of ['LOCK', 'LOG', 'MANIFEST-000001']) writeFileSync(join(directory, file), '')
    const store = await openStore(directory)
    await store.write([format()])
    expect(await everyRow(store)).toHaveLength(1)
    await store.close()
  })

  it('is refused when it is damaged', async () => {
    const directory = join(folder(), 'chain')
    const store = await openStore(directory)
    await store.write([format(), put('0x1001', '0x0a')])
    await store.close()
    const manifest = readdirSync(directory).find((file) => file.startsWith('MANIFEST-')) ?? ''
    truncateSync(join(directory, manifest), 3)
    await expect(openStore(directory)).rejects.toThrow(storage(/^chain\/MANIFEST-\d+: is cut off; `kestrel check` /))
    writeFileSync(join(directory, 'CURRENT'), 'MANIFEST-999999\n')
    await expect(openStore(directory)).rejects.toThrow(storage(/^chain\/MANIFEST-999999: is missing/))
    rmSync(join(directory, 'CURRENT'))
    await expect(openStore(directory)).rejects.toThrow(storage(/^chain\/CURRENT: is missing/))
  })
})

/** Matches a ChainError `storage` with this message. */
function storage(words: RegExp) {
  return {
    asymmetricMatch: (error: unknown) =>
      error instanceof ChainError && error.code === 'storage' && words.test(error.message),
  }
}
