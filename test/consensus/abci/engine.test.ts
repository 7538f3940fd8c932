// The real CometBFT on the socket of an application that counts transactions. `COMETBFT` names its binary, v0.38 or v0.40;
// v0.40 runs with the application's mempool, v0.38 with CometBFT's.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { AbciApplication } from '../../../src/consensus/abci/application.ts'
import { type AbciServer, serveAbci } from '../../../src/consensus/abci/server.ts'
import { BAD_TRANSACTION, type CountingApplication, countingApplication } from '../../support/abci-application.ts'
import { freePort } from '../../support/process.ts'

const { COMETBFT } = process.env
const DEADLINE = { timeout: 25_000 }

type Node = {
  readonly home: string
  readonly application: CountingApplication
  readonly server: AbciServer
  /** Names of the handlers that CometBFT has called. */
  readonly called: Set<string>
  readonly errors: unknown[]
  readonly engine: ChildProcess
  readonly arguments: readonly string[]
  /** `ID@HOST:PORT` */
  readonly peer: string
  /** Calls a method of CometBFT's RPC, given as path and query. */
  rpc(call: string): Promise<unknown>
  log(): string
}
const nodes: Node[] = []

const cometbft = (...args: readonly string[]): string => execFileSync(COMETBFT ?? '', args, { encoding: 'utf8' }).trim()
/** Since v0.39. */
const hasApplicationMempool = COMETBFT !== undefined && !cometbft('version').startsWith('0.38.')

/** A validator of a new chain, or a node that follows the chain of `first`. The block time is a quarter of a second. */
async function start(replaced: Partial<AbciApplication> = {}, first?: Node): Promise<Node> {
  const home = mkdtempSync(join(tmpdir(), 'abci-'))
  const application = countingApplication(replaced)
  const called = new Set<string>()
  const errors: unknown[] = []
  const watched = new Proxy(application, {
    get(target, name, receiver) {
      called.add(String(name))
      return Reflect.get(target, name, receiver)
    },
  })
  const socket = join(home, 'abci.sock')
  const server = await serveAbci(socket, watched, (error) => errors.push(error))
  cometbft('init', '--home', home)
  configure(home)
  if (first !== undefined) copyFileSync(join(first.home, 'config/genesis.json'), join(home, 'config/genesis.json'))

  const port = await freePort()
  const rpcPort = await freePort()
  const arguments_ = [
    ...['start', '--home', home, '--proxy_app', `unix://${socket}`, '--rpc.laddr', `tcp://127.0.0.1:${rpcPort}`],
    ...['--p2p.laddr', `tcp://127.0.0.1:${port}`, '--p2p.persistent_peers', first?.peer ?? ''],
  ]
  const engine = spawn(COMETBFT ?? '', arguments_, { stdio: ['ignore', 'pipe', 'ignore'] })
  let log = ''
  engine.stdout.on('data', (chunk) => {
    log += chunk
  })
  const node: Node = {
    home,
    application,
    server,
    called,
    errors,
    engine,
    arguments: arguments_,
    peer: `${cometbft('show-node-id', '--home', home)}@127.0.0.1:${port}`,
    rpc: async (call) => (await fetch(`http://127.0.0.1:${rpcPort}/${call}`)).json(),
    log: () => log,
  }
  nodes.push(node)
  return node
}

function configure(home: string): void {
  const path = join(home, 'config/config.toml')
  const changes: Readonly<Record<string, string>> = {
    timeout_commit: '"250ms"',
    allow_duplicate_ip: 'true',
    addr_book_strict: 'false',
    ...(hasApplicationMempool && { reap_interval: '"50ms"' }),
  }
  let text = readFileSync(path, 'utf8')
  for (const [key, value] of Object.entries(changes))
    text = text.replace(new RegExp(`^${key} = .*$`, 'm'), `${key} = ${value}`)
  writeFileSync(path, hasApplicationMempool ? text.replace(/^type = "flood"$/m, 'type = "app"') : text)
}

async function kill(engine: ChildProcess): Promise<void> {
  if (engine.exitCode !== null || engine.signalCode !== null) return
  engine.kill('SIGKILL')
  await once(engine, 'exit')
}

