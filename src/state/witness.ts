// The witness of a block: every row of the parent's state that running the block has read, so that the block can be run
// again without the state (Ethereum's term for it: execution witness).
// It has rows as they are on disk. Code is left out, because whatever re-executes blocks caches code by its hash.
import { type Address, EMPTY_BYTES, fromLatin1, type Hash, toLatin1 } from '../lib/hex.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import { decodeAccount, encodeAccount, type StoredAccount } from './accounts.ts'
import { KEY } from './keyspace.ts'
import type { StateRows } from './state-rows.ts'

/** Rows that are encoded between two calls of `pause`. */
const GROUP = 64
/** The length that stands for an absent value. No row is that long. */
const ABSENT = 0xffffffff

/** Reads rows of one version and records what was read, until `stop`. */
export class WitnessRecorder implements StateRows {
  readonly #rows: StateRows
  readonly #accounts = new Map<Address, StoredAccount | undefined>()
  readonly #words = new Map<Address, Map<Hash, Uint8Array>>()
  /** Trie nodes by their keys as latin-1. */
  readonly #others = new Map<string, Uint8Array | undefined>()
  #isStopped = false

  constructor(rows: StateRows) {
    this.#rows = rows
  }

  get store(): StateRows['store'] {
    return this.#rows.store
  }

  row(key: Uint8Array, version: number, name = toLatin1(key)): Uint8Array | undefined {
    const row = this.#rows.row(key, version, name)
    if (!this.#isStopped) this.#others.set(name, row)
    return row
  }

  account(of: Address, version: number): StoredAccount | undefined {
    const account = this.#rows.account(of, version)
    if (!this.#isStopped) this.#accounts.set(of, account)
    return account
  }

  word(of: Address, key: Hash, version: number): Uint8Array {
    const word = this.#rows.word(of, key, version)
    if (this.#isStopped) return word
    const words = this.#words.get(of)
    if (words === undefined) this.#words.set(of, new Map([[key, word]]))
    else words.set(key, word)
    return word
  }

  code(hash: Hash): Uint8Array | undefined {
    return this.#rows.code(hash)
  }

  /** Ends the recording. Later reads serve the commit, not the block. */
  stop(): void {
    this.#isStopped = true
  }

  /** Accounts and slots that were read. */
  *read(): Generator<{ readonly of: Address; readonly keys: readonly Hash[] }> {
    for (const of of new Set([...this.#accounts.keys(), ...this.#words.keys()])) {
      yield { of, keys: [...(this.#words.get(of)?.keys() ?? [])] }
    }
  }

  /** All rows in one array with its own memory, each as: key length (1 byte), key, value length (4 bytes), value. Yields. */
  async encode(): Promise<Uint8Array<ArrayBuffer>> {
    const pause = yieldToEventLoop('block')
    const parts: [key: Uint8Array, value: Uint8Array | undefined][] = []
    let size = 0
    for (const [key, value] of this.#entries()) {
      parts.push([key, value])
      size += 1 + key.length + 4 + (value?.length ?? 0)
      if (parts.length % GROUP === 0) await pause()
    }
    const bytes = new Uint8Array(size)
    const view = new DataView(bytes.buffer)
    let at = 0
    for (const [index, [key, value]] of parts.entries()) {
      bytes[at] = key.length
      bytes.set(key, at + 1)
      at += 1 + key.length
      view.setUint32(at, value === undefined ? ABSENT : value.length)
      at += 4
      if (value !== undefined) bytes.set(value, at)
      at += value?.length ?? 0
      if (index % GROUP === 0) await pause()
    }
    return bytes
  }

  *#entries(): Generator<[key: Uint8Array, value: Uint8Array | undefined]> {
    for (const [of, account] of this.#accounts) {
      yield [KEY.account(of), account && encodeAccount(account, account.storageRoot)]
    }
    for (const [of, words] of this.#words) {
      for (const [key, word] of words) yield [KEY.slot(of, key), word.length === 0 ? undefined : word]
    }
    for (const [name, row] of this.#others) yield [fromLatin1(name), row]
  }
}

/** Supplies the rows and codes that a witness does not have. */
export type MissingRows = {
  row(key: Uint8Array): Uint8Array | undefined
  code(hash: Hash): Uint8Array | undefined
}

/** Reads the rows of a witness. Missing rows are requested once each. */
export class WitnessRows implements StateRows {
  readonly store: StateRows['store'] = {
    scan: () => {
      throw new Error('a witness holds rows, not ranges of rows')
    },
  }
  readonly #missing: MissingRows
  readonly #rows = new Map<string, Uint8Array | undefined>()
  readonly #accounts = new Map<Address, StoredAccount | undefined>()

  /** `witness`: the output of `WitnessRecorder.encode`, or no bytes for an empty witness. */
  constructor(witness: Uint8Array, missing: MissingRows) {
    this.#missing = missing
    const view = new DataView(witness.buffer, witness.byteOffset, witness.byteLength)
    for (let at = 0; at < witness.length; ) {
      const keyEnd = at + 1 + (witness[at] ?? 0)
      const length = view.getUint32(keyEnd)
      const end = keyEnd + 4 + (length === ABSENT ? 0 : length)
      const value = length === ABSENT ? undefined : witness.subarray(keyEnd + 4, end)
      this.#rows.set(toLatin1(witness.subarray(at + 1, keyEnd)), value)
      at = end
    }
  }

  row(key: Uint8Array, _version: number, name = toLatin1(key)): Uint8Array | undefined {
    const known = this.#rows.get(name)
    if (known !== undefined || this.#rows.has(name)) return known
    const row = this.#missing.row(key)
    this.#rows.set(name, row)
    return row
  }

  account(of: Address, version: number): StoredAccount | undefined {
    const known = this.#accounts.get(of)
    if (known !== undefined || this.#accounts.has(of)) return known
    const row = this.row(KEY.account(of), version)
    const account = row && decodeAccount(row)
    this.#accounts.set(of, account)
    return account
  }

  word(of: Address, key: Hash, version: number): Uint8Array {
    return this.row(KEY.slot(of, key), version) ?? EMPTY_BYTES
  }

  code(hash: Hash): Uint8Array | undefined {
    return this.#missing.code(hash)
  }
}
