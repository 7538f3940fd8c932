// Keeps pooled transactions over a restart: it appends a record for each one that enters the pool, with its blobs, in order of
// arrival, and one for each that leaves. A transaction's record is on disk before its hash is returned. When the pool is empty,
// so is the log. Transactions mined just before a crash may still be in it; the pool refuses them on restart (`nonce too low`).
// The log is not synced: a power cut may lose any record, and with late syncs a transaction together with the block that took it.
import { bigToBytes, fromHex, HASH_BYTES, type Hash, toHash } from '../lib/hex.ts'
import { asBytes, asList, asListOf, asUint, decodeRlp, encodeRlp, type RlpItem } from '../primitives/rlp.ts'
import { decodeStoredTransaction, encodeStoredTransaction } from '../primitives/stored-rows.ts'
import type { BlobSidecar } from '../primitives/types.ts'
import type { RecordLog, RecoveredRecords } from '../state/types.ts'
import type { PooledTransaction } from './types.ts'

/** Size in bytes above which the log is rewritten with the waiting transactions only. */
const LONGEST = 64_000_000

export class TransactionJournal {
  readonly #log: RecordLog
  readonly #longest: number
  /** The waiting transactions, including records that are not yet written. */
  readonly #waiting = new Map<Hash, PooledTransaction>()
  /** The records that the next write appends, and a promise of that write. */
  #records: Uint8Array[] = []
  #next: Promise<void> | undefined

  constructor(log: RecordLog, longest = LONGEST) {
    this.#log = log
    this.#longest = longest
  }

  /**
   * The transactions that were waiting when the process ended, in order of arrival. Call it once, before anything is recorded.
   * Damaged or unreadable records are left out; `warn` gets one line about all of them.
   */
  load(warn: (line: string) => void = () => undefined): PooledTransaction[] {
    const { records, damaged } = this.#log.read()
    let unread = 0
    for (const record of records) {
      const read = decodeRecord(record)
      if (read === undefined) unread++
      else if (typeof read === 'string') this.#waiting.delete(read)
      else this.#waiting.set(read.transaction.hash, read)
    }
    const waiting = [...this.#waiting.values()]
    if (damaged.length > 0 || unread > 0) warn(lossOf(damaged, unread, waiting.length))
    if (waiting.length < records.length) this.#log.replace(waiting.map(encodeRecord))
    return waiting
  }

  has(hash: Hash): boolean {
    return this.#waiting.has(hash)
  }

  /** Settles when the transaction is written; rejects if the disk fails. Transactions of one turn are written together. */
  record(pooled: PooledTransaction): Promise<void> {
    this.#waiting.set(pooled.transaction.hash, pooled)
    this.#records.push(encodeRecord(pooled))
    return this.#flush()
  }

  /** Settles when the removal is written. Does nothing for an unknown transaction. */
  forget(hash: Hash): Promise<void> {
    if (!this.#waiting.delete(hash)) return Promise.resolve()
    this.#records.push(fromHex(hash))
    return this.#flush()
  }

  /** Settles when every record and removal so far is on disk or has failed; their callers get the errors. */
  async settled(): Promise<void> {
    await this.#next?.catch(() => undefined)
  }

  #flush(): Promise<void> {
    this.#next ??= Promise.resolve().then(() => {
      const records = this.#records
      this.#records = []
      this.#next = undefined
      try {
        if (this.#waiting.size === 0) this.#log.replace([])
        else if (this.#log.size > this.#longest) this.#log.replace([...this.#waiting.values()].map(encodeRecord))
        else this.#log.append(records)
      } catch (error) {
        // A failed record is reported to its sender. A failed removal is retried with the next write: a transaction that has
        // left the pool must not come back after a restart.
        this.#records = [...records.filter(saysLeft), ...this.#records]
        throw error
      }
    })
    return this.#next
  }
}

/** Maximum number of places in the line about a damaged journal. */
const NAMED = 5

function lossOf(damaged: RecoveredRecords['damaged'], unread: number, waiting: number): string {
  const places = damaged.slice(0, NAMED).map(({ at, length }) => `${length} bytes at offset ${at}`)
  if (damaged.length > NAMED) places.push(`${damaged.length - NAMED} more places`)
  if (unread > 0) places.push(`${unread} records that are no transaction`)
  return `the pool's journal was damaged: skipped ${places.join(', ')}; kept ${waiting} waiting transactions`
}

/** Transaction, and for blobs: version, blobs, commitments, proofs. */
function encodeRecord({ transaction, sidecar }: PooledTransaction): Uint8Array {
  const record = [encodeStoredTransaction(transaction)]
  if (!sidecar) return encodeRlp(record)
  const { version, blobs, commitments, proofs } = sidecar
  return encodeRlp([...record, bigToBytes(BigInt(version)), blobs, commitments, proofs])
}

/** A record of exactly 32 bytes is the hash of a transaction that has left the pool; an encoded transaction is longer. */
const saysLeft = (record: Uint8Array): boolean => record.length === HASH_BYTES

/** undefined: the checksum is right, but the record is neither a transaction nor a removal. */
function decodeRecord(record: Uint8Array): PooledTransaction | Hash | undefined {
  if (saysLeft(record)) return toHash(record)
  try {
    const [transaction, ...sidecar] = asListOf(decodeRlp(record), [1, 5], 'record')
    return {
      transaction: decodeStoredTransaction(asBytes(transaction, 'transaction')),
      sidecar: sidecar.length === 0 ? undefined : decodeSidecar(sidecar),
    }
  } catch {
    return undefined
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
