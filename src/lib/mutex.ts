// One writer at a time: tasks run in the order they came, each after the one before has settled.

export class Mutex {
  #tail: Promise<unknown> = Promise.resolve()
  #tasks = 0

  /** Whether somebody waits for the task that runs to settle. */
  get isContended(): boolean {
    return this.#tasks > 1
  }

  /** Runs the task when all earlier ones have settled, and settles as it does. */
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
