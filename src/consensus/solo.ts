// When a block is made, on a chain of one: at once when a transaction is ready, every so many seconds, both, or never.
// Blocks are made one after the other, each with a clock that has seen the one before; whatever became ready while one
// was being made goes into the next.
import { setTimeout as sleep } from 'node:timers/promises'
import type { BlockProducer } from '../chain/producer.ts'
import type { Chain, ProduceOptions } from '../chain/types.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address, Hash } from '../lib/hex.ts'
import { Mutex } from '../lib/mutex.ts'
import { unixNow } from '../lib/unix-time.ts'
import { gasLimitTowards } from '../runtime/gas-limit.ts'
import type { PayloadAttributes } from '../runtime/types.ts'
import { type Clock, increaseTime, setTime, timestampOf } from './clock.ts'
import { CROWD, WaitingSenders } from './senders.ts'

export type SoloOptions = {
  readonly automine: boolean
  /** Seconds; 0 for none. */
  readonly interval: number
  readonly coinbase: Address
  /** Blocks come nearer to it by the steps that import accepts. */
  readonly gasLimit: bigint
  readonly onError: (error: unknown) => void
}

/** No block stays open for more than so many transactions. */
const ENOUGH = 4000
/** Milliseconds between two looks at what has come, and after how many without anything new a crowd is over. */
const LOOK = 5
const LULL = 10
/** Milliseconds after which no block stays open, and none waits any longer for what is sent together. */
const LONGEST_OPEN = 1000
/** Milliseconds until a block that could not be made is tried again, when nothing calls for one before that. */
const RETRY = 1_000

export class Solo implements BlockProducer {
  readonly next: BlockProducer['next']
  readonly settings: BlockProducer['settings']
  readonly #chain: Chain
  readonly #onError: (error: unknown) => void
  readonly #turn = new Mutex()
  #automine: boolean
  #interval: number
  #timer: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined
  /** While blocks are made because transactions are ready. */
  #running: Promise<void> | undefined
  /** Something may have become ready since the pool was last looked at. */
  #called = false
  #state: 'new' | 'started' | 'stopped' = 'new'
  #stopListening: () => void = () => undefined
  readonly #senders: WaitingSenders
  /** Batches that are being sent: no block begins because transactions are ready before each of them is in the pool. */
  readonly #gathering = new Set<Promise<void>>()

