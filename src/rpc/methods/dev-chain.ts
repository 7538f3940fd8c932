// Development: snapshots and reverts, resets, state dumps, and metadata of the chain.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { ForkTarget } from '../../chain/fork.ts'
import type { Chain } from '../../chain/types.ts'
import type { BlockProducer } from '../../consensus/block-producer.ts'
import { allowedUrl } from '../../fork/allowed-url.ts'
import type { ForkedChain } from '../../fork/forked-chain.ts'
import { NO_CONNECTION } from '../../lib/connection-signal.ts'
import { ChainError } from '../../lib/errors.ts'
import { toHex, toQuantity } from '../../lib/hex.ts'
import { unixNow } from '../../lib/unix-time.ts'
import { forkAt } from '../../spec/forks.ts'
import { isPreset } from '../../spec/presets.ts'
import { bool, data, hash, looseQuantity, looseUint64, noResult, quantity } from '../codec.ts'
import { answeringTrue, type RpcContext, rpcMethod } from '../define.ts'
import { loadDump, readDump, writeDump } from '../state-dump.ts'
import { web3_clientVersion } from './net.ts'

/** Random for each run of the process, so that tools notice a restarted chain. */
const instanceId = toHex(randomBytes(32))

/** Returns a function that restores the producer's present clock and overrides of the next block. */
function clockRestorer({ settings, next }: BlockProducer): () => void {
  const time = unixNow() + settings.timeOffset
  const overrides = { ...next }
  return () => {
    settings.timeOffset = time - unixNow()
    Object.assign(next, overrides)
  }
}

export const evm_snapshot = rpcMethod({
  summary: 'Takes a snapshot of the chain, its pool and its clock, and returns an id for evm_revert.',
  params: [],
  result: quantity,
  gate: 'development',
  handler: (_, { chain, producer }) => chain.snapshot(clockRestorer(producer)),
})
export const anvil_snapshot = evm_snapshot

export const evm_revert = rpcMethod({
  summary:
    'Goes back to a snapshot. It and all later ones are used up; earlier ones stay. False when there is no such snapshot.',
  params: [looseQuantity],
  names: ['snapshot'],
  result: bool,
  gate: 'development',
  handler: ([id], { chain }) => chain.rollback(id),
})
export const anvil_revert = evm_revert

/**
 * Continues the clock from the newest block, as anvil does after a rewind: clients take that block's time for the present. A
 * custom genesis may have any date, so from its block 0 the clock is the machine's, as at the start.
 */
function continueClock({ spec, head, forked }: Chain, { settings }: BlockProducer): void {
  settings.timeOffset =
    head.number > 0n || isPreset(spec.name) || forked !== undefined ? head.timestamp - unixNow() : 0n
}

export const anvil_rollback = rpcMethod({
  summary: 'Removes the newest blocks (default 1). The clock goes on as after anvil_reset.',
  params: [looseUint64.default(1n)],
  names: ['depth'],
  result: noResult,
  gate: 'development',
  async handler([depth], { chain, producer }) {
    const head = chain.head.number
    if (depth > head) throw new ChainError('invalid-params', `rollback depth ${depth} exceeds the head block ${head}`)
    await chain.rewind(head - depth)
    continueClock(chain, producer)
  },
})

const forking = z.object({ jsonRpcUrl: z.string().nullish(), blockNumber: looseUint64.nullish() })
const resetOptions = forking.extend({ forking: forking.nullish() }).optional()

/** The chain to fork; undefined: none is named. Throws ChainError `invalid-params`. */
async function targetOf(options: z.output<typeof resetOptions>): Promise<ForkTarget | undefined> {
  const { jsonRpcUrl, blockNumber } = options?.forking ?? options ?? {}
  if (!jsonRpcUrl && blockNumber == null) return undefined
  return { url: jsonRpcUrl ? await allowedUrl(jsonRpcUrl) : undefined, number: blockNumber ?? undefined }
}

export const anvil_reset = rpcMethod({
  summary:
    'Goes back to genesis, or to the beginning of a fork, and empties the pool; with `forking` begins a fork of another chain. The clock goes on from that block, except for block 0 of a custom genesis.',
  params: [resetOptions],
  names: ['options'],
  result: noResult,
  gate: 'development',
  async handler([options], { chain, producer, development, forking }) {
    const target = await targetOf(options)
    if (target === undefined) await chain.reset()
    else if (forking === undefined) throw new ChainError('not-allowed', 'this node cannot fork another chain')
    else await forking.restart(target)
    chain.pool.clear()
    Object.assign(producer.next, {
      timestamp: undefined,
      baseFeePerGas: undefined,
      prevRandao: undefined,
      gasLimit: undefined,
    })
    producer.settings.timestampInterval = undefined
    continueClock(chain, producer)
    development.impersonated.clear()
    development.autoImpersonate = false
  },
})
export const hardhat_reset = answeringTrue(anvil_reset)

export const anvil_setRpcUrl = rpcMethod({
  summary: 'Asks another server of the chain that is forked from now on.',
  params: [z.string()],
  names: ['url'],
  result: noResult,
  gate: 'development',
  noted: true,
  async handler([url], { chain, forking }) {
    const { forked } = chain
    if (forked === undefined || forking === undefined) throw new ChainError('not-allowed', 'this chain is no fork')
    forked.useRemote(await forking.connect(await allowedUrl(url)))
  },
})

export const anvil_dumpState = rpcMethod({
  summary:
    'All accounts at the head as anvil’s JSON, compressed with gzip; without history. Of a fork: the accounts and slots on disk.',
  params: [bool.optional()],
  names: ['preserveHistory'],
  result: data,
  gate: 'development',
  heavy: true,
  handler: (_, { chain }, signal) => writeDump(chain.head, chain.accounts(signal)),
})
export const hardhat_dumpState = anvil_dumpState

