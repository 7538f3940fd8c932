// The state on disk with its caches: versioned rows, read synchronously. A view reads the version at which it was opened,
// regardless of later commits. Each commit is the next version; rewinding restores the rows of an earlier one.
import { LRUCache } from 'lru-cache'
import { BytePool } from '../lib/byte-pool.ts'
import { GenerationalCache } from '../lib/caches.ts'
import { ReadFailure } from '../lib/errors.ts'
import { type Address, EMPTY_BYTES, fromLatin1, type Hash, toLatin1 } from '../lib/hex.ts'
import { decodeAccount, type StoredAccount } from './accounts.ts'
import { DecodedVersions } from './decoded-values.ts'
import {
  decodeChanges,
  decodeRow,
  encodeChanges,
  encodeFormer,
  encodeRow,
  MissingHistory,
  type RowChange,
  type RowState,
  rowAsOf,
  storesNodes,
} from './history.ts'
import { isAccount, isCode, isSlot, isTrieNode, KEY } from './keyspace.ts'
import { type FirstRow, NOT_NOW, PartialState, type PlainRow, type StateSource } from './partial-state.ts'
import { verifyCode } from './row-checksum.ts'
import { type ChangedRow, isSameValue, type RowChanges, type StateRows } from './state-rows.ts'
import type { KvStore, WriteOp } from './types.ts'
import { makeNodes, mustStore, type UnstoredNodes } from './unstored-nodes.ts'
import { newStorageId, View } from './view.ts'

const CACHED_ROWS = 200_000
const CACHED_CODES = 2_000
/** A store that is further behind another thread's commits than this drops all cached rows. */
const MOST_FOLLOWED = 64
/** Versions before the newest whose unstored trie nodes are kept. */
const FORMER_NODES = 4
/** Marks a row that does not exist. Absent rows are cached because they are read as often as others. */
const ABSENT: RowState = { ordinal: 0, since: 0, value: undefined }

/** The unstored nodes of the newest version; each commit adds its own. */
type NewestNodes = UnstoredNodes & { readonly nodes: Map<string, ChangedRow> }

export class StateStore implements StateRows {
  readonly store: KvStore
  #version: number
  readonly #rows = new GenerationalCache<string, RowState>(CACHED_ROWS)
  /** Holds the values of `#rows`. */
  readonly #pool = new BytePool()
  /** Of unstored nodes, which live for some versions only: in one pool with rows, each row would keep their memory. */
  readonly #nodePool = new BytePool()
  readonly #codes = new LRUCache<Hash, Uint8Array>({ max: CACHED_CODES })
  /** Shared by the views of a version. */
  readonly #decoded: DecodedVersions
  /** Trie nodes that are not stored, of the newest version and of others; undefined: not needed yet. */
  #newestNodes: NewestNodes | undefined
  readonly #formerNodes = new LRUCache<number, UnstoredNodes>({ max: FORMER_NODES })
  /** Of the newest version. */
  #storageId = newStorageId()
  readonly missing: PartialState | undefined
  /** As `missing`, for views that do not fetch. */
  readonly #unfetched: PartialState | undefined
  /** Rows without known former value in the batch that is being written. */
  #writing: ReadonlySet<string> = NO_NAMES

  /** `source`: has the rows of a fork that are not on disk. */
  constructor(store: KvStore, version: number, source?: StateSource) {
    this.store = store
    this.missing = source && new PartialState(this, source)
    this.#unfetched = source && new PartialState(this, NOT_NOW)
    this.#version = version
    this.#decoded = new DecodedVersions(version)
  }

  /** The newest committed version; -1 before genesis. */
  get version(): number {
    return this.#version
  }

