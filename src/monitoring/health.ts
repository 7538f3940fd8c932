// `GET /health`: whether the node is ready, for load balancers and containers. It reads memory only, never the disk.
import type { Chain } from '../chain/types.ts'

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
  /** Threads that answer heavy reads and run now. */
  readonly readThreads: number
}

type HealthSource = Pick<Chain, 'head' | 'pool' | 'store' | 'spec'>

/** The answer of `GET /health`, whose HTTP status is 503 unless the node is ready. */
export function healthOf(chain: HealthSource, phase: Phase, version: string, readThreads = 0): Health {
  const { head, pool, spec } = chain
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
    peers: 0,
    readThreads,
  }
}

/** Whether the disk takes writes. */
export function isWritable({ store }: Pick<Chain, 'store'>): boolean {
  try {
    store.requireWritable()
    return true
  } catch {
    return false
  }
}
