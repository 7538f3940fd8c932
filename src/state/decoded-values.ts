// Decoded accounts and words, each with the version that it was read at. Those of the newest version are added as they are read,
// and kept when the next version is written: traces of new blocks then read what the execution read, without the history.
import type { Address, Hash } from '../lib/hex.ts'
import type { StoredAccount } from './accounts.ts'

/** At these limits the values of the newest version are dropped. */
const MAX_WORDS = 100_000
const MAX_ACCOUNTS = 50_000
/** Most values of all former versions, about 12 MB, and what a version counts beside its values. */
const MAX_FORMER = 50_000
const VERSION_SIZE = 8

class DecodedValues {
  /** undefined: the account does not exist. */
  readonly accounts = new Map<Address, StoredAccount | undefined>()
  readonly words = new Map<Address, Map<Hash, Uint8Array>>()
  #wordCount = 0

  get size(): number {
    return VERSION_SIZE + this.accounts.size + this.#wordCount
  }

  addAccount(of: Address, account: StoredAccount | undefined): void {
    if (this.accounts.size >= MAX_ACCOUNTS) this.accounts.clear()
    this.accounts.set(of, account)
  }

  addWord(of: Address, key: Hash, word: Uint8Array): void {
    if (++this.#wordCount > MAX_WORDS) {
      this.words.clear()
      this.#wordCount = 1
    }
    const words = this.words.get(of)
    if (words === undefined) this.words.set(of, new Map([[key, word]]))
    else words.set(key, word)
  }
}

export class DecodedVersions {
  #version: number
  #newest = new DecodedValues()
  /** Oldest first. */
  readonly #former = new Map<number, DecodedValues>()
  #formerSize = 0

  constructor(newest: number) {
    this.#version = newest
  }

  of(version: number): DecodedValues | undefined {
    return version === this.#version ? this.#newest : this.#former.get(version)
  }

  /** After a rewind other versions may get the numbers of those that it has undone. */
  moveTo(version: number): void {
    if (version > this.#version) this.#keepNewest()
    else for (const former of [...this.#former.keys()]) if (former >= version) this.#drop(former)
    this.#version = version
    this.#newest = new DecodedValues()
  }

  #keepNewest(): void {
    this.#former.set(this.#version, this.#newest)
    this.#formerSize += this.#newest.size
    for (const version of this.#former.keys()) {
      if (this.#formerSize <= MAX_FORMER) return
      this.#drop(version)
    }
  }

  #drop(version: number): void {
    this.#formerSize -= this.#former.get(version)?.size ?? 0
    this.#former.delete(version)
  }
}
