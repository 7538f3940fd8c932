// The queue of heavy calls: a few run at a time; the others wait, those of one client in order of arrival. Slots go to clients
// in turn (`FairQueue`), so that one with many calls does not delay one with a single call. A client is a network address with
// all its connections; for programs of this machine and proxies each connection is a client.
import { AsyncLocalStorage } from 'node:async_hooks'
import { clientOf } from './connection-signal.ts'
import { ChainError } from './errors.ts'
import { FairQueue } from './fair-queue.ts'
import { cancelled, type Scheduler, scheduler } from './scheduler.ts'

export type WorkLimits = {
  /** Maximum number of running heavy calls. They share the thread; each holds the memory of its result. */
  readonly running: number
  /** Maximum number of waiting heavy calls. */
  readonly waiting: number
  /** Maximum number of waiting heavy calls of one client. */
  readonly waitingPerClient: number
  /** Milliseconds after which a waiting call is refused. */
  readonly maxWait: number
}

export const defaultWorkLimits: WorkLimits = { running: 4, waiting: 2000, waitingPerClient: 1000, maxWait: 30_000 }

/** Calls that may wait for another server without a place. */
const MOST_OUTSIDE = 64

/** Interval in milliseconds of the search for calls that have waited too long. */
const LATE_CHECK_INTERVAL = 1000

type Client = AbortSignal | string
type WaitingCall = {
  readonly connection: AbortSignal
  readonly since: number
  readonly begin: () => void
  readonly refuse: (reason: ChainError) => void
}
/** The number of waiting calls of a connection, and the listener for its closing. */
type Watched = { waiting: number; readonly drop: () => void }

const clientBehind = (connection: AbortSignal): Client => clientOf(connection) ?? connection

export class WorkQueue {
  readonly #limits: WorkLimits
  readonly #scheduler: Scheduler
  readonly #waiting = new FairQueue<Client, WaitingCall>()
  readonly #watched = new Map<AbortSignal, Watched>()
  #running = 0
  /** Calls that have given up their place for now. */
  #outside = 0
  #refusals = 0
  /** Whether a turn was requested from the scheduler and has not begun. */
  #isTurnRequested = false
  #timer: NodeJS.Timeout | undefined

  constructor(limits: Partial<WorkLimits> = {}, order: Scheduler = scheduler) {
    this.#limits = { ...defaultWorkLimits, ...limits }
    this.#scheduler = order
  }

  /** The numbers of running and waiting heavy calls. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting.size }
  }

  /** Heavy calls that were refused because too many waited, or because they had waited too long. */
  get refusals(): number {
    return this.#refusals
  }

