// A cache of rows in front of a store, for rows that a block writes and the next one reads. All writes pass through it. A row
// is unknown from the beginning of a write until the write has succeeded with no other write under way, so the cache never
// returns a value that the store may not hold.
import { BytePool } from '../lib/byte-pool.ts'
import { GenerationalCache } from '../lib/caches.ts'
import { toLatin1 } from '../lib/hex.ts'
import type { KeyRange, KvReader, KvStore, RecordLog, WriteOp } from './types.ts'

/** Marks a row that the store does not have. */
const ABSENT = new Uint8Array(0)
/** Marks a row that must be read from the store. */
const UNKNOWN = new Uint8Array(0)

type CacheEntry = { row: Uint8Array }

export class RowCache implements KvStore {
  readonly #store: KvStore
  readonly #isCached: (key: Uint8Array) => boolean
  /** By key as latin-1. */
  readonly #entries: GenerationalCache<string, CacheEntry>
  readonly #pool = new BytePool()
  /** Writes of cached rows: number begun, and number not ended. */
  #begun = 0
  #underWay = 0

  /** Caches up to `max` of the rows that `isCached` selects. */
  constructor(store: KvStore, isCached: (key: Uint8Array) => boolean, max: number) {
    this.#store = store
    this.#isCached = isCached
    this.#entries = new GenerationalCache(max)
  }

  get(key: Uint8Array): Uint8Array | undefined {
    if (!this.#isCached(key)) return this.#store.get(key)
    const name = toLatin1(key)
    const known = this.#entries.get(name)
    if (known !== undefined && known.row !== UNKNOWN) return known.row === ABSENT ? undefined : known.row
    const row = this.#store.get(key)
    // During a write it is unknown whether this row was read before or after it.
    if (this.#underWay > 0) return row
    const found = this.#kept(row)
    if (known === undefined) this.#entries.set(name, { row: found })
    else known.row = found
    return row
  }

  async write(ops: readonly WriteOp[]): Promise<void> {
    const entries: CacheEntry[] = []
    const rows: Uint8Array[] = []
    for (const op of ops) {
      if (!this.#isCached(op.key)) continue
      entries.push(this.#invalidated(toLatin1(op.key)))
      rows.push(this.#kept(op.type === 'put' ? op.value : undefined))
    }
    if (entries.length === 0) return this.#store.write(ops)
    const isFirst = this.#underWay === 0
    const number = ++this.#begun
    this.#underWay++
    try {
      await this.#store.write(ops)
    } finally {
      this.#underWay--
    }
    // If another write was under way, the order of the two in the store is unknown.
    if (!isFirst || number !== this.#begun) return
    for (const [i, entry] of entries.entries()) entry.row = rows[i] ?? ABSENT
  }

  /** A copy: rows that are read or written may share memory with short-lived data. */
  #kept(row: Uint8Array | undefined): Uint8Array {
    return row === undefined ? ABSENT : this.#pool.copy(row)
  }

  /**
   * The entry of a row that is about to be written. The cache may evict it in the meantime, but never reuses it for another
   * row.
   */
  #invalidated(name: string): CacheEntry {
    const known = this.#entries.get(name)
    if (known !== undefined) {
      known.row = UNKNOWN
      return known
    }
    const entry = { row: UNKNOWN }
    this.#entries.set(name, entry)
    return entry
  }

  requireWritable(): void {
    this.#store.requireWritable()
  }

  get log(): RecordLog {
    return this.#store.log
  }

  scan(range: KeyRange): AsyncIterable<[Uint8Array, Uint8Array]> {
    return this.#store.scan(range)
  }

  consistentReader(): KvReader & { close(): Promise<void> } {
    return this.#store.consistentReader()
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}
