// The interface between the machine and native contracts: the call that goes in, the result that comes out. The machine
// imports nothing of modules or ABIs; native contracts use the machine only through this file.
import type { Address } from '../lib/hex.ts'
import type { Log } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'

/** The block in which the call runs, as far as native code may see it. */
export type NativeBlock = {
  readonly number: bigint
  /** Unix seconds. */
  readonly timestamp: bigint
  /** The header's beneficiary. */
  readonly proposer: Address
}

/** One message that has reached a native contract. Its state changes are undone by the machine if it fails. */
export type NativeCall = {
  /** `msg.sender` as the native code sees it; the executing contract under DELEGATECALL and CALLCODE. */
  readonly caller: Address
  /** `tx.origin`. */
  readonly origin: Address
  /** Wei that came with the message; only apparent when `isDelegate`. */
  readonly value: bigint
  readonly input: Uint8Array
  /** This frame or one around it is static. */
  readonly isStatic: boolean
  /** DELEGATECALL or CALLCODE: the message's `to` is not the address whose code runs. */
  readonly isDelegate: boolean
  /** 0 for the transaction's own message. */
  readonly depth: number
  readonly gasLimit: bigint
  readonly view: StateView
  readonly block: NativeBlock
  /** Sends a message to another contract; what it wrote is undone if it fails. Gas is the native code's to account for. */
  callContract(message: InnerMessage): Promise<InnerResult>
}

/** A message that native code sends, without value. */
export type InnerMessage = {
  readonly from: Address
  readonly to: Address
  readonly input: Uint8Array
  readonly gasLimit: bigint
  /** As STATICCALL: the contract may not write. */
  readonly isStatic: boolean
}

export type InnerResult = {
  readonly output: Uint8Array
  readonly gasUsed: bigint
  /** In order; to be passed on among the native contract's own. */
  readonly logs: readonly Log[]
  /** geth's words; undefined on success. */
  readonly error: string | undefined
}

/** `revert` returns the unused gas; the other two consume it all. */
export type NativeError = 'revert' | 'out of gas' | 'invalid opcode'

/** Coins that native code moved from one account to another. */
export type CoinTransfer = { readonly from: Address; readonly to: Address; readonly value: bigint }

export type NativeResult = {
  /** Return data, or revert data when `error` is `revert`. */
  readonly output: Uint8Array
  readonly gasUsed: bigint
  /** Logs, with those of contracts that it called; empty unless the call succeeded. */
  readonly logs: readonly Log[]
  /** undefined on success. */
  readonly error: NativeError | undefined
  /** Coins that the call moved, in order; not those that contracts which it called moved. Left out: none. */
  readonly coinTransfers?: readonly CoinTransfer[] | undefined
}

/**
 * A contract whose code is TypeScript. `run` never throws and never rejects: whatever goes wrong is a result.
 * A promise is the exception, for what has to wait for other contracts.
 */
export type NativeContract = {
  readonly address: Address
  run(call: NativeCall): NativeResult | Promise<NativeResult>
}

/** The native contracts of a block: those at fixed addresses, and a way to find those that the state tells of. */
export interface NativeContracts extends ReadonlyMap<Address, NativeContract> {
  /** Asked about accounts that are not in the map and whose code is a lone INVALID, as that of all native contracts. */
  readonly find?: (view: StateView, address: Address) => NativeContract | undefined
}
