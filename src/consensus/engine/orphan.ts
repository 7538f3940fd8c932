// An engine whose kestrel was killed. It ends by itself when its socket is gone, unless it has not connected yet or hangs; it
// holds the home's databases until then, so the next start ends it.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'

/** Milliseconds that an orphan has to end by itself before it is killed. */
const PATIENCE = 3_000
const PAUSE = 50

/** Ends the process that a file names, if it is still an engine of this home. */
export async function endOrphan(processIdFile: string, home: string): Promise<void> {
  if (!existsSync(processIdFile)) return
  const processId = Number(readFileSync(processIdFile, 'utf8'))
  rmSync(processIdFile, { force: true })
  if (!Number.isSafeInteger(processId) || processId <= 1 || !isEngineOf(processId, home)) return
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
    // It has ended meanwhile.
  }
}

/** Process ids are given again: what has the id now may be another program. */
function isEngineOf(processId: number, home: string): boolean {
  const words = commandLine(processId)
  return words.includes('start') && words.includes(home)
}

/** Words of a process's command line; empty when there is no such process or it has ended. */
function commandLine(processId: number): readonly string[] {
  try {
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${processId}/cmdline`, 'utf8').split('\0')
    const line = execFileSync('ps', ['-o', 'command=', '-p', String(processId)], { encoding: 'utf8' })
    return line.trim().split(/\s+/)
  } catch {
    return []
  }
}
