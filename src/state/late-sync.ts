// Syncs batches after their writes have resolved. A batch is in the system's cache by then, so that `kill -9` loses nothing; a
// power cut loses the batches that no sync has covered, which are the newest ones and at most `within` milliseconds of them.
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** When a batch is on disk: `block`, before its write resolves; or the most milliseconds later. */
export type Durable = 'block' | number

/**
 * Runs one sync at a time. It begins half of `within` after the first batch that it covers, so that it usually ends in time;
 * on a slower disk writes wait for it (`room`). There is no timer while everything is synced.
 */
export class LateSync {
  readonly #within: number
  readonly #sync: () => Promise<void>
  readonly #report: (since: number | undefined) => void
  /** When the oldest batch was written that the running sync covers, and the oldest that no sync covers yet. */
  #covered: number | undefined
  #since: number | undefined
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  /**
   * `sync` syncs all batches written before the call. `report` is called with the time (`performance.now()`) of the oldest
   * batch that is not synced, and with undefined when there is none.
   */
  constructor(
    within: number,
    sync: () => Promise<void>,
    report: (since: number | undefined) => void = () => undefined,
  ) {
    this.#within = within
    this.#sync = sync
    this.#report = report
  }

  /** Records that a batch has been written. */
  written(): void {
    if (this.#since !== undefined) return
    this.#since = performance.now()
    if (this.#running !== undefined) return
    this.#report(this.#since)
    this.#later(this.#since)
  }

  /** To be awaited before a write: waits while a batch has been unsynced for the promised time. Rejects as `sync`. */
  room(): Promise<void> {
    return this.#until((oldest) => performance.now() - oldest < this.#within)
  }

  /** The database has been opened again, which syncs everything. */
  reset(): void {
    clearTimeout(this.#timer)
    this.#covered = undefined
    this.#since = undefined
    this.#report(undefined)
  }

  /** Settles when everything written before the call is synced. Rejects as `sync`. */
  flush(): Promise<void> {
    const called = performance.now()
    return this.#until((oldest) => oldest > called)
  }

  async #until(isRight: (oldest: number) => boolean): Promise<void> {
    for (;;) {
      const oldest = this.#covered ?? this.#since
      if (oldest === undefined || isRight(oldest)) return
      await (this.#running ?? this.#begin())
    }
  }

  #later(since: number): void {
    const delay = since + this.#within / 2 - performance.now()
    // Callers that need the result await `flush` or `room`.
    this.#timer = setTimeout(() => this.#begin().catch(() => undefined), Math.max(0, delay)).unref()
  }

  #begin(): Promise<void> {
    clearTimeout(this.#timer)
    this.#covered = this.#since
    this.#since = undefined
    this.#running = this.#run()
    return this.#running
  }

  /** After a failure the batches stay unsynced, and no further sync begins by itself. */
  async #run(): Promise<void> {
    try {
      await this.#sync()
      this.#covered = undefined
    } finally {
      this.#since = this.#covered ?? this.#since
      this.#covered = undefined
      this.#running = undefined
    }
    this.#report(this.#since)
    if (this.#since !== undefined) this.#later(this.#since)
  }
}

/**
 * Syncs the logs of an open LevelDB, so that every batch written before the call survives a power cut. A synced write of LevelDB
 * would not do: it syncs the newest log only. When that is new, the log before it was closed without a sync (`MakeRoomForWrite`),
 * and its rows are safe only once the MANIFEST names the table made of them; LevelDB then deletes that log (`CompactMemTable`). So
 * a log that is gone needs no sync.
 */
export async function syncLogs(folder: string): Promise<void> {
  const logs = (await readdir(folder)).filter((file) => file.endsWith('.log'))
  await Promise.all(logs.map((log) => syncFile(join(folder, log))))
}

async function syncFile(path: string): Promise<void> {
  try {
    // For writing, as Windows requires.
    const file = await open(path, 'r+')
    try {
      await file.datasync()
    } finally {
      await file.close()
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}
