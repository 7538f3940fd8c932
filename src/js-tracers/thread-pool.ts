// The threads that run clients' tracers written in JavaScript. The first request starts one; at most two run, because each
// takes some 100 MB; they end after 30 seconds without requests.
import type { ScriptedTraces, TraceOptions, TraceResult, TraceTask } from '../chain/types.ts'
import { NO_CONNECTION } from '../lib/connection-signal.ts'
import { cancelled, Scheduler } from '../lib/scheduler.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import type { Block } from '../primitives/types.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import type { KvReader } from '../state/types.ts'
import type { TracerThreadData } from './messages.ts'
import { TracerThread } from './thread.ts'

const MAX_THREADS = 2
/** Tasks that may wait for a thread: of all connections (which take turns), and of one connection. */
const QUEUE_LIMITS = { running: MAX_THREADS, waiting: 200, waitingOfOne: 100 }
/** Milliseconds without a task after which a thread ends. */
const IDLE_TIME = 30_000
/** The longest `timeout` that a client may set, in milliseconds for one transaction. */
const MAX_TIMEOUT = 60_000

type Settings = Omit<TracerThreadData, 'rows' | 'rowCount'>

/** Runs trace tasks with clients' JavaScript on threads, in the order of a fair queue. */
export class TracerThreadPool implements ScriptedTraces {
  #settings: Settings
  readonly #startThread: () => TracerThread
  readonly #threads = new Set<TracerThread>()
  #idle: TracerThread[] = []
  readonly #queue = new WorkQueue(QUEUE_LIMITS, new Scheduler())
  #timer: NodeJS.Timeout | undefined
  #lastId = 0
  #isClosed = false

  /** `ensure`: called with a row's key before a thread reads it, to fetch it on a fork. */
  constructor(
    store: Pick<KvReader, 'get'>,
    settings: Settings,
    ensure: (key: Uint8Array) => Promise<void> | undefined = () => undefined,
  ) {
    this.#settings = settings
    this.#startThread = () => new TracerThread(store, this.#settings, ensure)
  }

  async run(
    task: TraceTask,
    { choice, timeout, signal }: TraceOptions,
    pendingBlock: () => Promise<Block | undefined>,
  ): Promise<TraceResult[][]> {
    const isPending = task.kind === 'calls' && task.at.ref === 'pending'
    const pending = isPending ? await pendingBlock() : undefined
    const job = {
      id: ++this.#lastId,
      task: cloneableTask(task),
      pending,
      choice: { ...choice, explain: undefined },
      timeout: Math.min(timeout, MAX_TIMEOUT),
    }
    return this.#queue.run(signal ?? NO_CONNECTION, async () => {
      const thread = this.#takeThread()
      try {
        return await thread.run(job, signal)
      } finally {
        this.#returnThread(thread)
      }
    })
  }

  /** Ends all threads; their tasks fail with `cancelled`. Others are of a chain with this specification. */
  use(spec: ChainSpec): void {
    this.#settings = { ...this.#settings, spec }
    for (const thread of this.#threads) thread.close()
  }

  /** Ends all threads; their tasks fail with `cancelled`. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const thread of this.#threads) thread.close()
  }

  #takeThread(): TracerThread {
    if (this.#isClosed) throw cancelled()
    const idle = this.#idle.pop()
    if (idle !== undefined && !idle.hasEnded) return idle
    if (idle !== undefined) this.#threads.delete(idle)
    const thread = this.#startThread()
    this.#threads.add(thread)
    return thread
  }

  #returnThread(thread: TracerThread): void {
    if (thread.hasEnded) this.#threads.delete(thread)
    else this.#idle.push(thread)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#endIdle(), IDLE_TIME)
    this.#timer.unref()
  }

  #endIdle(): void {
    for (const thread of this.#idle) {
      this.#threads.delete(thread)
      thread.close()
    }
    this.#idle = []
  }
}

/** The task without signals, which cannot be cloned into a thread. */
const cloneableTask = (task: TraceTask): TraceTask =>
  task.kind !== 'calls' ? task : { ...task, bundles: task.bundles.map((bundle) => ({ ...bundle, signal: undefined })) }
