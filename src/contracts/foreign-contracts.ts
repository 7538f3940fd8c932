// Contracts whose sources another server has verified: on a fork, those of the forked chain. Nothing is compiled here.
import type { Address, Hash } from '../lib/hex.ts'
import type { StateView } from '../state/types.ts'
import type { VerifiedSources } from './verified-contracts.ts'

/** Sources of a contract as a server tells of them. */
export type PublishedSources = Omit<VerifiedSources, 'codeHash' | 'verifiedAt'> & {
  /** Unix seconds; undefined: the server does not say. */
  readonly verifiedAt?: number | undefined
}

/** Sources that another server has. */
export type ForeignSources = PublishedSources & {
  readonly codeHash: Hash
  /** Scheme and host of the server. */
  readonly verifiedBy: string
}
export type ForeignContract = Omit<ForeignSources, 'input'>

/** What was found of them so far. */
export interface ForeignContracts {
  /** The contract at an address, if its sources were found for the code that it has. */
  get(view: StateView, of: Address): ForeignContract | undefined
  /** As `get`, with its sources. */
  sources(view: StateView, of: Address): ForeignSources | undefined
}
