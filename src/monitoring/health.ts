// `GET /health`: whether the node is ready, for load balancers and containers. It reads memory and, in a network, asks
// CometBFT, but never reads the disk.
import type { Chain } from '../chain/types.ts'
import type { NetworkStatus } from '../consensus/network-status.ts'
import type { ForkedChain } from '../fork/forked-chain.ts'

/** The phase of the node's life; `stopping` begins before the last block is made. */
export type Phase = 'starting' | 'running' | 'stopping'

export type Health = {
  readonly ready: boolean
  readonly status: 'ready' | 'starting' | 'stopping' | 'disk-failure'
  readonly version: string
  readonly chainId: number
  /** The newest block; `age`: seconds since its timestamp, by the machine's clock. */
  readonly head: { readonly number: number; readonly hash: string; readonly timestamp: number; readonly age: number }
  readonly pool: { readonly pending: number; readonly queued: number }
  readonly peers: number
  /** In a network: whether the node catches up with its peers; null while CometBFT does not answer. */
  readonly syncing?: boolean | null
  /** Running threads for heavy reads. */
  readonly readThreads: number
  /**
   * When blocks are on disk: `block`, before they are announced, or the most milliseconds later; and the seconds since the
   * oldest one that a power cut would lose. Left out for a chain in memory.
   */
  readonly disk?: { readonly durable: 'block' | number; readonly unsynced: number }
  /** Of a fork: the other chain's block, and its server, without path; null: no server was named. */
  readonly fork?: {
    readonly chainId: number
    readonly number: number
    readonly hash: string
    readonly url: string | null
    /** Whether it has native modules here. */
    readonly native: boolean
  }
}

/** Of a chain on disk. `unsyncedAge`: milliseconds since the oldest batch was written that is not synced; 0: all are. */
export type MonitoredDisk = { readonly durable: 'block' | number; readonly unsyncedAge: () => number }

type HealthSource = Pick<Chain, 'head' | 'pool' | 'store' | 'spec'> & Partial<Pick<Chain, 'forked'>>

/**
 * The answer of `GET /health`; the HTTP status is 503 unless the node is ready. `network`: undefined on a chain of one node.
 */
export async function healthOf(
  chain: HealthSource,
  phase: Phase,
  version: string,
  readThreads = 0,
  network?: NetworkStatus | undefined,
  disk?: MonitoredDisk | undefined,
): Promise<Health> {
  const [peers, syncing] = await Promise.all([countPeers(network), isSyncing(network)])
  const { head, pool, spec, forked } = chain
  const timestamp = Number(head.timestamp)
  const status = phase !== 'running' ? phase : isWritable(chain) ? 'ready' : 'disk-failure'
  return {
    ready: status === 'ready',
    status,
    version,
    chainId: Number(spec.chainId),
    head: {
      number: Number(head.number),
      hash: head.hash,
      timestamp,
      age: Math.max(0, Math.floor(Date.now() / 1000) - timestamp),
    },
    pool: { pending: pool.pending, queued: pool.queued },
    peers,
    ...(syncing !== undefined && { syncing }),
    readThreads,
    ...(disk && { disk: { durable: disk.durable, unsynced: disk.unsyncedAge() / 1000 } }),
    ...(forked && { fork: forkOf(forked, spec.native !== undefined) }),
  }
}

const forkOf = ({ at, remote }: ForkedChain, native: boolean): NonNullable<Health['fork']> => ({
  chainId: Number(at.chainId),
  number: Number(at.number),
  hash: at.hash,
  url: remote?.name ?? null,
  native,
})

/** The number of peers; 0 on a chain of one node, and while CometBFT cannot be reached. */
export const countPeers = async (network: Pick<NetworkStatus, 'peerCount'> | undefined): Promise<number> =>
  (await network?.peerCount().catch(() => 0)) ?? 0

/** undefined on a chain of one node; null: CometBFT does not answer. */
const isSyncing = async (network: NetworkStatus | undefined): Promise<boolean | null | undefined> =>
  network?.syncing().then(
    (progress) => progress !== false,
    () => null,
  )

/** Whether the disk accepts writes. */
export function isWritable({ store }: Pick<Chain, 'store'>): boolean {
  try {
    store.requireWritable()
    return true
  } catch {
    return false
  }
}
