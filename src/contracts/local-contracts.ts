// Contracts of the developer's own build: compilers' outputs on this machine (`--artifacts`). They are not verified: nothing is compiled
// here, and a file may say anything.
import type { Abi } from 'abitype'
import type { Address } from '../lib/hex.ts'
import type { StateView } from '../state/types.ts'
import type { ContractLanguage } from './verified-contracts.ts'

export type LocalContract = {
  readonly name: string
  /** File in the sources: `contracts/Vault.sol`. */
  readonly path: string
  readonly language: ContractLanguage
  readonly abi: Abi
}

/** What was read of them so far. */
export interface LocalContracts {
  /** The contract whose code an account has. Immutables, libraries and metadata may differ. */
  get(view: StateView, of: Address): LocalContract | undefined
  /** The contract that a message creates, by its input: creation code and arguments. */
  created(input: Uint8Array): LocalContract | undefined
  /** Functions, events and errors of all. */
  readonly abi: Abi
}
