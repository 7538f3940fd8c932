// A store on a disk that may fail. After the first failed write all writes are refused at once, and reads continue. When the
// disk may accept writes again, the database is reopened, because LevelDB keeps its error while it is open and may leave a torn
// record that hides later ones. Nothing is written in between, so that memory and disk stay equal. A failed late sync is a failed
// write: the system may then report that the next sync succeeds, although the rows are not on disk.
import type { ChainError } from '../lib/errors.ts'
import { equalBytes } from '../lib/hex.ts'
import { Mutex } from '../lib/mutex.ts'
import { diskError, isTransient } from './disk-errors.ts'
import { type Durable, LateSync } from './late-sync.ts'
import type { KeyRange, KvReader, KvStore, RecordLog, WriteOp } from './types.ts'

/** A store that can be closed and reopened in place. Its record log stays open. Running scans and consistent readers fail. */
export type ReopenableStore = KvStore & {
  /** Syncs all batches written before the call. */
  sync(): Promise<void>
  /** Opens the database with all batches written before, and syncs them. */
  reopen(): Promise<void>
  /** Whether the disk has room for reopening the database and for further writes. */
  hasRoom(): Promise<boolean>
}

/** Callbacks of an outage, each called once per outage. */
export type OutageObserver = {
  failed(error: ChainError): void
  recovered(): void
  /** The database is about to be closed and opened again: settles when no other thread has it open. */
  reopening?(): Promise<void>
  /** Memory and disk differ, or the database cannot be reopened: the process must end. Synced batches stay on disk. */
  lost(line: string): void
  /** `since`: when the oldest batch was written (`performance.now()`) that is not synced; undefined: all are. */
  unsynced?(since: number | undefined): void
}

/** Milliseconds between two attempts to recover; doubled after each failed attempt, up to the maximum. */
const RETRY_DELAY = 1_000
const MAX_RETRY_DELAY = 60_000

/** A row that shows whether a batch was written, and its value before. */
type ProbeRow = { readonly op: WriteOp; readonly before: Uint8Array | undefined }

export class GuardedStore implements KvStore {
  readonly #store: ReopenableStore
  readonly #report: OutageObserver
  /** One write at a time: LevelDB could acknowledge a write behind a torn record and not find it again. */
  readonly #mutex = new Mutex()
  readonly log: RecordLog
  /** undefined: the store syncs each batch. */
  readonly #late: LateSync | undefined
  #failure: ChainError | undefined
  /** Whether a late sync has failed since the database was opened. */
  #hasSyncFailed = false
  /** The probe row of the failed batch. */
  #failed: ProbeRow | undefined
  /** A row of the last batch that was written. */
  #written: WriteOp | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #firstDelay: number
  #delay: number

