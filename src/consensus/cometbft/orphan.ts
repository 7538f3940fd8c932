// Ends a CometBFT process whose kestrel was killed. It exits by itself when it loses its socket, unless it has not connected
// yet or hangs; until then it holds the home's databases, so the next start ends it.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { ChainError } from '../../lib/errors.ts'

/** Milliseconds until an orphan that has not ended by itself is killed. */
const PATIENCE = 2_000
const PAUSE = 50
const HAS_PROC = existsSync('/proc/self/cmdline')

/** Records the process id of the CometBFT that runs in a home, and of its parent. */
export function noteEngine(processIdFile: string, processId: number): void {
  writeFileSync(processIdFile, `${processId} ${process.pid}\n`, { mode: 0o600 })
}

/**
 * Ends the CometBFT process that a file names, if it still runs in this home and its kestrel has ended. Throws ChainError
 * `not-allowed` when its kestrel runs.
 */
export async function endOrphan(processIdFile: string, home: string): Promise<void> {
  if (!existsSync(processIdFile)) return
  const [processId = 0, parent = 0] = readFileSync(processIdFile, 'utf8').trim().split(' ').map(Number)
  if (!Number.isSafeInteger(processId) || processId <= 1 || !isEngineOf(processId, home)) return
  if (parent !== process.pid && parentOf(processId) === parent)
    throw new ChainError('not-allowed', `${home} is in use by the node with process id ${parent}`)
  kill(processId, 'SIGTERM')
  const until = performance.now() + PATIENCE
  while (isEngineOf(processId, home)) {
    if (performance.now() > until) kill(processId, 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
}

function kill(processId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(processId, signal)
  } catch {
    // It has ended since the check.
  }
}

/** The system reuses process ids: the process with this id may be another program. */
function isEngineOf(processId: number, home: string): boolean {
  const words = commandLine(processId)
  return words.includes('start') && words.includes(home)
}

/** Process id of a process's parent; undefined when it has ended. */
function parentOf(processId: number): number | undefined {
  try {
    if (HAS_PROC) return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1])
    return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(processId)], { encoding: 'utf8' }))
  } catch {
    return undefined
  }
}

/** Words of a process's command line; empty when there is no such process or it has ended. */
function commandLine(processId: number): readonly string[] {
  try {
    if (HAS_PROC) return readFileSync(`/proc/${processId}/cmdline`, 'utf8').split('\0')
    const line = execFileSync('ps', ['-o', 'command=', '-p', String(processId)], { encoding: 'utf8' })
    return line.trim().split(/\s+/)
  } catch {
    return []
  }
}
