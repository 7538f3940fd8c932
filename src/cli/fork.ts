// The chain that `start` forks, by its flags: found at the first start, and only asked for more at later ones.
import type { LookupFunction } from 'node:net'
import type { Forking, ForkStart } from '../chain/fork.ts'
import { allowedLookup } from '../fork/allowed-url.ts'
import { type FoundFork, findFork } from '../fork/begin.ts'
import { type ForkBlock, ForkedChain } from '../fork/forked-chain.ts'
import { openPartCache } from '../fork/part-cache.ts'
import { Remote } from '../fork/remote.ts'
import type { Address } from '../lib/hex.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { withActivated } from './choose-chain.ts'
import { refuseFlag, wrongFlag } from './flags.ts'
import type { StartFlags } from './start-flags.ts'

const BALANCE = 10_000n * 10n ** 18n

/**
 * A new fork. `lookup` resolves the hosts of its URLs. Throws ChainError as `findFork`, and `invalid-params` for flags that contradict
 * each other.
 */
export async function newFork(
  flags: StartFlags,
  accounts: readonly Address[],
  lookup?: LookupFunction,
): Promise<ForkStart & { begin: FoundFork }> {
  const { forkUrl, forkBlockNumber, forkBlockHash, forkTransactionHash, chainId, hardfork, native, activate } = flags
  const { balance = BALANCE } = flags
  const ofUrl = forkUrl.findLast(({ block }) => block !== undefined)?.block
  if (ofUrl !== undefined && (forkBlockNumber ?? ofUrl) !== ofUrl)
    throw wrongFlag('forkBlockNumber', `the URL names block ${ofUrl}`)
  if (activate !== undefined && !native) throw wrongFlag('activate', 'a fork has opcode proposals only with --native')
  const remote = remoteOf(flags, lookup)
  const number = forkBlockNumber ?? ofUrl
  try {
    const begin = await findFork(remote, {
      number,
      hash: forkBlockHash,
      transaction: forkTransactionHash,
      chainId,
      hardfork,
      verify: flags.forkVerify,
      native,
    })
    const { codeSizeLimit } = flags
    const spec = { ...withActivated(begin.spec, activate), codeSizeLimit }
    return { forked: forkedOf(flags, begin.at, remote), begin: { ...begin, spec }, accounts, balance }
  } catch (error) {
    remote.close()
    throw error
  }
}

/** A fork that is on disk. Without --fork-url it has what was fetched before. Throws ChainError `invalid-params`. */
export function storedFork(flags: StartFlags, at: ForkBlock, { native, codeSizeLimit }: ChainSpec): ForkStart {
  const { forkUrl, forkBlockNumber, forkBlockHash, datadir, activate = [] } = flags
  const number = forkBlockNumber ?? forkUrl.findLast(({ block }) => block !== undefined)?.block
  const begins = `${datadir} holds a fork of chain ${at.chainId} at block ${at.number} (${at.hash})`
  if (number !== undefined && number >= 0n && number !== at.number)
    throw refuseFlag('forkBlockNumber', `${begins}; choose another --datadir for another block`)
  if (forkBlockHash !== undefined && forkBlockHash !== at.hash) throw refuseFlag('forkBlockHash', begins)
  for (const name of ['forkTransactionHash', 'hardfork'] as const)
    if (flags[name] !== undefined) throw refuseFlag(name, `${begins} already; leave the flag out`)
  if (flags.codeSizeLimit !== undefined && flags.codeSizeLimit !== codeSizeLimit)
    throw refuseFlag('codeSizeLimit', `${begins}, which began with ${codeSizeLimit ?? "the fork's limit"}`)
  if (flags.forkVerify && !at.isVerified)
    throw refuseFlag('forkVerify', `${begins}, whose rows were fetched without proofs; choose another --datadir`)
  if (flags.native && native === undefined)
    throw refuseFlag('native', `${begins}, which began without native modules; choose another --datadir`)
  if (activate.some((name) => !native?.params.activeProposals.includes(name)))
    throw refuseFlag('activate', `${begins}, which began without these proposals; choose another --datadir`)
  return { forked: forkedOf(flags, at, forkUrl.length === 0 ? undefined : remoteOf(flags)), accounts: [], balance: 0n }
}

/** Forks that clients ask for while the node runs. */
export const forkingOf = (flags: StartFlags, accounts: readonly Address[]): Forking => ({
  connect: async (url) => remoteOf({ ...flags, forkUrl: [{ url, block: undefined }] }, allowedLookup),
  start({ url, number }) {
    const forkUrl =
      url === undefined ? flags.forkUrl.map(({ url }) => ({ url, block: undefined })) : [{ url, block: undefined }]
    if (forkUrl.length === 0) throw refuseFlag('forkUrl', 'no URL was given, then or now')
    const target = { forkBlockNumber: number, forkBlockHash: undefined, forkTransactionHash: undefined }
    const activate = flags.native ? flags.activate : undefined
    return newFork({ ...flags, ...target, forkUrl, activate }, accounts, url && allowedLookup)
  },
})

const remoteOf = (
  { forkUrl, forkHeader, forkTimeout, forkRetries, forkRate }: StartFlags,
  lookup?: LookupFunction,
): Remote =>
  new Remote({
    urls: forkUrl.map(({ url }) => url),
    headers: Object.fromEntries(forkHeader),
    timeout: forkTimeout,
    retries: forkRetries,
    rate: forkRate,
    lookup,
  })

const forkedOf = ({ storageCaching }: StartFlags, at: ForkBlock, remote: Remote | undefined): ForkedChain =>
  new ForkedChain({ remote, at, cache: storageCaching ? openPartCache(at) : undefined })
