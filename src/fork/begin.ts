// Where a fork begins: asks the remote for its chain and the block, and decides by which rules the blocks after it are made.
import type { z } from 'zod'
import { ChainError } from '../lib/errors.ts'
import { type Address, type Hash, toQuantity, ZERO_ADDRESS } from '../lib/hex.ts'
import type { SealedHeader } from '../primitives/types.ts'
import type { BlobParams, ChainSpec, Fork, ForkActivation } from '../spec/chain-spec.ts'
import { fromGenesis, MAINNET_BLOBS } from '../spec/forks.ts'
import { KNOWN_CHAINS } from '../spec/known-chains.ts'
import { withNative } from '../spec/presets.ts'
import { type BlockBefore, blockBefore } from './block-before.ts'
import { RemoteError, RemoteFailure } from './errors.ts'
import { type ForkBlock, reorganized } from './forked-chain.ts'
import type { Remote } from './remote.ts'
import { block, config, place, quantity } from './wire.ts'

/** The block to begin at, as a user names it. */
export type ForkChoice = {
  /** A number; a negative one counts from the head. Left out: the head. */
  readonly number?: bigint | undefined
  /** The hash that the block must have. */
  readonly hash?: Hash | undefined
  /** Begins before the block of this transaction. */
  readonly transaction?: Hash | undefined
  /** Of the new chain; left out: the remote's. */
  readonly chainId?: bigint | undefined
  /** Left out: the remote's fork at the block. */
  readonly hardfork?: Fork | undefined
  /** Whether everything is to be compared with proofs. */
  readonly verify?: boolean
  /** Another block of the same chain, which says more about its server; left out: the server is asked. */
  readonly like?: Pick<ForkBlock, 'chainId' | 'byHash'> | undefined
  /** Whether the new chain has native modules. */
  readonly native?: boolean
}

export type FoundFork = {
  readonly at: ForkBlock
  readonly header: SealedHeader
  readonly spec: ChainSpec
  /** The block in whose middle the fork begins. */
  readonly before?: BlockBefore | undefined
}

/** Throws ChainError: there is no such block or transaction, the remote cannot be asked, or the block has another hash. */
export async function findFork(remote: Remote, choice: ForkChoice): Promise<FoundFork> {
  const { like } = choice
  const [chainId, tag] = await Promise.all([
    like?.chainId ?? remote.ask(quantity, 'eth_chainId', []),
    tagOf(remote, choice),
  ])
  const [found, forks] = await Promise.all([
    remote.request('eth_getBlockByNumber', [tag, false]),
    choice.hardfork === undefined ? askForks(remote) : undefined,
  ]).catch((error) => explain(remote, error))
  const header = remote.read(block.nullable(), 'eth_getBlockByNumber', found)
  if (header === null) throw new ChainError('header-not-found', `${remote.name} has no block ${tag}`)
  const { number, hash, stateRoot } = header
  const byHash = like?.byHash ?? (await takesHash(remote, hash))
  const at: ForkBlock = { chainId, number, hash, stateRoot, byHash, isVerified: choice.verify ?? false, block: found }
  remote.expect(at, true)
  if (choice.hash !== undefined && choice.hash !== hash)
    throw reorganized(remote.name, { ...at, hash: choice.hash }, header)
  const { transaction } = choice
  const before = transaction === undefined ? undefined : await blockBefore(remote, number + 1n, transaction)
  const spec = specOf(chainId, header, choice, forks)
  return { at, header, spec: choice.native ? withNative(spec) : spec, before }
}

async function tagOf(remote: Remote, { number, transaction }: ForkChoice): Promise<string> {
  if (transaction !== undefined) {
    const found = await remote.ask(place, 'eth_getTransactionByHash', [transaction])
    if (found?.blockNumber == null)
      throw new ChainError('not-found', `${remote.name} has no mined transaction ${transaction}`)
    return toQuantity(found.blockNumber - 1n)
  }
  if (number === undefined) return 'latest'
  if (number >= 0n) return toQuantity(number)
  const head = await remote.ask(quantity, 'eth_blockNumber', [])
  if (head + number < 0n) throw new ChainError('header-not-found', `${remote.name} has only ${head} blocks`)
  return toQuantity(head + number)
}

