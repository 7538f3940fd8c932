// Mutual exclusion: tasks run in the order in which they came, each after the one before has settled.

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
