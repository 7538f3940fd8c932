// Writes the first version of a state from its accounts, in batches, so that its size does not matter: the trie is built from the
// accounts in order of their hashed addresses. Rows are complete when `finish` resolves; version 0 replaces nothing, so its
// list of changes is empty.
import { type Address, fromHex, type Hash, trimZeros } from '../lib/hex.ts'
import { keccak256, keccakHash } from '../lib/keccak.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import { accountOf, EMPTY_CODE_HASH, encodeAccount } from './accounts.ts'
import { encodeChanges, encodeRow } from './history.ts'
import { KEY } from './keyspace.ts'
import type { RowChanges } from './state-rows.ts'
import { EMPTY_ROOT_BYTES } from './state-trie.ts'
import { type NodePath, type TrieChange, updateTrie } from './trie.ts'
import type { KvStore, WriteOp } from './types.ts'

/** Rows of one batch: 20,000 rows take about 4 MB. */
const BATCH = 20_000

/** Writes rows in batches, each while the next one is made. All are on disk after `end`. */
export class BatchedWrites {
  readonly #store: Pick<KvStore, 'write'>
  #ops: WriteOp[] = []
  #writing = Promise.resolve()

  constructor(store: Pick<KvStore, 'write'>) {
    this.#store = store
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#ops.push({ type: 'put', key, value })
  }

  /** Whether so many rows wait that `flush` is due. */
  get isFull(): boolean {
    return this.#ops.length >= BATCH
  }

  async flush(): Promise<void> {
    await this.#writing
    this.#writing = this.#store.write(this.#ops)
    // The next `flush` throws the error.
    this.#writing.catch(() => undefined)
    this.#ops = []
  }

  async end(): Promise<void> {
    await this.flush()
    await this.#writing
  }
}

type FirstAccount = {
  readonly nonce: bigint
  readonly balance: bigint
  readonly code: Uint8Array
  readonly storage: ReadonlyMap<Hash, Hash>
}

/** A row as version 0 has it. */
const firstRow = (value: Uint8Array): Uint8Array => encodeRow({ ordinal: 0, since: 0, value })

export class FirstState {
  readonly #out: BatchedWrites
  readonly #leaves = new LeafBuckets()

  constructor(store: Pick<KvStore, 'write'>) {
    this.#out = new BatchedWrites(store)
  }

  /** Adds an account. Each address may come once. */
  async add(address: Address, { nonce, balance, code, storage }: FirstAccount): Promise<void> {
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccakHash(code)
    if (code.length > 0) this.#out.put(KEY.code(codeHash), code)
    const storageRoot = storage.size === 0 ? EMPTY_ROOT_BYTES : this.#addStorage(address, storage)
    const row = encodeAccount(accountOf(nonce, balance, codeHash), storageRoot)
    this.#out.put(KEY.account(address), firstRow(row))
    this.#leaves.add(keccak256(fromHex(address)), row)
    if (this.#out.isFull) await this.#out.flush()
  }

  #addStorage(address: Address, storage: ReadonlyMap<Hash, Hash>): Uint8Array {
    const changes: TrieChange[] = []
    for (const [slot, value] of storage) {
      const word = trimZeros(fromHex(value))
      if (word.length === 0) continue
      this.#out.put(KEY.slot(address, slot), firstRow(word))
      changes.push({ key: keccak256(fromHex(slot)), value: encodeRlp(word) })
    }
    const { root, writes } = updateTrie(() => undefined, changes)
    for (const { path, node } of writes)
      if (node !== null) this.#out.put(KEY.storageNode(address, path), firstRow(node))
    return root
  }

  /** Writes the trie of the accounts. */
  async finish(): Promise<void> {
    // Nodes that later buckets may change: those above the buckets' own prefixes.
    const upper = new Map<NodePath, Uint8Array>()
    for (const changes of this.#leaves.inOrder()) {
      for (const { path, node } of updateTrie((at) => upper.get(at), changes).writes) {
        if (node === null) upper.delete(path)
        else if (path.length <= PREFIX) upper.set(path, node)
        else this.#out.put(KEY.accountNode(path), firstRow(node))
      }
      if (this.#out.isFull) await this.#out.flush()
    }
    for (const [path, node] of upper) this.#out.put(KEY.accountNode(path), firstRow(node))
    this.#out.put(KEY.changes(0), encodeChanges([]))
    await this.#out.end()
  }
}

/** Writes changes of version 0 itself, as if its rows had had these values from the beginning. */
export async function amendFirstState(
  store: Pick<KvStore, 'write'>,
  rows: RowChanges,
  codes: ReadonlyMap<Hash, Uint8Array>,
): Promise<void> {
  const ops: WriteOp[] = []
  for (const { key, value } of rows.values())
    ops.push(value === null ? { type: 'del', key } : { type: 'put', key, value: firstRow(value) })
  for (const [hash, code] of codes) ops.push({ type: 'put', key: KEY.code(hash), value: code })
  await store.write(ops)
}

/** Nibbles that the keys of one bucket share. */
const PREFIX = 2
const HASH = 32

/** Leaves of the account trie by the first byte of their keys, packed: about 110 bytes for each account. */
class LeafBuckets {
  readonly #buckets = Array.from({ length: 256 }, () => ({ bytes: new Uint8Array(256), used: 0 }))

  /** `key`: 32 bytes; `value`: up to 255. */
  add(key: Uint8Array, value: Uint8Array): void {
    const bucket = this.#buckets[key[0] ?? 0]
    if (bucket === undefined) return
    const end = bucket.used + HASH + 1 + value.length
    if (end > bucket.bytes.length) {
      const bytes = new Uint8Array(2 * bucket.bytes.length)
      bytes.set(bucket.bytes.subarray(0, bucket.used))
      bucket.bytes = bytes
    }
    bucket.bytes.set(key, bucket.used)
    bucket.bytes[bucket.used + HASH] = value.length
    bucket.bytes.set(value, bucket.used + HASH + 1)
    bucket.used = end
  }

  /** The leaves of one bucket after the other, in order of the buckets. Each is freed when the next is asked for. */
  *inOrder(): Generator<TrieChange[]> {
    for (const bucket of this.#buckets) {
      const changes: TrieChange[] = []
      for (let at = 0; at < bucket.used; ) {
        const start = at + HASH + 1
        const end = start + (bucket.bytes[start - 1] ?? 0)
        changes.push({ key: bucket.bytes.subarray(at, at + HASH), value: bucket.bytes.subarray(start, end) })
        at = end
      }
      if (changes.length > 0) yield changes
      bucket.bytes = new Uint8Array(0)
    }
  }
}
