// Verifies the tables of an open database in repeated rounds: LevelDB verifies no checksum when it reads, and merges damaged
// tables into new ones with valid checksums. Reading is asynchronous; the checksums of a 2 MB table take 3 ms of the thread,
// followed by a proportional pause.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChainError } from '../lib/errors.ts'
import { diskError, isTransient } from './disk-errors.ts'
import type { Damage, Table } from './leveldb/database.ts'
import { currentTables, damageIn, MISSING, nameOfTable } from './leveldb/database.ts'

/** Pauses as multiples of the time that a table takes: 3 % of a core in the first round, 1 % later. 10 GB take 25 minutes. */
const FIRST_PAUSE = 32
const PAUSE = 99
/** Milliseconds between two rounds, so that small databases are not read all the time. */
const REST = 600_000
/** Milliseconds until the first table. */
const DELAY = 100
/** Milliseconds before another attempt to open a file. */
const RETRY = 1_000
/** Attempts to read the MANIFEST, which LevelDB may be replacing, before it counts as damaged. */
const ATTEMPTS = 10

/** Progress: the number of tables read in this round, and the time of the last complete round. */
export type CheckProgress = {
  readonly read: number
  readonly of: number
  /** Unix milliseconds; before the end of the first round the time of opening. */
  readonly since: number
}

/** Callbacks while a database is open. */
export type DamageObserver = {
  /** An unusual but harmless event. */
  warn(line: string): void
  /** A file is damaged: reads of its rows may fail from now on. */
  damaged(error: ChainError): void
  /** Called after each checked table and each round. */
  checked?(progress: CheckProgress): void
}

export class TableCheck {
  readonly #folder: string
  readonly #found: (damage: Damage) => void
  readonly #checked: (progress: CheckProgress) => void
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  #isReading = false
  #isUrgent = false
  /** Unix milliseconds before which no further urgent round begins. */
  #calmUntil = 0
  #rounds = 0
  #attempts = 0
  /** Tables not yet read in this round; undefined: the next round has not begun. */
  #rest: Table[] | undefined
  #of: number
  #since = Date.now()

  /** `tables`: those of the first round; later rounds read all. Each damage is reported once per round. */
  constructor(
    folder: string,
    tables: readonly Table[],
    found: (damage: Damage) => void,
    checked: (progress: CheckProgress) => void = () => undefined,
  ) {
    this.#folder = folder
    this.#found = found
    this.#checked = checked
    this.#rest = tables.length === 0 ? undefined : [...tables].reverse()
    this.#of = tables.length
    this.#later(DELAY)
  }

  /**
   * Begins a round without pauses, because a damaged row was read. If no table is damaged (LevelDB has merged the damage into a
   * new table), the next such round is at least `REST` away, however often the row is read.
   */
  hurry(): void {
    if (this.#isUrgent || this.#isStopped || Date.now() < this.#calmUntil) return
    this.#isUrgent = true
    this.#rest = undefined
    if (!this.#isReading) this.#later(0)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #later(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#step(), milliseconds).unref()
  }

  async #step(): Promise<void> {
    this.#rest ??= this.#begin()
    const rest = this.#rest
    if (rest === undefined) return this.#later(RETRY)
    const table = rest.pop()
    this.#isReading = true
    const took = table === undefined ? 0 : await this.#check(table)
    this.#isReading = false
    if (this.#isStopped) return
    // `hurry` has requested another round in the meantime.
    if (this.#rest !== rest) return this.#later(0)
    if (took === undefined && table !== undefined) {
      rest.push(table)
      return this.#later(RETRY)
    }
    if (rest.length > 0) {
      this.#checked({ read: this.#of - rest.length, of: this.#of, since: this.#since })
      return this.#later(this.#isUrgent ? 0 : (took ?? 0) * (this.#rounds === 0 ? FIRST_PAUSE : PAUSE))
    }
    this.#end()
  }

  /** The tables of a new round; undefined while the MANIFEST cannot be read. */
  #begin(): Table[] | undefined {
    const tables = this.#tables()
    if (tables === undefined) return undefined
    if ('what' in tables) {
      if (++this.#attempts === ATTEMPTS) this.#found(tables)
      return undefined
    }
    this.#attempts = 0
    this.#of = tables.length
    return [...tables].reverse()
  }

  #end(): void {
    this.#rounds++
    this.#since = Date.now()
    if (this.#isUrgent) this.#calmUntil = this.#since + REST
    this.#isUrgent = false
    this.#rest = undefined
    this.#checked({ read: this.#of, of: this.#of, since: this.#since })
    this.#later(REST)
  }

  /** undefined: the system cannot open a file now. */
  #tables(): readonly Table[] | Damage | undefined {
    try {
      return currentTables(this.#folder)
    } catch {
      return undefined
    }
  }

  /** Returns the milliseconds used by the thread; undefined if the system cannot open a file now, which is not damage. */
  async #check(table: Table): Promise<number | undefined> {
    const file = nameOfTable(this.#folder, table.number)
    try {
      const content = await readFile(join(this.#folder, file))
      const begun = performance.now()
      const damage = damageIn(file, content, table)
      const took = performance.now() - begun
      if (damage !== undefined && !this.#isStopped) this.#found(damage)
      return took
    } catch (error) {
      if (isTransient(diskError(error))) return undefined
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      // LevelDB deletes a merged table after its MANIFEST names the new ones.
      if (isMissing && !this.#isNamed(table)) return 0
      const what = isMissing ? MISSING : error instanceof Error ? error.message : String(error)
      if (!this.#isStopped) this.#found({ file, what })
      return 0
    }
  }

  #isNamed({ number }: Table): boolean {
    const tables = this.#tables()
    return tables !== undefined && !('what' in tables) && tables.some((table) => table.number === number)
  }
}
