// The result of a message, the same type for all engines.
import { type Address, EMPTY_BYTES } from '../lib/hex.ts'
import type { Log } from '../primitives/types.ts'
import type { Failure } from './failure.ts'
import type { StateGasLevels } from './gas/state-gas.ts'
import type { CoinTransfer } from './native-call.ts'

export type Result = {
  /** undefined on success. */
  readonly failure: Failure | undefined
  /** Return data, or revert data; empty after any other failure. */
  readonly output: Uint8Array
  readonly gasUsed: bigint
  /** Of a successful outer message that began with state gas or used some; after a failure the reservoir is as before. */
  readonly stateGas?: StateGasLevels | undefined
  /** In order; empty after a failure. */
  readonly logs: readonly Log[]
  /** The subset of `logs` that native contracts emitted themselves, without a LOG opcode. */
  readonly nativeLogs: readonly Log[]
  /** Coins that the message's native contract transferred. Left out: none. */
  readonly coinTransfers?: readonly CoinTransfer[] | undefined
  /** The transaction's refund counter after the message. */
  readonly refund: bigint
  /** Accounts that the transaction has destroyed so far, without reverted ones, each with its beneficiary. */
  readonly destroyed: ReadonlyMap<Address, Address>
  /** Accounts that the transaction has created so far, without reverted ones (EIP-6780). */
  readonly created: ReadonlySet<Address>
  /** The address of a creation, also of a failed one. */
  readonly createdAddress: Address | undefined
}

export const NO_LOGS: readonly Log[] = []
const NONE_DESTROYED: ReadonlyMap<Address, Address> = new Map()
const NONE_CREATED: ReadonlySet<Address> = new Set()

/** The result of a message that executed no code. */
export const resultWithoutCode = (refund: bigint, failure?: Failure): Result => ({
  failure,
  output: EMPTY_BYTES,
  gasUsed: 0n,
  logs: NO_LOGS,
  nativeLogs: NO_LOGS,
  refund,
  destroyed: NONE_DESTROYED,
  created: NONE_CREATED,
  createdAddress: undefined,
})
