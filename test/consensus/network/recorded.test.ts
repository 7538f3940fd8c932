// A recording of a real network's ABCI messages at its first node (test/network/recording.test.ts renews it): a fresh chain
// answers every consensus request with the same bytes, on every EVM engine.
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { fromBinary } from '@bufbuild/protobuf'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { BlockChain } from '../../../src/chain/block-chain.ts'
import { reindex } from '../../../src/chain/reindex.ts'
import { frame } from '../../../src/consensus/abci/framing.ts'
import { serveAbci } from '../../../src/consensus/abci/server.ts'
import { NetworkApplication } from '../../../src/consensus/network/application.ts'
import { newMeasurements } from '../../../src/consensus/network/measurements.ts'
import type { EngineChoice } from '../../../src/evm/engine-selection.ts'
import { indexer } from '../../../src/indexer/indexer.ts'
import { encodeBlock } from '../../../src/primitives/block.ts'
import { DUPLICATE_VOTE, VOTE_ABSENT } from '../../../src/primitives/commit-info.ts'
import { ResponseSchema } from '../../../src/protobuf/generated/tendermint/abci/types_pb.ts'
import { Runtime } from '../../../src/runtime/runtime.ts'
import type { GenesisSpec } from '../../../src/spec/chain-spec.ts'
import { parseGenesisText } from '../../../src/spec/genesis-file.ts'
import { AbciClient } from '../../support/abci-client.ts'
import { type Exchange, exchangesOf, readRecording } from '../../support/abci-recording.ts'
import { openFresh } from '../../support/network.ts'
import { everyRow } from '../../support/stores.ts'

const FOLDER = join(import.meta.dirname, 'recording')
const unpacked = async (name: string): Promise<string> => gunzipSync(await readFile(join(FOLDER, name))).toString()

let spec: GenesisSpec
let exchanges: Exchange[]
beforeAll(async () => {
  spec = parseGenesisText(await unpacked('genesis.json.gz'))
  // Without prepareProposal, whose response depends on the pool; the other responses follow from the requests.
  const kinds = ['info', 'initChain', 'processProposal', 'finalizeBlock', 'commit']
  exchanges = exchangesOf(readRecording(await unpacked('recording.txt.gz'))).filter(({ kind }) => kinds.includes(kind))
})

let sockets = 0

/** A fresh chain behind a socket, and a client of the socket. */
async function application(engine?: EngineChoice) {
  const chain = await openFresh(spec, { engine })
  const failures: string[] = []
  const served = new NetworkApplication({
    chain,
    version: versionIn(exchanges),
    proposeTimeout: 3000,
    commitTimeout: 1000,
    retainBlocks: undefined,
    measurements: newMeasurements(),
    log: () => undefined,
    fail: (line) => failures.push(line),
  })
  const path = join(tmpdir(), `kestrel-recorded-${process.pid}-${++sockets}.sock`)
  const server = await serveAbci(path, served, () => undefined)
  const client = await AbciClient.connect(path)
  onTestFinished(async () => {
    client.close()
    await server.close()
  })
  const ask = async (request: Uint8Array): Promise<Uint8Array> => {
    client.socket.write(frame(request))
    return (await client.answerBytes()) ?? new Uint8Array(0)
  }
  return { chain, failures, ask }
}

/** The program's version at the time of the recording, from Info. */
function versionIn(all: readonly Exchange[]): string {
  const found = all.find(({ kind }) => kind === 'info')?.response
  return found?.case === 'info' ? found.value.version : ''
}

async function replay(ask: (request: Uint8Array) => Promise<Uint8Array>, count = exchanges.length): Promise<void> {
  for (const [index, { kind, requestBytes, responseBytes }] of exchanges.slice(0, count).entries()) {
    const answer = await ask(requestBytes)
    if (!Buffer.from(answer).equals(responseBytes)) {
      const answered = fromBinary(ResponseSchema, answer).value
      expect(answered, `${kind}, exchange ${index}`).toEqual(fromBinary(ResponseSchema, responseBytes).value)
    }
    expect(Buffer.from(answer).equals(responseBytes)).toBe(true)
  }
}

