// The time that one piece of work may take on this thread: CPU time of its own turns, so that it does not fail because the
// machine is busy or other requests have their turns. The wall clock is asked first: work is never past its deadline before
// as much time has passed, so that the CPU clock is read for long work only.
import { openSync, readSync } from 'node:fs'
import type { Pause } from './scheduler.ts'

/** When work has to end. */
export type AnyDeadline = Pick<Deadline, 'isPast' | 'pause'>

/** An end by the wall clock, for work that others wait for. `at`: `performance.now()`. */
export const wallDeadline = (at: number): AnyDeadline => ({
  isPast: (now = performance.now()) => now >= at,
  pause: (pause, now = performance.now()) => pause(now),
})

/** However little of the CPU it gets, work ends after so many times its limit by the wall clock. */
export const LONGEST_WALL = 10

export class Deadline {
  readonly #limit: number
  /** `performance.now()` at which it is past in any case. */
  readonly #end: number
  /** Milliseconds of the turns that have ended, by the wall clock and of CPU time. */
  #wall = 0
  #cpu = 0
  #turnBegan = performance.now()
  /** The thread's CPU time at the first look in this turn: short work ends without one. */
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

  /** As `pause`; what others do until the next turn does not count. */
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

/** Milliseconds of CPU time of this thread since some point in time. */
const threadCpu = (): number => {
  clock ??= threadClock()
  return clock()
}

/** Linux counts a thread's time in a file. Elsewhere Node.js may tell it; if not, the process's stands for it, which is more. */
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

/** The first number of /proc/thread-self/schedstat, nanoseconds. undefined: there is no such file, or nothing is counted. */
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
