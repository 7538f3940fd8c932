// Rows that note what is read through them: accounts, slots, codes, and trie nodes.
import { type Address, type Hash, type Hex, toHex } from '../lib/hex.ts'
import type { StoredAccount } from './accounts.ts'
import { isTrieNode } from './keyspace.ts'
import type { StateRows } from './state-rows.ts'

export class RecordingRows implements StateRows {
  readonly store: StateRows['store']
  /** Accounts, each with its slots. Those that do not exist are here too. */
  readonly accounts = new Map<Address, Set<Hash>>()
  /** In RLP. */
  readonly nodes = new Set<Hex>()
  readonly codes = new Map<Hash, Uint8Array>()
  readonly #rows: StateRows

  constructor(rows: StateRows) {
    this.store = rows.store
    this.#rows = rows
  }

  row(key: Uint8Array, version: number, name?: string): Uint8Array | undefined {
    const value = this.#rows.row(key, version, name)
    if (value !== undefined && isTrieNode(key)) this.nodes.add(toHex(value))
    return value
  }

  account(of: Address, version: number): StoredAccount | undefined {
    this.#slots(of)
    return this.#rows.account(of, version)
  }

  word(of: Address, key: Hash, version: number): Uint8Array {
    this.#slots(of).add(key)
    return this.#rows.word(of, key, version)
  }

  /** None: an engine that knows the words of the version would not read them here. */
  storageId(): undefined {
    return undefined
  }

  code(hash: Hash): Uint8Array | undefined {
    const code = this.#rows.code(hash)
    if (code !== undefined) this.codes.set(hash, code)
    return code
  }

  #slots(of: Address): Set<Hash> {
    const slots = this.accounts.get(of) ?? new Set<Hash>()
    this.accounts.set(of, slots)
    return slots
  }
}
