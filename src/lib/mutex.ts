// Mutual exclusion: tasks run in the order of arrival, each after the previous one has settled.

export class Mutex {
  #tail: Promise<unknown> = Promise.resolve()
  #tasks = 0

  /** Whether a task waits for the running one to settle. */
  get hasWaiters(): boolean {
    return this.#tasks > 1
  }

  /** Runs the task when all earlier ones have settled. Settles as the task does. */
  run<T>(task: () => Promise<T>): Promise<T> {
    this.#tasks++
    const result = this.#tail.then(task, task)
    const done = () => {
      this.#tasks--
    }
    this.#tail = result.then(done, done)
    return result
  }
}

/** Mutual exclusion per key: tasks with the same key run one after the other. */
export class KeyedMutex<K> {
  readonly #mutexes = new Map<K, { readonly mutex: Mutex; tasks: number }>()

  async run<T>(key: K, task: () => Promise<T>): Promise<T> {
    const entry = this.#mutexes.get(key) ?? { mutex: new Mutex(), tasks: 0 }
    this.#mutexes.set(key, entry)
    entry.tasks++
    try {
      return await entry.mutex.run(task)
    } finally {
      if (--entry.tasks === 0) this.#mutexes.delete(key)
    }
  }
}
