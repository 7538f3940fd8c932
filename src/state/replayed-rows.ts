// The state's rows while the blocks of a chain are executed again in order. A block reads what earlier ones wrote, so a row is
// read from the history only once, which takes a search and up to 15 differences, and then stays in memory.
import { BytePool } from '../lib/byte-pool.ts'
import { GenerationalCache } from '../lib/caches.ts'
import { type Address, EMPTY_BYTES, type Hash, toLatin1 } from '../lib/hex.ts'
import { decodeAccount, type StoredAccount } from './accounts.ts'
import { isClearing, KEY } from './keyspace.ts'
import type { StateRows } from './state-rows.ts'
import type { StateStore } from './state-store.ts'
import type { KvReader, MissingParts } from './types.ts'
import { View } from './view.ts'

/** About 60 MB. */
const ROWS = 100_000
/** Marks a row that does not exist. */
const ABSENT = new Uint8Array(0)

export class ReplayedRows implements StateRows {
  readonly store: KvReader
  readonly #state: StateStore
  /** Rows of `#version` by key as latin-1. */
  readonly #rows = new GenerationalCache<string, Uint8Array>(ROWS)
  readonly #pool = new BytePool()
  #version = -1

  constructor(state: StateStore) {
    this.store = state.store
    this.#state = state
  }

  /** A view of a version, on which the block that made the next version can be executed. */
  at(version: number): View {
    if (version !== this.#version) this.#rows.clear()
    this.#version = version
    return new View(this, version, this.missing)
  }

  /** Moves to the version that the view's writes make. Views of earlier versions stay valid. */
  async advance(view: View): Promise<void> {
    const { rows } = await view.changes()
    this.#version = view.version + 1
    for (const [name, { key, value }] of rows) {
      // It empties slots that are not among the changed rows.
      if (isClearing(key)) return this.skip(this.#version)
      this.#rows.set(name, value === null ? ABSENT : this.#pool.copy(value))
    }
  }

  /** Moves to a version without its rows: no block made it, and its change list does not name all trie nodes that it changed. */
  skip(version: number): void {
    this.#rows.clear()
    this.#version = version
  }

  row(key: Uint8Array, version: number, name = toLatin1(key)): Uint8Array | undefined {
    if (version !== this.#version) return this.#state.row(key, version, name)
    const known = this.#rows.get(name)
    if (known !== undefined) return known === ABSENT ? undefined : known
    const row = this.#state.row(key, version, name)
    this.#rows.set(name, row === undefined ? ABSENT : this.#pool.copy(row))
    return row
  }

  get missing(): MissingParts | undefined {
    return this.#state.missing
  }

  account(of: Address, version: number): StoredAccount | undefined {
    const row = this.row(KEY.account(of), version)
    return row && decodeAccount(row)
  }

  word(of: Address, key: Hash, version: number): Uint8Array {
    return this.row(KEY.slot(of, key), version) ?? EMPTY_BYTES
  }

  /** Rows that were made by executing blocks again are only expected to equal those of the store. */
  storageId(): undefined {
    return undefined
  }

  code(hash: Hash): Uint8Array | undefined {
    return this.#state.code(hash)
  }
}
