// Runs a compiler in a separate process. Anyone may submit sources, so the process is limited in time, memory and output, has a
// low priority, and gets none of the node's environment. It reads no file but the compiler: a native one runs in an empty
// folder.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { constants, setPriority, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ChainError } from '../../lib/errors.ts'
import type { CompilerFile } from './compiler-files.ts'

export type CompilerLimits = {
  /** Milliseconds of processor time of one run. */
  readonly time: number
  /** Maximum memory of the process in megabytes; a run of solc 0.8 uses 200 to 350. */
  readonly memory: number
}

export const defaultCompilerLimits: CompilerLimits = { time: 60_000, memory: 1536 }

/** Maximum bytes of output: 50 contracts with some functions each take 8 MB. */
const LARGEST_OUTPUT = 64 * 1024 * 1024
/** Maximum characters of standard error in an error message. */
const MAX_COMPLAINT = 500
/** Maximum real time of a run as a multiple of its processor time: it has a low priority, and the machine may be busy. */
const REAL_TIME_FACTOR = 5
/** Written to standard error by a process before it kills itself. */
const OVER_MEMORY = 'over memory'
const OVER_TIME = 'over time'
/** Milliseconds between two checks of memory and time in a process. */
const WATCH_INTERVAL = 100

/** Resolves packages of this program. */
const packages = createRequire(import.meta.url)

/** The JavaScript build of the compiler that comes with the program. */
export const bundledCompiler = (): string => packages.resolve('solc/soljson.js')

/** The thread that checks memory and time. A timer cannot, because the compiler never returns to the event loop. */
const WATCH = `
const { writeSync } = require('node:fs')
const { workerData: { memory, time } } = require('node:worker_threads')
const end = (word) => {
  writeSync(2, word)
  process.kill(process.pid, 'SIGKILL')
}
setInterval(() => {
  const { user, system } = process.cpuUsage()
  if (process.memoryUsage.rss() > memory * 1e6) end('${OVER_MEMORY}')
  if (user + system > time * 1e3) end('${OVER_TIME}')
}, ${WATCH_INTERVAL})`

/**
 * The program of the process, as text because a bundle has no file for it. V8's limits bound the heap and WebAssembly. Older
 * compilers are asm.js, whose memory is in neither, so a thread compares the memory of the whole process with the limit.
 */
const SCRIPT = `
const WATCH = ${JSON.stringify(WATCH)}
const { Worker } = require('node:worker_threads')
let text = ''
process.stdin.setEncoding('utf8').on('data', (part) => { text += part }).on('end', () => {
  const { wrapper, soljson, input, limits } = JSON.parse(text)
  text = ''
  new Worker(WATCH, { eval: true, workerData: limits }).unref()
  const solc = require(wrapper)(require(soljson))
  process.stdout.write(input === null ? solc.version() : solc.compile(input))
})`

type Run = {
  readonly limits: CompilerLimits
  readonly signal: AbortSignal
  /** Whether this process must watch the memory of the other one, which does not do so itself. */
  readonly isMemoryWatched?: boolean
}

/**
 * Returns a compiler's output for an input (standard JSON), or without an input its version text. Throws ChainError
 * `limit-exceeded` if it exceeds a limit, is ended by the signal, or fails.
 */
export async function runCompiler(
  { file, kind }: Pick<CompilerFile, 'file' | 'kind'>,
  input: string | null,
  run: Run,
): Promise<string> {
  const { limits } = run
  if (kind === 'native') return runNative(file, input, run)
  const request = { wrapper: packages.resolve('solc/wrapper'), soljson: file, input, limits }
  // A WebAssembly page has 64 KB.
  const flags = [`--max-old-space-size=${limits.memory}`, `--wasm-max-mem-pages=${limits.memory * 16}`]
  const child = () => spawn(process.execPath, [...flags, '--input-type=commonjs', '--eval', SCRIPT], { env: {} })
  return answerOf(child, JSON.stringify(request), run)
}

/**
 * Runs a program under the shell's limit of processor time, in seconds. Its limit of address space is useless here: programs
 * with WebAssembly reserve much more than they use.
 */
const LIMITED = 'ulimit -S -t "$1" 2>/dev/null; ulimit -H -t $(($1 + 2)) 2>/dev/null; shift; exec "$@"'

