// The block and state version that the node's threads may read, in shared memory. The writing thread updates it after a batch
// is on disk and before any client is notified, so a notified client finds at least that block on every thread.
import type { HeadPublisher } from '../chain/types.ts'

/** Two counters and two numbers of 8 bytes. */
const COUNTERS = 2 * Int32Array.BYTES_PER_ELEMENT
const SIZE = COUNTERS + 2 * BigInt64Array.BYTES_PER_ELEMENT

const MOVES = 0
const REWINDS = 1
const NUMBER = 0
const VERSION = 1

export type HeadPosition = { readonly number: bigint; readonly version: number }

export class SharedHead implements HeadPublisher {
  readonly memory: SharedArrayBuffer
  /** MOVES is odd while the position is written, REWINDS while versions are undone. */
  readonly #counters: Int32Array
  readonly #position: BigInt64Array

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(SIZE)) {
    this.memory = memory
    this.#counters = new Int32Array(memory, 0, 2)
    this.#position = new BigInt64Array(memory, COUNTERS, 2)
  }

  /** Changes with each move. */
  get moves(): number {
    return Atomics.load(this.#counters, MOVES)
  }

  /**
   * Odd while versions are undone, and changed afterwards. If it has the same even value before and after some reads, they are
   * of one history.
   */
  get rewinds(): number {
    return Atomics.load(this.#counters, REWINDS)
  }

  moved(number: bigint, version: number): void {
    Atomics.add(this.#counters, MOVES, 1)
    Atomics.store(this.#position, NUMBER, number)
    Atomics.store(this.#position, VERSION, BigInt(version))
    if (this.rewinds % 2 !== 0) Atomics.add(this.#counters, REWINDS, 1)
    Atomics.add(this.#counters, MOVES, 1)
  }

  rewinding(): void {
    if (this.rewinds % 2 === 0) Atomics.add(this.#counters, REWINDS, 1)
  }

  /** The position and its move count. Waits less than a microsecond while it is written. */
  read(): HeadPosition & { readonly moves: number } {
    for (;;) {
      const { moves } = this
      const number = Atomics.load(this.#position, NUMBER)
      const version = Number(Atomics.load(this.#position, VERSION))
      if (moves % 2 === 0 && moves === this.moves) return { number, version, moves }
    }
  }
}
