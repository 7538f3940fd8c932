// The two programs that are compared, as processes on free ports: kestrel as its users start it, from `dist/` with a
// fresh data directory on disk and its index, and anvil, which keeps all in memory. Chain id, accounts and gas limit agree.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, openConnection, post } from './load/http.ts'
import { ACCOUNTS, CHAIN_ID, GAS_LIMIT, MNEMONIC } from './senders.ts'

export type Name = 'kestrel' | 'anvil'

export type Contender = {
  readonly name: Name
  /** Starts a node of its own; it runs until `stopAll`. Throws when it does not answer in time. */
  start(options?: StartOptions): Promise<Target>
  stopAll(): Promise<void>
}

export type StartOptions = {
  /** More flags, by program. */
  readonly flags?: Partial<Record<Name, readonly string[]>>
  /** A data directory with a chain, for kestrel. */
  readonly datadir?: string
  /** Where kestrel's new data directory is to be, and to stay; without it one in the temporary folder, which goes. */
  readonly fresh?: string
}

/** A running node. */
export type Target = {
  readonly name: Name
  /** `http://127.0.0.1:PORT/` */
  readonly url: string
  /** Milliseconds from the start of the process to its first answer. */
  readonly startedIn: number
  /** One request on a connection of its own; throws the node's error. */
  rpc(method: string, ...params: readonly unknown[]): Promise<unknown>
  /** The same on that connection with bytes already made. */
  readonly connection: Connection
  /** Of the process and its children, in bytes. */
  residentMemory(): number
  stop(): Promise<void>
}

/** The program of the last build; the variable names another one. */
const PROGRAM = process.env['KESTREL_PROGRAM'] ?? join(import.meta.dirname, '../dist/main.js')
const STARTING = 60_000
const STOPPING = 10_000

const CHAIN = ['--chain-id', String(CHAIN_ID), '--mnemonic', MNEMONIC, '--accounts', String(ACCOUNTS)]
const FUNDS = ['--balance', '1000000', '--gas-limit', String(GAS_LIMIT)]
/** A call may use what a block may, and however long it takes. */
const KESTREL = ['--call-gas-cap', String(GAS_LIMIT), '--call-timeout', '600000', '--silent']
const ANVIL = ['--hardfork', 'osaka', '--silent']

/** Path of anvil's program: of the package for this machine, or what ANVIL names. undefined: there is none. */
export function findAnvil(): string | undefined {
  if (process.env['ANVIL'] !== undefined) return process.env['ANVIL']
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  try {
    const inside = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${process.platform}-${arch}/package.json`)
    const program = join(dirname(inside), 'bin/anvil')
    return existsSync(program) ? program : undefined
  } catch {
    return undefined
  }
}

/** `1.7.1` */
export const anvilVersion = (anvil: string): string =>
  /Version: *(\S+)/.exec(execFileSync(anvil, ['--version'], { encoding: 'utf8' }))?.[1] ?? 'unknown'

export const kestrel = (): Contender =>
  contender('kestrel', async ({ flags, datadir, fresh }, port) => {
    const passing =
      datadir === undefined && fresh === undefined ? await mkdtemp(join(tmpdir(), 'kestrel-bench-')) : undefined
    const folder = ['--datadir', datadir ?? fresh ?? passing ?? '']
    // A chain that is there has its own settings.
    const chain = datadir === undefined ? [...CHAIN, ...FUNDS] : []
    const args = [PROGRAM, 'start', '--port', port, ...folder, ...chain, ...KESTREL, ...(flags?.kestrel ?? [])]
    return { program: process.execPath, args, passing }
  })

export const anvil = (program: string): Contender =>
  contender('anvil', async ({ flags }, port) => {
    const args = ['--port', port, ...CHAIN, ...FUNDS, ...ANVIL, ...(flags?.anvil ?? [])]
    return { program, args, passing: undefined }
  })

type CommandLine = {
  readonly program: string
  readonly args: readonly string[]
  /** A folder to remove afterwards. */
  readonly passing: string | undefined
}

function contender(name: Name, commandLine: (options: StartOptions, port: string) => Promise<CommandLine>): Contender {
  const running = new Set<Target>()
  return {
    name,
    async start(options = {}) {
      const port = await freePort()
      const { program, args, passing } = await commandLine(options, String(port))
      const target = await startTarget(name, program, args, `http://127.0.0.1:${port}/`)
      const stop = async () => {
        running.delete(target)
        await target.stop()
        if (passing !== undefined) await rm(passing, { recursive: true, force: true })
      }
      const known = { ...target, stop }
      running.add(known)
      return known
    },
    async stopAll() {
      for (const target of running) await target.stop()
      running.clear()
    },
  }
}

const children = new Set<ChildProcess>()
// A run that is cut off leaves no process behind.
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

async function startTarget(name: Name, program: string, args: readonly string[], url: string): Promise<Target> {
  const began = performance.now()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => (output = (output + text).slice(-4000)))
  const exited = new Promise<void>((resolve) => child.once('exit', resolve).once('error', resolve)).then(() => {
    children.delete(child)
  })
  const connection = await firstAnswer(url, () => children.has(child) && performance.now() - began < STARTING)
  if (connection === undefined) {
    child.kill('SIGKILL')
    throw new Error(`${name} does not answer:\n${output}`)
  }
  return {
    name,
    url,
    startedIn: performance.now() - began,
    connection,
    rpc: (method, ...params) => ask(connection, url, method, params),
    residentMemory: () => residentMemory(child.pid ?? 0),
    async stop() {
      connection.close()
      child.kill('SIGTERM')
      await Promise.race([exited, sleep(STOPPING, undefined, { ref: false })])
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Asks until there is an answer, every few milliseconds while `mayHope`. */
async function firstAnswer(url: string, mayHope: () => boolean): Promise<Connection | undefined> {
  while (mayHope()) {
    try {
      const connection = await openConnection(url)
      await ask(connection, url, 'eth_chainId', [])
      return connection
    } catch {
      await sleep(5)
    }
  }
  return undefined
}

type Answer = { readonly result?: unknown; readonly error?: { readonly message: string } }

async function ask(connection: Connection, url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = JSON.parse((await connection.ask(post(url, body))).toString()) as Answer
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
  return answer.result
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

function residentMemory(root: number): number {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' }).trim().split('\n')
  const rows = lines.map((line) => line.trim().split(/\s+/).map(Number))
  const family = new Set([root])
  // A child may be listed before its parent.
  for (let size = 0; size !== family.size; ) {
    size = family.size
    for (const [pid = 0, parent = 0] of rows) if (family.has(parent)) family.add(pid)
  }
  return rows.reduce((sum, [pid = 0, , kilobytes = 0]) => (family.has(pid) ? sum + kilobytes * 1024 : sum), 0)
}