afterEach(async () => {
  for (const { engine, server, home } of nodes.splice(0)) {
    await kill(engine)
    await server.close()
    await rm(home, { recursive: true })
  }
})

describe.skipIf(COMETBFT === undefined)('CometBFT (skipped where COMETBFT names no binary)', () => {
  it('makes blocks of transactions that were sent to a following node; each node has four connections', async () => {
    const validator = await start()
    await vi.waitUntil(() => validator.application.committed.height >= 2n, DEADLINE)
    const follower = await start({}, validator)
    await vi.waitUntil(() => follower.application.committed.height >= 2n, DEADLINE)
    expect([validator, follower].map(({ server }) => server.connected)).toEqual([4, 4])
    // CometBFT shares its mempool with peers once it has caught up.
    const status = z.object({ result: z.object({ sync_info: z.object({ catching_up: z.boolean() }) }) })
    const catchingUp = async () => status.parse(await follower.rpc('status')).result.sync_info.catching_up
    await vi.waitUntil(async () => !(await catchingUp()), DEADLINE)

    for (const transaction of ['0x01', '0x02', '0x0304'])
      expect(await follower.rpc(`broadcast_tx_sync?tx=${transaction}`)).toMatchObject({ result: { code: 0 } })
    const bad = `0x${BAD_TRANSACTION.toString(16)}`
    expect(await follower.rpc(`broadcast_tx_sync?tx=${bad}`)).toMatchObject({ result: { code: 1 } })
    for (const { application } of [validator, follower])
      await vi.waitUntil(() => application.committed.transactions === 3, DEADLINE)

    const { height } = follower.application.committed
    await vi.waitUntil(() => follower.application.committed.height > height, DEADLINE)
    // The next header's app hash is the count that FinalizeBlock returned.
    const block = z.object({ result: z.object({ block: z.object({ header: z.object({ app_hash: z.string() }) }) }) })
    const { header } = block.parse(await follower.rpc(`block?height=${height + 1n}`)).result.block
    expect(header.app_hash).toBe('0000000000000003')
    const query = z.object({ result: z.object({ response: z.object({ value: z.string() }) }) })
    const { value } = query.parse(await follower.rpc('abci_query')).result.response
    expect(Buffer.from(value, 'base64').readBigUInt64BE()).toBe(3n)
    expect([...validator.called]).toEqual(
      expect.arrayContaining([
        ...['info', 'initChain', 'prepareProposal', 'processProposal', 'finalizeBlock', 'commit'],
        hasApplicationMempool ? 'insertTx' : 'checkTx',
      ]),
    )
    expect([...follower.called]).toEqual(expect.arrayContaining(['checkTx', 'query', 'finalizeBlock']))
    expect(follower.called.has('reapTxs')).toBe(hasApplicationMempool)
    expect([...validator.errors, ...follower.errors]).toEqual([])
  }, 60_000)

  it('exits when the application fails, and prints why', async () => {
    const counting = countingApplication()
    const { engine, errors, log, server } = await start({
      finalizeBlock: (request) => {
        if (request.height === 2n) throw new Error('a bug')
        return counting.finalizeBlock(request)
      },
    })
    await once(engine, 'exit')
    expect(errors.map(String)).toContain('Error: a bug')
    expect(log()).toContain('internal error of the application')
    await vi.waitUntil(() => server.connected === 0)
  })

  it('exits when the server closes, after which the application is not called', async () => {
    const { engine, server, application } = await start()
    await vi.waitUntil(() => application.committed.height >= 1n, DEADLINE)
    const exited = once(engine, 'exit')
    await server.close()
    const { height } = application.committed
    await exited
    expect(application.committed.height).toBe(height)
    expect(server.connected).toBe(0)
  })

  it('continues from the same height after kill -9', async () => {
    const { engine, server, application, arguments: again } = await start()
    await vi.waitUntil(() => application.committed.height >= 2n, DEADLINE)
    await kill(engine)
    await vi.waitUntil(() => server.connected === 0)
    const { height } = application.committed
    const restarted = spawn(COMETBFT ?? '', again, { stdio: 'ignore' })
    try {
      await vi.waitUntil(() => application.committed.height > height + 1n, DEADLINE)
      expect(server.connected).toBe(4)
    } finally {
      await kill(restarted)
    }
  })
})
