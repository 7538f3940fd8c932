// A store for a thread other than the one that writes. Every read goes to the database; it caches and writes nothing.
import type { KeyRange, KvReader, KvStore, RecordLog } from './types.ts'

export class ReadOnlyStore implements KvStore {
  readonly #store: KvStore
  readonly log: RecordLog

  constructor(store: KvStore) {
    this.#store = store
    this.log = store.log
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#store.get(key)
  }

  scan(range: KeyRange): AsyncIterable<[Uint8Array, Uint8Array]> {
    return this.#store.scan(range)
  }

  consistentReader(): KvReader & { close(): Promise<void> } {
    return this.#store.consistentReader()
  }

  /** Throws: only one thread writes. */
  async write(): Promise<void> {
    throw new Error('this store is open for reading only')
  }

  requireWritable(): void {}

  close(): Promise<void> {
    return this.#store.close()
  }
}
