// The cache on disk for expensive results: it survives a restart, and its size is bounded.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { KeptRows } from '../../src/explorer/metadata/kept-rows.ts'
import { startNode } from '../../src/node.ts'
import { KEY, RANGE } from '../../src/state/keyspace.ts'
import { newMemory, openMemoryStore } from '../../src/state/kv.ts'
import { CHECKED_ROWS, PLAIN_ROWS } from '../../src/state/row-checksum.ts'
import { account, nodeOptions } from '../support/chain.ts'
import { scenarioOn } from './scenario.ts'
import { api } from './support.ts'

const key = (text: string): Uint8Array => Buffer.from(text)
const textOf = (row: Uint8Array | undefined): string | undefined => row && Buffer.from(row).toString()

it('the disk cache keeps values for the next start', async () => {
  const store = await openMemoryStore()
  const first = new KeptRows(store)
  first.set(key('a'), key('one'))
  expect(textOf(first.get(key('a')))).toBe('one')
  first.set(key('a'), key('two'))
  await first.close()
  const second = new KeptRows(store)
  expect(textOf(second.get(key('a')))).toBe('two')
  expect(second.get(key('b'))).toBeUndefined()
})

it('the disk cache drops the older half of its values when it is full, and damaged ones', async () => {
  const memory = newMemory()
  const store = await openMemoryStore(CHECKED_ROWS, memory)
  const sizes: number[] = []
  for (let i = 0; i < 20; i++) {
    const rows = new KeptRows(store, 250)
    rows.set(key(`key ${i}`), new Uint8Array(100).fill(i))
    await rows.close()
    let size = 0
    for (const generation of [0, 1]) for await (const _ of store.scan(RANGE.kept(generation))) size++
    sizes.push(size)
    expect(rows.get(key(`key ${i}`))?.[99]).toBe(i)
  }
  // A generation ends with the third value of 100 bytes, which exceeds its 250.
  expect(Math.max(...sizes)).toBe(6)
  const rows = new KeptRows(store, 250)
  expect(rows.get(key('key 0'))).toBeUndefined()
  const disk = await openMemoryStore(PLAIN_ROWS, memory)
  for (const generation of [0, 1]) {
    await disk.write([{ type: 'put', key: KEY.kept(generation, key('key 19')), value: new Uint8Array(104).fill(1) }])
  }
  expect(rows.get(key('key 19'))).toBeUndefined()
})

it('the disk cache has the expensive metadata of a chain after a restart', async () => {
  const datadir = await mkdtemp(join(tmpdir(), 'kept-'))
  onTestFinished(() => rm(datadir, { recursive: true, force: true }))
  const node = await startNode(nodeOptions({ datadir }))
  const { deploy, call: send, url } = scenarioOn(node)
  const art = await deploy('Drawings')
  await send(art, 'mintMany', [account(0).address, 1n, 1n, 1_000n, 30_000_000n])
  const path = `/tokens/${art.address}/instances/1`
  expect((await api(url).read(path)).metadata).toMatchObject({ name: 'Drawing' })
  await node.close()
  const again = await startNode(nodeOptions({ datadir }))
  onTestFinished(() => again.close())
  let calls = 0
  const { call } = again.chain
  again.chain.call = (...given) => {
    calls++
    return call.apply(again.chain, given)
  }
  expect((await api(again.url).read(path)).metadata).toMatchObject({ name: 'Drawing' })
  // Balances and supplies may be read; the metadata are not.
  expect(calls).toBe(0)
})
