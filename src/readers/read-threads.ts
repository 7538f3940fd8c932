// The read threads of a node. They answer heavy requests that the main thread hands over and, where sockets can share a port,
// accept connections of their own. They are started while the threads that run are busy with reads, up to the maximum; a thread
// ends after a minute without requests and connections. While none is ready, the main thread answers.
import { availableParallelism } from 'node:os'
import { SharedCounters } from '../lib/shared-counters.ts'
import type { CountedCalls } from '../monitoring/call-histogram.ts'
import type { Readers, RequestReports, RpcServices, ThreadAnswer } from '../rpc/define.ts'
import type { AcceptingThreads, MainThread, SharedPort } from '../rpc/http/shared-port.ts'
import type { ReadThreadData } from './messages.ts'
import { ReadThread } from './read-thread.ts'

/** Milliseconds without requests and connections after which a thread ends. */
const IDLE_TIME = 60_000
/** Milliseconds between two looks at what the threads do, and the share of that time from which a thread is busy. */
const WATCH_INTERVAL = 250
const BUSY = 0.5
/** Connections with reads from which more threads are of use: the requests of each are answered one after the other. */
const FEWEST_CONNECTIONS = 4
/** Milliseconds after a failure of a thread before another is started. */
const RESTART_DELAY = 1_000
/** A request with this text may refer to the pool, which only the main thread has. */
const PENDING = '"pending"'

/**
 * Running threads, their pending requests that were handed over, and the requests answered since the start, on their own
 * connections or handed over.
 */
export type ReadLoad = { readonly threads: number; readonly requests: number; readonly answers: number }

/**
 * Whether sockets of several threads can share a port: Node.js 22.12 and later on Linux. Other systems lack SO_REUSEPORT, or do
 * not divide connections by it.
 */
export const canSharePort = (): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return process.platform === 'linux' && (major > 22 || (major === 22 && minor >= 12))
}

/** Cores from which a node has read threads by default. */
const MANY_CORES = 4
/** The most read threads that an option may name. */
const MAX_READ_THREADS = 64

/**
 * Half as many as there are cores, if there are four and threads can accept connections. The other half is for the main thread and
 * for clients on the same machine: of 16 cores shared with 64 clients 7 threads answer 1.9 times as much as 15. They are started
 * when they are needed.
 */
export const defaultReadThreads = (): number => {
  const cores = availableParallelism()
  return canSharePort() && cores >= MANY_CORES ? Math.min(Math.floor(cores / 2), MAX_READ_THREADS) : 0
}

/**
 * A tracer whose name has other characters than letters and digits is a script; scripts run on threads of the main thread's
 * pool.
 */
const SCRIPT = /"tracer"\s*:\s*"(?![A-Za-z0-9]*")/

/** A thread with its row of the counters. */
type Running = {
  readonly thread: ReadThread
  readonly row: number
  answers: number
  lastUse: number
  isLeaving: boolean
}

export class ReadThreads implements Readers, AcceptingThreads {
  readonly #max: number
  readonly #data: Omit<ReadThreadData, 'port' | 'counters'>
  readonly #log: RpcServices['log']
  readonly #threads = new Set<Running>()
  readonly counters: SharedCounters
  #main: MainThread | undefined
  #port: (() => Promise<SharedPort>) | undefined
  #state: 'open' | 'suspended' | 'closed' = 'open'
  #isRetired = false
  #reports: RequestReports | undefined
  /** When a thread may be started again, in time of `performance.now()`. */
  #mayStart = 0
  readonly #timer: NodeJS.Timeout
  #measured = performance.eventLoopUtilization()
  /** Connections with reads since the last look, up to the number that matters, and whether any was heavy. */
  readonly #reading = new Set<AbortSignal>()
  #hasHeavy = false
  /** Counts of threads that have ended. */
  #counts: CountedCalls[] = []

