// The interface of a precompile for all engines: it depends on input and gas, not on state.

import { type Address, EMPTY_BYTES } from '../lib/hex.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { type Failure, type FailureCode, failureOf } from './failure.ts'

export type PrecompileResult = {
  readonly output: Uint8Array
  readonly gasUsed: bigint
  /** undefined on success. */
  readonly failure: Failure | undefined
}

/** The input is a copy that does not change later. A failure consumes all gas. */
export type Precompile = (input: Uint8Array, gas: bigint) => MaybePromise<PrecompileResult>

export const succeeded = (gasUsed: bigint, output: Uint8Array): PrecompileResult => ({
  output,
  gasUsed,
  failure: undefined,
})

export const failed = (gas: bigint, code: FailureCode): PrecompileResult => ({
  output: EMPTY_BYTES,
  gasUsed: gas,
  failure: failureOf(code),
})

/** The address of a precompile, from its number in hexadecimal. */
export const precompileAddress = (number: string): Address => `0x${number.padStart(40, '0')}` as Address
