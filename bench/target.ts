// A node process that answers JSON-RPC. It is killed when this process exits for any reason.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, openConnection, post } from './load/http.ts'

/** Milliseconds for a program to finish its work after its first answer. */
export const SETTLING = 1000

export type Target = {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string
  /** Milliseconds from the start of the process to its first answer. */
  readonly startedIn: number
  /** Sends one request on a persistent connection; throws the node's error. */
  rpc(method: string, ...params: readonly unknown[]): Promise<unknown>
  /** Sends a serialized request; returns the body of the answer. */
  ask(request: Buffer): Promise<Buffer>
  /** Resident memory of the process and its children, in bytes. */
  residentMemory(): number
  /** CPU of the process since its start, in microseconds, all threads; undefined where the system has no `/proc`. */
  cpuTime(): number | undefined
  stop(): Promise<void>
}

const STARTING = 60_000
const STOPPING = 10_000
/** Maximum characters of the program's output in error messages. */
const OUTPUT = 4000

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts the program and waits until it answers at the URL. Throws with its output when it does not. */
export async function startTarget(
  program: string,
  args: readonly string[],
  url: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Target> {
  const began = performance.now()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => (output = (output + text).slice(-OUTPUT)))
  const exited = new Promise<void>((resolve) => {
    const end = () => {
      running.delete(child)
      resolve()
    }
    child.once('exit', end).once('error', end)
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await Promise.race([exited, sleep(STOPPING, undefined, { ref: false })])
    child.kill('SIGKILL')
    await exited
  }

  let connection: Connection | undefined
  const ask = async (request: Buffer): Promise<Buffer> => {
    // Reconnect: the server closes idle connections.
    if (connection === undefined || !connection.isOpen()) connection = await openConnection(url)
    return connection.ask(request)
  }
  const rpc: Target['rpc'] = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = JSON.parse((await ask(post(url, body))).toString()) as Answer
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }
  const answers = () =>
    rpc('eth_chainId').then(
      () => true,
      () => false,
    )
  while (!(await answers())) {
    if (running.has(child) && performance.now() - began < STARTING) await sleep(5)
    else {
      await stop()
      throw new Error(`${program} does not answer: ${output}`)
    }
  }
  return {
    url,
    startedIn: performance.now() - began,
    rpc,
    ask,
    residentMemory: () => residentMemory(child.pid ?? 0),
    cpuTime: () => cpuTime(child.pid ?? 0),
    async stop() {
      connection?.close()
      await stop()
    },
  }
}

type Answer = { readonly result?: unknown; readonly error?: { readonly message: string } }

export async function freePort(): Promise<number> {
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
  // Repeat until nothing is added, because a child may be listed before its parent.
  for (let size = 0; size !== family.size; ) {
    size = family.size
    for (const [pid = 0, parent = 0] of rows) if (family.has(parent)) family.add(pid)
  }
  return rows.reduce((sum, [pid = 0, , kilobytes = 0]) => (family.has(pid) ? sum + kilobytes * 1024 : sum), 0)
}

/** Microseconds of a tick of `/proc`; Linux reports 100 ticks per second on every machine. */
const TICK = 10_000

/**
 * The sum over the live threads is exact to the microsecond but lacks threads that have ended; the process's own total has
 * them, in whole ticks. Neither exceeds the true time, so take the larger one.
 */
export function cpuTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The fields after the program's name, which may contain spaces: the 12th and 13th are user and system time.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number)
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => {
      return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]) / 1000
    })
    return Math.max(
      ((user ?? 0) + (system ?? 0)) * TICK,
      threads.reduce((sum, time) => sum + time, 0),
    )
  } catch {
    return undefined
  }
}
