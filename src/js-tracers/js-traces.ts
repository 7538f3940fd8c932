// Tracers in clients' JavaScript, run in threads: none until somebody asks for one, two at most, and none any more when
// nobody has asked for a while.
import type { ScriptedTraces, Trace, TraceOptions, TraceTask } from '../chain/types.ts'
import { NO_CONNECTION } from '../lib/caller.ts'
import { cancelled, Scheduler } from '../lib/scheduler.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import type { Block } from '../primitives/types.ts'
import type { Reader } from '../state/types.ts'
import type { ThreadData } from './messages.ts'
import { TracerThread } from './thread.ts'

const MOST_THREADS = 2
/** Tasks that wait for a thread: of all connections, which take threads in rounds, and of one. */
const PLACES = { running: MOST_THREADS, waiting: 200, waitingOfOne: 100 }
/** Milliseconds after which a thread that has nothing to do ends: it holds some 100 MB. */
const IDLE = 30_000
/** Milliseconds that a client may ask for at most, for a transaction. */
const LONGEST = 60_000

type Settings = Omit<ThreadData, 'answers' | 'answered'>

export class JsTraces implements ScriptedTraces {
  readonly #begin: () => TracerThread
  readonly #threads = new Set<TracerThread>()
  #idle: TracerThread[] = []
  readonly #queue = new WorkQueue(PLACES, new Scheduler())
  #timer: NodeJS.Timeout | undefined
  #lastId = 0
  #isClosed = false

  constructor(store: Pick<Reader, 'get'>, settings: Settings) {
    this.#begin = () => new TracerThread(store, settings)
  }

  async run(
    task: TraceTask,
    { choice, timeout, caller }: TraceOptions,
    pendingBlock: () => Promise<Block | undefined>,
  ): Promise<Trace[][]> {
    const isPending = task.kind === 'calls' && task.at.ref === 'pending'
    const pending = isPending ? await pendingBlock() : undefined
    const job = { id: ++this.#lastId, task: plainTask(task), pending, choice, timeout: Math.min(timeout, LONGEST) }
    return this.#queue.run(caller ?? NO_CONNECTION, async () => {
      const thread = this.#take()
      try {
        return await thread.run(job, caller)
      } finally {
        this.#giveBack(thread)
      }
    })
  }

  /** Ends all threads; what they run fails as if its client were gone. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const thread of this.#threads) thread.close()
  }

  #take(): TracerThread {
    if (this.#isClosed) throw cancelled()
    const idle = this.#idle.pop()
    if (idle !== undefined && !idle.isOver) return idle
    if (idle !== undefined) this.#threads.delete(idle)
    const thread = this.#begin()
    this.#threads.add(thread)
    return thread
  }

  #giveBack(thread: TracerThread): void {
    if (thread.isOver) this.#threads.delete(thread)
    else this.#idle.push(thread)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#rest(), IDLE)
    this.#timer.unref()
  }

  #rest(): void {
    for (const thread of this.#idle) {
      this.#threads.delete(thread)
      thread.close()
    }
    this.#idle = []
  }
}

/** A signal cannot cross to a thread. */
const plainTask = (task: TraceTask): TraceTask =>
  task.kind !== 'calls' ? task : { ...task, bundles: task.bundles.map((bundle) => ({ ...bundle, caller: undefined })) }
