// The block producer of a chain with one node: it makes a block when a transaction is ready (automine), at an interval, both,
// or only on request. Blocks are made one at a time.
import type { BlockBuilder } from '../chain/block-builder.ts'
import type { Chain } from '../chain/types.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address, Hash } from '../lib/hex.ts'
import { Mutex } from '../lib/mutex.ts'
import { unixNow } from '../lib/unix-time.ts'
import type { Transaction } from '../primitives/types.ts'
import { gasLimitTowards } from '../runtime/gas-limit.ts'
import { CandidateFault } from '../runtime/open-block.ts'
import type { PayloadAttributes } from '../runtime/types.ts'
import { hasMoreToTake, OpenBatches, RETRY_DELAY, WaitingSenders } from './block-policy.ts'
import type { BlockProducer } from './block-producer.ts'
import { type Clock, increaseTime, setTime, timestampOf } from './clock.ts'

/** Attempts to make a requested block with all ready transactions of a fork; the last one leaves out those that miss something. */
const MOST_ATTEMPTS = 20

export type SoloOptions = {
  readonly automine: boolean
  /** Seconds; 0 for none. */
  readonly interval: number
  /** Fee recipient of every block; undefined: the validators in turn. */
  readonly coinbase: Address | undefined
  /** The target: blocks approach it in the steps that import accepts. */
  readonly gasLimit: bigint
  readonly onError: (error: unknown) => void
}

export class Solo implements BlockProducer {
  readonly next: BlockProducer['next']
  readonly settings: BlockProducer['settings']
  readonly #chain: Chain
  readonly #onError: (error: unknown) => void
  readonly #turn = new Mutex()
  #automine: boolean
  #interval: number
  /** Milliseconds between blocks that governance has set; 0: none. */
  #governedTime = 0
  #timer: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined
  /** Settles when no block is being made for ready transactions. */
  #running: Promise<void> | undefined
  /** Whether a transaction may have become ready since the last check of the pool. */
  #isCalled = false
  #state: 'new' | 'started' | 'stopped' = 'new'
  #stopListening: () => void = () => undefined
  readonly #senders: WaitingSenders
  readonly #batches = new OpenBatches()
  /** Transactions of a fork that were left out of a block and are being fetched for. */
  readonly #fetching = new Set<Hash>()

