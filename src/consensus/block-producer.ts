// The interface of the block producer, which decides when a block is made and what its timestamp is: `consensus/solo.ts`, or
// `consensus/network/producer.ts`. Methods that mine, set the time or wait for a block use it.
import type { Address, Hash, Hex } from '../lib/hex.ts'
import type { Transaction } from '../primitives/types.ts'

export interface BlockProducer {
  start(): Promise<void>
  stop(): Promise<void>
  /** A block as soon as a transaction is ready (`automine`), every `interval` seconds, both, or neither. */
  mode(): { readonly automine: boolean; readonly interval: number }
  setMode(mode: { automine?: boolean; interval?: number }): void
  /** Makes blocks now; `secondsBetween` sets the distance of their timestamps. */
  mine(count: bigint, secondsBetween?: bigint, timestamp?: bigint): Promise<void>
  /**
   * Makes a block of exactly these transactions, in this order. Throws, and makes none, if one of them cannot be executed (ChainError
   * `transaction-rejected`), or fails and `mayFail` does not have its hash (`execution-failed`).
   */
  mineBundle(transactions: readonly Transaction[], mayFail: ReadonlySet<Hash>): Promise<void>
  /** Overrides of the next block only; each is used up by it. */
  readonly next: {
    timestamp: bigint | undefined
    baseFeePerGas: bigint | undefined
    prevRandao: Hash | undefined
    /** Not bound to the parent's, although import refuses a block whose limit differs by a 1024th of it or more. */
    gasLimit: bigint | undefined
  }
  /** Lasting settings. */
  readonly settings: {
    /** Fee recipient; undefined: the chain's `proposer`. */
    coinbase: Address | undefined
    /** The target: blocks approach it in the steps that import accepts. */
    gasLimit: bigint
    extraData: Hex
    /** Seconds between automatic timestamps; undefined: the clock. */
    timestampInterval: bigint | undefined
    /** Seconds added to the machine's clock. */
    timeOffset: bigint
  }
  /**
   * Settles when the blocks that take one sender's transactions are committed; at once when no block is due, or when many
   * senders wait.
   */
  settled(...transactions: readonly Hash[]): Promise<void>
  /** Delays automine until the returned function is called, for at most a second. */
  gather(): () => void
  /**
   * Moves the clock: the next block is at least this many seconds after the newest one. Settles, between blocks, with the
   * seconds that the clock is ahead of the machine's.
   */
  increaseTime(seconds: bigint): Promise<bigint>
  /** Sets the clock to a Unix time in seconds; a block is still never before its parent. Settles as `increaseTime`. */
  setTime(time: bigint): Promise<bigint>
  /** What the next block's timestamp would be if it were made now. */
  nextTimestamp(): bigint
}
