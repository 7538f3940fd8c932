// What an opcode of a proposal may read and write: the frame that its function gets. run-opcode.ts checks and charges all of it,
// so that all engines do the same.
import type { Address } from '../lib/hex.ts'
import type { PriceState } from './gas/memory-gas.ts'

/** The version of `Frame`. A proposal's module names the version that it was written for. */
export const FRAME_VERSION = 1

/** What an opcode does. It runs to its end at once: a promise that it returns fails the frame. */
export type Execute = (frame: Frame) => void

/** A place or a length in bytes, as it is on the stack or as a number. */
export type Bytes = bigint | number

/** Words of 256 bits: bigints from 0 to 2^256 - 1. Everything else fails the frame. */
export interface FrameStack {
  /** Items. */
  readonly length: number
  /** Takes the top item; fails the frame when there is none. */
  pop(): bigint
  /** Takes `count` items, the top first. */
  popN(count: number): bigint[]
  /** Copies of the topmost items, the top first. */
  peek(count: number): bigint[]
  push(word: bigint): void
}

/** Bytes that can only be read. 3 gas for each word of 32 bytes, begun words included; zeros beyond the end. */
export interface FrameBytes {
  /** Bytes. */
  readonly size: number
  /** A copy. */
  read(offset: Bytes, length: Bytes): Uint8Array
}

/** Grows up to the end of what is read or written, at the fork's price; 3 gas for each word of 32 bytes besides. */
export interface FrameMemory extends FrameBytes {
  write(offset: Bytes, bytes: Uint8Array): void
}

/** Slots of the account in whose name the code runs. */
export interface FrameStorage {
  load(key: bigint): bigint
  /** Fails in a static frame. */
  store(key: bigint, word: bigint): void
}

export interface FrameEnvironment {
  /** The account in whose name the code runs. */
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
  /** The frame may change nothing (EIP-214). */
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
  /** At the fork's price of SLOAD and SSTORE, with their access (EIP-2929), refunds and reserve (EIP-2200). */
  readonly storage: FrameStorage
  /** 100 gas each (EIP-1153); fails the frame before Cancun. */
  readonly transient: FrameStorage
  readonly callData: FrameBytes
  /** Of the last call of this frame. */
  readonly returnData: FrameBytes
  readonly env: FrameEnvironment
  /** What remains after the price of the opcode and of all that the function has done. */
  readonly gasLeft: bigint
  /** Charges more. Out of gas fails the frame. */
  chargeGas(gas: bigint): void
  /** Wei of an account, named by a word as on the stack, at the fork's price of BALANCE. */
  balance(account: bigint): bigint
  /** The code of an account, at the fork's price of EXTCODESIZE and 3 gas for each word. */
  codeOf(account: bigint): Uint8Array
  /** Writes a log with up to four topics, at the price of LOG. Fails in a static frame. */
  log(topics: readonly bigint[], data: Uint8Array): void
  /** Ends the frame as RETURN does. 3 gas for each word. */
  finish(output: Uint8Array): never
  /** Ends the frame as REVERT does. 3 gas for each word. */
  revert(output: Uint8Array): never
  /** Ends the frame with all its gas. The reason is shown in traces and answers, and never becomes part of the state. */
  fail(reason: string): never
}
