// The Merkle-Patricia tries of a view: accounts and slots changed since the last root, the resulting trie nodes, the rows to
// commit, and proofs. A root can be computed at any time and costs only the changes since the last one.

import { memo } from '../lib/caches.ts'
import { type Address, bigToFixed, equalBytes, fromHex, type Hash, toHash, toHex, toLatin1 } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import { encodeAccount, type StoredAccount } from './accounts.ts'
import { KEY, RANGE, slotOfRow } from './keyspace.ts'
import { isSameValue, type RowChanges } from './state-rows.ts'
import type { NodePath, NodeReader, TrieChange } from './trie.ts'
import { EMPTY_ROOT_BYTES, proveTrie, updateTrie } from './trie.ts'
import type { Account, AccountProof, KvReader, StateView } from './types.ts'

/** Accounts, each with its slots that were written. */
type Slots = Map<Address, Set<Hash>>
/** For an account without written slots. Never changed. */
const NO_SLOTS = new Set<Hash>()

/** Node rows written on this view; null: deleted. */
type Nodes = Map<NodePath, Uint8Array | null>

/** Keys of accounts and slots in their tries (keccak-256). Cached, because consecutive blocks touch the same ones. */
const CACHED_KEYS = 50_000
const hashedKey = memo(CACHED_KEYS, (name: Address | Hash) => keccak256(fromHex(name)))

/** What the tries read from their view: its current values, and the stored rows of its version. */
export type TrieSource = {
  account(of: Address): Account | undefined
  /** A storage word's current value, without leading zeros; no bytes for zero. */
  word(of: Address, key: Hash): Uint8Array
  /** Whether the stored slots of the account were cleared on the view. */
  isCleared(of: Address): boolean
  /** The account's stored row, decoded. */
  stored(of: Address): StoredAccount | undefined
  /** A stored row. `name` is the key as latin-1, for callers that have it. */
  storedRow(key: Uint8Array, name?: string): Uint8Array | undefined
  /** Whether a row of a fork has not changed here, up to this value of it: the tries of a fork lack it. */
  isUnchanged(of: Address, slot: Hash | undefined, value: Uint8Array): boolean
}

/** What the changed rows are compared with. */
export type CommitSource = {
  /** As `storedRow`; `missing` if the row of a fork is not known. */
  knownRow(key: Uint8Array, name?: string): Uint8Array | undefined | 'missing'
  /** Whether the account has storage on the forked chain. */
  hasForkedStorage(of: Address): boolean
  /** Whether a row was changed before; of a chain that is no fork every row was. */
  isChanged(key: Uint8Array): boolean
  readonly rows: { readonly store: Pick<KvReader, 'scan'> }
}

export class StateTrie {
  readonly #view: TrieSource
  /** Written since the last root. */
  #dirty: Slots = new Map()
  /** Accounts whose storage trie is rebuilt from nothing. */
  #reset = new Set<Address>()
  /** Written between the opening of the view and the last root. */
  #touched: Slots = new Map()
  /** Rows of the touched accounts as of the last root; null: the account does not exist. */
  #accountRows = new Map<Address, Uint8Array | null>()
  #accountNodes: Nodes = new Map()
  #storageNodes = new Map<Address, Nodes>()
  #storageRoots = new Map<Address, Uint8Array>()
  #root: Hash | undefined

  constructor(view: TrieSource) {
    this.#view = view
  }

