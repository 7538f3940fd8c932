// The writer's lock: changes of blocks and state run one at a time, and before heavy work. No change begins while the disk
// accepts no writes, because its result would be lost.
import { Mutex } from '../lib/mutex.ts'
import { scheduler } from '../lib/scheduler.ts'
import type { KvStore } from '../state/types.ts'

export class Writer {
  readonly #store: Pick<KvStore, 'requireWritable'>
  readonly #turn = new Mutex()

  constructor(store: Pick<KvStore, 'requireWritable'>) {
    this.#store = store
  }

  /** Whether another change waits for the current one. */
  get isContended(): boolean {
    return this.#turn.hasWaiters
  }

  /**
   * Runs the change after all earlier ones have settled. Throws ChainError `disk-failure` before it begins, or the change's
   * error.
   */
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

  /** Settles when all changes so far have settled. */
  settled(): Promise<void> {
    return this.#turn.run(async () => undefined)
  }
}
