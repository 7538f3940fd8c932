// Local transactions outlive the process: a record for each one that waits, with its blobs, in the order they came, and one
// for each that has left. A transaction's record is written before its hash is answered. When nothing waits the log is
// empty; what was mined at the very end of a process may linger, and the pool says so (`nonce too low`).
import { bigToBytes, fromHex, type Hash, toHash } from '../lib/hex.ts'
import { asBytes, asList, asListOf, asUint, decodeRlp, encodeRlp, type RlpItem } from '../primitives/rlp.ts'
import { decodeStoredTransaction, encodeStoredTransaction } from '../primitives/stored-rows.ts'
import type { BlobSidecar } from '../primitives/types.ts'
import type { RecordLog, RecoveredRecords } from '../state/types.ts'
import type { PooledTransaction } from './types.ts'

/** Bytes after which a log is written anew, with what waits only. */
const LONGEST = 64_000_000

export class TransactionJournal {
  readonly #log: RecordLog
  readonly #longest: number
  /** What waits, as the log says with what is about to be written. */
  readonly #waiting = new Map<Hash, PooledTransaction>()
  /** What the next write appends, and when it is done. */
  #records: Uint8Array[] = []
  #next: Promise<void> | undefined

  constructor(log: RecordLog, longest = LONGEST) {
    this.#log = log
    this.#longest = longest
  }

  /**
   * The transactions that were waiting when the process ended, in the order they came. Call it once, before anything
   * is recorded. Records that are damaged or cannot be read are left out; `warn` gets one line about all of them.
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

  /** Settles when the transaction is written; rejects if the disk fails. What comes at once is written at once. */
  record(pooled: PooledTransaction): Promise<void> {
    this.#waiting.set(pooled.transaction.hash, pooled)
    this.#records.push(encodeRecord(pooled))
    return this.#flush()
  }

  /** Settles when the transaction is not in the log any more. One that is not known here costs nothing. */
  forget(hash: Hash): Promise<void> {
    if (!this.#waiting.delete(hash)) return Promise.resolve()
    this.#records.push(fromHex(hash))
    return this.#flush()
  }

  /** Settles when everything recorded or forgotten so far has been written or has failed, which its writer is told. */
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
        // Who wanted to wait is told so; what has left must not come back for that.
        this.#records = [...records.filter(saysLeft), ...this.#records]
        throw error
      }
    })
    return this.#next
  }
}

/** Places named in the line about a damaged journal. */
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

/** The bytes of a hash say that it has left: no list is as short. */
const HASH_BYTES = 32
const saysLeft = (record: Uint8Array): boolean => record.length === HASH_BYTES

/** undefined: the record is none of ours, although its bytes are as they were written. */
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
