// What a native module is: contract storage and account balances with rules written in TypeScript.
// Modules know the state and each other; they know no EVM, no ABI and no block production.

import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import type { CommitInfo } from '../primitives/types.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import type { StateView } from '../state/types.ts'

/** The block in which a module works. */
export type BlockInfo = {
  readonly number: bigint
  /** Unix seconds. */
  readonly timestamp: bigint
  readonly proposer: Address
  /** Votes and evidence that a network's engine told with the block. */
  readonly commit?: CommitInfo | undefined
}

/**
 * Tells the operator why something went wrong, in words that must not enter the state; a ChainError is a refusal, anything
 * else a fault of this program.
 */
export type Report = (message: string, error: unknown) => void

/** What a module is opened over; the modules of one context see each other's changes at once. */
export type ModuleContext = {
  readonly spec: NativeSpec
  readonly block: BlockInfo
  readonly view: StateView
  /** `read`: whatever would write storage throws. */
  readonly access: 'read' | 'write'
  /**
   * Throws ChainError unless these improvement proposals can be active together from this block on. Left out where
   * they cannot change.
   */
  readonly checkProposals?: ((names: readonly string[]) => void) | undefined
  readonly report?: Report | undefined
}

/**
 * Nothing in a module awaits. Refusals are ChainErrors, and what was written before one is undone by the caller's
 * checkpoint; so a module checks where it reads best, not before it writes.
 */
export interface NativeModule<G> {
  readonly name: string
  /** Writes the module's first state, once, at block 0. */
  initGenesis(genesis: G): void
  beginBlock?(): void
  endBlock?(): void
}

/** The opcode INVALID: running it fails, and its presence passes Solidity's check that a callee is a contract. */
const NATIVE_CODE = Uint8Array.of(0xfe)

/** Makes a contract account: nonce 1, so that EIP-161 never sweeps it, and code. Keeps its balance. */
export function createNativeAccount(view: StateView, of: Address): void {
  view.setNonce(of, 1n)
  view.setCode(of, NATIVE_CODE)
}

/** `throw reverted(reason)`: undoes the call and keeps the unused gas. The reason is in the words of the Cosmos SDK or Evmos. */
export const reverted = (reason: string): ChainError => new ChainError('execution-reverted', reason)
