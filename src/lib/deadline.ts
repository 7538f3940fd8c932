// The maximum CPU time that one piece of work may use in its own turns, so that it does not fail because the machine is busy or
// other requests have their turns. The wall clock is read first: work cannot be past its deadline before that much time has
// passed, so the CPU clock is read for long work only.
import { openSync, readSync } from 'node:fs'
import type { Pause } from './scheduler.ts'

/** The end of a piece of work. */
export type AnyDeadline = Pick<Deadline, 'isPast' | 'pause'>

/** A deadline by the wall clock, for work that others wait for. `at`: `performance.now()`. */
export const wallDeadline = (at: number): AnyDeadline => ({
  isPast: (now = performance.now()) => now >= at,
  pause: (pause, now = performance.now()) => pause(now),
})

/** Work ends after this many times its limit by the wall clock, however little CPU time it gets. */
export const LONGEST_WALL = 10

export class Deadline {
  readonly #limit: number
  /** `performance.now()` at which the deadline is past in any case. */
  readonly #end: number
  /** Milliseconds of completed turns, by the wall clock and of CPU time. */
  #wall = 0
  #cpu = 0
  #turnBegan = performance.now()
  /** The thread's CPU time at the first check in this turn; short work ends before any check. */
  #cpuBefore: number | undefined

  /** `limit`: milliseconds. The first turn begins at once. */
  constructor(limit: number) {
    this.#limit = limit
    this.#end = this.#turnBegan + LONGEST_WALL * limit
  }

  isPast(now = performance.now()): boolean {
    this.#cpuBefore ??= threadCpu()
    if (now >= this.#end) return true
    if (this.#wall + now - this.#turnBegan < this.#limit) return false
    return this.#cpu + threadCpu() - this.#cpuBefore >= this.#limit
  }

  /** Like the given `pause`; time until the next turn does not count. */
  pause(pause: Pause, now = performance.now()): Promise<void> | undefined {
    const next = pause(now)
    if (next === undefined) return undefined
    this.#wall += now - this.#turnBegan
    if (this.#cpuBefore !== undefined) this.#cpu += threadCpu() - this.#cpuBefore
    return next.then(() => {
      this.#turnBegan = performance.now()
      this.#cpuBefore = threadCpu()
    })
  }
}

let clock: (() => number) | undefined

/** CPU time of this thread in milliseconds, since an arbitrary point. */
const threadCpu = (): number => {
  clock ??= threadClock()
  return clock()
}

/**
 * Linux has a file with a thread's time. Elsewhere newer versions of Node.js have a function; otherwise the process's time,
 * which is more, is used.
 */
function threadClock(): () => number {
  const scheduled = schedstat()
  if (scheduled !== undefined) return scheduled
  // Since Node.js 23.9; the types are of an older one.
  const newer: { readonly cpuUsage: () => NodeJS.CpuUsage; readonly threadCpuUsage?: () => NodeJS.CpuUsage } = process
  return () => {
    const { user, system } = newer.threadCpuUsage?.() ?? newer.cpuUsage()
    return (user + system) / 1_000
  }
}

/**
 * Reads the first number of /proc/thread-self/schedstat, nanoseconds. undefined: there is no such file, or it counts nothing.
 */
function schedstat(): (() => number) | undefined {
  try {
    const file = openSync('/proc/thread-self/schedstat', 'r')
    const buffer = Buffer.alloc(64)
    const read = (): number => Number.parseInt(buffer.toString('latin1', 0, readSync(file, buffer, 0, 64, 0)), 10) / 1e6
    return read() > 0 ? read : undefined
  } catch {
    return undefined
  }
}
