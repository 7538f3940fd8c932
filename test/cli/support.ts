// Runs the built program as a user does: its output on each stream, and how it ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished, vi } from 'vitest'
import { runCommandLine } from '../../src/cli/program.ts'
import { PROGRAM, temporaryFolder } from '../support/process.ts'

export type Ended = {
  readonly code: number | null
  /** The signal that ended it, if any. */
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** An empty folder that is removed after the test. */
export async function folder(): Promise<string> {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  return path
}

export function launch(cwd: string, args: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const text = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    text.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    text.stderr += chunk
  })
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...text }))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, text, ended }
}

/** Runs a command in a folder until it ends. */
export const run = (cwd: string, ...args: string[]): Promise<Ended> => launch(cwd, args).ended

/** Runs a command in this process, which saves a second of loading: for commands that connect to a node. One at a time. */
export async function runHere(...args: string[]): Promise<Ended> {
  const { value, ...text } = await captureOutput(() => runCommandLine(args))
  return { code: value, signal: null, ...text }
}

/** Runs `work` and returns its result with the output of this process during it. */
export async function captureOutput<T>(work: () => Promise<T>) {
  const text = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
      text[stream] += String(chunk)
      return true
    }),
  )
  try {
    const value = await work()
    return { value, ...text }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

/** Runs `start` on a free port and waits for its banner. */
export async function start(cwd: string, ...args: string[]) {
  const { child, text, ended } = launch(cwd, ['start', '--port', '0', ...args])
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const [, found] = /JSON-RPC\s+(http:\S+)\/rpc/.exec(text.stdout) ?? []
      if (found !== undefined) resolve(found)
    })
    ended.then(({ code, stderr }) => reject(new Error(`ended with ${code}: ${stderr}`)))
  })
  return {
    url,
    /** Its output so far. */
    text,
    /** Ends it with a signal. */
    stop(signal: NodeJS.Signals = 'SIGINT'): Promise<Ended> {
      child.kill(signal)
      return ended
    },
  }
}

/** The required form of every failure: one line without a stack trace. */
export const ONE_LINE = /^kestrel: [^\n]+\n$/
