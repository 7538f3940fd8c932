// Rows that are asked for again soon after they were written, kept in memory in front of a store. All writes pass here, so
// what is remembered is what the store holds: nothing is known of rows from before they are written until the write
// has ended well and no other one was under way beside it.
import { retain } from '../lib/bytes.ts'
import { GenerationalCache } from '../lib/caches.ts'
import { toLatin1 } from '../lib/hex.ts'
import type { KeyRange, KvReader, KvStore, RecordLog, WriteOp } from './types.ts'

/** Stands for a row that is not there. */
const ABSENT = new Uint8Array(0)
/** Stands for what nobody knows. */
const UNKNOWN = new Uint8Array(0)

/** Where a row is remembered: looked up once by whoever reads or writes it. */
type CacheEntry = { row: Uint8Array }

export class RowCache implements KvStore {
  readonly #store: KvStore
  readonly #isRemembered: (key: Uint8Array) => boolean
  readonly #rows: GenerationalCache<string, CacheEntry>
  /** Writes of rows that may be remembered: how many have begun, and how many of them have not ended. */
  #begun = 0
  #underWay = 0

  /** Remembers up to `max` rows of those that are asked for. */
  constructor(store: KvStore, isRemembered: (key: Uint8Array) => boolean, max: number) {
    this.#store = store
    this.#isRemembered = isRemembered
    this.#rows = new GenerationalCache(max)
  }

  get(key: Uint8Array, name?: string): Uint8Array | undefined {
    if (!this.#isRemembered(key)) return this.#store.get(key)
    const asked = name ?? toLatin1(key)
    const known = this.#rows.get(asked)
    if (known !== undefined && known.row !== UNKNOWN) return known.row === ABSENT ? undefined : known.row
    const row = this.#store.get(key)
    // While rows are being written nobody knows whether this one was read before or after.
    if (this.#underWay > 0) return row
    const found = row === undefined ? ABSENT : retain(row)
    if (known === undefined) this.#rows.set(asked, { row: found })
    else known.row = found
    return row
  }

  async write(ops: readonly WriteOp[]): Promise<void> {
    const places: CacheEntry[] = []
    const rows: Uint8Array[] = []
    for (const op of ops) {
      if (!this.#isRemembered(op.key)) continue
      places.push(this.#unknown(op.name ?? toLatin1(op.key)))
      if (op.type === 'del') rows.push(ABSENT)
      else rows.push(op.name === undefined ? retain(op.value) : op.value)
    }
    if (places.length === 0) return this.#store.write(ops)
    const isFirst = this.#underWay === 0
    const turn = ++this.#begun
    this.#underWay++
    try {
      await this.#store.write(ops)
    } finally {
      this.#underWay--
    }
    if (!isFirst || turn !== this.#begun) return
    for (const [i, place] of places.entries()) place.row = rows[i] ?? ABSENT
  }

  /** The place of a row that is about to be written. It may be forgotten meanwhile, but not taken by another. */
  #unknown(name: string): CacheEntry {
    const known = this.#rows.get(name)
    if (known !== undefined) {
      known.row = UNKNOWN
      return known
    }
    const place = { row: UNKNOWN }
    this.#rows.set(name, place)
    return place
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