  /**
   * Takes a place for a call, which must `leave` it: undefined when the call may begin at once, else a promise of its place.
   * `connection` is aborted when the call's connection is closed. Throws ChainError `overloaded` when too many calls wait;
   * the promise rejects with it when the wait is too long, and with `cancelled` when the connection is closed.
   */
  enter(connection: AbortSignal): Promise<void> | undefined {
    const hasRoom = this.#waiting.size === 0 && this.#running < this.#limits.running
    if (!hasRoom || !this.#scheduler.mayBeginHeavy(this.#running === 0)) return this.#wait(connection)
    this.#running++
    return undefined
  }

  leave(): void {
    if (--this.#running === 0) this.#scheduler.heavyWorkEnded()
    if (this.#waiting.size === 0) return
    if (this.#scheduler.mayBeginHeavy(this.#running === 0)) this.#beginNext()
    else this.#requestTurn()
  }

  /** Runs a task in a place. `waits`: it may wait for another server (`waitElsewhere`). Throws as `enter`, and as the task. */
  async run<T>(connection: AbortSignal, task: () => T | Promise<T>, waits = false): Promise<T> {
    const turn = this.enter(connection)
    if (turn !== undefined) await turn
    try {
      return await (waits ? this.runInPlace(connection, async () => task()) : task())
    } finally {
      this.leave()
    }
  }

  /**
   * For a call that has a place and whose work is done in another thread: other calls use its place until this settles. Then it
   * has a place again, even if that makes more running calls than `running` allows.
   */
  async runOutside<T>(task: () => Promise<T>): Promise<T> {
    this.leave()
    try {
      return await task()
    } finally {
      this.#running++
    }
  }

  /** Runs the work of a call that has a place, so that `waitElsewhere` finds it. It makes every promise of the work slower. */
  runInPlace<T>(connection: AbortSignal, work: () => Promise<T>): Promise<T> {
    return place.run({ queue: this, connection }, work)
  }

  /** As `runOutside`, but it waits for a place again: many calls may have waited. Throws as `enter`, with a place all the same. */
  async waitOutside<T>(connection: AbortSignal, task: () => Promise<T>): Promise<T> {
    if (this.#outside >= MOST_OUTSIDE) return task()
    this.#outside++
    this.leave()
    try {
      return await task()
    } finally {
      this.#outside--
      await this.#enterAgain(connection)
    }
  }

  async #enterAgain(connection: AbortSignal): Promise<void> {
    try {
      await this.enter(connection)
    } catch (error) {
      this.#running++
      throw error
    }
  }

  #wait(connection: AbortSignal): Promise<void> {
    if (connection.aborted) throw cancelled()
    const { waiting, waitingPerClient } = this.#limits
    const client = clientBehind(connection)
    if (this.#waiting.size >= waiting) throw this.#overloaded(`at most ${waiting} calls wait on this node`)
    if (this.#waiting.sizeOf(client) >= waitingPerClient)
      throw this.#overloaded(`at most ${waitingPerClient} calls of one client wait`)
    this.#watch(connection)
    this.#timer ??= setInterval(this.#refuseLate, LATE_CHECK_INTERVAL).unref()
    return new Promise((begin, refuse) => {
      this.#waiting.add(client, { connection, since: performance.now(), begin, refuse })
      this.#requestTurn()
    })
  }

  /** Refuses the waiting calls of a connection when it is closed. */
  #watch(connection: AbortSignal): void {
    let watched = this.#watched.get(connection)
    if (watched === undefined) {
      const isOfIt = (call: WaitingCall) => call.connection === connection
      watched = { waiting: 0, drop: () => this.#refuse(clientBehind(connection), isOfIt, cancelled) }
      connection.addEventListener('abort', watched.drop)
      this.#watched.set(connection, watched)
    }
    watched.waiting++
  }

  /** Call it for a call that no longer waits: removes its connection's listener and the timer when no call needs them. */
  #release({ connection }: WaitingCall): void {
    const watched = this.#watched.get(connection)
    if (watched !== undefined && --watched.waiting === 0) {
      connection.removeEventListener('abort', watched.drop)
      this.#watched.delete(connection)
    }
    if (this.#waiting.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Requests a turn in which the next call may start. */
  #requestTurn(): void {
    if (this.#isTurnRequested || this.#waiting.size === 0 || this.#running >= this.#limits.running) return
    this.#isTurnRequested = true
    void this.#scheduler.heavyTurn().then(() => {
      this.#isTurnRequested = false
      this.#beginNext()
    })
  }

  /** Starts one call. The next one starts in the same turn if this one ends in it, otherwise in another turn. */
  #beginNext(): void {
    if (this.#running >= this.#limits.running) return
    const next = this.#waiting.next()
    if (next === undefined) return
    this.#release(next.item)
    this.#running++
    next.item.begin()
    this.#requestTurn()
  }

  readonly #refuseLate = (): void => {
    const { maxWait } = this.#limits
    const latest = performance.now() - maxWait
    const reason = () => this.#overloaded(`the call has waited for ${maxWait / 1000} seconds`)
    for (const client of this.#waiting.clients()) this.#refuse(client, ({ since }) => since <= latest, reason)
  }

  #refuse(client: Client, isRefused: (call: WaitingCall) => boolean, reason: () => ChainError): void {
    for (const call of this.#waiting.takeIf(client, isRefused)) {
      this.#release(call)
      call.refuse(reason())
    }
  }

  #overloaded(words: string): ChainError {
    this.#refusals++
    return new ChainError('overloaded', `limit exceeded: ${words}`)
  }
}

const place = new AsyncLocalStorage<{ readonly queue: WorkQueue; readonly connection: AbortSignal }>()

/** Waits for another server: a call that has a place of a queue lends it to others meanwhile. Throws as the task, and as `enter`. */
export function waitElsewhere<T>(task: () => Promise<T>): Promise<T> {
  const held = place.getStore()
  return held === undefined ? task() : held.queue.waitOutside(held.connection, task)
}
