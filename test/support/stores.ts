// Stores for tests: dumps of all rows for comparison, and a store whose writes a test can delay or fail.
import { toHex } from '../../src/lib/hex.ts'
import type { KeyRange, KvReader, KvStore, RecordLog, WriteOp } from '../../src/state/types.ts'

/** The range of all keys: none of the prefixes begins with 0xff. */
const EVERYTHING: KeyRange = { gte: new Uint8Array(0), lt: Uint8Array.of(0xff) }

/** Every row, key to value in hex, in key order; `skip` leaves out rows by the first byte of their key. */
export async function everyRow(store: KvReader, skip: readonly number[] = []): Promise<Map<string, string>> {
  const rows = new Map<string, string>()
  for await (const [key, value] of store.scan(EVERYTHING)) {
    if (!skip.includes(key[0] ?? 0)) rows.set(toHex(key), toHex(value))
  }
  return rows
}

/** Number and bytes of keys and values, by the first byte of the key. */
export async function bytesByPrefix(store: KvReader): Promise<Map<number, { rows: number; bytes: number }>> {
  const sizes = new Map<number, { rows: number; bytes: number }>()
  for await (const [key, value] of store.scan(EVERYTHING)) {
    const size = sizes.get(key[0] ?? 0) ?? { rows: 0, bytes: 0 }
    sizes.set(key[0] ?? 0, { rows: size.rows + 1, bytes: size.bytes + key.length + value.length })
  }
  return sizes
}

/** A store over another one, with hooks before and after its writes. */
export class TestStore implements KvStore {
  readonly inner: KvStore
  /** Called before each batch is written: may wait, or throw, and then nothing is written. */
  beforeWrite: (batch: readonly WriteOp[]) => Promise<void> | void = () => undefined
  /** Called when a batch is on disk, before the write resolves; may throw, as if the result were lost. */
  afterWrite: (batch: readonly WriteOp[]) => Promise<void> | void = () => undefined

  /** Called before records are appended to the log; may throw, and then nothing is appended. */
  beforeAppend: () => void = () => undefined

  constructor(inner: KvStore) {
    this.inner = inner
  }

  get log(): RecordLog {
    const { log } = this.inner
    const append = (records: readonly Uint8Array[]) => {
      this.beforeAppend()
      log.append(records)
    }
    return {
      get size() {
        return log.size
      },
      read: () => log.read(),
      append,
      replace: (records) => log.replace(records),
      close: () => log.close(),
    }
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.inner.get(key)
  }

  scan(range: KeyRange): AsyncIterable<[Uint8Array, Uint8Array]> {
    return this.inner.scan(range)
  }

  requireWritable(): void {
    this.inner.requireWritable()
  }

  async write(batch: readonly WriteOp[]): Promise<void> {
    await this.beforeWrite(batch)
    await this.inner.write(batch)
    await this.afterWrite(batch)
  }

  consistentReader(): KvReader & { close(): Promise<void> } {
    return this.inner.consistentReader()
  }

  close(): Promise<void> {
    return this.inner.close()
  }
}
