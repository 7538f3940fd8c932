// Programs that run to their end, with what they cost.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpuTime } from './target.ts'

export type Cost = {
  readonly seconds: number
  /** CPU of the process in microseconds; undefined outside of Linux. */
  readonly cpu: number | undefined
  /** Peak of the resident memory in bytes; undefined outside of Linux. */
  readonly memory: number | undefined
}

/** Milliseconds between two looks at the process, which cannot be asked after its end. */
const BETWEEN = 50
/** Characters of the program's output in error messages. */
const OUTPUT = 1000

/** Throws with the end of its output when the program fails. */
export async function runToEnd(program: string, args: readonly string[]): Promise<Cost> {
  const began = performance.now()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => (output = (output + text).slice(-OUTPUT)))
  let cpu: number | undefined
  let memory: number | undefined
  const look = setInterval(() => {
    cpu = cpuTime(child.pid ?? 0) ?? cpu
    memory = peakMemory(child.pid ?? 0) ?? memory
  }, BETWEEN)
  const stop = () => child.kill('SIGKILL')
  process.once('exit', stop)
  try {
    const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject))
    if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${output}`)
    return { seconds: (performance.now() - began) / 1000, cpu, memory }
  } finally {
    clearInterval(look)
    process.removeListener('exit', stop)
  }
}

function peakMemory(pid: number): number | undefined {
  try {
    const kilobytes = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}
