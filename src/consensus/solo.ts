// When a block is made, on a chain of one: at once when a transaction is ready, every so many seconds, both, or never.
// Blocks are made one after the other; whatever became ready while one was being made goes into the next.
import type { BlockProducer, Chain } from '../chain/types.ts'
import type { Address, Hash } from '../lib/hex.ts'
import type { HeaderDraft } from '../runtime/types.ts'

export type SoloOptions = {
  readonly automine: boolean
  /** Seconds; 0 for none. */
  readonly interval: number
  readonly coinbase: Address
  readonly gasLimit: bigint
  readonly onError: (error: unknown) => void
}

/** Blocks that a sender waits for a transaction which the first of them leaves out (its fee, or no room). */
const PATIENCE = 2

type Waiter = { readonly transaction: Hash; readonly done: () => void; blocksLeft: number }

export class Solo implements BlockProducer {
  readonly next: BlockProducer['next'] = { timestamp: undefined, baseFeePerGas: undefined, prevRandao: undefined }
  readonly settings: BlockProducer['settings']
  readonly #chain: Chain
  readonly #onError: (error: unknown) => void
  #automine: boolean
  #interval: number
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #stopped = true
  #stopListening: () => void = () => undefined
  #waiters: Waiter[] = []

  constructor(chain: Chain, { automine, interval, coinbase, gasLimit, onError }: SoloOptions) {
    this.#chain = chain
    this.#automine = automine
    this.#interval = interval
    this.#onError = onError
    this.settings = { coinbase, gasLimit, extraData: '0x', timestampInterval: undefined, timeOffset: 0n }
    chain.proposeDrafts(() => this.#draft())
  }

  async start(): Promise<void> {
    this.#stopped = false
    this.#stopListening = this.#chain.live.on('pending', () => this.#wake())
    this.#schedule()
    this.#wake()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopListening()
    clearTimeout(this.#timer)
    await this.#running
    this.#release()
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
      const head = this.#chain.head.timestamp
      if (i === 0n && timestamp !== undefined) this.next.timestamp = timestamp
      else if (i > 0n && secondsBetween !== undefined) this.next.timestamp = head + secondsBetween
      await this.#produce(false)
    }
  }

  nextTimestamp(): bigint {
    const head = this.#chain.head.timestamp
    const { timestampInterval, timeOffset } = this.settings
    const wanted =
      this.next.timestamp ?? (timestampInterval === undefined ? now() + timeOffset : head + timestampInterval)
    return wanted > head ? wanted : head + 1n
  }

  settled(transaction: Hash): Promise<void> {
    const waiting = this.#chain.pool.get(transaction)
    // Behind a gap it may wait for ever, whatever blocks are made meanwhile.
    const executable = waiting !== undefined && waiting.nonce < this.#chain.pool.nextNonce(waiting.from)
    if (this.#running === undefined || !executable) return Promise.resolve()
    return new Promise((done) => this.#waiters.push({ transaction, done, blocksLeft: PATIENCE }))
  }

  /** Makes blocks while there is something to put in them. */
  #wake(): void {
    if (this.#stopped || !this.#automine || this.#running !== undefined) return
    this.#running = this.#run()
      .catch(this.#onError)
      .finally(() => {
        this.#running = undefined
        this.#release()
      })
  }

  async #run(): Promise<void> {
    // Let the requests that have arrived together add their transactions before the block closes.
    await new Promise((resolve) => setImmediate(resolve))
    while (!this.#stopped && this.#automine && this.#chain.pool.hasReady()) {
      const made = await this.#produce(true)
      // Ready and yet not taken (no room for it in any block): waiting for a change is all that is left.
      if (!made) break
      for (const waiter of this.#waiters) waiter.blocksLeft--
      this.#release(({ transaction, blocksLeft }) => blocksLeft <= 0 || this.#chain.pool.get(transaction) === undefined)
    }
  }

  #release(isDone: (waiter: Waiter) => boolean = () => true): void {
    const done = this.#waiters.filter(isDone)
    this.#waiters = this.#waiters.filter((waiter) => !done.includes(waiter))
    for (const waiter of done) waiter.done()
  }

  /** True when the block was committed or something left the pool. */
  async #produce(skipEmpty: boolean): Promise<boolean> {
    const forced = this.next.timestamp
    const draft = this.#draft()
    const { block, refused } = await this.#chain.produce(draft, { skipEmpty })
    if (skipEmpty && block.transactions.length === 0) return refused.length > 0
    // The clock goes on from a time that was set.
    if (forced !== undefined) this.settings.timeOffset = block.header.timestamp - now()
    this.next.timestamp = undefined
    this.next.baseFeePerGas = undefined
    this.next.prevRandao = undefined
    return true
  }

  #draft(): Partial<HeaderDraft> {
    const { coinbase, gasLimit, extraData } = this.settings
    const { baseFeePerGas, prevRandao } = this.next
    return {
      timestamp: this.nextTimestamp(),
      coinbase,
      gasLimit,
      extraData,
      baseFeePerGas,
      ...(prevRandao !== undefined && { prevRandao }),
    }
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    if (this.#stopped || this.#interval <= 0) return
    this.#timer = setTimeout(() => {
      this.#produce(false)
        .catch(this.#onError)
        .finally(() => this.#schedule())
    }, this.#interval * 1000)
  }
}

const now = (): bigint => BigInt(Math.floor(Date.now() / 1000))
