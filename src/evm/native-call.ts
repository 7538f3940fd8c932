// The interface between the machine and native contracts: the call and its result. The machine imports no modules or ABIs;
// native contracts use the machine only through this file.
import type { Address } from '../lib/hex.ts'
import type { Log } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'

/** The fields of the current block that native code may read. */
export type NativeBlock = {
  readonly number: bigint
  /** Unix seconds. */
  readonly timestamp: bigint
  /** The header's beneficiary. */
  readonly proposer: Address
}

/** A message to a native contract. If it fails, the machine reverts its state changes. */
export type NativeCall = {
  /** `msg.sender` as the native code sees it; the executing contract under DELEGATECALL and CALLCODE. */
  readonly caller: Address
  /** `tx.origin`. */
  readonly origin: Address
  /** Value of the message in wei; not transferred if `isDelegate`. */
  readonly value: bigint
  readonly input: Uint8Array
  /** Whether this frame or an enclosing one is static. */
  readonly isStatic: boolean
  /** Whether it is a DELEGATECALL or CALLCODE: the message's `to` is not the address of the code. */
  readonly isDelegate: boolean
  /** 0 for the transaction's own message. */
  readonly depth: number
  readonly gasLimit: bigint
  readonly view: StateView
  readonly block: NativeBlock
  /** Sends a message to another contract, whose changes are reverted if it fails. The native code must account for the gas. */
  callContract(message: InnerMessage): Promise<InnerResult>
}

/** A message from native code. */
export type InnerMessage = {
  readonly from: Address
  readonly to: Address
  /** Wei of the sender. Left out: 0. */
  readonly value?: bigint | undefined
  readonly input: Uint8Array
  readonly gasLimit: bigint
  /** As with STATICCALL, the contract may not write. */
  readonly isStatic: boolean
}

export type InnerResult = {
  readonly output: Uint8Array
  readonly gasUsed: bigint
  /** In order; the native contract must pass them on among its own. */
  readonly logs: readonly Log[]
  /** geth's text; undefined on success. */
  readonly error: string | undefined
}

/** `revert` returns the unused gas; the other two consume it all. */
export type NativeError = 'revert' | 'out of gas' | 'invalid opcode'

/** Coins that native code transferred. */
export type CoinTransfer = { readonly from: Address; readonly to: Address; readonly value: bigint }

export type NativeResult = {
  /** Return data, or revert data when `error` is `revert`. */
  readonly output: Uint8Array
  readonly gasUsed: bigint
  /** Logs, including those of called contracts; empty on failure. */
  readonly logs: readonly Log[]
  /** undefined on success. */
  readonly error: NativeError | undefined
  /** Coins transferred by the call itself, in order, without those of called contracts. Left out: none. */
  readonly coinTransfers?: readonly CoinTransfer[] | undefined
}

/**
 * A contract in TypeScript. `run` never throws or rejects: any error is a result. It returns a promise only if it calls other
 * contracts.
 */
export type NativeContract = {
  readonly address: Address
  run(call: NativeCall): NativeResult | Promise<NativeResult>
}

/** The native contracts of a block: those at fixed addresses, and a function for those registered in the state. */
export interface NativeContracts extends ReadonlyMap<Address, NativeContract> {
  /** Called for accounts that are not in the map and whose code is the single byte INVALID, as that of all native contracts. */
  readonly find?: (view: StateView, address: Address) => NativeContract | undefined
}
