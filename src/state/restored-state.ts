// Writes the first version of a state from a stream of accounts, each followed by its slots, as in a state snapshot. Rows are
// written as they arrive; the caller compares the root that `finish` returns with the expected one.
import { type Address, EMPTY_BYTES, fromHex, type Hash, toHash } from '../lib/hex.ts'
import { keccak256, keccakHash } from '../lib/keccak.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import { encodeAccount } from './accounts.ts'
import { BatchedWrites, firstRow, writeAccountTrie } from './first-state.ts'
import { KEY } from './keyspace.ts'
import { LeafBuckets } from './leaf-buckets.ts'
import { EMPTY_ROOT_BYTES, type TrieChange, updateTrie } from './trie.ts'
import type { Account, KvStore } from './types.ts'

/** Maximum slots of an account whose trie is built in memory at once; larger storages use buckets. */
const FEW_SLOTS = 10_000

/** The account whose slots are arriving. */
type OpenAccount = {
  readonly address: Address
  readonly account: Account
  readonly few: TrieChange[]
  many: LeafBuckets | undefined
}

export class RestoredState {
  readonly #out: BatchedWrites
  readonly #leaves = new LeafBuckets()
  #open: OpenAccount | undefined

  constructor(store: Pick<KvStore, 'write'>) {
    this.#out = new BatchedWrites(store)
  }

  /** Adds a code and returns its hash. */
  code(code: Uint8Array): Hash {
    const hash = keccakHash(code)
    this.#out.put(KEY.code(hash), Uint8Array.from(code))
    return hash
  }

  /** Adds an address without an account. No slot may follow. */
  async known(address: Address): Promise<void> {
    await this.#endAccount()
    this.#open = undefined
    this.#out.put(KEY.knownAddress(address), EMPTY_BYTES)
    if (this.#out.isFull) await this.#out.flush()
  }

  /** Begins an account; addresses must be unique. */
  async account(address: Address, account: Account): Promise<void> {
    await this.#endAccount()
    this.#open = { address, account, few: [], many: undefined }
  }

  /** Adds a slot of the current account, with its word without leading zeros; slots must be unique. */
  async slot(slot: Hash, word: Uint8Array): Promise<void> {
    const of = this.#open
    if (of === undefined) throw new Error('a slot before the first account')
    this.#out.put(KEY.slot(of.address, slot), firstRow(word))
    const leaf = { key: keccak256(fromHex(slot)), value: encodeRlp(word) }
    if (of.many !== undefined) of.many.add(leaf.key, leaf.value)
    else if (of.few.push(leaf) > FEW_SLOTS) {
      of.many = new LeafBuckets()
      for (const { key, value } of of.few.splice(0)) if (value !== null) of.many.add(key, value)
    }
    if (this.#out.isFull) await this.#out.flush()
  }

  /** Writes the remaining rows and the account trie. Returns the state root. */
  async finish(): Promise<Hash> {
    await this.#endAccount()
    const root = await writeAccountTrie(this.#leaves, this.#out)
    await this.#out.end()
    return toHash(root)
  }

  async #endAccount(): Promise<void> {
    const of = this.#open
    if (of === undefined) return
    const row = encodeAccount(of.account, await this.#writeStorage(of))
    this.#out.put(KEY.account(of.address), firstRow(row))
    this.#leaves.add(keccak256(fromHex(of.address)), row)
    if (this.#out.isFull) await this.#out.flush()
  }

  /** Writes the trie of an account's slots. Returns its root. */
  async #writeStorage({ address, few, many }: OpenAccount): Promise<Uint8Array> {
    const put = (path: string, node: Uint8Array) => this.#out.put(KEY.storageNode(address, path), firstRow(node))
    if (many !== undefined)
      return many.writeTrie((path, node) => {
        put(path, node)
        return this.#out.isFull ? this.#out.flush() : undefined
      })
    if (few.length === 0) return EMPTY_ROOT_BYTES
    const { root, writes } = updateTrie(() => undefined, few)
    for (const { path, node } of writes) if (node !== null) put(path, node)
    return root
  }
}
