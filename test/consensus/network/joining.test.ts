// A node that joins a network by state sync: from CometBFT's first request on its socket to the blocks that it decides with the
// others.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from '@bufbuild/protobuf'
import { expect, it, onTestFinished, vi } from 'vitest'
import { storedSpec } from '../../../src/chain/open.ts'
import { StateSnapshots } from '../../../src/chain/state-sync/state-snapshots.ts'
import { NetworkApplication } from '../../../src/consensus/network/application.ts'
import { Joining } from '../../../src/consensus/network/joining.ts'
import { newMeasurements } from '../../../src/consensus/network/measurements.ts'
import { indexer } from '../../../src/indexer/indexer.ts'
import * as abci from '../../../src/protobuf/generated/tendermint/abci/types_pb.ts'
import { Runtime } from '../../../src/runtime/runtime.ts'
import { openMemoryStore } from '../../../src/state/kv.ts'
import { reopen } from '../../chain/support.ts'
import { AbciClient } from '../../support/abci-client.ts'
import { appHashOfHead, FakeEngine, fakeNetwork, ibcSpec, networkSpec } from '../../support/network.ts'

const OFFERED = { accept: 1, abort: 2, reject: 3, rejectFormat: 4 } as const
const APPLIED = { accept: 1, abort: 2, retry: 3 } as const
const HEIGHT = 10n

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kestrel-joining-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type Offer = (change: object) => Promise<unknown>

const applicationOf = (
  chain: ReturnType<typeof reopen>,
  snapshots?: StateSnapshots,
  fail: (line: string) => void = (line) => {
    throw new Error(line)
  },
): NetworkApplication =>
  new NetworkApplication({
    chain,
    version: 'test',
    proposeTimeout: 3000,
    commitTimeout: 1000,
    retainBlocks: undefined,
    snapshots,
    measurements: newMeasurements(),
    log: () => undefined,
    fail,
  })

/** A network with a state snapshot at block `HEIGHT`, served by the node `giver`, and a CometBFT client of a joining node. */
async function networkWithSnapshot(spec = networkSpec()) {
  const engine = new FakeEngine(spec)
  const giver = await engine.addNode()
  await engine.addNode()
  await engine.begin()
  const folder = newFolder()
  const failures: unknown[] = []
  const snapshots = await StateSnapshots.open(giver, {
    folder: join(folder, 'snapshots'),
    indexer,
    interval: HEIGHT,
    chunkSize: 20_000,
    onError: (error) => failures.push(error),
  })
  onTestFinished(() => snapshots.close())
  await engine.decideMany(Number(HEIGHT) - 1)
  const [accused] = engine.validators
  await engine.decide({
    absent: engine.validators.slice(1).map(({ address }) => address),
    evidence: accused === undefined ? [] : [{ address: accused.address, height: 8n, power: accused.power }],
  })
  await snapshots.settled()
  expect(failures).toEqual([])
  const giving = applicationOf(Object.assign(giver, { errors: [] }), snapshots)
  const [snapshot] = (await giving.listSnapshots(create(abci.RequestListSnapshotsSchema))).snapshots ?? []
  if (snapshot === undefined) throw new Error('there is no snapshot')
  expect(snapshot).toMatchObject({ height: HEIGHT, format: 1 })
  expect(snapshot.chunks).toBeGreaterThan(2)

  const store = await openMemoryStore()
  /** Restores the state snapshot into the store. `check` runs before the first chunk. */
  const joinOnce = async (check: (client: AbciClient, offer: Offer) => Promise<void> = async () => undefined) => {
    const socket = join(newFolder(), 'abci.sock')
    const lines: string[] = []
    const joining = new Joining({
      socket,
      cometBft: undefined,
      version: 'test',
      onError: (error) => failures.push(error),
      log: (line) => lines.push(line),
    })
    const restoring = joining.restore({ store, spec, runtime: new Runtime(spec), indexer })
    await expect.poll(() => lines.join()).toContain('waiting for a snapshot')
    const client = await AbciClient.connect(socket)
    onTestFinished(() => client.close())
    const appHash = appHashOfHead(giver)
    const offer = async (change: object) =>
      client.ask({ case: 'offerSnapshot', value: { snapshot: { ...snapshot, ...change }, appHash } })
    await check(client, offer)
    expect(await offer({})).toMatchObject({ value: { result: OFFERED.accept } })
    for (let index = 0; index < (snapshot.chunks ?? 0); index++) {
      const request = create(abci.RequestLoadSnapshotChunkSchema, { height: HEIGHT, format: 1, chunk: index })
      const { chunk = new Uint8Array(0) } = await giving.loadSnapshotChunk(request)
      const apply = (bytes: Uint8Array) =>
        client.ask({ case: 'applySnapshotChunk', value: { index, chunk: bytes, sender: 'peer' } })
      expect(await apply(chunk.subarray(1))).toMatchObject({
        value: { result: APPLIED.retry, refetchChunks: [index], rejectSenders: ['peer'] },
      })
      expect(await apply(chunk)).toMatchObject({ value: { result: APPLIED.accept } })
    }
    await restoring
    return { joining, client, offer }
  }
  const openChain = async () => {
    const found = await storedSpec(store)
    if (found === undefined) throw new Error('there is no chain')
    const chain = reopen(store, found)
    onTestFinished(() => chain.close())
    return chain
  }
  return { engine, giver, failures, store, joinOnce, openChain }
}