async function runNative(file: string, input: string | null, run: Run): Promise<string> {
  const { time } = run.limits
  const folder = await mkdtemp(join(tmpdir(), 'kestrel-compiler-'))
  // Compilers name their folder in errors about missing imports, and shells name the program that they cannot run.
  const withoutPaths = (text: string) => text.replaceAll(folder, '').replaceAll(`${dirname(file)}/`, '')
  try {
    const command = [Math.ceil(time / 1000).toString(), file, input === null ? '--version' : '--standard-json']
    // PATH is for scripts that begin with `env`. The process leads a group, because some programs start another one, which must
    // end with it.
    const options = { cwd: folder, env: { PATH: `${dirname(file)}:/usr/local/bin:/usr/bin:/bin` }, detached: true }
    const child = () => spawn('/bin/sh', ['-c', LIMITED, 'sh', ...command], options)
    return withoutPaths(await answerOf(child, input ?? '', { ...run, isMemoryWatched: true }))
  } catch (error) {
    throw error instanceof ChainError ? new ChainError(error.code, withoutPaths(error.message)) : error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function answerOf(
  start: () => ChildProcess,
  request: string,
  { limits, signal, isMemoryWatched }: Run,
): Promise<string> {
  const { time, memory } = limits
  const tooLong = `was stopped: one run may take ${time / 1000} seconds of processor time`
  const tooLarge = `was stopped: it may use ${memory} MB of memory`
  const refusal = (words: string) => new ChainError('limit-exceeded', `the compiler ${words}`)
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(refusal('was stopped'))
    const child = start()
    // At once, so that threads started later inherit it.
    if (child.pid !== undefined) yieldTo(child.pid)
    const parts: Buffer[] = []
    let size = 0
    let complaint = ''
    const stop = (words: string) => {
      end(child)
      reject(refusal(words))
    }
    const close = () => stop('was stopped')
    signal.addEventListener('abort', close, { once: true })
    const timer = setTimeout(() => stop(tooLong), time * REAL_TIME_FACTOR)
    const watch = setInterval(async () => {
      if (isMemoryWatched === true && (await memoryOf(child.pid)) > memory * 1e6) stop(tooLarge)
    }, WATCH_INTERVAL)
    const settle = () => {
      signal.removeEventListener('abort', close)
      clearTimeout(timer)
      clearInterval(watch)
    }
    child.stdout?.on('data', (part: Buffer) => {
      size += part.length
      if (size > LARGEST_OUTPUT) end(child)
      else parts.push(part)
    })
    child.stderr?.on('data', (part: Buffer) => {
      complaint = `${complaint}${part}`.slice(-MAX_COMPLAINT)
    })
    // Writing fails if the compiler ends before it has read everything; its exit is handled below.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(request)
    child.on('error', (error) => {
      settle()
      reject(error)
    })
    child.on('close', (code, killedBy) => {
      settle()
      if (size > LARGEST_OUTPUT) reject(refusal('was stopped: its answer is too large'))
      else if (complaint.endsWith(OVER_TIME) || killedBy === 'SIGXCPU') reject(refusal(tooLong))
      else if (complaint.endsWith(OVER_MEMORY)) reject(refusal(tooLarge))
      else if (code !== 0) reject(refusal(`broke down: ${lastLine(complaint) || 'out of memory'}`))
      else resolve(Buffer.concat(parts).toString('utf8'))
    })
  })
}

const PAGE = 4096

/** Bytes of memory of a process and its children; 0 if the system does not report it (macOS). */
async function memoryOf(pid: number | string | undefined): Promise<number> {
  const read = (path: string) => readFile(`/proc/${pid}/${path}`, 'utf8').catch(() => '')
  const [sizes, children] = await Promise.all([read('statm'), read(`task/${pid}/children`)])
  const ofChildren = await Promise.all(children.split(' ').filter(Boolean).map(memoryOf))
  return ofChildren.reduce((sum, size) => sum + size, PAGE * Number(sizes.split(' ')[1] ?? 0))
}

/** Kills a process and, if it leads a group, its children. */
function end(child: ChildProcess): void {
  child.kill('SIGKILL')
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It leads no group, or has ended.
  }
}

/**
 * Lowers the priority of a process, but not to the lowest, at which it would get almost no time on a busy node. Ignores errors:
 * the process has ended, or the system does not permit it.
 */
function yieldTo(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {}
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim() ?? ''