  constructor(chain: Chain, { automine, interval, coinbase, gasLimit, onError }: SoloOptions) {
    this.#chain = chain
    this.#automine = automine
    this.#interval = interval
    this.#onError = onError
    this.#senders = new WaitingSenders(chain.pool)
    // These decide what is ready, so the chain is told of them at once, and of the rest when it asks.
    const propose = () => {
      chain.proposeDrafts(() => this.#draft())
      this.#wake()
    }
    const next = { timestamp: undefined, baseFeePerGas: undefined, prevRandao: undefined, gasLimit: undefined }
    this.next = telling(telling(next, 'baseFeePerGas', propose), 'gasLimit', propose)
    const settings = { coinbase, gasLimit, extraData: '0x' as const, timestampInterval: undefined, timeOffset: 0n }
    this.settings = telling<BlockProducer['settings'], 'gasLimit'>(settings, 'gasLimit', propose)
    propose()
  }

  async start(): Promise<void> {
    this.#state = 'started'
    const { events } = this.#chain
    // A block may make ready what was too dear for it: the base fee falls.
    const listening = [events.on('pending', () => this.#wake()), events.on('block', () => this.#wake())]
    this.#stopListening = () => {
      for (const stop of listening) stop()
    }
    this.#schedule()
    this.#wake()
  }

  /** Settles when no block is being made any more, and none will be. */
  async stop(): Promise<void> {
    this.#state = 'stopped'
    this.#stopListening()
    clearTimeout(this.#timer)
    clearTimeout(this.#retry)
    await this.#running
    await this.#turn.run(async () => undefined)
    this.#senders.releaseAll()
  }

  mode(): { automine: boolean; interval: number } {
    return { automine: this.#automine, interval: this.#interval }
  }

  setMode({ automine = this.#automine, interval = this.#interval }: { automine?: boolean; interval?: number }): void {
    this.#automine = automine
    this.#interval = interval
    this.#schedule()
    this.#wake()
  }

  async mine(count: bigint, secondsBetween?: bigint, timestamp?: bigint): Promise<void> {
    for (let i = 0n; i < count; i++) {
      await this.#produce(false, (head) => {
        if (i === 0n) return timestamp
        return secondsBetween === undefined ? undefined : head + secondsBetween
      })
    }
  }

  nextTimestamp(): bigint {
    return timestampOf(this.#clock(), this.next.timestamp)
  }

  increaseTime(seconds: bigint): Promise<bigint> {
    return this.#moveClock((clock) => increaseTime(clock, seconds))
  }

  setTime(time: bigint): Promise<bigint> {
    return this.#moveClock((clock) => setTime(clock, time))
  }

  /** Between blocks, because one that is being made is still by the former clock. Settles with the offset. */
  #moveClock(move: (clock: Clock) => void): Promise<bigint> {
    return this.#turn.run(async () => {
      move(this.#clock())
      return this.settings.timeOffset
    })
  }

  #clock(): Clock {
    const { settings, next } = this
    return { spec: this.#chain.spec, head: this.#chain.head.timestamp, settings, next }
  }

  settled(...transactions: readonly Hash[]): Promise<void> {
    return this.#running === undefined ? Promise.resolve() : this.#senders.wait(transactions)
  }

  gather(): () => void {
    let end: () => void = () => undefined
    const gathered = new Promise<void>((resolve) => (end = resolve))
    this.#gathering.add(gathered)
    const timer = setTimeout(end, LONGEST_OPEN)
    void gathered.then(() => {
      clearTimeout(timer)
      this.#gathering.delete(gathered)
    })
    return end
  }

  #wake(): void {
    if (!this.#makesReady()) return
    this.#called = true
    this.#running ??= this.#run()
  }

  /** Whether blocks are made because transactions are ready. */
  #makesReady(): boolean {
    return this.#state === 'started' && this.#automine
  }

  /** Makes blocks while there is something to put in them; who calls meanwhile is heard before it ends. */
  async #run(): Promise<void> {
    do {
      // Let the requests that have arrived together add their transactions before the block closes.
      await new Promise((resolve) => setImmediate(resolve))
      this.#called = false
      try {
        await this.#makeReady()
      } catch (error) {
        this.#onError(error)
        clearTimeout(this.#retry)
        this.#retry = setTimeout(() => this.#wake(), RETRY)
      }
    } while (this.#called && this.#makesReady())
    this.#running = undefined
    this.#senders.releaseAll()
  }

  async #makeReady(): Promise<void> {
    while (this.#makesReady() && this.#chain.pool.hasReady()) {
      await Promise.all(this.#gathering)
      const made = await this.#produce(true, undefined, this.#untilLull())
      // Ready and yet not taken (no room for it in any block): waiting for a change is all that is left.
      if (made === undefined) return
      this.#senders.blockMade()
    }
  }

  /** Keeps a block open that a crowd fills, until it has enough or no more comes. */
  #untilLull(): (taken: number) => Promise<boolean> {
    const { pool } = this.#chain
    const end = performance.now() + LONGEST_OPEN
    return async (taken) => {
      if (taken <= CROWD || taken >= ENOUGH) return false
      const before = pool.pending
      const mayRest = () => performance.now() < end && this.#makesReady() && !this.#turn.hasWaiters
      for (let quiet = 0; quiet < LULL && mayRest(); quiet += LOOK) {
        await sleep(LOOK)
        // What is taken stays in the pool until the block is made.
        if (pool.pending > before) return true
      }
      return false
    }
  }

  /**
   * How many transactions the block took; undefined when there was no block and nothing left the pool. `timestampAfter`
   * may set the time of this block, given the head's; `more` keeps it open. Throws ChainError `not-allowed` when the
   * producer has been stopped.
   */
  #produce(
    skipEmpty: boolean,
    timestampAfter: (head: bigint) => bigint | undefined = () => undefined,
    more?: ProduceOptions['more'],
  ): Promise<{ readonly taken: number } | undefined> {
    return this.#turn.run(async () => {
      if (this.#state === 'stopped')
        throw new ChainError('not-allowed', 'no more blocks are made: the node is stopping')
      const used = { ...this.next }
      const asked = timestampAfter(this.#chain.head.timestamp) ?? used.timestamp
      const draft = { ...this.#draft(), timestamp: timestampOf(this.#clock(), asked) }
      const { block, refused } = await this.#chain.produce(draft, { skipEmpty, ...(more && { more }) })
      const taken = block.transactions.length
      if (skipEmpty && taken === 0) return refused.length > 0 ? { taken } : undefined
      // The clock goes on from a time that was set.
      if (asked !== undefined) this.settings.timeOffset = block.header.timestamp - unixNow()
      // What was set while the block was made is for the next one.
      for (const name of ['timestamp', 'baseFeePerGas', 'prevRandao', 'gasLimit'] as const) {
        if (this.next[name] === used[name]) this.next[name] = undefined
      }
      return { taken }
    })
  }

  #draft(): Partial<PayloadAttributes> {
    const { coinbase, gasLimit, extraData } = this.settings
    const { baseFeePerGas, prevRandao } = this.next
    return {
      timestamp: this.nextTimestamp(),
      coinbase,
      gasLimit: this.next.gasLimit ?? gasLimitTowards(gasLimit, this.#chain.head.gasLimit),
      extraData,
      baseFeePerGas,
      ...(prevRandao !== undefined && { prevRandao }),
    }
  }

  /** Sets the timer for the next block of the clock. */
  #schedule(late = 0): void {
    clearTimeout(this.#timer)
    if (this.#state !== 'started' || this.#interval <= 0) return
    this.#timer = setTimeout(
      () => {
        const began = performance.now()
        this.#produce(false)
          .catch(this.#onError)
          .finally(() => this.#schedule(performance.now() - began))
      },
      Math.max(0, this.#interval * 1000 - late),
    )
  }
}

/** The same record, which calls when the value of this field changes. */
function telling<T extends object, K extends keyof T>(record: T, name: K, changed: () => void): T {
  let value = record[name]
  return Object.defineProperty(record, name, {
    enumerable: true,
    get: () => value,
    set: (next: T[K]) => {
      const differs = next !== value
      value = next
      if (differs) changed()
    },
  })
}