  /** A new view of a version. Reads nothing yet. `fetches`: whether work on a view of a fork waits for what it misses, or throws it. */
  at(version: number, fetches = true): View {
    return new View(this, version, fetches ? this.missing : this.#unfetched)
  }

  row(key: Uint8Array, version: number, name = toLatin1(key)): Uint8Array | undefined {
    if (!isTrieNode(key)) return this.#stored(key, version, name)
    const { stored, nodes } = this.unstoredNodes(version)
    const changed = nodes.get(name)
    return changed === undefined ? this.#stored(key, stored, name) : (changed.value ?? undefined)
  }

  /** The trie nodes of a version that are not stored as of it. Throws ReadFailure if the version was undone. */
  unstoredNodes(version: number): UnstoredNodes {
    if (version === this.#version) return this.#newest()
    // Its list of changes is gone, and another version will have its number.
    if (version > this.#version) throw new ReadFailure('the state was undone while it was read')
    const nodes = this.#formerNodes.get(version) ?? this.#makeNodes(version)
    this.#formerNodes.set(version, nodes)
    return nodes
  }

  #newest(): NewestNodes {
    if (this.#newestNodes === undefined) {
      const { stored, nodes } = this.#makeNodes(this.#version)
      this.#newestNodes = { stored, nodes: new Map(nodes) }
    }
    return this.#newestNodes
  }

  #makeNodes(version: number): UnstoredNodes {
    const source = {
      store: this.store,
      account: (of: Address) => this.account(of, version),
      word: (of: Address, key: Hash) => this.word(of, key, version),
      storedNode: this.#stored.bind(this),
    }
    return makeNodes(source, version, (earlier) => this.#formerNodes.get(earlier))
  }

  #stored(key: Uint8Array, version: number, name = toLatin1(key)): Uint8Array | undefined {
    try {
      return this.#valueAsOf(key, version, name)
    } catch (error) {
      if (!(error instanceof MissingHistory)) throw error
      // A rewind is in progress: the cached row is no longer the stored one.
      this.#rows.delete(name)
    }
    try {
      return this.#valueAsOf(key, version, name)
    } catch (error) {
      if (!(error instanceof MissingHistory)) throw error
      if (this.missing !== undefined && this.lacksFirst(key, name)) return this.missing.absent(key, version)
      // The view's version was pruned after the view was opened.
      throw new ReadFailure('the historical state is not available any more', { cause: error })
    }
  }

  #valueAsOf(key: Uint8Array, version: number, name: string): Uint8Array | undefined {
    const row = rowAsOf(this.store, key, this.#latest(key, name), version)
    if (row === undefined) return this.missing?.absent(key, version)
    return row.since === 0 && this.missing?.isCleared(key, version) ? undefined : row.value
  }

  lacksFirst(key: Uint8Array, name = toLatin1(key)): boolean {
    if (!isAccount(key) && !isSlot(key)) return false
    const latest = this.#latest(key, name)
    if (latest === undefined) return true
    const has = (ordinal: number) => this.store.get(KEY.history(key, ordinal)) !== undefined
    // Pruning deletes the second value before the third.
    return latest.ordinal > 0 && !has(0) && (latest.ordinal === 1 || has(1))
  }

  hasFormerHash(block: bigint): boolean {
    return this.store.get(KEY.formerHash(block)) !== undefined
  }

  since(key: Uint8Array, version: number): number | undefined {
    return this.#knownAsOf(key, this.#latest(key, toLatin1(key)), version)?.since
  }

  account(of: Address, version: number): StoredAccount | undefined {
    const decoded = this.#decoded.of(version)
    const known = decoded?.accounts.get(of)
    if (known !== undefined || decoded?.accounts.has(of)) return known
    const row = this.row(KEY.account(of), version)
    const account = row && decodeAccount(row)
    if (version === this.#version) decoded?.addAccount(of, account)
    return account
  }

  word(of: Address, key: Hash, version: number): Uint8Array {
    const decoded = this.#decoded.of(version)
    const known = decoded?.words.get(of)?.get(key)
    if (known !== undefined) return known
    const word = this.row(KEY.slot(of, key), version) ?? EMPTY_BYTES
    if (version === this.#version) decoded?.addWord(of, key, word)
    return word
  }

  storageId(version: number): number | undefined {
    return version === this.#version ? this.#storageId : undefined
  }

  code(hash: Hash): Uint8Array | undefined {
    const cached = this.#codes.get(hash)
    if (cached !== undefined) return cached
    const row = this.store.get(KEY.code(hash))
    if (row === undefined) return undefined
    const code = verifyCode(row, hash)
    this.#codes.set(hash, code)
    return code
  }

  /**
   * The operations that commit changed rows as the next version, which may leave out trie nodes (`unstored-nodes.ts`). Call
   * `afterWrite` when they are on disk; `write` does both. `changes` must not contain rows with unchanged values. `storageId`: of
   * the view with these changes.
   */
  stage(
    changes: RowChanges,
    codes: ReadonlyMap<Hash, Uint8Array>,
    storageId?: number,
  ): { ops: WriteOp[]; version: number; write: (ops: readonly WriteOp[]) => Promise<void>; afterWrite: () => void } {
    const version = this.#version + 1
    const { stored, nodes } = this.#newest()
    const changedNodes = [...changes].filter(([, { key }]) => isTrieNode(key))
    const withNodes = mustStore(version, stored, nodes.size + changedNodes.length)
    const ops: WriteOp[] = []
    const names: string[] = []
    const next: RowState[] = []
    const written: RowChange[] = []
    const unread = new Set<string>()
    const add = (name: string, key: Uint8Array, value: Uint8Array | null): void => {
      const before = this.#latest(key, name)
      // A slot of a fork that was written and never read may have a former value, which has the first ordinal.
      const isUnread = before === undefined && this.missing !== undefined && isSlot(key)
      if (isUnread) unread.add(name)
      const ordinal = before === undefined ? Number(isUnread) : before.ordinal + 1
      const row = { ordinal, since: version, value: value ?? undefined }
      if (before !== undefined)
        ops.push({ type: 'put', key: KEY.history(key, before.ordinal), value: encodeFormer(before, row.value) })
      ops.push({ type: 'put', key, value: encodeRow(row) })
      written.push({ key, replaced: before?.ordinal })
      names.push(name)
      next.push(row)
    }
    for (const [name, { key, value }] of changes) if (!isTrieNode(key)) add(name, key, value)
    if (withNodes)
      // Later versions may have changed a node back.
      for (const [name, { key, value }] of new Map([...nodes, ...changedNodes]))
        if (!isSameValue(this.#latest(key, name)?.value, value)) add(name, key, value)
    for (const [hash, code] of codes) {
      const key = KEY.code(hash)
      if (this.store.get(key) !== undefined) continue
      ops.push({ type: 'put', key, value: code })
      written.push({ key, replaced: undefined })
    }
    ops.push({ type: 'put', key: KEY.changes(version), value: encodeChanges(written, withNodes) })
    const afterWrite = () => {
      for (const [i, { ordinal, since, value }] of next.entries()) {
        this.#rows.set(names[i] ?? '', { ordinal, since, value: value && this.#pool.copy(value) })
      }
      this.#moveTo(version, storageId)
      if (withNodes) nodes.clear()
      else
        for (const [name, { key, value }] of changedNodes)
          nodes.set(name, { key, value: value && this.#nodePool.copy(value) })
      this.#newestNodes = { stored: withNodes ? version : stored, nodes }
    }
    const write = async (batch: readonly WriteOp[]) => {
      this.#writing = unread
      try {
        await this.store.write(batch)
        afterWrite()
      } finally {
        this.#writing = NO_NAMES
      }
    }
    return { ops, version, write, afterWrite }
  }

  /**
   * Stores rows of a fork as of version 0 that were fetched, with `others`. Those that are known meanwhile stay. A row that a block
   * is writing without having read it is left out, because the block's batch is on its way.
   */
  async adopt(rows: readonly FirstRow[], others: readonly PlainRow[]): Promise<void> {
    const ops: WriteOp[] = others.map(({ key, value }) => ({ type: 'put', key, value }))
    const first: [name: string, row: RowState][] = []
    for (const { key, value } of rows) {
      const name = toLatin1(key)
      if (this.#writing.has(name)) continue
      const row = { ordinal: 0, since: 0, value }
      const latest = this.#latest(key, name)
      if (latest === undefined) {
        first.push([name, row])
        ops.push({ type: 'put', key, value: encodeRow(row) })
      } else if (this.lacksFirst(key, name)) ops.push({ type: 'put', key: KEY.history(key, 0), value: encodeRow(row) })
    }
    await this.store.write(ops)
    for (const [name, { value, ...row }] of first)
      if (this.#latest(fromLatin1(name), name) === undefined)
        this.#rows.set(name, { ...row, value: value && this.#pool.copy(value) })
  }

  /**
   * The operations that prune everything that a version replaced, so that no version before it can be read. Prune versions from
   * the oldest on, and never the newest. Lists of changes stay from the last version on that stored trie nodes: the nodes of
   * later ones are made from them.
   */
  prune(version: number): WriteOp[] {
    const key = KEY.changes(version)
    const changes = this.store.get(key)
    if (changes === undefined) throw new Error(`the change list of version ${version} is missing`)
    const ops: WriteOp[] = []
    for (const { key: row, replaced } of decodeChanges(changes)) {
      // The former value of a slot that was written and never read may have been fetched since.
      const former = replaced ?? (this.missing !== undefined && isSlot(row) ? 0 : undefined)
      if (former !== undefined) ops.push({ type: 'del', key: KEY.history(row, former) })
    }
    if (!storesNodes(changes)) return ops
    for (let earlier = version - 1; earlier > 0 && this.store.get(KEY.changes(earlier)) !== undefined; earlier--)
      ops.push({ type: 'del', key: KEY.changes(earlier) })
    return ops
  }

  /** The operations that undo all versions above the given one. Call `afterWrite` when they are on disk. */
  rewind(version: number): { ops: WriteOp[]; afterWrite: () => void } {
    const ops: WriteOp[] = []
    const touched = new Set<string>()
    for (let undone = this.#version; undone > version; undone--) {
      const key = KEY.changes(undone)
      const changes = this.store.get(key)
      if (changes === undefined) throw new Error(`the change list of version ${undone} is missing`)
      for (const { key: row } of decodeChanges(changes)) {
        // Code has no history: it is deleted with the version that added it, on a fork never: it may be that of another account.
        if (isCode(row)) {
          if (this.missing === undefined) ops.push({ type: 'del', key: row })
        } else touched.add(toLatin1(row))
      }
      ops.push({ type: 'del', key })
    }
    for (const name of touched) {
      const key = fromLatin1(name)
      const latest = this.#latest(key, name)
      const kept = this.#knownAsOf(key, latest, version)
      ops.push(kept === undefined ? { type: 'del', key } : { type: 'put', key, value: encodeRow(kept) })
      const from = kept === undefined ? 0 : kept.ordinal
      for (let ordinal = from; ordinal < (latest?.ordinal ?? 0); ordinal++) {
        ops.push({ type: 'del', key: KEY.history(key, ordinal) })
      }
    }
    const afterWrite = () => {
      for (const name of touched) this.#rows.delete(name)
      this.#forgetNodes()
      this.#moveTo(version)
    }
    return { ops, afterWrite }
  }

  /** The row as of a version; undefined also if the former value of a row of a fork is missing. */
  #knownAsOf(key: Uint8Array, latest: RowState | undefined, version: number): RowState | undefined {
    try {
      return rowAsOf(this.store, key, latest, version)
    } catch (error) {
      if (error instanceof MissingHistory && this.missing !== undefined) return undefined
      throw error
    }
  }

  /**
   * Moves to a version that another thread has committed to the same database. The change lists name the cached rows that are
   * no longer the latest; if one is missing (pruned), or there are too many, all cached rows are dropped.
   */
  follow(version: number): void {
    const isNear = version - this.#version <= MOST_FOLLOWED
    for (let next = this.#version + 1; isNear && next <= version; next++) {
      const changes = this.store.get(KEY.changes(next))
      if (changes === undefined) this.#rows.clear()
      else for (const { key } of decodeChanges(changes)) this.#rows.delete(toLatin1(key))
    }
    if (!isNear) this.#rows.clear()
    if (version < this.#version) this.#forgetNodes()
    else if (version > this.#version && this.#newestNodes !== undefined) {
      this.#formerNodes.set(this.#version, this.#newestNodes)
      this.#newestNodes = undefined
    }
    this.#moveTo(version)
  }

  #forgetNodes(): void {
    this.#newestNodes = undefined
    this.#formerNodes.clear()
  }

  #moveTo(version: number, storageId = newStorageId()): void {
    this.#version = version
    this.#storageId = storageId
    this.#decoded.moveTo(version)
  }

  #latest(key: Uint8Array, name: string): RowState | undefined {
    const cached = this.#rows.get(name)
    if (cached !== undefined) return cached === ABSENT ? undefined : cached
    const bytes = this.store.get(key)
    const row = bytes && decodeRow(bytes)
    this.#rows.set(name, row ?? ABSENT)
    return row
  }
}

const NO_NAMES: ReadonlySet<string> = new Set()
