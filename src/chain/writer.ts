// The writer's lock: blocks are made and states are changed one after the other, each before all heavy work. No change
// begins while the disk takes no writes, because its result would be lost.
import { Mutex } from '../lib/mutex.ts'
import { scheduler } from '../lib/scheduler.ts'
import type { KvStore } from '../state/types.ts'

export class Writer {
  readonly #store: Pick<KvStore, 'requireWritable'>
  readonly #turn = new Mutex()

  constructor(store: Pick<KvStore, 'requireWritable'>) {
    this.#store = store
  }

  /** Whether another change waits for the one that runs. */
  get isContended(): boolean {
    return this.#turn.hasWaiters
  }

  /** Runs the change when all earlier ones have settled. Throws ChainError `disk-failure` before it begins, or as it does. */
  run<T>(change: () => Promise<T>): Promise<T> {
    return this.#turn.run(() =>
      scheduler.prioritize(async () => {
        this.#store.requireWritable()
        return change()
      }),
    )
  }

  /** Waits for all earlier changes and holds the lock until the returned function is called. Throws as `run`. */
  acquire(): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.run(() => new Promise<void>((release) => resolve(release))).catch(reject)
    })
  }

  /** Settles when all changes so far have. */
  settled(): Promise<void> {
    return this.#turn.run(async () => undefined)
  }
}
