// The frame that a proposal's function gets: everything it may read and write. run-opcode.ts checks and charges each access, so
// that all engines do the same.
import type { Address } from '../lib/hex.ts'
import type { PriceState } from './gas/memory-gas.ts'

/** The version of `Frame`. A proposal's module names the version that it was written for. */
export const FRAME_VERSION = 1

/** A proposal's opcode. It is synchronous: returning a promise fails the frame. */
export type Execute = (frame: Frame) => void

/** An offset or length in bytes, as a stack word or a number. */
export type Bytes = bigint | number

/** Words of 256 bits: bigints from 0 to 2^256 - 1. Any other value fails the frame. */
export interface FrameStack {
  /** Number of items. */
  readonly length: number
  /** Pops the top item; fails the frame if there is none. */
  pop(): bigint
  /** Pops `count` items, top first. */
  popN(count: number): bigint[]
  /** Copies of the topmost items, top first. */
  peek(count: number): bigint[]
  push(word: bigint): void
}

/** Read-only bytes. Reading costs 3 gas per 32-byte word, rounded up; bytes beyond the end are zero. */
export interface FrameBytes {
  /** Size in bytes. */
  readonly size: number
  /** Returns a copy. */
  read(offset: Bytes, length: Bytes): Uint8Array
}

/** Memory. Expands to the end of each access at the fork's price, plus 3 gas per 32-byte word. */
export interface FrameMemory extends FrameBytes {
  write(offset: Bytes, bytes: Uint8Array): void
}

/** Slots of the account that the code acts for. */
export interface FrameStorage {
  load(key: bigint): bigint
  /** Fails in a static frame. */
  store(key: bigint, word: bigint): void
}

export interface FrameEnvironment {
  /** The account that the code acts for. */
  readonly address: Address
  readonly caller: Address
  /** The sender of the transaction. */
  readonly origin: Address
  /** Wei. */
  readonly callValue: bigint
  /** Wei per gas. */
  readonly gasPrice: bigint
  /** 0 for the transaction's own message. */
  readonly depth: number
  /** Whether the frame may not change the state (EIP-214). */
  readonly isStatic: boolean
  readonly chainId: bigint
  readonly blockNumber: bigint
  /** Seconds since 1970. */
  readonly timestamp: bigint
  readonly coinbase: Address
  /** The word of opcode 0x44: before the Merge, the difficulty. */
  readonly prevRandao: bigint
  readonly blockGasLimit: bigint
  /** Wei per gas; 0 before London. */
  readonly baseFee: bigint
}

export interface Frame extends Pick<PriceState, 'code' | 'programCounter'> {
  readonly stack: FrameStack
  readonly memory: FrameMemory
  /** At the fork's price of SLOAD and SSTORE, including access gas (EIP-2929), refunds and reserve (EIP-2200). */
  readonly storage: FrameStorage
  /** 100 gas each (EIP-1153); fails the frame before Cancun. */
  readonly transient: FrameStorage
  readonly callData: FrameBytes
  /** Return data of the frame's last call. */
  readonly returnData: FrameBytes
  readonly env: FrameEnvironment
  /** Gas left after the price of the opcode and all charges of the function so far. */
  readonly gasLeft: bigint
  /** Charges gas. Fails the frame if there is not enough. */
  chargeGas(gas: bigint): void
  /** Balance of an account in wei, at the fork's price of BALANCE. `account`: a word, as on the stack. */
  balance(account: bigint): bigint
  /** The code of an account, at the fork's price of EXTCODESIZE and 3 gas per word. */
  codeOf(account: bigint): Uint8Array
  /** Writes a log with up to four topics, at the price of LOG. Fails in a static frame. */
  log(topics: readonly bigint[], data: Uint8Array): void
  /** Ends the frame like RETURN. 3 gas per word. */
  finish(output: Uint8Array): never
  /** Ends the frame like REVERT. 3 gas per word. */
  revert(output: Uint8Array): never
  /** Fails the frame and consumes all its gas. The reason appears in traces and errors, never in the state. */
  fail(reason: string): never
}