/** Whether the remote takes a block's hash in place of its number (EIP-1898). */
async function takesHash(remote: Remote, hash: Hash): Promise<boolean> {
  try {
    await remote.ask(quantity, 'eth_getBalance', [ZERO_ADDRESS, { blockHash: hash }])
    return true
  } catch (error) {
    if (error instanceof RemoteError) return false
    throw error
  }
}

function explain(remote: Remote, error: unknown): never {
  if (error instanceof RemoteError) throw new RemoteFailure(`${remote.name} refuses: ${error.message}`)
  throw error
}

// --- rules

type RemoteForks = {
  readonly fork: Fork
  readonly next: ForkActivation | undefined
  readonly blobs: BlobParams | undefined
  readonly depositContract: Address | undefined
}

/** The forks by eth_config (EIP-7910); undefined: the remote does not have it, or the present fork cannot be told from it. */
async function askForks(remote: Remote): Promise<(RemoteForks & { readonly since: bigint }) | undefined> {
  try {
    const { current, next } = await remote.ask(config, 'eth_config', [])
    const fork = forkWith(current)
    if (fork === undefined) return undefined
    const following = next && (forkWith(next) ?? fork)
    const isNew = following !== undefined && following !== fork && next
    return {
      fork,
      since: BigInt(current.activationTime),
      next: isNew && following ? { fork: following, time: BigInt(next.activationTime) } : undefined,
      blobs: current.blobSchedule ?? undefined,
      depositContract: current.systemContracts?.DEPOSIT_CONTRACT_ADDRESS ?? undefined,
    }
  } catch (error) {
    if (error instanceof RemoteError || error instanceof RemoteFailure) return undefined
    throw error
  }
}

/** The newest fork whose precompile or system contract a configuration has, by the names of EIP-7910. */
function forkWith({ precompiles, systemContracts }: z.output<typeof config>['current']): Fork | undefined {
  if (systemContracts?.BUILDER_DEPOSIT_CONTRACT_ADDRESS != null) return 'amsterdam'
  if ('P256VERIFY' in precompiles) return 'osaka'
  if ('BLS12_G1ADD' in precompiles) return 'prague'
  return 'KZG_POINT_EVALUATION' in precompiles ? 'cancun' : undefined
}

const NEWEST: Fork = 'bpo2'

function specOf(
  remoteChain: bigint,
  header: SealedHeader,
  { chainId = remoteChain, hardfork }: ForkChoice,
  remote: (RemoteForks & { readonly since: bigint }) | undefined,
): ChainSpec {
  const known = KNOWN_CHAINS.get(remoteChain)
  // eth_config describes the remote's present fork, so it is used only for blocks since that fork began.
  const told = remote !== undefined && header.timestamp >= remote.since ? remote : undefined
  const forks =
    hardfork !== undefined
      ? fromGenesis(hardfork)
      : told !== undefined
        ? [...fromGenesis(told.fork), ...(told.next ? [told.next] : [])]
        : (known?.forks ?? fromGenesis(NEWEST))
  const blobs = known?.blobs ?? MAINNET_BLOBS
  const { parentHash, timestamp, gasLimit, gasUsed, baseFeePerGas } = header
  return {
    name: 'fork',
    chainId,
    isFork: true,
    forks,
    terminalTotalDifficulty: undefined,
    mergeNetsplitBlock: undefined,
    blobSchedule: told?.blobs === undefined ? blobs : new Map([...blobs, [told.fork, told.blobs]]),
    depositContract: told?.depositContract ?? known?.depositContract ?? ZERO_ADDRESS,
    genesis: {
      parentHash,
      coinbase: ZERO_ADDRESS,
      timestamp,
      gasLimit,
      gasUsed,
      difficulty: 0n,
      extraData: '0x',
      mixHash: header.mixHash,
      nonce: '0x0000000000000000',
      baseFeePerGas,
      blobGasUsed: undefined,
      excessBlobGas: undefined,
    },
    native: undefined,
  }
}