  touch(of: Address): void {
    if (!this.#dirty.has(of)) this.#dirty.set(of, NO_SLOTS)
    this.#root = undefined
  }

  touchSlot(of: Address, key: Hash): void {
    const known = this.#dirty.get(of)
    if (known === undefined || known === NO_SLOTS) this.#dirty.set(of, new Set([key]))
    else known.add(key)
    this.#root = undefined
  }

  /** Marks an account whose storage was cleared, or whose clearing was reverted: its trie is rebuilt. */
  touchStorage(of: Address): void {
    this.touch(of)
    this.#reset.add(of)
  }

  storageRoot(of: Address): Uint8Array {
    this.#updateStorage(of)
    return this.#storageRoots.get(of) ?? this.#view.stored(of)?.storageRoot ?? EMPTY_ROOT_BYTES
  }

  root(): Hash {
    if (this.#root !== undefined) return this.#root
    const changes: TrieChange[] = []
    for (const of of this.#dirty.keys()) {
      const account = this.#view.account(of)
      // Also for a deleted account: it may be created again, and `#dirty` is emptied below.
      const storageRoot = this.storageRoot(of)
      const value = account === undefined ? null : encodeAccount(account, storageRoot)
      this.#accountRows.set(of, value)
      this.#markTouched(of, NO_SLOTS)
      const isLeft = value !== null && this.#view.isUnchanged(of, undefined, value)
      changes.push({ key: hashedKey(of), value: isLeft ? null : value })
    }
    this.#dirty.clear()
    this.#root = toHash(this.#apply(this.accountReader(), this.#accountNodes, changes))
    return this.#root
  }

  accountReader(): NodeReader {
    return (path) => {
      const node = this.#accountNodes.get(path)
      if (node !== undefined) return node ?? undefined
      return this.#view.storedRow(KEY.accountNode(path))
    }
  }

  storageReader(of: Address): NodeReader {
    const nodes = this.#storageNodes.get(of)
    const cleared = this.#view.isCleared(of)
    return (path) => {
      const node = nodes?.get(path)
      if (node !== undefined) return node ?? undefined
      return cleared ? undefined : this.#view.storedRow(KEY.storageNode(of, path))
    }
  }

  /** Every node that was written since the view was opened; null: deleted. Call after `root`. */
  *nodes(): Iterable<readonly [key: Uint8Array, node: Uint8Array | null]> {
    for (const [of, nodes] of this.#storageNodes) {
      // A missing account has no storage, even if its slots were written.
      const isMissing = this.#view.account(of) === undefined
      for (const [path, node] of nodes) yield [KEY.storageNode(of, path), isMissing ? null : node]
    }
    for (const [path, node] of this.#accountNodes) yield [KEY.accountNode(path), node]
  }

  /** Every row that differs from the view's version: accounts, slots and nodes. Call after `root`. */
  async changedRows(source: CommitSource): Promise<RowChanges> {
    const rows: RowChanges = new Map()
    const add = (key: Uint8Array, value: Uint8Array | null, isNew = false) => {
      const name = toLatin1(key)
      const known = isNew ? 'missing' : source.knownRow(key, name)
      if (known === 'missing' || !isSameValue(known, value)) rows.set(name, { key, value })
      // A cleared row that was written again with its old value.
      else rows.delete(name)
    }
    for (const [of, keys] of this.#touched) {
      const account = this.#view.account(of)
      add(KEY.account(of), this.#accountRows.get(of) ?? null)
      let isEmptied = false
      if (account === undefined || this.#view.isCleared(of)) {
        isEmptied = source.hasForkedStorage(of)
        if (isEmptied || this.#hasStored(of)) for await (const key of this.#clearedRows(of, source)) add(key, null)
        if (isEmptied) add(KEY.cleared(of), Uint8Array.of(1))
      }
      // A missing account has no storage, even if its slots were written.
      if (account === undefined) continue
      for (const key of keys) {
        const word = this.#view.word(of, key)
        // KEY.cleared has emptied the slots of the forked chain, whether they were fetched or not.
        if (word.length > 0) add(KEY.slot(of, key), word, isEmptied)
        else if (!isEmptied) add(KEY.slot(of, key), null)
      }
    }
    for (const [key, node] of this.nodes()) add(key, node)
    return rows
  }

  /** Keys of the slots that were changed of an account that loses its storage, and of the nodes above them. */
  async *#clearedRows(of: Address, source: CommitSource): AsyncIterable<Uint8Array> {
    const changes: TrieChange[] = []
    for await (const [key] of source.rows.store.scan({ ...RANGE.slots(of), values: false })) {
      if (!source.isChanged(key)) continue
      changes.push({ key: hashedKey(slotOfRow(key)), value: null })
      yield key
    }
    const { writes } = updateTrie((path) => this.#view.storedRow(KEY.storageNode(of, path)), changes)
    for (const { path } of writes) yield KEY.storageNode(of, path)
  }

  fork(view: TrieSource): StateTrie {
    const copy = new StateTrie(view)
    for (const [of, keys] of this.#dirty) copy.#dirty.set(of, keys.size === 0 ? NO_SLOTS : new Set(keys))
    for (const [of, keys] of this.#touched) copy.#touched.set(of, keys.size === 0 ? NO_SLOTS : new Set(keys))
    copy.#reset = new Set(this.#reset)
    copy.#accountRows = new Map(this.#accountRows)
    copy.#accountNodes = new Map(this.#accountNodes)
    for (const [of, nodes] of this.#storageNodes) copy.#storageNodes.set(of, new Map(nodes))
    copy.#storageRoots = new Map(this.#storageRoots)
    copy.#root = this.#root
    return copy
  }

  /** Whether slots of the account are stored. */
  #hasStored(of: Address): boolean {
    const stored = this.#view.stored(of)
    return stored !== undefined && !equalBytes(stored.storageRoot, EMPTY_ROOT_BYTES)
  }

  /** Moves an account's dirty slots to the touched ones. Takes ownership of the set. */
  #markTouched(of: Address, keys: Set<Hash>): void {
    const known = this.#touched.get(of)
    if (known === undefined || known === NO_SLOTS) this.#touched.set(of, keys)
    else for (const key of keys) known.add(key)
  }

  #updateStorage(of: Address): void {
    const reset = this.#reset.has(of)
    const dirty = this.#dirty.get(of) ?? NO_SLOTS
    if (!reset && dirty.size === 0) return
    this.#markTouched(of, dirty)
    if (reset) this.#storageNodes.set(of, new Map())
    let nodes = this.#storageNodes.get(of)
    if (nodes === undefined) {
      nodes = new Map()
      this.#storageNodes.set(of, nodes)
    }
    const isCleared = this.#view.isCleared(of)
    const changes: TrieChange[] = []
    for (const key of (reset ? this.#touched.get(of) : dirty) ?? []) {
      const word = this.#view.word(of, key)
      const isLeft = word.length === 0 || (!isCleared && this.#view.isUnchanged(of, key, word))
      changes.push({ key: hashedKey(key), value: isLeft ? null : encodeRlp(word) })
    }
    this.#storageRoots.set(of, this.#apply(this.storageReader(of), nodes, changes))
    this.#reset.delete(of)
    this.#dirty.set(of, NO_SLOTS)
  }

  #apply(read: NodeReader, nodes: Nodes, changes: readonly TrieChange[]): Uint8Array {
    const { root, writes } = updateTrie(read, changes)
    for (const { path, node } of writes) nodes.set(path, node)
    return root
  }
}

/** EIP-1186 proof: the nodes from the root down to the account and its slots, or those that prove its absence. */
export function proveAccount(view: StateView, trie: StateTrie, of: Address, slots: readonly bigint[]): AccountProof {
  // The storage root first, because computing it updates the nodes.
  const storageRoot = toHash(trie.storageRoot(of))
  const storage = trie.storageReader(of)
  return {
    account: view.account(of),
    storageRoot,
    accountProof: proveTrie(trie.accountReader(), keccak256(fromHex(of))).map(toHex),
    storageProofs: slots.map((key) => ({
      key,
      value: view.storage(of, key),
      proof: proveTrie(storage, keccak256(bigToFixed(key, 32))).map(toHex),
    })),
  }
}
