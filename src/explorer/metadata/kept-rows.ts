// A cache on disk, separate from the index, of expensive answers that can be obtained again. Two generations of rows bound its
// size: when the new one is full, the old one is deleted and another one begins. A damaged row counts as absent.
import { KEY, RANGE } from '../../state/keyspace.ts'
import type { KvStore, WriteOp } from '../../state/types.ts'

/** Maximum bytes of one generation. */
const MOST_BYTES = 256 << 20
/** Rows are collected for a tenth of a second and written in one batch, because each batch waits for the disk. */
const WRITE_DELAY = 100
/** Rows deleted per batch. */
const DELETED_AT_ONCE = 1_000

type State = { readonly generation: number; readonly bytes: number }

export class KeptRows {
  readonly #store: KvStore
  readonly #mostBytes: number
  readonly #unwritten = new Map<string, Uint8Array>()
  #known: State | undefined
  #timer: NodeJS.Timeout | undefined
  #written: Promise<void> = Promise.resolve()

  constructor(store: KvStore, mostBytes = MOST_BYTES) {
    this.#store = store
    this.#mostBytes = mostBytes
  }

  get #state(): State {
    this.#known ??= readState(this.#store)
    return this.#known
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const unwritten = this.#unwritten.get(nameOf(key))
    if (unwritten !== undefined) return unwritten
    const { generation } = this.#state
    try {
      return this.#store.get(KEY.kept(generation, key)) ?? this.#store.get(KEY.kept(other(generation), key))
    } catch {
      return undefined
    }
  }

  /** Caches a value; it is written soon. */
  set(key: Uint8Array, value: Uint8Array): void {
    this.#unwritten.set(nameOf(key), value)
    this.#timer ??= setTimeout(() => this.#writeSoon(), WRITE_DELAY).unref()
  }

  /** Writes pending rows. */
  async close(): Promise<void> {
    this.#writeSoon()
    await this.#written
  }

  #writeSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // A failed write only loses cache entries; the store reports its failures itself.
    this.#written = this.#written.then(() => this.#write()).catch(() => undefined)
  }

  async #write(): Promise<void> {
    const rows = [...this.#unwritten]
    if (rows.length === 0) return
    if (this.#state.bytes > this.#mostBytes) await this.#beginGeneration()
    const { generation } = this.#state
    const batch: WriteOp[] = rows.map(([name, value]) => ({
      type: 'put',
      key: KEY.kept(generation, Buffer.from(name, 'hex')),
      value,
    }))
    const bytes = this.#state.bytes + rows.reduce((sum, [, value]) => sum + value.length, 0)
    try {
      await this.#store.write([...batch, stateRow({ generation, bytes })])
      this.#known = { generation, bytes }
    } finally {
      for (const [name, value] of rows) if (this.#unwritten.get(name) === value) this.#unwritten.delete(name)
    }
  }

  /** Deletes the old generation and begins a new one in its place. */
  async #beginGeneration(): Promise<void> {
    const generation = other(this.#state.generation)
    for (;;) {
      const batch: WriteOp[] = []
      const range = { ...RANGE.kept(generation), limit: DELETED_AT_ONCE, values: false }
      for await (const [key] of this.#store.scan(range)) batch.push({ type: 'del', key })
      if (batch.length === 0) break
      await this.#store.write(batch)
    }
    this.#known = { generation, bytes: 0 }
  }
}

const nameOf = (key: Uint8Array): string => Buffer.from(key).toString('hex')
const other = (generation: number): number => 1 - generation

const STATE_KEY = KEY.meta('kept')
const stateRow = ({ generation, bytes }: State): WriteOp => ({
  type: 'put',
  key: STATE_KEY,
  value: Buffer.from(`${generation} ${bytes}`),
})

function readState(store: KvStore): State {
  const row = store.get(STATE_KEY)
  const [generation = 0, bytes = 0] = row === undefined ? [] : Buffer.from(row).toString().split(' ').map(Number)
  return { generation, bytes }
}
