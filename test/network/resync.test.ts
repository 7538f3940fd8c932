// `kestrel resync` at a validator with a damaged database, with the real CometBFT: the node recovers the others' blocks, once
// by all blocks and once by a state snapshot, and never signs below its last signed height.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { account } from '../support/chain.ts'
import { PROGRAM } from '../support/process.ts'
import { NO_ENGINE, TestNetwork } from './support.ts'

const FLAGS = ['--snapshot-interval', '10'] as const
const DAMAGED = 3
const OTHERS = [0, 1, 2]

/** Changes a byte in the middle of the largest table of a closed database. */
async function damage(folder: string): Promise<void> {
  const tables = (await readdir(folder)).filter((name) => name.endsWith('.ldb')).map((name) => join(folder, name))
  const sizes = await Promise.all(tables.map(async (path) => (await stat(path)).size))
  const path = tables[sizes.indexOf(Math.max(...sizes))] ?? ''
  const bytes = await readFile(path)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  await writeFile(path, bytes)
}

describe.skipIf(NO_ENGINE !== undefined)(`a damaged validator ${NO_ENGINE ?? ''}`, () => {
  it('recovers the blocks of the others by resync', async () => {
    const network = await TestNetwork.prepare()
    for (const node of network.all) network.start(node, FLAGS)
    await network.reach(2n)
    await network.wallet(0).sendTransaction({ to: account(7).address, value: 3n })
    const home = network.home(DAMAGED)
    const data = join(home, 'data')
    const signed = async () =>
      BigInt(JSON.parse(await readFile(join(home, 'engine/data/priv_validator_state.json'), 'utf8')).height)
    const resync = async () => (await promisify(execFile)(process.execPath, [PROGRAM, 'resync', '--home', home])).stdout
    await network.eventually('a snapshot', async () => existsSync(join(data, 'snapshots/10/metadata')))

    // The database's log becomes a table at the next start.
    await network.stop(DAMAGED)
    network.start(DAMAGED, FLAGS)
    await network.reach((await network.head(0)) + 2n)
    await network.stop(DAMAGED)
    await damage(join(data, 'chain'))
    network.start(DAMAGED, FLAGS)
    await network.eventually('the end of the damaged node', async () => !network.isRunning(DAMAGED))

    const lastSigned = await signed()
    expect(lastSigned).toBeGreaterThan(0n)
    expect(await resync()).toMatch(/the next start fetches all blocks from the peers\n$/)
    expect(await signed()).toBe(lastSigned)
    network.start(DAMAGED, FLAGS)
    await network.reach((await network.head(0)) + 2n)
    await network.eventually('a vote of the node', async () => (await signed()) > lastSigned)
    expect(await network.differences()).toEqual([])

    // The same by a state snapshot.
    const trusted = (await network.engine(0, 'commit?height=3')) as {
      signed_header: { commit: { block_id: { hash: string } } }
    }
    const { hash } = trusted.signed_header.commit.block_id
    const servers = `rpc_servers = "${network.engineUrl(0)},${network.engineUrl(1)}"\ndiscovery_time = "5s"`
    const trust = `trust_height = 3\ntrust_hash = "${hash}"\ntrust_period = "168h"`
    await network.stop(DAMAGED)
    await appendFile(join(home, 'engine/config/config.toml'), `\n[statesync]\nenable = true\n${servers}\n${trust}\n`)
    expect(await resync()).toMatch(/the next start fetches a snapshot of the state from the peers\n$/)
    network.start(DAMAGED, FLAGS)
    await network.reach((await network.head(0)) + 2n)
    const first = (await network.rpc(DAMAGED, 'eth_getBlockByNumber', 'earliest', false)) as { number: string }
    expect(BigInt(first.number)).toBeGreaterThan(0n)
    const head = await network.head(DAMAGED)
    expect(new Set((await network.blocksAt(head, [...OTHERS, DAMAGED])).map((block) => block.hash)).size).toBe(1)
    expect(await network.rpc(DAMAGED, 'eth_getBalance', account(7).address, 'latest')).toBe(
      await network.rpc(0, 'eth_getBalance', account(7).address, 'latest'),
    )
  })
})
