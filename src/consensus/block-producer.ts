// The interface of the block producer (`consensus/solo.ts`), which decides when a block is made and what its clock says.
// Methods that mine, set the time or wait for a block use it.
import type { Address, Hash, Hex } from '../lib/hex.ts'

export interface BlockProducer {
  start(): Promise<void>
  stop(): Promise<void>
  /** At once when a transaction is ready, every `interval` seconds, both, or neither. */
  mode(): { readonly automine: boolean; readonly interval: number }
  setMode(mode: { automine?: boolean; interval?: number }): void
  /** Makes blocks now; `secondsBetween` sets the distance of their timestamps. */
  mine(count: bigint, secondsBetween?: bigint, timestamp?: bigint): Promise<void>
  /** Overrides of the next block only; each is used up by it. */
  readonly next: {
    timestamp: bigint | undefined
    baseFeePerGas: bigint | undefined
    prevRandao: Hash | undefined
    /** Not bound to the parent's: import refuses a block whose limit is a 1024th or more away from it. */
    gasLimit: bigint | undefined
  }
  /** Lasting settings. */
  readonly settings: {
    /** Fee recipient; undefined: the chain's own, `proposer`. */
    coinbase: Address | undefined
    /** Blocks come nearer to it by the steps that import accepts. */
    gasLimit: bigint
    extraData: Hex
    /** Seconds between automatic timestamps; undefined: the clock. */
    timestampInterval: bigint | undefined
    /** Seconds added to the machine's clock. */
    timeOffset: bigint
  }
  /**
   * Settles when the blocks that take the transactions of one sender are committed; at once when none is about to be made,
   * or many senders wait.
   */
  settled(...transactions: readonly Hash[]): Promise<void>
  /** Holds back blocks that ready transactions call for, until the returned function is called, for a second at most. */
  gather(): () => void
  /**
   * Moves the clock: the next block is at least so many seconds after the newest one. Settles, between blocks, with the
   * seconds that the clock is ahead of the machine's.
   */
  increaseTime(seconds: bigint): Promise<bigint>
  /** Sets the clock to a Unix time in seconds; no block is before its parent for that. Settles as `increaseTime`. */
  setTime(time: bigint): Promise<bigint>
  /** What the next block's timestamp would be if it were made now. */
  nextTimestamp(): bigint
}
