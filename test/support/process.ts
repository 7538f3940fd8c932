// Runs the built program as users do: in a process of its own with a port and a data directory. Processes and folders are
// removed at the end of the test or file that started them.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPublicClient, createTestClient, createWalletClient, defineChain, http, webSocket } from 'viem'
import { afterAll } from 'vitest'
import { account, rawRequest, request } from './chain.ts'

/** The program of the last build, or that in the environment variable KESTREL_PROGRAM. */
export const PROGRAM = process.env.KESTREL_PROGRAM ?? join(import.meta.dirname, '../../dist/main.js')
const STARTING = 20_000
const STOPPING = 10_000

export type RunningProcess = {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** Milliseconds from the start to the first response. */
  readonly startedIn: number
  /** The output of both streams so far. */
  output(): string
  isRunning(): boolean
  readonly pid: number
  /** Settles with the exit code when the program has exited or was stopped. */
  readonly ended: Promise<number | null>
  /** Sends SIGTERM; settles with the exit code. */
  stop(): Promise<number | null>
  /** Sends SIGKILL; settles when the process has ended. */
  kill(): Promise<void>
}

const running = new Set<ChildProcess>()
// Kill all processes when the test run itself is interrupted.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * Runs `kestrel start`, or another command that runs a node, with these flags on a free port and waits until it answers. `env` is added to
 * the tests' environment.
 */
export async function startProcess(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
  command = 'start',
): Promise<RunningProcess> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const began = performance.now()
  const child = spawn(process.execPath, [PROGRAM, command, '--port', String(port), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const exit = once(child, 'exit').then(([code]) => {
    running.delete(child)
    return code as number | null
  })
  const isRunning = () => running.has(child)

  while (!(await answers(url))) {
    if (isRunning() && performance.now() - began < STARTING) await sleep(20)
    else throw new Error(`the process does not answer:\n${output}`)
  }
  return {
    url,
    startedIn: performance.now() - began,
    output: () => output,
    isRunning,
    pid: child.pid ?? 0,
    ended: exit,
    async stop() {
      child.kill('SIGTERM')
      const code = await Promise.race([exit, sleep(STOPPING, 'late' as const, { ref: false })])
      if (code !== 'late') return code
      child.kill('SIGKILL')
      throw new Error(`the process did not stop:\n${output}`)
    },
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
  }
}

const answers = (url: string): Promise<boolean> =>
  request(url, 'eth_chainId').then(
    () => true,
    () => false,
  )

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** An empty folder and a function that removes it. */
export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'kestrel-test-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** viem's clients and plain requests for the node at a URL. */
export function clientsOf(url: string) {
  const wsUrl = `${url.replace('http', 'ws')}/rpc`
  const chain = defineChain({
    id: 125,
    name: 'kestrel',
    nativeCurrency: { name: 'KEST', symbol: 'KEST', decimals: 18 },
    rpcUrls: { default: { http: [`${url}/rpc`], webSocket: [wsUrl] } },
    contracts: { multicall3: { address: '0xcA11bde05977b3631167028862bE2a173976CA11' } },
  })
  // As of `withClients`.
  const transport = http(undefined, { retryCount: 0, timeout: 60_000 })
  const shared = { chain, transport, pollingInterval: 20, cacheTime: 0 }
  return {
    chain,
    url,
    wsUrl,
    rpc: (method: string, ...params: unknown[]) => request(url, method, params),
    raw: (method: string, ...params: unknown[]) => rawRequest(url, method, params),
    viem: createPublicClient(shared),
    dev: createTestClient({ ...shared, mode: 'anvil' }),
    walletOf: (index: number) => createWalletClient({ ...shared, account: account(index) }),
    /** A client over WebSocket; close it with `(await client.transport.getRpcClient()).close()`. */
    overSocket: () => createPublicClient({ chain, transport: webSocket(wsUrl, { retryCount: 0, reconnect: false }) }),
  }
}

export type Clients = ReturnType<typeof clientsOf>

/** One process for all tests of the calling file, with clients for it. */
export async function processForFile(flags: readonly string[] = ['--in-memory']) {
  const node = await startProcess(flags)
  afterAll(async () => {
    const code = await node.stop()
    if (code !== 0) throw new Error(`the process has ended with ${code}:\n${node.output()}`)
  })
  return { node, ...clientsOf(node.url) }
}
