// The queue of heavy calls: a few run at a time, the others wait, those of one connection in the order in which they came.
// Connections take places in rounds, so that one with many calls does not hold up one with a single call.
import { ChainError } from './errors.ts'
import { cancelled, type Scheduler, scheduler } from './scheduler.ts'

export type WorkLimits = {
  /** Heavy calls that run at a time. They share the thread; each holds the memory of its result. */
  readonly running: number
  /** Heavy calls that wait. */
  readonly waiting: number
  /** Those of one connection. */
  readonly waitingPerConnection: number
  /** Milliseconds after which a waiting call is refused. */
  readonly maxWait: number
}

export const defaultWorkLimits: WorkLimits = { running: 4, waiting: 2000, waitingPerConnection: 1000, maxWait: 30_000 }

/** Milliseconds between two looks for calls that have waited for too long. */
const LOOK = 1000

type WaitingCall = { readonly since: number; readonly begin: () => void; readonly refuse: (reason: ChainError) => void }
/** The waiting calls of one connection. */
type Line = { readonly calls: WaitingCall[]; readonly drop: () => void }

export class WorkQueue {
  readonly #limits: WorkLimits
  readonly #turns: Scheduler
  /** In the order in which connections take places. */
  readonly #lines = new Map<AbortSignal, Line>()
  #running = 0
  #refusals = 0
  #waiting = 0
  #isCalled = false
  #timer: NodeJS.Timeout | undefined

  constructor(limits: Partial<WorkLimits> = {}, order: Scheduler = scheduler) {
    this.#limits = { ...defaultWorkLimits, ...limits }
    this.#turns = order
  }

  /** Heavy calls that run, and that wait. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting }
  }

  /** Heavy calls that were refused because too many waited, or because they had waited for too long. */
  get refusals(): number {
    return this.#refusals
  }

  /**
   * Takes a place for a call, which must `leave` it: undefined when it may begin, else a promise of its place. `caller` is the
   * call's connection. Throws ChainError `overloaded` when too many wait; the promise fails with it when the wait is too
   * long, and with `cancelled` when the connection closes.
   */
  enter(caller: AbortSignal): Promise<void> | undefined {
    if (this.#waiting === 0 && this.#running < this.#limits.running && this.#turns.mayBeginHeavy(this.#running === 0)) {
      this.#running++
      return undefined
    }
    return this.#wait(caller)
  }

  leave(): void {
    if (--this.#running === 0) this.#turns.heavyWorkEnded()
    if (this.#waiting === 0) return
    if (this.#turns.mayBeginHeavy(this.#running === 0)) this.#beginNext()
    else this.#call()
  }

  /** Runs a task in a place. Throws as `enter`, and as the task. */
  async run<T>(caller: AbortSignal, task: () => T | Promise<T>): Promise<T> {
    const place = this.enter(caller)
    if (place !== undefined) await place
    try {
      return await task()
    } finally {
      this.leave()
    }
  }

  /**
   * For a call that has a place and is at work elsewhere, in another thread: meanwhile its place is another's. It has one
   * again when this settles, also if there are then more than there should be.
   */
  async runOutside<T>(task: () => Promise<T>): Promise<T> {
    this.leave()
    try {
      return await task()
    } finally {
      this.#running++
    }
  }

  #wait(caller: AbortSignal): Promise<void> {
    if (caller.aborted) throw cancelled()
    const { waiting, waitingPerConnection: waitingOfOne } = this.#limits
    if (this.#waiting >= waiting) throw this.#tooMany(`at most ${waiting} calls wait on this node`)
    const line = this.#lines.get(caller) ?? this.#openLine(caller)
    if (line.calls.length >= waitingOfOne) throw this.#tooMany(`at most ${waitingOfOne} calls of one connection wait`)
    this.#waiting++
    this.#timer ??= setInterval(this.#refuseLate, LOOK).unref()
    return new Promise((begin, refuse) => {
      line.calls.push({ since: performance.now(), begin, refuse })
      this.#call()
    })
  }

  #openLine(caller: AbortSignal): Line {
    const drop = () => {
      const { calls } = line
      this.#closeLine(caller, line)
      this.#forget(calls.length)
      for (const { refuse } of calls) refuse(cancelled())
    }
    const line: Line = { calls: [], drop }
    caller.addEventListener('abort', drop)
    this.#lines.set(caller, line)
    return line
  }

  #closeLine(caller: AbortSignal, { drop }: Line): void {
    caller.removeEventListener('abort', drop)
    this.#lines.delete(caller)
  }

  /** Calls for a turn in which the next one may begin. */
  #call(): void {
    if (this.#isCalled || this.#waiting === 0 || this.#running >= this.#limits.running) return
    this.#isCalled = true
    void this.#turns.heavyTurn().then(() => {
      this.#isCalled = false
      this.#beginNext()
    })
  }

  /** Begins one call: when it ends, the next one may begin in the same turn, and if it takes longer, in another one. */
  #beginNext(): void {
    if (this.#running >= this.#limits.running) return
    const [caller, line] = this.#lines.entries().next().value ?? []
    const next = line?.calls.shift()
    if (caller === undefined || line === undefined || next === undefined) return
    this.#lines.delete(caller)
    if (line.calls.length > 0) this.#lines.set(caller, line)
    else this.#closeLine(caller, line)
    this.#forget(1)
    this.#running++
    next.begin()
    this.#call()
  }

  readonly #refuseLate = (): void => {
    const { maxWait: patience } = this.#limits
    const latest = performance.now() - patience
    for (const [caller, line] of this.#lines) {
      const kept = line.calls.findIndex(({ since }) => since > latest)
      const late = line.calls.splice(0, kept < 0 ? line.calls.length : kept)
      if (line.calls.length === 0) this.#closeLine(caller, line)
      this.#forget(late.length)
      for (const { refuse } of late) refuse(this.#tooMany(`the call has waited for ${patience / 1000} seconds`))
    }
  }

  #tooMany(words: string): ChainError {
    this.#refusals++
    return new ChainError('overloaded', `limit exceeded: ${words}`)
  }

  #forget(count: number): void {
    this.#waiting -= count
    if (this.#waiting > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
