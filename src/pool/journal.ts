// Local transactions outlive the process: one row per waiting transaction, with its blobs, in the order they came.
// A row is on disk before its transaction's hash is answered, or the block that took the transaction is. Rows of
// transactions that are gone may linger after a crash; whoever loads them is told so by the pool (`nonce too low`) and
// forgets them.
import { ChainError } from '../lib/errors.ts'
import { bigToBytes, type Hash, toHex } from '../lib/hex.ts'
import { Mutex } from '../lib/mutex.ts'
import { asBytes, asList, asListOf, asUint, decodeRlp, encodeRlp, type RlpItem } from '../primitives/rlp.ts'
import { decodeStoredTransaction, encodeStoredTransaction } from '../primitives/rows.ts'
import type { BlobSidecar } from '../primitives/types.ts'
import type { KvStore, Op } from '../state/types.ts'
import type { PooledTransaction } from './types.ts'

/** Where the rows stand: `KEY.journal` and `RANGE.journal()` of the key space. */
export type JournalKeys = {
  readonly key: (hash: Hash) => Uint8Array
  readonly range: { readonly gte: Uint8Array; readonly lt: Uint8Array }
}

/** Rows to write by hash, or undefined to delete one. */
type Changes = Map<Hash, Row | undefined>

/** What goes along with a batch of somebody else's, and what to call once that is on disk. */
export type Riders = { readonly ops: readonly Op[]; readonly landed: () => void }

/** So many rows are worth a batch of their own: they do not wait for somebody else's. */
const OWN_BATCH = 16

export class Journal {
  readonly #store: KvStore
  readonly #keys: JournalKeys
  readonly #ready: () => Promise<void>
  readonly #writing = new Mutex()
  #isWriting = false
  /** What the next batch writes. */
  #changes: Changes = new Map()
  /** Settles when the next batch is on disk. */
  #next: Promise<void> | undefined
  /** Hashes whose rows are on disk or on their way. */
  readonly #stored = new Set<Hash>()
  #arrivals = 0n
  /** Ends the wait for another's batch. */
  #hurry: () => void = () => undefined

  /** `ready`: settles when the next batch may be written. What has found room in another's by then is not in it. */
  constructor(store: KvStore, keys: JournalKeys, ready: () => Promise<void> = async () => undefined) {
    this.#store = store
    this.#keys = keys
    this.#ready = ready
  }

  /**
   * The transactions that were waiting when the process ended, in the order they came. Call it once, before anything
   * is recorded. Throws ChainError `storage` for a row that cannot be read.
   */
  async load(): Promise<PooledTransaction[]> {
    const rows: Row[] = []
    for await (const [key, value] of this.#store.scan({ ...this.#keys.range })) rows.push(decodeRow(key, value))
    rows.sort((a, b) => (a.arrival < b.arrival ? -1 : 1))
    for (const { pooled } of rows) this.#stored.add(pooled.transaction.hash)
    this.#arrivals = (rows.at(-1)?.arrival ?? -1n) + 1n
    return rows.map(({ pooled }) => pooled)
  }

  /**
   * Settles when the transaction is on disk, or was forgotten before it needed to be; rejects if the disk fails.
   * While one batch is being written all others gather, and go together.
   */
  record(pooled: PooledTransaction): Promise<void> {
    this.#changes.set(pooled.transaction.hash, { arrival: this.#arrivals++, pooled })
    if (this.#changes.size === OWN_BATCH) this.#hurry()
    return this.#flush()
  }

  /** Settles when the transaction is not on disk any more. One that is not known here costs nothing. */
  forget(hash: Hash): Promise<void> {
    if (this.#stored.has(hash)) this.#changes.set(hash, undefined)
    else if (!this.#changes.delete(hash)) return Promise.resolve()
    return this.#flush()
  }

  /** Settles when everything recorded or forgotten so far is on disk. */
  settled(): Promise<void> {
    return this.#flush()
  }

  /**
   * What the batch of a block is to carry: rows that wait to be written but for those of its own transactions, and the
   * deletion of these. Nothing while a batch of the journal's own is on its way, so that the two cannot overtake each other.
   */
  stage(mined: readonly { readonly hash: Hash }[]): Riders {
    if (this.#isWriting) return { ops: [], landed: () => undefined }
    const changes: Changes = new Map(this.#changes)
    for (const { hash } of mined) {
      if (this.#stored.has(hash)) changes.set(hash, undefined)
      else changes.delete(hash)
    }
    const landed = () => {
      for (const [hash, row] of changes) if (this.#changes.get(hash) === row) this.#changes.delete(hash)
      this.#note(changes)
    }
    return { ops: this.#opsOf(changes), landed }
  }

  #flush(): Promise<void> {
    this.#next ??= this.#writing.run(async () => {
      const isCrowded = new Promise<void>((resolve) => {
        this.#hurry = () => setImmediate(resolve)
      })
      if (this.#changes.size >= OWN_BATCH) this.#hurry()
      await Promise.race([this.#ready(), isCrowded])
      this.#hurry = () => undefined
      const changes = this.#changes
      this.#changes = new Map()
      this.#next = undefined
      if (changes.size === 0) return
      this.#note(changes)
      this.#isWriting = true
      try {
        // The batch of the next block is synced, and with it all that was written before.
        await this.#store.write(this.#opsOf(changes), 'unsynced')
      } finally {
        this.#isWriting = false
      }
    })
    return this.#next
  }

  #opsOf(changes: Changes): Op[] {
    return [...changes].map(([hash, row]): Op => {
      const key = this.#keys.key(hash)
      return row ? { type: 'put', key, value: encodeRow(row) } : { type: 'del', key }
    })
  }

  #note(changes: Changes): void {
    for (const [hash, row] of changes) {
      if (row) this.#stored.add(hash)
      else this.#stored.delete(hash)
    }
  }
}

type Row = { readonly arrival: bigint; readonly pooled: PooledTransaction }

/** arrival, transaction, and for blobs: version, blobs, commitments, proofs. */
function encodeRow({ arrival, pooled: { transaction, sidecar } }: Row): Uint8Array {
  const row = [bigToBytes(arrival), encodeStoredTransaction(transaction)]
  if (!sidecar) return encodeRlp(row)
  const { version, blobs, commitments, proofs } = sidecar
  return encodeRlp([...row, bigToBytes(BigInt(version)), blobs, commitments, proofs])
}

function decodeRow(key: Uint8Array, value: Uint8Array): Row {
  try {
    // LevelDB hands out Buffers; a transaction's bytes are plain arrays wherever it came from.
    const row = new Uint8Array(value.buffer, value.byteOffset, value.length)
    const [arrival, transaction, ...sidecar] = asListOf(decodeRlp(row), [2, 6], 'row')
    return {
      arrival: asUint(arrival, 'arrival', 8),
      pooled: {
        transaction: decodeStoredTransaction(asBytes(transaction, 'transaction')),
        sidecar: sidecar.length === 0 ? undefined : decodeSidecar(sidecar),
      },
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ChainError('storage', `the journal's row ${toHex(key)} cannot be read: ${why}`)
  }
}

function decodeSidecar([version, blobs, commitments, proofs]: readonly RlpItem[]): BlobSidecar {
  const parts = (item: RlpItem | undefined, name: string) => asList(item, name).map((part) => asBytes(part, name))
  return {
    version: asUint(version, 'version', 1) === 0n ? 0 : 1,
    blobs: parts(blobs, 'blobs'),
    commitments: parts(commitments, 'commitments'),
    proofs: parts(proofs, 'proofs'),
  }
}
