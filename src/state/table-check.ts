// Verifies the tables of an open database, round after round for as long as it is open: LevelDB itself verifies no checksum when
// it reads, and merges damaged tables into new ones whose checksums are valid again. Reading is asynchronous, and the
// checksums of a table of 2 MB take 3 ms of the thread, followed by a pause in proportion.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChainError } from '../lib/errors.ts'
import type { Damage, Table } from './leveldb/database.ts'
import { currentTables, damageIn, nameOfTable } from './leveldb/database.ts'

/** Pauses as multiples of the time that a table takes: 3 % of a core in the first round, 1 % later. 10 GB take 25 minutes. */
const FIRST_PAUSE = 32
const PAUSE = 99
/** Milliseconds from the end of a round to the beginning of the next: small databases are not read all the time. */
const REST = 600_000
/** Milliseconds until the first table. */
const DELAY = 100

/** Where the check is: how many tables of the round it has read, and when it had last read all. */
export type CheckProgress = {
  readonly read: number
  readonly of: number
  /** Unix milliseconds; of the opening until the first round has ended. */
  readonly since: number
}

/** Callbacks while a database is open. */
export type DamageObserver = {
  /** Something unusual that does no harm. */
  warn(line: string): void
  /** A file is damaged: rows that are read from now on may be errors. */
  damaged(error: ChainError): void
  /** Another table has been checked, or a round has ended. */
  checked?(progress: CheckProgress): void
}

export class TableCheck {
  readonly #folder: string
  readonly #found: (damage: Damage) => void
  readonly #checked: (progress: CheckProgress) => void
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  #isUrgent = false
  #rounds = 0
  #rest: Table[]
  #of: number
  #since = Date.now()

  /** `tables`: those of the first round; later ones read all. Each damage is reported once a round. */
  constructor(
    folder: string,
    tables: readonly Table[],
    found: (damage: Damage) => void,
    checked: (progress: CheckProgress) => void = () => undefined,
  ) {
    this.#folder = folder
    this.#found = found
    this.#checked = checked
    this.#rest = [...tables].reverse()
    this.#of = tables.length
    this.#later(DELAY)
  }

  /** Checks all tables at once and without pauses, because a damaged row has been read. At most once between two rounds. */
  hurry(): void {
    if (this.#isUrgent || this.#isStopped) return
    this.#isUrgent = true
    this.#begin()
    this.#later(0)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #begin(): void {
    this.#rest = currentTables(this.#folder).reverse()
    this.#of = this.#rest.length
  }

  #later(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#step(), milliseconds).unref()
  }

  async #step(): Promise<void> {
    if (this.#rest.length === 0 && this.#of === 0) this.#begin()
    const table = this.#rest.pop()
    const took = table === undefined ? 0 : await this.#check(table)
    if (this.#isStopped) return
    if (this.#rest.length > 0) {
      this.#checked({ read: this.#of - this.#rest.length, of: this.#of, since: this.#since })
      return this.#later(this.#isUrgent ? 0 : took * (this.#rounds === 0 ? FIRST_PAUSE : PAUSE))
    }
    this.#rounds++
    this.#isUrgent = false
    this.#since = Date.now()
    this.#checked({ read: this.#of, of: this.#of, since: this.#since })
    this.#of = 0
    this.#later(REST)
  }

  /** Milliseconds of the thread. LevelDB removes tables that it has merged into others, so a missing one is no damage. */
  async #check(table: Table): Promise<number> {
    const file = nameOfTable(this.#folder, table.number)
    try {
      const content = await readFile(join(this.#folder, file))
      const begun = performance.now()
      const damage = damageIn(file, content, table)
      const took = performance.now() - begun
      if (damage !== undefined && !this.#isStopped) this.#found(damage)
      return took
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
      if (!this.#isStopped) this.#found({ file, what: error instanceof Error ? error.message : String(error) })
      return 0
    }
  }
}
