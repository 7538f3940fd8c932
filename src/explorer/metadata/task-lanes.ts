// Runs tasks that outlive the request that started them: at most one per key, a limited number at a time, requested ones before
// read-ahead ones. The number of waiting tasks is limited.

export type Lane = 'asked' | 'ahead'

/** Maximum waiting tasks of each lane; further ones are refused. */
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

  /** Runs a task, or joins the one with this key. undefined if too many tasks wait. */
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
    // A failure that no caller awaits must not end the process.
    done.catch(() => undefined)
    tasks.set(key, { begin, done, settle })
    this.#beginNext()
    return done
  }

  /** Drops waiting tasks; running ones end by themselves. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const tasks of Object.values(this.#waiting)) tasks.clear()
    await Promise.allSettled(this.#running.values())
  }

  /** A waiting task; a request moves it to the first lane. */
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