  constructor(max: number, data: Omit<ReadThreadData, 'port' | 'counters'>, log: RpcServices['log']) {
    this.#max = max
    this.#data = data
    this.#log = log
    this.counters = SharedCounters.of(max + 1)
    this.#timer = setInterval(() => this.#watch(), WATCH_INTERVAL).unref()
  }

  get load(): ReadLoad {
    let requests = 0
    for (const { thread } of this.#threads) requests += thread.load
    return { threads: this.#threads.size, requests, answers: this.counters.counter('answers').sum() }
  }

  /** Whether no thread is starting. */
  get isReady(): boolean {
    return [...this.#threads].every(({ thread }) => thread.isReady)
  }

  accept(port: () => Promise<SharedPort>, main: MainThread): void {
    this.#port = port
    this.#main = main
  }

  reportTo(reports: RequestReports): void {
    this.#reports = reports
  }

  noticeRead(signal: AbortSignal): void {
    if (this.#reading.size < FEWEST_CONNECTIONS) this.#reading.add(signal)
  }

  answer(text: string, signal: AbortSignal, isIdle: boolean): Promise<ThreadAnswer | undefined> | undefined {
    if (this.#state !== 'open' || text.includes(PENDING) || SCRIPT.test(text)) return undefined
    this.#hasHeavy = true
    // The other connections are on threads, so a call here delays few, and handing it over costs as much as a short call.
    if (isIdle && this.#port !== undefined) return undefined
    const running = this.#leastBusy()
    return running && this.#ask(running, text, signal)
  }

  /** What the threads have answered on their own connections since it was last called. */
  async takeCounts(): Promise<readonly CountedCalls[]> {
    const running = await Promise.all([...this.#threads].map(({ thread }) => thread.counts()))
    const counts = [...this.#counts, ...running.filter((counts) => counts !== undefined)]
    this.#counts = []
    return counts
  }

  /**
   * Closes the database in all threads, so that the node can close and reopen it, until `resume`. Their connections stay, and the
   * main thread answers.
   */
  async suspend(): Promise<void> {
    if (this.#state === 'open') this.#state = 'suspended'
    await Promise.all([...this.#threads].map(({ thread }) => thread.suspend()))
  }

  /** `suspend` for good: the threads have the specification of a chain that is no longer there. */
  retire(): Promise<void> {
    this.#isRetired = true
    return this.suspend()
  }

  resume(): void {
    if (this.#state !== 'suspended' || this.#isRetired) return
    this.#state = 'open'
    for (const { thread } of this.#threads) thread.order({ kind: 'resume' })
  }

  async endConnections(): Promise<void> {
    this.#state = 'closed'
    await Promise.all([...this.#threads].map(({ thread }) => thread.leave(true)))
  }

  /** Ends all threads like a failure. For tests. */
  async kill(): Promise<void> {
    await Promise.all([...this.#threads].map(({ thread }) => thread.kill()))
  }

  /** Ends all threads permanently; the main thread answers their requests. */
  async close(): Promise<void> {
    this.#state = 'closed'
    clearInterval(this.#timer)
    const threads = [...this.#threads]
    this.#threads.clear()
    await Promise.all(threads.map(({ thread }) => thread.close()))
  }

  async #ask({ thread }: Running, text: string, signal: AbortSignal): Promise<ThreadAnswer | undefined> {
    const answer = await thread.ask(text, signal)
    if (answer !== undefined) this.counters.counter('answers').add(1)
    return answer
  }

  #leastBusy(): Running | undefined {
    let found: Running | undefined
    for (const running of this.#threads) {
      const { thread, isLeaving } = running
      if (thread.isReady && !isLeaving && (found === undefined || thread.load < found.thread.load)) found = running
    }
    return found
  }

  /** Starts threads if those that run are busy with reads, and ends idle ones. */
  #watch(): void {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#measured)
    this.#measured = now
    // Threads with connections take whole connections; others take heavy requests, of which one is enough.
    const isRead = this.#reading.size >= FEWEST_CONNECTIONS || (this.#hasHeavy && this.#port === undefined)
    this.#hasHeavy = false
    this.#reading.clear()
    const shares = [...this.#threads].map(({ thread }) => thread.utilization())
    // A thread does nothing but reads. The main thread also makes blocks, which more threads do not help.
    if (isRead || shares.length === 0) shares.push(utilization)
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length
    if (mean > BUSY && (isRead || this.#threads.size > 0)) void this.#grow()
    this.#endIdle(performance.now())
  }

  /** Starts as many threads as there are, so that connections move few times; none while some are starting. */
  async #grow(): Promise<void> {
    if (this.#state !== 'open' || performance.now() < this.#mayStart) return
    try {
      const port = await this.#port?.()
      if (this.#state !== 'open' || !this.isReady) return
      const running = this.#threads.size
      const wanted = Math.min(Math.max(running, 1), this.#max - running)
      for (let count = 0; count < wanted; count++) this.#start(port)
    } catch (error) {
      // Their program is missing: the main thread answers everything.
      this.#mayStart = Number.POSITIVE_INFINITY
      this.#log.error({ err: error }, 'read threads cannot be started')
    }
  }

  #start(port: SharedPort | undefined): void {
    const used = new Set([...this.#threads].map(({ row }) => row))
    const row = Array.from({ length: this.#max }, (_, index) => index + 1).find((row) => !used.has(row))
    if (row === undefined) return
    const data = { ...this.#data, counters: this.counters.dataOf(row), port }
    const thread = new ReadThread(data, {
      ready: () => this.#ready(),
      ended: (reason) => this.#drop(running, reason),
      log: ({ level, fields, message }) => this.#log[level](fields, message),
      reports: () => this.#reports,
      answer: (text, signal) => this.#answerThread(text, signal),
    })
    const running: Running = { thread, row, answers: 0, lastUse: performance.now(), isLeaving: false }
    this.#threads.add(running)
  }

  /** When the last of several threads is ready, connections are divided again. */
  #ready(): void {
    this.#log.debug({}, `read thread ${this.#threads.size} of at most ${this.#max} has started`)
    if (this.#port === undefined || !this.isReady) return
    this.#main?.retire()
    for (const { thread } of this.#threads) thread.order({ kind: 'retire' })
  }

  /** undefined: it failed, or the client is gone. */
  async #answerThread(text: string, signal: AbortSignal): Promise<ThreadAnswer | undefined> {
    try {
      return { chunks: await this.#main?.answer(text, signal), calls: [] }
    } catch (error) {
      this.#log.error({ err: error }, 'a request of a read thread has failed')
      return undefined
    }
  }

  #drop(running: Running, reason: string): void {
    this.counters.clear(running.row)
    // A thread that was ended on purpose is no longer in the set.
    if (!this.#threads.delete(running)) return
    this.#mayStart = performance.now() + RESTART_DELAY
    this.#log.error({}, `a read thread has ended: ${reason}; another one will be started`)
  }

  #endIdle(now: number): void {
    for (const running of this.#threads) {
      const { thread, row, answers, lastUse, isLeaving } = running
      const own = this.counters.of(row)
      const count = own.counter('answers').own()
      const isUsed = thread.load > 0 || own.counter('connections').own() > 0 || own.counter('passed').own() > 0
      if (isUsed || count !== answers) Object.assign(running, { lastUse: now, answers: count })
      else if (now - lastUse > IDLE_TIME && thread.isReady && !isLeaving) void this.#end(running)
    }
  }

  /** Ends a thread when its connections have ended: one may have come just now. */
  async #end(running: Running): Promise<void> {
    const { thread } = running
    running.isLeaving = true
    await thread.leave(false)
    const counts = await thread.counts()
    if (counts !== undefined) this.#counts.push(counts)
    if (this.#threads.delete(running)) await thread.close()
  }
}
