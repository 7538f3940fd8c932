// Rows that are asked for again soon after they were written, kept in memory in front of a store. All writes pass here, so
// what is remembered is what the store holds: nothing is known of rows from before they are written until the write
// has ended well and no other one was under way beside it.
import { kept } from '../lib/bytes.ts'
import { toLatin1 } from '../lib/hex.ts'
import { Recent } from '../lib/recent.ts'
import type { KvStore, Op, Range, Reader, RecordLog } from './types.ts'

/** Stands for a row that is not there. */
const ABSENT = new Uint8Array(0)
/** Stands for what nobody knows. Marking a row so takes a third of the time of deleting it and putting it back. */
const UNKNOWN = new Uint8Array(0)

export class RememberedRows implements KvStore {
  readonly #store: KvStore
  readonly #isRemembered: (key: Uint8Array) => boolean
  readonly #rows: Recent<string, Uint8Array>
  /** Writes of rows that may be remembered: how many have begun, and how many of them have not ended. */
  #begun = 0
  #underWay = 0

  /** Remembers up to `max` rows of those that are asked for. */
  constructor(store: KvStore, isRemembered: (key: Uint8Array) => boolean, max: number) {
    this.#store = store
    this.#isRemembered = isRemembered
    this.#rows = new Recent(max)
  }

  get(key: Uint8Array): Uint8Array | undefined {
    if (!this.#isRemembered(key)) return this.#store.get(key)
    const name = toLatin1(key)
    const known = this.#rows.get(name)
    if (known !== undefined && known !== UNKNOWN) return known === ABSENT ? undefined : known
    const row = this.#store.get(key)
    // While rows are being written nobody knows whether this one was read before or after.
    if (this.#underWay === 0) this.#rows.set(name, row === undefined ? ABSENT : kept(row))
    return row
  }

  async write(ops: readonly Op[]): Promise<void> {
    const names: string[] = []
    const rows: Uint8Array[] = []
    for (const op of ops) {
      if (!this.#isRemembered(op.key)) continue
      const name = toLatin1(op.key)
      this.#rows.set(name, UNKNOWN)
      names.push(name)
      rows.push(op.type === 'put' ? op.value : ABSENT)
    }
    if (names.length === 0) return this.#store.write(ops)
    const isFirst = this.#underWay === 0
    const turn = ++this.#begun
    this.#underWay++
    try {
      await this.#store.write(ops)
    } finally {
      this.#underWay--
    }
    if (!isFirst || turn !== this.#begun) return
    for (const [i, name] of names.entries()) {
      const row = rows[i] ?? ABSENT
      this.#rows.set(name, row === ABSENT ? ABSENT : kept(row))
    }
  }

  get log(): RecordLog {
    return this.#store.log
  }

  scan(range: Range): AsyncIterable<[Uint8Array, Uint8Array]> {
    return this.#store.scan(range)
  }

  snapshot(): Reader & { close(): Promise<void> } {
    return this.#store.snapshot()
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}