  /** `durable`: when the store's batches are synced. `retryDelay`: milliseconds until the first attempt to recover. */
  constructor(
    store: ReopenableStore,
    report: OutageObserver,
    { durable = 'block', retryDelay = RETRY_DELAY }: { durable?: Durable; retryDelay?: number } = {},
  ) {
    this.#firstDelay = retryDelay
    this.#delay = retryDelay
    this.#store = store
    this.#report = report
    if (durable !== 'block')
      this.#late = new LateSync(
        durable,
        () => this.#syncNow(),
        (since) => report.unsynced?.(since),
      )
    this.log = this.#guardedLog(store.log)
  }

  /** Throws the failure, ChainError `disk-failure`, while writes are refused. */
  requireWritable(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#store.get(key)
  }

  scan(range: KeyRange): AsyncIterable<[Uint8Array, Uint8Array]> {
    return this.#store.scan(range)
  }

  consistentReader(): KvReader & { close(): Promise<void> } {
    return this.#store.consistentReader()
  }

  write(batch: readonly WriteOp[]): Promise<void> {
    return this.#mutex.run(async () => {
      await this.#late?.room()
      this.requireWritable()
      try {
        await this.#store.write(batch)
        this.#written = batch.at(-1) ?? this.#written
      } catch (error) {
        this.#failed = this.#probeRow(batch)
        throw this.#fail(error)
      }
      if (batch.length > 0) this.#late?.written()
    })
  }

  /** Syncs what has been written, unless a sync has failed before. A failure is reported as `lost`. */
  async close(): Promise<void> {
    await this.#mutex.run(async () => {
      if (!this.#hasSyncFailed)
        await this.#late?.flush().catch(({ message }: ChainError) => this.#report.lost(`the last sync: ${message}`))
      clearTimeout(this.#timer)
      await this.#store.close()
    })
  }

  /** Also on a disk that takes no writes: what was acknowledged before is to be synced in time. */
  async #syncNow(): Promise<void> {
    if (this.#hasSyncFailed) this.requireWritable()
    try {
      await this.#store.sync()
    } catch (error) {
      this.#hasSyncFailed = true
      throw this.#fail(error)
    }
  }

  #fail(error: unknown): ChainError {
    const failure = diskError(error)
    if (this.#failure === undefined) {
      this.#failure = failure
      this.#report.failed(failure)
      this.#retryLater()
    }
    return failure
  }

  #guardedLog(log: RecordLog): RecordLog {
    const guarded = (act: () => void) => {
      this.requireWritable()
      try {
        act()
      } catch (error) {
        throw this.#fail(error)
      }
    }
    return {
      get size() {
        return log.size
      },
      read: () => log.read(),
      append: (records) => guarded(() => log.append(records)),
      replace: (records) => guarded(() => log.replace(records)),
      close: () => log.close(),
    }
  }

  /** The first row that the batch would change; undefined when it changes none. */
  #probeRow(batch: readonly WriteOp[]): ProbeRow | undefined {
    for (const op of batch) {
      const before = this.get(op.key)
      if (!equalRows(before, rowAfter(op))) return { op, before }
    }
    return undefined
  }

  #retryLater(): void {
    this.#timer = setTimeout(() => {
      this.#mutex
        .run(() => this.#recover())
        .catch((error: unknown) => this.#report.lost(`the database cannot be used: ${diskError(error).message}`))
    }, this.#delay)
    this.#timer.unref()
  }

  async #recover(): Promise<void> {
    if (!(await this.#store.hasRoom())) return this.#retryLater()
    this.#delay = Math.min(this.#delay * 2, MAX_RETRY_DELAY)
    try {
      await this.#report.reopening?.()
      await this.#store.reopen()
      if (!this.#isConsistent()) return this.#report.lost('what was written last is not what is on disk')
      await this.#probe()
    } catch (error) {
      const failure = diskError(error)
      if (isTransient(failure)) return this.#retryLater()
      return this.#report.lost(`the database cannot be opened again: ${failure.message}`)
    }
    this.#failure = undefined
    this.#hasSyncFailed = false
    this.#delay = this.#firstDelay
    this.#late?.reset()
    this.#report.recovered()
  }

  /** Whether the disk holds the last acknowledged batch and nothing of the failed one. */
  #isConsistent(): boolean {
    const failed = this.#failed
    const written = this.#written
    if (failed !== undefined && !equalRows(this.get(failed.op.key), failed.before)) return false
    return written === undefined || equalRows(this.get(written.key), rowAfter(written))
  }

  /** Tests the disk by writing a row with the value that it has. */
  async #probe(): Promise<void> {
    const key = (this.#failed?.op ?? this.#written)?.key
    if (key === undefined) return
    const value = this.get(key)
    await this.#store.write([value === undefined ? { type: 'del', key } : { type: 'put', key, value }])
    await this.#store.sync()
    this.#failed = undefined
  }
}

const rowAfter = (op: WriteOp): Uint8Array | undefined => (op.type === 'put' ? op.value : undefined)

const equalRows = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalBytes(a, b)
