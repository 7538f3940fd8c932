// Work that outlives the request that asked for it: each key at most once at a time, some tasks at a time, those that somebody
// waits for before the others. The number of waiting tasks is bounded.

export type Lane = 'asked' | 'ahead'

/** Most waiting tasks of each lane; further ones are refused. */
const MOST_WAITING: Readonly<Record<Lane, number>> = { asked: 5_000, ahead: 1_000 }

type Task<T> = {
  readonly begin: () => Promise<T>
  readonly done: Promise<T>
  readonly settle: (of: Promise<T>) => void
}

export class TaskLanes<T> {
  readonly #most: number
  readonly #running = new Map<string, Promise<T>>()
  readonly #waiting: Readonly<Record<Lane, Map<string, Task<T>>>> = { asked: new Map(), ahead: new Map() }
  #isClosed = false

  /** `most`: tasks that run at a time. */
  constructor(most: number) {
    this.#most = most
  }

  /** Runs a task, or joins the one with this key. undefined when too many tasks wait. */
  run(key: string, lane: Lane, begin: () => Promise<T>): Promise<T> | undefined {
    if (this.#isClosed) return undefined
    const known = this.#running.get(key) ?? this.#waitingFor(key, lane)
    if (known !== undefined) return known
    const tasks = this.#waiting[lane]
    if (tasks.size >= MOST_WAITING[lane]) return undefined
    let settle: (of: Promise<T>) => void = () => undefined
    const done = new Promise<T>((resolve) => {
      settle = resolve
    })
    // Nobody may be waiting for it when it fails.
    done.catch(() => undefined)
    tasks.set(key, { begin, done, settle })
    this.#beginNext()
    return done
  }

  /** Drops what waits; what runs ends by itself. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const tasks of Object.values(this.#waiting)) tasks.clear()
    await Promise.allSettled(this.#running.values())
  }

  /** A waiting task; it changes to the first lane when somebody asks for it. */
  #waitingFor(key: string, lane: Lane): Promise<T> | undefined {
    const task = this.#waiting.asked.get(key) ?? this.#waiting.ahead.get(key)
    if (task !== undefined && lane === 'asked' && this.#waiting.ahead.delete(key)) this.#waiting.asked.set(key, task)
    return task?.done
  }

  #beginNext(): void {
    while (this.#running.size < this.#most) {
      const tasks = this.#waiting.asked.size > 0 ? this.#waiting.asked : this.#waiting.ahead
      const [next] = tasks
      if (next === undefined) return
      const [key, { begin, settle }] = next
      tasks.delete(key)
      const running = begin()
      this.#running.set(key, running)
      settle(running)
      const end = () => {
        this.#running.delete(key)
        this.#beginNext()
      }
      running.then(end, end)
    }
  }
}
