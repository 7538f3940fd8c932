// The operator's options of the explorer and their defaults: a file of its own, because every command loads it.
import type { CompilerPlaces } from './contracts/compilers.ts'
import type { DocumentRequests } from './metadata/document-request.ts'
import type { CoinPrices } from './statistics/prices.ts'

export type ExplorerOptions = {
  /** Version of this program: `0.1.0`. */
  readonly version: string
  /** Folders with compilers, in addition to the bundled one. */
  readonly compilers: CompilerPlaces
  /** Folders and files with the developer's builds. */
  readonly artifacts: readonly string[]
  /** Milliseconds of processor time that one run of a compiler may take. */
  readonly compileTime: number
  /** Prices that the operator provides; undefined: every price in an answer is null. */
  readonly prices: CoinPrices | undefined
  /** Source of token item metadata: only the chain, or documents of the web, too. */
  readonly nftMetadata: 'chain' | 'fetch'
  /** Gateway for `ipfs://`, as `https://ipfs.io`; undefined: none. */
  readonly ipfsGateway: string | undefined
  /** Server from which sources of the forked chain's contracts are fetched; undefined: none are. */
  readonly forkSources: URL | undefined
  /** Replaces the requests for documents of the web. */
  readonly documentRequests?: DocumentRequests | undefined
}

export const defaultExplorerOptions: ExplorerOptions = {
  version: '0.1.0',
  compilers: { folders: [] },
  artifacts: [],
  compileTime: 60_000,
  prices: undefined,
  nftMetadata: 'chain',
  ipfsGateway: 'https://ipfs.io',
  forkSources: undefined,
}
