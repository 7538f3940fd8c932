// Which heavy requests the main thread tries itself before a thread gets them. Handing one over costs the main thread about
// 15 µs and its client two thread switches, which is more than a short call takes; so a little of the work of each iteration
// of the event loop is done here. A trial that is not short ends, its request goes to a thread, and no other one begins for
// a while: long work never takes more than a small share of the main thread.
import { TRIAL_OVER, type Trial } from '../rpc/define.ts'

/** Milliseconds of trials in one iteration of the event loop, after which the rest goes to threads. */
const BUDGET = 0.1
/** Milliseconds after which a trial is ended at its next pause. */
const LIMIT = 2
/** A trial that took longer, in milliseconds, was not worth it: for this many times as long there is none. */
const SHORT = 0.5
const PENALTY = 20

export class Trials {
  /** The milliseconds of the trials of this iteration. */
  #spent = 0
  #running = 0
  #pausedUntil = 0
  /** Ends the trials that run. Their clients' connections need no signals of their own: a trial is too short. */
  #controller = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #isIterationWatched = false

  /** undefined: a thread should take the request at once. */
  begin(): Trial | undefined {
    const began = performance.now()
    if (this.#spent >= BUDGET || began < this.#pausedUntil) return undefined
    this.#running++
    this.#timer ??= setTimeout(() => this.#endAll(), LIMIT).unref()
    if (!this.#isIterationWatched) {
      this.#isIterationWatched = true
      setImmediate(this.#newIteration)
    }
    return { signal: this.#controller.signal, end: () => this.#end(began) }
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #end(began: number): void {
    const now = performance.now()
    const time = now - began
    this.#running--
    this.#spent += time
    if (time > SHORT) this.#pausedUntil = now + time * PENALTY
  }

  readonly #newIteration = (): void => {
    this.#isIterationWatched = false
    this.#spent = 0
  }

  #endAll(): void {
    this.#timer = undefined
    if (this.#running === 0) return
    this.#controller.abort(TRIAL_OVER)
    this.#controller = new AbortController()
  }
}
