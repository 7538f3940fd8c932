// The read threads of a node. The first heavy request starts one; another is started when all are busy, up to the maximum; they
// end after a minute without requests. While none is ready, the main thread answers.
import type { Readers, RpcServices, ThreadAnswer } from '../rpc/define.ts'
import type { ReadThreadData } from './messages.ts'
import { ReadThread } from './read-thread.ts'

/** Milliseconds without a request after which the threads end. */
const IDLE_TIME = 60_000
/** Milliseconds after a failure of a thread before another is started. */
const RESTART_DELAY = 1_000
/** A request with this text may refer to the pool, which only the main thread has. */
const PENDING = '"pending"'

/** Running threads, their pending requests, and the requests answered since the start. */
export type ReadLoad = { readonly threads: number; readonly requests: number; readonly answers: number }

/**
 * A tracer whose name has other characters than letters and digits is a script; scripts run on threads of the main thread's
 * pool.
 */
const SCRIPT = /"tracer"\s*:\s*"(?![A-Za-z0-9]*")/

export class ReadThreads implements Readers {
  readonly #max: number
  readonly #data: ReadThreadData
  readonly #log: RpcServices['log']
  readonly #threads = new Set<ReadThread>()
  #answers = 0
  #state: 'open' | 'suspended' | 'closed' = 'open'
  /** When a thread may be started again, in time of `performance.now()`. */
  #mayStart = 0
  #idle: NodeJS.Timeout | undefined
  #lastUse = 0

  constructor(max: number, data: ReadThreadData, log: RpcServices['log']) {
    this.#max = max
    this.#data = data
    this.#log = log
  }

  get load(): ReadLoad {
    let requests = 0
    for (const thread of this.#threads) requests += thread.load
    return { threads: this.#threads.size, requests, answers: this.#answers }
  }

  answer(text: string, signal: AbortSignal): Promise<ThreadAnswer | undefined> | undefined {
    if (this.#state !== 'open' || text.includes(PENDING) || SCRIPT.test(text)) return undefined
    this.#watchIdle()
    const thread = this.#leastBusy()
    if (thread === undefined || thread.load > 0) this.#startAnother()
    return thread && this.#ask(thread, text, signal)
  }

  /** Ends all threads, so that the database can be closed and reopened; `resume` allows new ones. */
  async suspend(): Promise<void> {
    if (this.#state === 'open') this.#state = 'suspended'
    await this.#endAll()
  }

  resume(): void {
    if (this.#state === 'suspended') this.#state = 'open'
  }

  /** Ends all threads like a failure. For tests. */
  async kill(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.kill()))
  }

  /** Ends all threads permanently; the main thread answers their requests. */
  async close(): Promise<void> {
    this.#state = 'closed'
    clearInterval(this.#idle)
    await this.#endAll()
  }

  async #ask(thread: ReadThread, text: string, signal: AbortSignal): Promise<ThreadAnswer | undefined> {
    const answer = await thread.ask(text, signal)
    if (answer !== undefined) this.#answers++
    return answer
  }

  #leastBusy(): ReadThread | undefined {
    let found: ReadThread | undefined
    for (const thread of this.#threads) {
      if (thread.isReady && (found === undefined || thread.load < found.load)) found = thread
    }
    return found
  }

  /** Starts a thread unless there are enough already or one is starting. */
  #startAnother(): void {
    if (this.#threads.size >= this.#max || performance.now() < this.#mayStart) return
    for (const { isReady } of this.#threads) if (!isReady) return
    try {
      const thread: ReadThread = new ReadThread(this.#data, {
        ready: () => this.#log.debug({}, `read thread ${this.#threads.size} of at most ${this.#max} has started`),
        ended: (reason) => this.#drop(thread, reason),
        log: ({ level, fields, message }) => this.#log[level](fields, message),
      })
      this.#threads.add(thread)
    } catch (error) {
      // Its program is missing: the main thread answers everything.
      this.#mayStart = Number.POSITIVE_INFINITY
      this.#log.error({ err: error }, 'read threads cannot be started')
    }
  }

  #drop(thread: ReadThread, reason: string): void {
    // A thread that was ended on purpose is no longer in the set.
    if (!this.#threads.delete(thread)) return
    this.#mayStart = performance.now() + RESTART_DELAY
    this.#log.error({}, `a read thread has ended: ${reason}; another one will be started`)
  }

  async #endAll(): Promise<void> {
    const threads = [...this.#threads]
    this.#threads.clear()
    await Promise.all(threads.map((thread) => thread.close()))
  }

  #watchIdle(): void {
    this.#lastUse = performance.now()
    if (this.#idle !== undefined) return
    this.#idle = setInterval(() => {
      if (performance.now() - this.#lastUse < IDLE_TIME || this.load.requests > 0) return
      clearInterval(this.#idle)
      this.#idle = undefined
      void this.#endAll()
    }, IDLE_TIME / 4)
    this.#idle.unref()
  }
}