export const anvil_loadState = rpcMethod({
  summary:
    'Loads the accounts of a dump into the state at the head; block numbers stay. The dump may be plain JSON too. On a fork, slots that the dump lacks stay as they are.',
  params: [data],
  names: ['state'],
  result: bool,
  gate: 'development',
  async handler([bytes], { chain }) {
    await loadDump(chain, await readDump(bytes))
    return true
  },
})
export const hardhat_loadState = anvil_loadState

type Metadata = Readonly<Record<'clientVersion' | 'instanceId' | 'latestBlockHash', string>> &
  Readonly<Record<'chainId' | 'latestBlockNumber', number>> & {
    readonly snapshots: Readonly<Record<string, readonly [number, string]>>
    readonly forkedNetwork?: {
      readonly chainId: number
      readonly forkBlockNumber: number
      readonly forkBlockHash: string
    }
  }

export const anvil_metadata = rpcMethod({
  summary: 'The client, the chain, its head and its snapshots.',
  params: [],
  result: (metadata: Metadata) => metadata,
  gate: 'development',
  async handler(_, context) {
    const { chain } = context
    return {
      clientVersion: await clientVersion(context),
      chainId: Number(chain.spec.chainId),
      instanceId,
      latestBlockNumber: Number(chain.head.number),
      latestBlockHash: chain.head.hash,
      snapshots: Object.fromEntries(
        [...chain.snapshots()].map(([id, { number, hash }]) => [toQuantity(id), [Number(number), hash] as const]),
      ),
      ...(chain.forked && { forkedNetwork: forkedNetwork(chain.forked) }),
    }
  },
})
export const hardhat_metadata = anvil_metadata

const forkedNetwork = ({ at: { chainId, number, hash } }: ForkedChain) => ({
  chainId: Number(chainId),
  forkBlockNumber: Number(number),
  forkBlockHash: hash,
})

const clientVersion = async (context: RpcContext) => String(await web3_clientVersion.invoke([], context, NO_CONNECTION))

export const anvil_nodeInfo = rpcMethod({
  summary: 'The head, the active fork, and the settings of the next block.',
  params: [],
  result: ({ chain, producer }: RpcContext) => {
    const { head, fees, spec, forked } = chain
    return {
      currentBlockNumber: toQuantity(head.number),
      currentBlockTimestamp: Number(head.timestamp),
      currentBlockHash: head.hash,
      hardFork: forkAt(spec, { ...head, merged: head.difficulty === 0n }),
      transactionOrder: chain.pool.order,
      environment: {
        baseFee: toQuantity(producer.next.baseFeePerGas ?? fees.nextBaseFee() ?? 0n),
        chainId: Number(spec.chainId),
        gasLimit: toQuantity(producer.settings.gasLimit),
        gasPrice: toQuantity(fees.gasPrice()),
      },
      forkConfig: {
        forkUrl: forked?.remote?.name ?? null,
        forkBlockNumber: forked === undefined ? null : Number(forked.at.number),
        forkRetryBackoff: null,
      },
    }
  },
  gate: 'development',
  handler: (_, context) => context,
})

export const anvil_getBlobByHash = rpcMethod({
  summary:
    'A blob of a mined transaction by its versioned hash; null when it is unknown. The node keeps the newest 64 blobs in memory.',
  params: [hash],
  names: ['versionedHash'],
  result: data.nullable(),
  gate: 'development',
  handler: ([versionedHash], { chain }) => chain.blobs.with(versionedHash) ?? null,
})

export const anvil_getBlobsByTransactionHash = rpcMethod({
  summary:
    'The blobs of a mined transaction; null when they are unknown. The node keeps the newest 64 blobs in memory.',
  params: [hash],
  names: ['transactionHash'],
  result: z.array(data).readonly().nullable(),
  gate: 'development',
  handler: ([hash], { chain }) => chain.blobs.of(hash) ?? null,
})

export const anvil_getGenesisTime = rpcMethod({
  summary: 'The timestamp of block 0 in seconds, as a number; of a fork that of the block it begins after.',
  params: [],
  result: z.number(),
  gate: 'development',
  async handler(_, { chain }) {
    const { forked, spec } = chain
    const first = forked && (await chain.header({ number: forked.at.number }))
    return Number(first?.timestamp ?? spec.genesis.timestamp)
  },
})

export const anvil_setLoggingEnabled = rpcMethod({
  summary: 'Accepted and ignored: the log level is set when the node starts.',
  params: [bool],
  names: ['enabled'],
  result: noResult,
  gate: 'development',
  handler: () => {},
})
export const hardhat_setLoggingEnabled = answeringTrue(anvil_setLoggingEnabled)

const standardJson = z.record(z.string(), z.unknown(), { error: 'expected standard JSON of a compiler' })

export const hardhat_addCompilationResult = rpcMethod({
  summary:
    "Adds a compiler's input and output, whose contracts then have names, as with --artifacts. False: there is none in it.",
  params: [z.string('expected a version').max(64), standardJson, standardJson],
  names: ['solcVersion', 'input', 'output'],
  result: bool,
  gate: 'development',
  handler: ([solcVersion, input, output], { contracts }) =>
    contracts?.artifacts?.add({ solcVersion, input, output }) ?? false,
})

export const anvil_setChainId = rpcMethod({
  summary:
    'Refused: the chain id is part of the genesis, and stored blocks could not be executed again with another one.',
  params: [looseUint64],
  names: ['chainId'],
  result: noResult,
  gate: 'development',
  handler() {
    throw new ChainError('not-allowed', 'the chain id is fixed by the genesis; start the node with --chain-id')
  },
})
