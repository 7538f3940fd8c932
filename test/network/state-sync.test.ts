// A reader that joins by a state snapshot, fetched and verified by a real CometBFT: it has no block before its base, the same
// blocks from there on, continues after a kill, and makes the same state snapshots as the others.
import { createHash } from 'node:crypto'
import { appendFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEther } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { account } from '../support/chain.ts'
import { NO_ENGINE, TestNetwork } from './support.ts'

const FLAGS = ['--snapshot-interval', '10'] as const
const JOINED = 2

describe.skipIf(NO_ENGINE !== undefined)(`a reader that joins by a state snapshot ${NO_ENGINE ?? ''}`, () => {
  let network: TestNetwork
  beforeAll(async () => {
    network = await TestNetwork.prepare({ validators: 2, readers: 1 })
    for (const node of [0, 1]) network.start(node, FLAGS)
    await network.reach(2n, [0, 1])
    await network.wallet(0).sendTransaction({ to: account(7).address, value: parseEther('3') })
    await network.reach(13n, [0, 1])
    const { signed_header } = (await network.engine(0, 'commit?height=3')) as {
      signed_header: { commit: { block_id: { hash: string } } }
    }
    const trusted = `trust_height = 3\ntrust_hash = "${signed_header.commit.block_id.hash}"\ntrust_period = "168h"`
    const servers = `rpc_servers = "${network.engineUrl(0)},${network.engineUrl(1)}"`
    await appendFile(
      join(network.home(JOINED), 'engine', 'config', 'config.toml'),
      `\n[statesync]\nenable = true\ndiscovery_time = "5s"\n${servers}\n${trusted}\n`,
    )
    network.start(JOINED, FLAGS)
    await network.reach(14n)
  })

  const same = async (method: string, ...params: unknown[]) =>
    expect(await network.rpc(JOINED, method, ...params)).toEqual(await network.rpc(0, method, ...params))

  it('has the blocks from its base on, and the state before them', async () => {
    const first = (await network.rpc(JOINED, 'eth_getBlockByNumber', 'earliest', false)) as { number: string }
    const base = BigInt(first.number)
    expect(base % 10n).toBe(0n)
    expect(base).toBeGreaterThan(0n)
    for (let number = base; number <= 14n; number++)
      await same('eth_getBlockByNumber', `0x${number.toString(16)}`, true)
    expect(await network.rpc(JOINED, 'eth_getBlockByNumber', '0x1', false)).toBeNull()
    expect(await network.rpc(JOINED, 'eth_getBalance', account(7).address, 'earliest')).toBe(
      await network.rpc(0, 'eth_getBalance', account(7).address, first.number),
    )
    await same('debug_traceBlockByNumber', first.number, { tracer: 'callTracer' })
    expect(await network.rpc(JOINED, 'dev_invariants', 'latest')).toEqual([])
  })

  it('continues after a kill, and makes the same state snapshots as the others', async () => {
    await network.killApplication(JOINED)
    network.start(JOINED, FLAGS)
    const head = await network.head(0)
    const next = head - (head % 10n) + 10n
    await network.reach(next + 2n)
    const heads = await network.blocksAt(next)
    expect(new Set(heads.map(({ hash }) => hash)).size).toBe(1)
    const metadata = (node: number) =>
      readFile(join(network.home(node), 'data', 'snapshots', String(next), 'metadata')).then((bytes) =>
        createHash('sha256').update(bytes).digest('hex'),
      )
    await network.eventually(
      'a snapshot at every node',
      async () => (await Promise.all(network.all.map(metadata))).length === 3,
    )
    const hashes = await Promise.all(network.all.map(metadata))
    expect(new Set(hashes).size).toBe(1)
    expect(await readdir(join(network.home(JOINED), 'data', 'snapshots'))).toHaveLength(2)
  })
})