it.each([
  ['a network', networkSpec()],
  ['a network with IBC', ibcSpec()],
])('a node joins %s by a state snapshot, with the votes and evidence of its first block', async (_, spec) => {
  const { engine, giver, failures, joinOnce, openChain } = await networkWithSnapshot(spec)
  const info = { case: 'info', value: {} } as const
  const { joining, client } = await joinOnce(async (client, offer) => {
    expect(await client.ask(info)).toMatchObject({ case: 'info', value: { lastBlockHeight: 0n, appVersion: 1n } })
    expect(await client.ask({ case: 'reapTxs', value: {} })).toMatchObject({ case: 'reapTxs', value: { txs: [] } })
    expect(await offer({ format: 9 })).toMatchObject({ value: { result: OFFERED.rejectFormat } })
    const noHash = { snapshot: {}, appHash: new Uint8Array(31) }
    expect(await client.ask({ case: 'offerSnapshot', value: noHash })).toMatchObject({
      value: { result: OFFERED.reject },
    })
  })

  // CometBFT's request is answered when the node has opened its chain.
  client.send(info)
  const chain = await openChain()
  const application = applicationOf(chain)
  const server = joining.become(application)
  onTestFinished(() => server?.close())
  const lastBlockAppHash = appHashOfHead(giver)
  expect(await client.answer()).toMatchObject({ value: { lastBlockHeight: HEIGHT, lastBlockAppHash } })
  expect((await chain.block('latest'))?.commit).toEqual((await giver.block('latest'))?.commit)
  expect((await chain.block('latest'))?.commit?.evidence).toHaveLength(1)

  engine.nodes.push({ chain, application, log: [] })
  await engine.decideMany(5)
  expect(chain.head).toEqual(giver.head)
  expect(failures).toEqual([])
})

it('a node whose CometBFT has not stored the state snapshot ends, and fetches another on the next start', async () => {
  const { giver, failures, store, joinOnce, openChain } = await networkWithSnapshot()
  const first = await joinOnce()
  const lines: string[] = []
  first.joining.become(applicationOf(await openChain(), undefined, (line) => lines.push(line)))
  expect(await first.offer({})).toMatchObject({ value: { result: OFFERED.abort } })
  expect(lines).toEqual([`CometBFT has not kept the snapshot of block ${HEIGHT}: start again to fetch another`])
  expect(await storedSpec(store)).toBeUndefined()
  await joinOnce()
  expect((await openChain()).head).toEqual(giver.head)
  expect(failures).toEqual([])
})

it('a node with blocks ends if its CometBFT has none', async () => {
  const engine = await fakeNetwork(1)
  await engine.decideMany(2)
  const [node] = engine.nodes
  const request = create(abci.RequestOfferSnapshotSchema)
  expect(await node?.application.offerSnapshot(request)).toEqual({ result: OFFERED.abort })
  expect(node?.log.at(-1)).toMatch(/^failed: the chain is at block 2, and CometBFT has no blocks: /)
  expect(node?.chain.head.number).toBe(2n)
})

it('a joining node that cannot write a chunk reports it and closes its server', async () => {
  const spec = networkSpec()
  const store = await openMemoryStore()
  const socket = join(newFolder(), 'abci.sock')
  const failures: unknown[] = []
  const lines: string[] = []
  const joining = new Joining({
    socket,
    cometBft: undefined,
    version: 'test',
    onError: (error) => failures.push(error),
    log: (line) => lines.push(line),
  })
  const restoring = joining.restore({ store, spec, runtime: new Runtime(spec), indexer })
  const ended = expect(restoring).rejects.toThrow()
  await expect.poll(() => lines.join()).toContain('waiting for a snapshot')
  await store.close()
  const client = await AbciClient.connect(socket)
  onTestFinished(() => client.close())
  const metadata = new Uint8Array(32)
  const hash = Buffer.from('66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925', 'hex')
  const snapshot = { height: 10n, format: 1, chunks: 1, hash, metadata }
  expect(await client.ask({ case: 'offerSnapshot', value: { snapshot, appHash: metadata } })).toMatchObject({
    case: 'exception',
  })
  await ended
  expect(failures).not.toEqual([])
  await expect(AbciClient.connect(socket)).rejects.toThrow()
})

it('a joining node that gets no state snapshot logs it at growing intervals until its CometBFT fails', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const spec = networkSpec()
  let fail: (line: string) => void = () => undefined
  const failed = new Promise<string>((resolve) => {
    fail = resolve
  })
  const calls: string[] = []
  let start: () => void = () => undefined
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  const stop = async () => void calls.push('stop')
  const engine = {
    start: async () => start(),
    stop,
    restart: async () => undefined,
    setBlockTime: async () => undefined,
    failed,
  }
  const lines: string[] = []
  const joining = new Joining({
    socket: join(newFolder(), 'abci.sock'),
    cometBft: engine,
    version: 'test',
    onError: (error) => calls.push(String(error)),
    log: (line) => lines.push(line),
  })
  const restoring = joining.restore({ store: await openMemoryStore(), spec, runtime: new Runtime(spec), indexer })
  const ended = expect(restoring).rejects.toThrow('CometBFT ended')
  await started
  await vi.advanceTimersByTimeAsync(100_000)
  const waits = () => lines.flatMap((line) => /^no chunk of a snapshot for (\d+) s/.exec(line)?.[1] ?? [])
  expect(waits()).toEqual(['30', '60'])
  fail('CometBFT ended')
  await ended
  await vi.advanceTimersByTimeAsync(600_000)
  expect(waits()).toHaveLength(2)
  expect(calls).toEqual(['stop'])
})
