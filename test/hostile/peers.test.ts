// A stock CometBFT of an attacker, without stake, key or genesis, whose chain id and moniker look like log lines of CometBFT.
// It connects to every validator of a network: no node ends, no CometBFT is restarted, blocks continue.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findCometBft } from '../../src/consensus/cometbft/program.ts'
import { NO_ENGINE, TestNetwork } from '../network/support.ts'
import { PROGRAM, temporaryFolder } from '../support/process.ts'

const run = promisify(execFile)

/** At most 50 characters, CometBFT's limit. */
const CHAIN_IDS = [
  'CONSENSUS FAILURE!!!',
  'CONSENSUS FAILURE!!! module=consensus err="x"',
  'ERROR: error during handshake:',
  'app block height (5) is higher than core (3)',
  'wrong Block.Header.AppHash.  Expected AA, got BB',
  'panic: runtime error\nERROR: error in config file',
  'E[2026-01-01|00:00:00.000] CONSENSUS FAILURE!!!',
  '\u001b[2J\u001b]0;title\u0007\u202e\r\nFATAL: disk full',
]
/** Printable ASCII: a stock CometBFT does not start with another moniker. */
const MONIKERS = [
  'CONSENSUS FAILURE!!! module=consensus err="wrong Block.Header.AppHash"',
  'ERROR: failed to create node: app block height (5) is higher than core (3)',
  'panic: genesis doc hash does not match',
]

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

type Attacker = { readonly chainId: string; readonly moniker: string }

/** Starts a stock CometBFT with a built-in application that connects to these `ID@HOST:PORT`. */
async function startAttacker({ chainId, moniker }: Attacker, peers: readonly string[]): Promise<ChildProcess> {
  const { path: home, remove } = await temporaryFolder()
  const program = findCometBft(undefined)
  await run(program, ['init', '--home', home])
  const genesis = join(home, 'config/genesis.json')
  await writeFile(genesis, JSON.stringify({ ...JSON.parse(await readFile(genesis, 'utf8')), chain_id: chainId }))
  // The victims share an address; by default CometBFT keeps only one connection per address.
  const config = join(home, 'config/config.toml')
  const text = await readFile(config, 'utf8')
  await writeFile(config, text.replace('allow_duplicate_ip = false', 'allow_duplicate_ip = true'))
  const p2p = await freePort()
  const rpc = await freePort()
  const listeners = ['--p2p.laddr', `tcp://127.0.0.1:${p2p}`, '--rpc.laddr', `tcp://127.0.0.1:${rpc}`]
  const args = ['--proxy_app', 'kvstore', '--moniker', moniker, '--p2p.persistent_peers', peers.join(',')]
  const child = spawn(program, ['start', '--home', home, ...listeners, ...args], { stdio: 'ignore' })
  onTestFinished(async () => {
    const ended = once(child, 'exit')
    if (child.kill('SIGKILL')) await ended
    await remove()
  })
  return child
}

describe.skipIf(NO_ENGINE !== undefined)(
  `a network whose validators are reachable by an attacker ${NO_ENGINE ?? ''}`,
  () => {
    let network: TestNetwork
    let addresses: readonly string[]
    let engines: readonly (number | undefined)[]
    beforeAll(async () => {
      network = await TestNetwork.start()
      const idOf = async (node: number) =>
        (
          await run(process.execPath, [PROGRAM, 'validator', 'key', '--home', network.home(node), '--node-id'])
        ).stdout.trim()
      addresses = await Promise.all(network.all.map(async (node) => `${await idOf(node)}@${network.p2p(node)}`))
      engines = await Promise.all(network.all.map((node) => network.enginePid(node)))
    })

    /** Lines about refused peers in the log of a validator's CometBFT. */
    const refusals = async (node: number) =>
      (await readFile(join(network.home(node), 'engine/cometbft.log'), 'utf8'))
        .split('\n')
        .filter((line) => line.includes('incompatible: peer is on a different network'))

    /** Expects five more blocks, and that no node has ended or restarted its CometBFT. */
    async function expectUnharmed(): Promise<void> {
      await network.reach((await network.head(0)) + 5n)
      expect(network.all.filter((node) => !network.isRunning(node))).toEqual([])
      expect(await Promise.all(network.all.map((node) => network.enginePid(node)))).toEqual(engines)
      const logs = await Promise.all(network.all.map((node) => network.log(node)))
      for (const text of logs) expect(text).not.toMatch(/ERROR|CometBFT ended|is started again/)
      expect(await network.differences()).toEqual([])
    }

    it('is not harmed by any chain id', async () => {
      await Promise.all(CHAIN_IDS.map((chainId) => startAttacker({ chainId, moniker: 'stranger' }, addresses)))
      // Each validator's CometBFT has logged each chain id.
      await network.eventually('every chain id in every log', async () => {
        const lines = await Promise.all(network.all.map(refusals))
        const words = CHAIN_IDS.map((chainId) => (/[\w .!]{8,}/.exec(chainId)?.[0] ?? '').slice(0, 20))
        return lines.every((of) => words.every((word) => of.some((line) => line.includes(word))))
      })
      await expectUnharmed()
    })

    it('is not harmed by the moniker of a peer that it accepts', async () => {
      await Promise.all(MONIKERS.map((moniker) => startAttacker({ chainId: 'kestrel_125-1', moniker }, addresses)))
      // A peer may be dropped for its messages, and reconnects.
      const seen = network.all.map(() => new Set<string>())
      await network.eventually('every moniker at every validator', async () => {
        for (const [node, monikers] of seen.entries()) {
          const { peers } = (await network.engine(node, 'net_info')) as { peers: { node_info: { moniker: string } }[] }
          for (const { node_info } of peers) monikers.add(node_info.moniker)
        }
        return seen.every((monikers) => MONIKERS.every((moniker) => monikers.has(moniker)))
      })
      await expectUnharmed()
    })
  },
)
