// Development: the chain as a whole. Going back, saving and loading its state, and what it is.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { NO_CONNECTION } from '../../lib/connection-signal.ts'
import { ChainError } from '../../lib/errors.ts'
import { toHex, toQuantity } from '../../lib/hex.ts'
import { forkAt } from '../../spec/forks.ts'
import { bool, data, looseQuantity, quantity } from '../codec.ts'
import { type RpcContext, rpcMethod } from '../define.ts'
import { answeringTrue, done, looseUint64 } from '../development.ts'
import { revertTo, rewind, snapshotsOf, takeSnapshot } from '../snapshots.ts'
import { loadDump, packDump, unpackDump } from '../state-dump.ts'
import { web3_clientVersion } from './net.ts'

/** Differs in every run, so that tools do not take a new chain for the one they know. */
const instanceId = toHex(randomBytes(32))

export const evm_snapshot = rpcMethod({
  summary: 'Remembers the chain as it is now and answers an id for evm_revert.',
  params: [],
  result: quantity,
  gate: 'development',
  handler: (_, context) => takeSnapshot(context),
})
export const anvil_snapshot = evm_snapshot

export const evm_revert = rpcMethod({
  summary: 'Goes back to a snapshot and uses it up with all later ones; earlier ones stay. False when there is none.',
  params: [looseQuantity],
  names: ['snapshot'],
  result: bool,
  gate: 'development',
  handler: ([id], context) => revertTo(id, context),
})
export const anvil_revert = evm_revert

export const anvil_rollback = rpcMethod({
  summary: 'Takes back the newest blocks (default 1).',
  params: [looseUint64.default(1n)],
  names: ['depth'],
  result: done,
  gate: 'development',
  handler([depth], { chain }) {
    const head = chain.head.number
    if (depth > head) throw new ChainError('invalid-params', `rollback depth ${depth} exceeds the head block ${head}`)
    return rewind(head - depth, chain)
  },
})

const fork = z.object({ jsonRpcUrl: z.string().nullish() })
const resetOptions = fork.extend({ forking: fork.nullish() }).optional()

export const anvil_reset = rpcMethod({
  summary: 'Goes back to genesis, empties the pool and sets the clock right. Forking another chain is refused.',
  params: [resetOptions],
  names: ['options'],
  result: done,
  gate: 'development',
  async handler([options], { chain, producer, development }) {
    if (options?.jsonRpcUrl || options?.forking?.jsonRpcUrl) {
      throw new ChainError('invalid-params', 'forking another chain is not supported')
    }
    await rewind(0n, chain)
    snapshotsOf(chain).clear()
    chain.pool.clear()
    Object.assign(producer.next, {
      timestamp: undefined,
      baseFeePerGas: undefined,
      prevRandao: undefined,
      gasLimit: undefined,
    })
    Object.assign(producer.settings, { timeOffset: 0n, timestampInterval: undefined })
    development.impersonated.clear()
    development.autoImpersonate = false
  },
})
export const hardhat_reset = answeringTrue(anvil_reset)

export const anvil_dumpState = rpcMethod({
  summary: 'Every account at the head as anvil’s JSON, compressed with gzip. History is not in it.',
  params: [bool.optional()],
  names: ['preserveHistory'],
  result: data,
  gate: 'development',
  heavy: true,
  handler: (_, { chain }, caller) => packDump(chain.head, chain.accounts(caller)),
})
export const hardhat_dumpState = anvil_dumpState

export const anvil_loadState = rpcMethod({
  summary: 'Loads the accounts of a dump into the state at the head; block numbers stay. Reads plain JSON too.',
  params: [data],
  names: ['state'],
  result: bool,
  gate: 'development',
  async handler([bytes], { chain }) {
    await loadDump(chain, await unpackDump(bytes))
    return true
  },
})
export const hardhat_loadState = anvil_loadState

type Metadata = Readonly<Record<'clientVersion' | 'instanceId' | 'latestBlockHash', string>> &
  Readonly<Record<'chainId' | 'latestBlockNumber', number>> & {
    readonly snapshots: Readonly<Record<string, readonly [number, string]>>
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
        [...snapshotsOf(chain)].map(([id, { number, hash }]) => [toQuantity(id), [Number(number), hash] as const]),
      ),
    }
  },
})
export const hardhat_metadata = anvil_metadata

const clientVersion = async (context: RpcContext) => String(await web3_clientVersion.invoke([], context, NO_CONNECTION))

export const anvil_nodeInfo = rpcMethod({
  summary: 'The head, the fork in force, and what the next block will be made with.',
  params: [],
  result: (info: object) => info,
  gate: 'development',
  handler(_, { chain, producer }) {
    const { head, fees, spec } = chain
    return {
      currentBlockNumber: toQuantity(head.number),
      currentBlockTimestamp: Number(head.timestamp),
      currentBlockHash: head.hash,
      hardFork: forkAt(spec, { ...head, merged: head.difficulty === 0n }),
      transactionOrder: 'fees',
      environment: {
        baseFee: toQuantity(producer.next.baseFeePerGas ?? fees.nextBaseFee() ?? 0n),
        chainId: Number(spec.chainId),
        gasLimit: toQuantity(producer.settings.gasLimit),
        gasPrice: toQuantity(fees.gasPrice()),
      },
      forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
    }
  },
})

export const anvil_setLoggingEnabled = rpcMethod({
  summary: 'Taken and not followed: how much the node logs is set at its start.',
  params: [bool],
  names: ['enabled'],
  result: done,
  gate: 'development',
  handler: () => {},
})
export const hardhat_setLoggingEnabled = answeringTrue(anvil_setLoggingEnabled)

export const anvil_setChainId = rpcMethod({
  summary: 'Refused: the chain id is part of the genesis, and transactions are signed for it.',
  params: [looseUint64],
  names: ['chainId'],
  result: done,
  gate: 'development',
  handler() {
    throw new ChainError('not-allowed', 'the chain id is fixed by the genesis; start the node with --chain-id')
  },
})
