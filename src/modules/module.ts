// The interface of a native module: contract storage and account balances with rules in TypeScript. Modules use the state and
// each other, but not the EVM, ABIs or block production.

import { ChainError } from '../lib/errors.ts'
import { type Address, equalBytes } from '../lib/hex.ts'
import type { CommitInfo } from '../primitives/types.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import type { StateView } from '../state/types.ts'

/** The current block. */
export type BlockInfo = {
  readonly number: bigint
  /** Unix seconds. */
  readonly timestamp: bigint
  readonly proposer: Address
  /** Whether the block says that the upgrade of its height is skipped (`spec/block-rules.ts`). Left out: no. */
  readonly skipsUpgrade?: boolean | undefined
  /** Votes and evidence that CometBFT passed with the block. */
  readonly commit?: CommitInfo | undefined
}

/**
 * Reports a failure to the operator, with texts that must not enter the state. A ChainError is a refusal, any other error an
 * internal one.
 */
export type Report = (message: string, error: unknown) => void

/** What a module is opened over; modules of one context see each other's changes at once. */
export type ModuleContext = {
  readonly spec: NativeSpec
  readonly block: BlockInfo
  readonly view: StateView
  /** `view` without the gas meter of a call, for the chain's own work; left out: `view` has none. */
  readonly unmetered?: StateView | undefined
  /** `read`: writing storage throws. */
  readonly access: 'read' | 'write'
  /**
   * Throws ChainError unless these opcode proposals can be active together from this block on. Left out if the list cannot
   * change.
   */
  readonly checkProposals?: ((names: readonly string[]) => void) | undefined
  readonly report?: Report | undefined
}

/**
 * Modules are synchronous. They refuse with ChainErrors; the caller's checkpoint undoes what was written before, so a module
 * need not check everything before it writes.
 */
export interface NativeModule<G> {
  readonly name: string
  /** Writes the module's genesis state, once, at block 0. */
  initGenesis(genesis: G): void
  beginBlock?(): void
  endBlock?(): void
}

/** The opcode INVALID: executing it fails, and code of any kind passes Solidity's check that a callee is a contract. */
const NATIVE_CODE = Uint8Array.of(0xfe)
export const isNativeCode = (code: Uint8Array): boolean => equalBytes(code, NATIVE_CODE)

/** Makes a contract account: nonce 1, so that EIP-161 never deletes it, and code. Keeps its balance. */
export function createNativeAccount(view: StateView, of: Address): void {
  view.setNonce(of, 1n)
  view.setCode(of, NATIVE_CODE)
}

/** `throw reverted(reason)` undoes the call and keeps the unused gas. The reason has the Cosmos SDK's or Evmos' wording. */
export const reverted = (reason: string): ChainError => new ChainError('execution-reverted', reason)
