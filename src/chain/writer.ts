// The chain's one writer: blocks are made and states are changed one after the other, each before all heavy work.
import { Mutex } from '../lib/mutex.ts'
import { turns } from '../lib/turns.ts'

export class Writer {
  readonly #mutex = new Mutex()

  /** Whether somebody waits for the change that is being made. */
  get isWanted(): boolean {
    return this.#mutex.isWanted
  }

  /** Runs the task when all earlier ones have settled, and settles as it does. */
  run<T>(task: () => Promise<T>): Promise<T> {
    return this.#mutex.run(() => turns.first(task))
  }
}