  constructor(chain: Chain, { automine, interval, coinbase, gasLimit, onError }: SoloOptions) {
    this.#chain = chain
    this.#automine = automine
    this.#interval = interval
    this.#onError = onError
    this.#senders = new WaitingSenders(chain.pool)
    // Base fee and gas limit decide which transactions are ready, so the pool must learn of a change at once; the chain reads
    // the other attributes when it needs them.
    const propose = () => {
      chain.proposeAttributes(() => this.#attributes())
      this.#wake()
    }
    const next = { timestamp: undefined, baseFeePerGas: undefined, prevRandao: undefined, gasLimit: undefined }
    this.next = notifying(notifying(next, 'baseFeePerGas', propose), 'gasLimit', propose)
    const settings = { coinbase, gasLimit, extraData: '0x' as const, timestampInterval: undefined, timeOffset: 0n }
    this.settings = notifying<BlockProducer['settings'], 'gasLimit'>(settings, 'gasLimit', propose)
    propose()
  }

  async start(): Promise<void> {
    this.#state = 'started'
    const { events } = this.#chain
    // A block may make waiting transactions ready, because the base fee falls.
    const onBlock = () => {
      this.#followBlockTime()
      this.#wake()
    }
    this.#followBlockTime()
    const listening = [events.on('pending', () => this.#wake()), events.on('block', onBlock)]
    this.#stopListening = () => {
      for (const stop of listening) stop()
    }
    this.#schedule()
    this.#wake()
  }

  /** Makes blocks in the time that governance sets, from when it sets it. */
  #followBlockTime(): void {
    const milliseconds = Number(this.#chain.governed.params()?.blockTimeMs ?? 0n)
    if (milliseconds === this.#governedTime) return
    this.#governedTime = milliseconds
    if (milliseconds > 0) this.setMode({ automine: false, interval: milliseconds / 1000 })
  }

  /** Settles when no block is being made and none will follow. */
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
      await this.#produceAll((head) => {
        if (i === 0n) return timestamp
        return secondsBetween === undefined ? undefined : head + secondsBetween
      })
    }
  }

  async mineBundle(transactions: readonly Transaction[], mayFail: ReadonlySet<Hash>): Promise<void> {
    let failure: ChainError | undefined
    await this.#produceAll(undefined, transactions, (builder) => {
      failure = transactions.map((one) => failureIn(builder, one, mayFail)).find((found) => found !== undefined)
      return failure === undefined
    })
    if (failure !== undefined) throw failure
  }

  /**
   * Makes one block of candidates, by default those of the pool. What they miss of a fork is fetched before it is made. `accepts` may refuse
   * the block when it has run.
   */
  async #produceAll(
    timestampAfter?: (head: bigint) => bigint | undefined,
    candidates?: readonly Transaction[],
    accepts: (builder: BlockBuilder) => boolean = () => true,
  ): Promise<void> {
    let missed: BlockBuilder['unfetched'] = []
    for (let attempt = 1; ; attempt++) {
      await this.#produce(timestampAfter, async (builder) => {
        await (candidates === undefined ? builder.take() : takeExactly(builder, candidates))
        missed = attempt < MOST_ATTEMPTS ? builder.unfetched : []
        return missed.length === 0 && accepts(builder)
      })
      if (missed.length === 0) return
      if (!(await this.#chain.fetchFor(missed))) attempt = MOST_ATTEMPTS
    }
  }

  /** Fetches what candidates miss of a fork while no lock is held; then they are offered to the next block. */
  #fetchLater(missed: BlockBuilder['unfetched']): void {
    const fresh = missed.filter(({ transaction: { hash } }) => !this.#fetching.has(hash))
    if (fresh.length === 0) return
    for (const { transaction } of fresh) this.#fetching.add(transaction.hash)
    void this.#chain.fetchFor(fresh).then((some) => {
      for (const { transaction } of fresh) this.#fetching.delete(transaction.hash)
      if (some) this.#wake()
    })
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

  /** Moves the clock between two blocks, because an open block has the old time. Settles with the offset. */
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
    return this.#batches.open()
  }

  #wake(): void {
    if (!this.#makesReady()) return
    this.#isCalled = true
    this.#running ??= this.#run()
  }

  /** Whether ready transactions start a block. */
  #makesReady(): boolean {
    return this.#state === 'started' && this.#automine
  }

  /** Makes blocks while transactions are ready; checks again if it was woken while it ran. */
  async #run(): Promise<void> {
    do {
      // Let requests that arrived together add their transactions before the block begins.
      await new Promise((resolve) => setImmediate(resolve))
      this.#isCalled = false
      try {
        await this.#makeReady()
      } catch (error) {
        this.#onError(error)
        clearTimeout(this.#retry)
        this.#retry = setTimeout(() => this.#wake(), RETRY_DELAY)
      }
    } while (this.#isCalled && this.#makesReady())
    this.#running = undefined
    this.#senders.releaseAll()
  }

  async #makeReady(): Promise<void> {
    while (this.#makesReady() && this.#chain.pool.hasReady()) {
      await this.#batches.ended()
      const made = await this.#produce(undefined, (builder) => this.#takeReady(builder))
      // The ready transactions fit no block: wait for a change.
      if (made === undefined) return
      this.#senders.blockMade()
    }
  }

  /** Fills a block with ready transactions as long as the policy keeps it open. False: it took none, so no block is made. */
  async #takeReady(builder: BlockBuilder): Promise<boolean> {
    const opened = performance.now()
    const mayStayOpen = () => this.#makesReady() && !this.#turn.hasWaiters
    do await builder.take()
    while (await hasMoreToTake(builder, this.#chain.pool, opened, mayStayOpen))
    this.#fetchLater(builder.unfetched)
    return builder.size > 0
  }

  /** Offers the ready transactions once; the block is made whether it takes any or not. */
  async #takeOnce(builder: BlockBuilder): Promise<true> {
    await builder.take()
    this.#fetchLater(builder.unfetched)
    return true
  }

  /**
   * Makes one block. `timestampAfter` may compute its timestamp from the head's; `fill` offers it transactions, and false makes
   * no block. Returns the number of transactions; undefined when no block was made and nothing left the pool. Throws
   * ChainError `not-allowed` when the producer has been stopped.
   */
  #produce(
    timestampAfter: (head: bigint) => bigint | undefined = () => undefined,
    fill: (builder: BlockBuilder) => Promise<boolean>,
  ): Promise<{ readonly taken: number } | undefined> {
    const produce = async () => {
      if (this.#state === 'stopped')
        throw new ChainError('not-allowed', 'no more blocks are made: the node is stopping')
      const used = { ...this.next }
      const requested = timestampAfter(this.#chain.head.timestamp) ?? used.timestamp
      const builder = await this.#chain.openBlock({
        ...this.#attributes(),
        timestamp: timestampOf(this.#clock(), requested),
      })
      try {
        if (!(await fill(builder))) return builder.refused > 0 ? { taken: 0 } : undefined
        const { block } = await builder.seal()
        this.#committed(block.header.timestamp, requested, used)
        return { taken: block.transactions.length }
      } finally {
        builder.abandon()
      }
    }
    const attempt = () => this.#chain.missing?.complete(produce) ?? produce()
    return this.#turn.run(() => this.#withoutFaulty(attempt))
  }

  /** Makes the block again without a transaction that made the program fail: the pool holds it from now on. */
  async #withoutFaulty<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof CandidateFault)) throw error
        this.#onError(error)
      }
    }
  }

  /** Clears the settings that the committed block used. Those that changed while it was made apply to the next one. */
  #committed(timestamp: bigint, requested: bigint | undefined, used: Readonly<BlockProducer['next']>): void {
    // The clock continues from a requested timestamp.
    if (requested !== undefined) this.settings.timeOffset = timestamp - unixNow()
    for (const name of ['timestamp', 'baseFeePerGas', 'prevRandao', 'gasLimit'] as const) {
      if (this.next[name] === used[name]) this.next[name] = undefined
    }
  }

  #attributes(): Partial<PayloadAttributes> {
    const { coinbase, gasLimit, extraData } = this.settings
    const { baseFeePerGas, prevRandao } = this.next
    return {
      timestamp: this.nextTimestamp(),
      ...(coinbase !== undefined && { coinbase }),
      gasLimit: this.next.gasLimit ?? gasLimitTowards(gasLimit, this.#chain.head.gasLimit),
      extraData,
      baseFeePerGas,
      ...(prevRandao !== undefined && { prevRandao }),
    }
  }

  /** Sets the timer for the next interval block. `late`: milliseconds that the last one took. */
  #schedule(late = 0): void {
    clearTimeout(this.#timer)
    if (this.#state !== 'started' || this.#interval <= 0) return
    this.#timer = setTimeout(
      () => {
        const began = performance.now()
        this.#produce(undefined, (builder) => this.#takeOnce(builder))
          .catch(this.#onError)
          .finally(() => this.#schedule(performance.now() - began))
      },
      Math.max(0, this.#interval * 1000 - late),
    )
  }
}

/** Takes candidates that come from no pool, which could hold one that makes the program fail: the block is not tried again. */
async function takeExactly(builder: BlockBuilder, candidates: readonly Transaction[]): Promise<void> {
  try {
    await builder.take(candidates)
  } catch (error) {
    throw error instanceof CandidateFault ? error.cause : error
  }
}

/** Why a block does not have a transaction of a bundle as it was meant; undefined: it does. */
function failureIn(
  builder: BlockBuilder,
  transaction: Transaction,
  mayFail: ReadonlySet<Hash>,
): ChainError | undefined {
  const fate = builder.fateOf(transaction)
  if (fate !== 'reverted') return fate
  const { hash } = transaction
  return mayFail.has(hash) ? undefined : new ChainError('execution-failed', `execution reverted; txhash ${hash}`)
}

/** Makes a record call `changed` when one field changes. */
function notifying<T extends object, K extends keyof T>(record: T, name: K, changed: () => void): T {
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
