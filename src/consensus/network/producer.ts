// The block producer of a network's node. It makes no block, because CometBFT decides when a block is made and its timestamp.
// Methods that mine or set the time are refused; the attributes of the next block follow from the head.
import type { Chain } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { unixNow } from '../../lib/unix-time.ts'
import type { BlockProducer } from '../block-producer.ts'

export class NetworkProducer implements BlockProducer {
  readonly next: BlockProducer['next'] = {
    timestamp: undefined,
    baseFeePerGas: undefined,
    prevRandao: undefined,
    gasLimit: undefined,
  }
  readonly settings: BlockProducer['settings']
  readonly #chain: Chain

  constructor(chain: Chain) {
    this.#chain = chain
    const { gasLimit } = chain.head
    this.settings = { coinbase: undefined, gasLimit, extraData: '0x', timestampInterval: undefined, timeOffset: 0n }
    chain.proposeAttributes(() => ({
      timestamp: this.nextTimestamp(),
      gasLimit: this.#chain.governed.gasLimit ?? this.#chain.head.gasLimit,
    }))
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  mode(): { automine: boolean; interval: number } {
    return { automine: false, interval: 0 }
  }

  setMode(): void {
    throw notHere()
  }

  async mine(): Promise<void> {
    throw notHere()
  }

  async mineBundle(): Promise<void> {
    throw notHere()
  }

  async increaseTime(): Promise<bigint> {
    throw notHere()
  }

  async setTime(): Promise<bigint> {
    throw notHere()
  }

  /** Sends do not wait: another node may build the block. */
  async settled(): Promise<void> {}

  gather(): () => void {
    return () => undefined
  }

  nextTimestamp(): bigint {
    const now = unixNow()
    const { timestamp } = this.#chain.head
    return now > timestamp ? now : timestamp + 1n
  }
}

const notHere = (): ChainError =>
  new ChainError('not-allowed', 'blocks and time of a network are made by its validators')
