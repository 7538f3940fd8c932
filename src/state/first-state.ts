// Writes the first version of a state from its accounts in batches, so memory does not grow with its size: the trie is built
// from the accounts in order of their hashed addresses. The rows are complete when `finish` resolves. Version 0 replaces
// nothing, so its change list is empty.
import { type Address, fromHex, type Hash, trimZeros } from '../lib/hex.ts'
import { keccak256, keccakHash } from '../lib/keccak.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import { accountOf, EMPTY_CODE_HASH, encodeAccount } from './accounts.ts'
import { encodeChanges, encodeRow } from './history.ts'
import { KEY } from './keyspace.ts'
import { LeafBuckets } from './leaf-buckets.ts'
import type { RowChanges } from './state-rows.ts'
import { EMPTY_ROOT_BYTES, type TrieChange, updateTrie } from './trie.ts'
import type { KvStore, WriteOp } from './types.ts'

/** Rows of one batch: 20,000 rows take about 4 MB. */
const BATCH = 20_000

/** Writes rows in batches, each while the next one is filled. All are on disk after `end`. */
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

  /** Whether enough rows wait for a `flush`. */
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

/** A row as of version 0; undefined: it does not exist. */
export const firstRow = (value: Uint8Array | undefined): Uint8Array => encodeRow({ ordinal: 0, since: 0, value })

export class FirstState {
  readonly #out: BatchedWrites
  readonly #leaves = new LeafBuckets()

  constructor(store: Pick<KvStore, 'write'>) {
    this.#out = new BatchedWrites(store)
  }

  /** Adds an account. The caller adds no address twice. */
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
    await writeAccountTrie(this.#leaves, this.#out)
    await this.#out.end()
  }
}

/** Writes the account trie from the given leaves, and the change list of version 0. Returns the root. */
export async function writeAccountTrie(leaves: LeafBuckets, out: BatchedWrites): Promise<Uint8Array> {
  const root = await leaves.writeTrie((path, node) => {
    out.put(KEY.accountNode(path), firstRow(node))
    return out.isFull ? out.flush() : undefined
  })
  out.put(KEY.changes(0), encodeChanges([]))
  return root
}

/** Changes rows of version 0 itself, as if they had had these values from the beginning. */
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
