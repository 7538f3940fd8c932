// Local transactions outlive the process: one row per waiting transaction, with its blobs, in the order they came.
// A row is on disk before its transaction's hash is answered. Rows of transactions that are gone may linger after a
// crash; whoever loads them is told so by the pool (`nonce too low`) and forgets them.
import { RLP } from '@ethereumjs/rlp'
import { ChainError } from '../lib/errors.ts'
import { bigToBytes, type Hash, toHex } from '../lib/hex.ts'
import { Mutex } from '../lib/mutex.ts'
import { asBytes, asList, asListOf, asUint, decodeRlp, type RlpItem } from '../primitives/rlp.ts'
import { decodeStoredTransaction, encodeStoredTransaction } from '../primitives/rows.ts'
import type { BlobSidecar } from '../primitives/types.ts'
import type { KvStore, Op } from '../state/types.ts'
import type { PooledTransaction } from './types.ts'

/** Where the rows stand: `KEY.journal` and `RANGE.journal()` of the key space. */
export type JournalKeys = {
  readonly key: (hash: Hash) => Uint8Array
  readonly range: { readonly gte: Uint8Array; readonly lt: Uint8Array }
}

export class Journal {
  readonly #store: KvStore
  readonly #keys: JournalKeys
  readonly #writing = new Mutex()
  /** What the next batch writes: a row, or undefined to delete it. */
  #changes = new Map<Hash, Uint8Array | undefined>()
  /** Settles when the next batch is on disk. */
  #next: Promise<void> | undefined
  /** Hashes whose rows are on disk or on their way. */
  readonly #stored = new Set<Hash>()
  #arrivals = 0n

  constructor(store: KvStore, keys: JournalKeys) {
    this.#store = store
    this.#keys = keys
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
    this.#changes.set(pooled.transaction.hash, encodeRow({ arrival: this.#arrivals++, pooled }))
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

  #flush(): Promise<void> {
    this.#next ??= this.#writing.run(async () => {
      const changes = this.#changes
      this.#changes = new Map()
      this.#next = undefined
      const ops: Op[] = []
      for (const [hash, row] of changes) {
        const key = this.#keys.key(hash)
        ops.push(row ? { type: 'put', key, value: row } : { type: 'del', key })
        if (row) this.#stored.add(hash)
        else this.#stored.delete(hash)
      }
      if (ops.length > 0) await this.#store.write(ops)
    })
    return this.#next
  }
}

type Row = { readonly arrival: bigint; readonly pooled: PooledTransaction }

/** arrival, transaction, and for blobs: version, blobs, commitments, proofs. */
function encodeRow({ arrival, pooled: { transaction, sidecar } }: Row): Uint8Array {
  const row = [bigToBytes(arrival), encodeStoredTransaction(transaction)]
  if (!sidecar) return RLP.encode(row)
  const { version, blobs, commitments, proofs } = sidecar
  return RLP.encode([...row, bigToBytes(BigInt(version)), [...blobs], [...commitments], [...proofs]])
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
