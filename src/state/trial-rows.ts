// Rows for a trial run on the state of a fork: what is missing is noted and taken for empty. Nothing that was read through them
// may be kept.
import { type Address, EMPTY_BYTES, type Hash } from '../lib/hex.ts'
import type { StoredAccount } from './accounts.ts'
import { unlessMissing } from './partial-state.ts'
import type { StateRows } from './state-rows.ts'
import type { Wanted } from './types.ts'

export class TrialRows implements StateRows {
  readonly noted: Wanted[] = []
  readonly store: StateRows['store']
  readonly #rows: StateRows

  constructor(rows: StateRows) {
    this.store = rows.store
    this.#rows = rows
  }

  row(key: Uint8Array, version: number, name?: string): Uint8Array | undefined {
    return this.#or(undefined, () => this.#rows.row(key, version, name))
  }

  account(of: Address, version: number): StoredAccount | undefined {
    return this.#or(undefined, () => this.#rows.account(of, version))
  }

  word(of: Address, key: Hash, version: number): Uint8Array {
    return this.#or(EMPTY_BYTES, () => this.#rows.word(of, key, version))
  }

  storageId(): undefined {
    return undefined
  }

  code(hash: Hash): Uint8Array | undefined {
    return this.#rows.code(hash)
  }

  #or<T>(otherwise: T, read: () => T): T {
    return unlessMissing(read, (wanted) => {
      this.noted.push(...wanted)
      return otherwise
    })
  }
}
