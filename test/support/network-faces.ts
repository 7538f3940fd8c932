// A network's node without its consensus engine: a chain that takes blocks with votes and evidence, and a node's JSON-RPC and
// explorer over it. A stub replaces CometBFT's RPC.
import { onTestFinished } from 'vitest'
import type { BlockChain } from '../../src/chain/block-chain.ts'
import type { BlockProducer } from '../../src/consensus/block-producer.ts'
import { type Measurements, newMeasurements } from '../../src/consensus/network/measurements.ts'
import type { NetworkStatus, SyncProgress } from '../../src/consensus/network-status.ts'
import { Explorer } from '../../src/explorer/explorer.ts'
import { defaultExplorerOptions } from '../../src/explorer/options.ts'
import { Hub } from '../../src/explorer/socket/hub.ts'
import { Logs } from '../../src/indexer/logs.ts'
import { ChainError } from '../../src/lib/errors.ts'
import type { Address } from '../../src/lib/hex.ts'
import { createLogger } from '../../src/lib/log.ts'
import { WorkQueue } from '../../src/lib/work-queue.ts'
import { healthOf } from '../../src/monitoring/health.ts'
import { Metrics } from '../../src/monitoring/metrics.ts'
import { openChain } from '../../src/node.ts'
import { commitInfoHash } from '../../src/primitives/commit-info.ts'
import type { CommitInfo, Transaction, Vote } from '../../src/primitives/types.ts'
import { defaultRpcOptions } from '../../src/rpc/define.ts'
import { PollingFilters } from '../../src/rpc/notifications/polling-filters.ts'
import { createServer, defaultHttpOptions } from '../../src/server.ts'
import { consensusAddress } from '../../src/spec/addresses.ts'
import { Wallet } from '../../src/wallet/wallet.ts'
import { nodeOptions, rawRequest, request } from './chain.ts'
import { networkSpec, testKey } from './network.ts'

/** Consensus address of the validator with this index. */
export const signerOf = (index: number): Address => consensusAddress(testKey(index))

export const networkChain = async (spec = networkSpec()): Promise<BlockChain> => openChain(nodeOptions({ spec }))

/** Votes of all three validators with their genesis power of 1,000; `flags` by index, by default 2 (for the block). */
export const votes = (...flags: readonly number[]): Vote[] =>
  [0, 1, 2].map((index) => ({ address: signerOf(index), power: 1000n, flag: flags[index] ?? 2 }))

export const commitInfo = (change: Partial<CommitInfo> = {}): CommitInfo => ({
  round: 0n,
  votes: votes(),
  evidence: [],
  time: 1_767_225_605_000_000_000n,
  ...change,
})

/** Commits a block that CometBFT has decided. */
export async function decide(chain: BlockChain, commit: CommitInfo, transactions: readonly Transaction[] = []) {
  const executed = await chain.build({ commit, parentBeaconBlockRoot: commitInfoHash(commit) }, transactions)
  await chain.commit(executed)
  return executed.block
}

/** Responses of CometBFT's RPC; tests change the fields. */
export class StubNetwork implements NetworkStatus {
  progress: SyncProgress | false = false
  peers = 3
  isReachable = true
  readonly proofs = new Map<bigint, unknown>()

  async syncing() {
    return this.#answer(this.progress)
  }

  async peerCount() {
    return this.#answer(this.peers)
  }

  async isListening() {
    return this.#answer(true)
  }

  async commit(number: bigint) {
    const proof = this.#answer(this.proofs.get(number))
    if (proof === undefined) throw new ChainError('not-found', `height ${number + 1n} is not decided`)
    return proof
  }

  #answer<T>(answer: T): T {
    if (!this.isReachable) throw new ChainError('overloaded', 'CometBFT does not answer')
    return answer
  }
}

/** A producer that makes no block and has no clock of its own. */
export function refusingProducer(chain: BlockChain): BlockProducer {
  const refuse = (): never => {
    throw new ChainError('not-allowed', 'CometBFT of the network makes the blocks')
  }
  return {
    start: async () => undefined,
    stop: async () => undefined,
    mode: () => ({ automine: false, interval: 0 }),
    setMode: refuse,
    mine: refuse,
    mineBundle: refuse,
    next: { timestamp: undefined, baseFeePerGas: undefined, prevRandao: undefined, gasLimit: undefined },
    settings: {
      coinbase: undefined,
      gasLimit: chain.head.gasLimit,
      extraData: '0x',
      timestampInterval: undefined,
      timeOffset: 0n,
    },
    settled: async () => undefined,
    gather: () => () => undefined,
    increaseTime: refuse,
    setTime: refuse,
    nextTimestamp: refuse,
  }
}

type Faces = { readonly chain: BlockChain; readonly status: StubNetwork; readonly measurements: Measurements }

/**
 * The faces of a network's node with development methods, as far as its options allow. The test closes them and the chain at
 * its end.
 */
export async function networkFaces({
  chain,
  status = new StubNetwork(),
  measurements = newMeasurements(),
}: Partial<Faces> & Pick<Faces, 'chain'>) {
  const log = createLogger({ level: 'error', json: false })
  const queue = new WorkQueue()
  const network = { status, measurements }
  const explorer = new Explorer({
    chain,
    queue,
    log,
    hub: new Hub(),
    options: defaultExplorerOptions,
    network: status,
  })
  const filters = new PollingFilters(chain)
  const metrics = new Metrics({
    chain,
    queue,
    network,
    version: '0.1.0',
    engine: 'wasm',
    threadCounts: async () => [],
    readLoad: () => ({ threads: 0, requests: 0, answers: 0 }),
    databaseSize: async () => 0,
    tableCheck: () => undefined,
  })
  const server = createServer({
    rpc: {
      chain,
      queue,
      log,
      filters,
      producer: refusingProducer(chain),
      index: new Logs(chain),
      network: status,
      wallet: new Wallet(),
      development: { impersonated: new Set(), autoImpersonate: false },
      meter: metrics,
      options: { ...defaultRpcOptions, development: true, testing: true },
    },
    explorer,
    http: defaultHttpOptions,
    monitoring: { health: () => healthOf(chain, 'running', '0.1.0', 0, status), metrics },
  })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await server.close()
    filters.stop()
    await explorer.close()
    await chain.close()
  })
  return {
    chain,
    status,
    measurements,
    url,
    rpc: (method: string, ...params: unknown[]) => request(url, method, params),
    raw: (method: string, ...params: unknown[]) => rawRequest(url, method, params),
  }
}
