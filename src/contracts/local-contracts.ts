// Contracts of the developer's own build: compilers' outputs on this machine (`--artifacts`). They are not verified: nothing is
// compiled here, and a file may say anything.
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
  /** Bytes of the creation code. In the creation's input the constructor's arguments follow it. */
  readonly creationSize: number
}

/** Where the opcodes of code come from. */
export type SourceMapped = {
  /** Solidity's source map; undefined: the compiler has written none. */
  readonly sourceMap: string | undefined
  /** Yul that the compiler has added, by its id in the source map. */
  readonly generatedSources: Readonly<Record<number, { readonly name: string; readonly contents: string }>>
}

/** The sources of a local contract, which stay on disk until they are asked for. */
export type LocalSources = {
  /** `0.8.30+commit.73712a01`; undefined: the file does not say. */
  readonly compilerVersion: string | undefined
  /** The compiler's settings. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Texts by path. A file that has changed since it was compiled, or is gone, is left out. */
  readonly sources: Readonly<Record<string, string>>
  /** Paths by the ids in source maps. */
  readonly sourceIds: Readonly<Record<number, string>>
  readonly creation: SourceMapped
  readonly runtime: SourceMapped
  /** Solidity's, if the compiler was asked for it. */
  readonly storageLayout?: unknown
}

/** Input and output of a compiler, as standard JSON. */
export type Compilation = {
  readonly solcVersion: string
  readonly input: Readonly<Record<string, unknown>>
  readonly output: Readonly<Record<string, unknown>>
}

/** What was read of them so far. */
export interface LocalContracts {
  /** The contract whose code an account has. Immutables, libraries and metadata may differ. */
  get(view: StateView, of: Address): LocalContract | undefined
  /** The contract that a message creates, by its input: creation code and arguments. */
  created(input: Uint8Array): LocalContract | undefined
  /** Functions, events and errors of all. */
  readonly abi: Abi
  /** undefined: the file is gone, or has changed since. */
  details(of: LocalContract): Promise<LocalSources | undefined>
  /** Adds a build until the node ends. False: there is no contract in it. */
  add(build: Compilation): Promise<boolean>
}
