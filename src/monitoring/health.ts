// Whether the node can do its work now, in one small answer for load balancers and containers. It costs no read of the disk.
import type { Chain } from '../chain/types.ts'

/** Where the node is in its life; `stopping` begins before the last block is made. */
export type Phase = 'starting' | 'running' | 'stopping'

export type Health = {
  readonly ready: boolean
  readonly status: 'ready' | 'starting' | 'stopping' | 'disk-failure'
  readonly version: string
  readonly chainId: number
  /** The newest block; `age` in seconds, by the machine's clock. */
  readonly head: { readonly number: number; readonly hash: string; readonly timestamp: number; readonly age: number }
  readonly pool: { readonly pending: number; readonly queued: number }
  readonly peers: number
}

type Healthy = Pick<Chain, 'head' | 'pool' | 'store' | 'spec'>

/** What `GET /health` answers; not ready: with status 503. */
export function healthOf(chain: Healthy, phase: Phase, version: string): Health {
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
