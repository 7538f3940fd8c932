// One writer at a time: tasks run in the order they came, each after the one before has settled.

export class Mutex {
  #tail: Promise<unknown> = Promise.resolve()

  /** Runs the task when all earlier ones have settled, and settles as it does. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(task, task)
    this.#tail = result.catch(() => undefined)
    return result
  }
}