describe('a recorded network', () => {
  it('contains missing votes, evidence, validator changes, and enough heights', () => {
    const finalized = exchanges.flatMap(({ request }) => (request.case === 'finalizeBlock' ? [request.value] : []))
    const answered = exchanges.flatMap(({ response }) => (response.case === 'finalizeBlock' ? [response.value] : []))
    expect(finalized.length).toBeGreaterThan(50)
    const flags = finalized.flatMap(({ decidedLastCommit }) => decidedLastCommit?.votes.map((vote) => vote.blockIdFlag))
    expect(flags).toContain(VOTE_ABSENT)
    expect(finalized.flatMap(({ misbehavior }) => misbehavior.map(({ type }) => type))).toContain(DUPLICATE_VOTE)
    const powers = answered.flatMap(({ validatorUpdates }) => validatorUpdates.map(({ power }) => power))
    for (const power of [0n, 700n, 1500n, 990n]) expect(powers).toContain(power)
  })

  it.each(['compiled', 'wasm', 'library'] as const)(
    'is answered with the same bytes by the engine %s',
    async (engine) => {
      const { chain, failures, ask } = await application(engine)
      await replay(ask)
      expect(failures).toEqual([])
      expect(await chain.stateQueries.invariants('latest')).toEqual([])
    },
  )

  it('yields the same chain after export and import, reindexing, and tracing', async () => {
    const { chain, ask } = await application()
    await replay(ask)
    const copy = await openFresh(spec)
    for (const block of await blocksOf(chain)) await copy.importBlock(encodeBlock(block))
    expect(copy.head.hash).toBe(chain.head.hash)
    const before = await everyRow(copy.store)
    const silent = new Runtime(spec, undefined, undefined, () => undefined)
    await reindex(copy.store, silent, indexer, () => undefined)
    expect(await everyRow(copy.store)).toEqual(before)
    const accused = (await blocksOf(chain)).find(({ commit }) => (commit?.evidence.length ?? 0) > 0)
    expect(accused).toBeDefined()
    for (const { header, transactions } of await blocksOf(chain)) {
      expect(await chain.traces.replayBlock({ number: header.number })).toHaveLength(transactions.length)
    }
  })

  it('is not committed when requests are out of order or altered', async () => {
    const { chain, failures, ask } = await application()
    const finalizes = exchanges.filter(({ kind }) => kind === 'finalizeBlock')
    const commit = exchanges.find(({ kind }) => kind === 'commit')
    const caseOf = async (request: Uint8Array | undefined) =>
      fromBinary(ResponseSchema, await ask(request ?? new Uint8Array(0))).value.case
    // A commit without a decision; then block 2 before block 1.
    expect(await caseOf(commit?.requestBytes)).toBe('exception')
    expect(await caseOf(finalizes[1]?.requestBytes)).toBe('exception')
    expect(failures).toHaveLength(2)
    expect(chain.head.number).toBe(0n)
    // The same block may be decided twice, with equal responses.
    const first = finalizes[0]?.requestBytes ?? new Uint8Array(0)
    const answer = await ask(first)
    expect(Buffer.from(await ask(first)).equals(Buffer.from(answer))).toBe(true)
    expect(await caseOf(commit?.requestBytes)).toBe('commit')
    expect(await caseOf(commit?.requestBytes)).toBe('exception')
    expect(chain.head.number).toBe(1n)
  })
})

async function blocksOf(chain: BlockChain) {
  const blocks = []
  for (let number = 1n; number <= chain.head.number; number++) {
    const block = await chain.block({ number })
    if (block !== undefined) blocks.push(block)
  }
  return blocks
}
