// Counters in memory that the threads of the process share, so that limits hold for all threads together. Each thread changes a
// row of its own, and reads the sum of all rows. What a thread that has ended still held is removed with its row.
import { createHash, randomInt } from 'node:crypto'

/** Totals since the start come first; from `connections` on, a cell counts what its thread holds now. */
const COLUMNS = ['refused', 'displaced', 'answers', 'connections', 'passed', 'buffered', 'text'] as const
type Column = (typeof COLUMNS)[number]
const HELD = COLUMNS.indexOf('connections')

/**
 * Cells for the connections of clients. A hash with a secret chooses a client's cell, so that an attacker cannot find an address
 * whose cell is that of another client.
 */
const CLIENTS = 1 << 14
const WIDTH = COLUMNS.length + CLIENTS
const MAX_INT32 = 2 ** 31 - 1

/** The cells of one column: `add` and `set` change this thread's, which is an integer below 2^31. */
export type SharedCounter = {
  add(amount: number): void
  set(amount: number): void
  /** This thread's cell. */
  own(): number
  /** Of all threads. */
  sum(): number
  /** The largest cell of a thread. */
  max(): number
}

export type SharedCountersData = { readonly memory: SharedArrayBuffer; readonly secret: number; readonly row: number }

export class SharedCounters {
  readonly #data: SharedCountersData
  readonly #cells: Int32Array

  /** Counters for this many threads, seen from the first one. */
  static of(threads: number): SharedCounters {
    const memory = new SharedArrayBuffer(threads * WIDTH * Int32Array.BYTES_PER_ELEMENT)
    return new SharedCounters({ memory, secret: randomInt(2 ** 47), row: 0 })
  }

  constructor(data: SharedCountersData) {
    this.#data = data
    this.#cells = new Int32Array(data.memory)
  }

  /** What the thread of this row needs for its own `SharedCounters`. */
  dataOf(row: number): SharedCountersData {
    return { ...this.#data, row }
  }

  /** The same counters as the thread of this row sees them. */
  of(row: number): SharedCounters {
    return new SharedCounters(this.dataOf(row))
  }

  counter(column: Column): SharedCounter {
    return this.#counterAt(COLUMNS.indexOf(column))
  }

  /** Counts connections of one client, and of few others that share its cell. */
  clientCounter(client: string): SharedCounter {
    const hash = createHash('sha256').update(`${this.#data.secret} ${client}`).digest()
    return this.#counterAt(COLUMNS.length + (hash.readUInt16LE() % CLIENTS))
  }

  /** Call it when the thread of a row has ended: it holds nothing any more. */
  clear(row: number): void {
    this.#cells.fill(0, row * WIDTH + HELD, (row + 1) * WIDTH)
  }

  #counterAt(column: number): SharedCounter {
    const cells = this.#cells
    const own = this.#data.row * WIDTH + column
    const fold = (combine: (one: number, other: number) => number) => {
      let result = 0
      for (let at = column; at < cells.length; at += WIDTH) {
        const cell = Atomics.load(cells, at)
        // A total wraps at 2^32, which Prometheus takes for a restart.
        result = combine(result, column < HELD ? cell >>> 0 : cell)
      }
      return result
    }
    return {
      add: (amount) => void Atomics.add(cells, own, amount),
      set: (amount) => void Atomics.store(cells, own, Math.min(amount, MAX_INT32)),
      own: () => Atomics.load(cells, own),
      sum: () => fold((sum, cell) => sum + cell),
      max: () => fold(Math.max),
    }
  }
}
