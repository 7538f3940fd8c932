// A store on a disk that may fail. From the first write that fails on, writes are refused at once and reads go on. When the
// disk may take writes again the database is opened anew, because LevelDB keeps its error while it is open and may leave a
// torn record that hides later ones. Nothing is written between a failure and that, so memory and disk stay equal.
import { type ChainError, ReadFailure } from '../lib/errors.ts'
import { equalBytes } from '../lib/hex.ts'
import { Mutex } from '../lib/mutex.ts'
import { diskError, isTransient } from './disk-errors.ts'
import type { KeyRange, KvReader, KvStore, RecordLog, WriteOp } from './types.ts'

/** A store that can be closed and opened in place; its log stays open. Snapshots and scans that run end in an error. */
export type ReopenableStore = KvStore & {
  reopen(): Promise<void>
  /** Whether there is room for the database to be opened anew and to go on. */
  hasRoom(): Promise<boolean>
}

/** What is told of an outage: each once. */
export type OutageObserver = {
  failed(error: ChainError): void
  recovered(): void
  /** Memory and disk differ, or the database cannot be opened any more: the process has to end. Nothing on disk is lost. */
  lost(line: string): void
}

/** Milliseconds between two looks at the disk; doubled after each attempt that failed, up to the longest. */
const LOOK = 1_000
const LONGEST_LOOK = 60_000

/** A row that tells whether a batch has landed. */
type ProbeRow = { readonly op: WriteOp; readonly before: Uint8Array | undefined }

export class GuardedStore implements KvStore {
  readonly #store: ReopenableStore
  readonly #report: OutageObserver
  /** One write at a time: behind a torn record LevelDB could acknowledge what it does not find again. */
  readonly #turn = new Mutex()
  readonly log: RecordLog
  #failure: ChainError | undefined
  /** Of the batch whose write failed. */
  #witness: ProbeRow | undefined
  /** A row of the last batch that was written. */
  #written: WriteOp | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #firstLook: number
  #look: number

  /** `look`: milliseconds until the first look at the disk. */
  constructor(store: ReopenableStore, report: OutageObserver, look = LOOK) {
    this.#firstLook = look
    this.#look = look
    this.#store = store
    this.#report = report
    this.log = this.#guardedLog(store.log)
  }

  /** Throws the failure, ChainError `disk-failure`, while writes are refused. */
  requireWritable(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  get(key: Uint8Array): Uint8Array | undefined {
    try {
      return this.#store.get(key)
    } catch (error) {
      throw new ReadFailure('the database cannot be read', { cause: error })
    }
  }

  scan(range: KeyRange): AsyncIterable<[Uint8Array, Uint8Array]> {
    return this.#store.scan(range)
  }

  consistentReader(): KvReader & { close(): Promise<void> } {
    return this.#store.consistentReader()
  }

  write(batch: readonly WriteOp[]): Promise<void> {
    return this.#turn.run(async () => {
      this.requireWritable()
      try {
        await this.#store.write(batch)
        this.#written = batch.at(-1) ?? this.#written
      } catch (error) {
        this.#witness = this.#witnessOf(batch)
        throw this.#fail(error)
      }
    })
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#turn.run(() => this.#store.close())
  }

  #fail(error: unknown): ChainError {
    const failure = diskError(error)
    if (this.#failure === undefined) {
      this.#failure = failure
      this.#report.failed(failure)
      this.#lookLater()
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
  #witnessOf(batch: readonly WriteOp[]): ProbeRow | undefined {
    for (const op of batch) {
      const before = this.get(op.key)
      if (!equalRows(before, rowAfter(op))) return { op, before }
    }
    return undefined
  }

  #lookLater(): void {
    this.#timer = setTimeout(() => {
      this.#turn
        .run(() => this.#recover())
        .catch((error: unknown) => this.#report.lost(`the database cannot be used: ${diskError(error).message}`))
    }, this.#look)
    this.#timer.unref()
  }

  async #recover(): Promise<void> {
    if (!(await this.#store.hasRoom())) return this.#lookLater()
    this.#look = Math.min(this.#look * 2, LONGEST_LOOK)
    try {
      await this.#store.reopen()
      if (!this.#isAsBelieved()) return this.#report.lost('what was written last is not what is on disk')
      await this.#probe()
    } catch (error) {
      const failure = diskError(error)
      if (isTransient(failure)) return this.#lookLater()
      return this.#report.lost(`the database cannot be opened again: ${failure.message}`)
    }
    this.#failure = undefined
    this.#look = this.#firstLook
    this.#report.recovered()
  }

  /** Whether the disk holds what was acknowledged, and nothing of the batch that was not. */
  #isAsBelieved(): boolean {
    const [witness, written] = [this.#witness, this.#written]
    if (witness !== undefined && !equalRows(this.get(witness.op.key), witness.before)) return false
    return written === undefined || equalRows(this.get(written.key), rowAfter(written))
  }

  /** Writes a row as it is: a disk that takes it may take others. */
  async #probe(): Promise<void> {
    const key = (this.#witness?.op ?? this.#written)?.key
    if (key === undefined) return
    const value = this.get(key)
    await this.#store.write([value === undefined ? { type: 'del', key } : { type: 'put', key, value }])
    this.#witness = undefined
  }
}

const rowAfter = (op: WriteOp): Uint8Array | undefined => (op.type === 'put' ? op.value : undefined)

const equalRows = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalBytes(a, b)
