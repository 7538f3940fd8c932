// The files of a verified contract in Sourcify's repository: metadata, sources, and what deployment added.

import type { VerifiedSources } from '../../contracts/verified-contracts.ts'
import { checksummed } from '../../lib/checksummed.ts'
import { type Address, toHex } from '../../lib/hex.ts'
import type { ExplorerContext } from '../context.ts'
import { creationOf } from '../contracts/creation.ts'
import { creationCode } from '../shapes/smart-contract.ts'
import { metadataOf } from './bytecode.ts'

export type RepositoryFile = { readonly path: string; readonly content: string }
export type RepositoryFiles = { readonly isFull: boolean; readonly files: readonly RepositoryFile[] }

/** All files of a contract; undefined if it is not verified. */
export async function filesOf(context: ExplorerContext, address: Address): Promise<RepositoryFiles | undefined> {
  const sources = context.verification?.contracts.sources(context.rows, context.view, address)
  if (sources === undefined) return undefined
  const metadata = metadataOf(sources)
  return {
    isFull: sources.match === 'exact',
    files: [
      ...(metadata === undefined ? [] : [{ path: 'metadata.json', content: metadata.text }]),
      ...Object.entries(sources.input.sources).map(([path, { content }]) => ({ path: `sources/${path}`, content })),
      ...(await deploymentFiles(context, address, sources)),
    ],
  }
}

async function deploymentFiles(
  context: ExplorerContext,
  address: Address,
  { libraries, creationSize }: VerifiedSources,
): Promise<RepositoryFile[]> {
  const creation = await creationOf(context.chain, context.rows, address)
  const code = creationSize === undefined ? undefined : await creationCode(context, address)
  const args = code?.subarray(creationSize) ?? new Uint8Array(0)
  const byName = Object.fromEntries(libraries.map(({ name, address: of }) => [name, of]))
  return [
    ...(creation ? [{ path: 'creator-tx-hash.txt', content: creation.transaction.hash }] : []),
    ...(args.length > 0 ? [{ path: 'constructor-args.txt', content: toHex(args) }] : []),
    ...(libraries.length > 0 ? [{ path: 'library-map.json', content: JSON.stringify(byName) }] : []),
  ]
}

/** The contract's folder in the repository, relative to the API's address. */
export const folderOf = (isFull: boolean, chainId: string, address: Address): string =>
  `/repository/contracts/${isFull ? 'full_match' : 'partial_match'}/${chainId}/${checksummed(address)}/`
