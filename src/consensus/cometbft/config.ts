// CometBFT's config.toml: writes a new one, and reads the settings that kestrel needs from an existing one. Only settings that
// differ from CometBFT's defaults are written.
import { parse, stringify } from 'smol-toml'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'

export type Mempool = 'app' | 'flood'

export type NewConfig = {
  readonly moniker: string
  /** Socket of the application; a kestrel that starts CometBFT names it on the command line too. */
  readonly socket: string
  /** `HOST:PORT` of each listener. */
  readonly p2p: string
  readonly rpc: string
  readonly prometheus: string
  /** `ID@HOST:PORT` of each. */
  readonly peers: readonly string[]
  readonly mempool: Mempool
  /** Milliseconds between blocks (`timeout_commit`). */
  readonly blockTime: number
  /** Whether nodes share a machine: peers may share an address, and the address book keeps private addresses. */
  readonly isLocal: boolean
  /** Address at which CometBFT waits for the signer that has the consensus key; undefined: the key is in the home. */
  readonly signer?: string | undefined
  /** Whether sentries stand before this node: it connects to `peers` only, and takes no addresses from them. */
  readonly isHidden?: boolean
  /** Ids of the nodes behind this one, if it is a sentry: it tells nobody of them and always lets them in. */
  readonly hides?: readonly string[]
}

/** Bytes a second to and from one peer, ten times CometBFT's default, so that a full block arrives within `timeout_propose`. */
const PEER_RATE = 51_200_000
/** Requests of one JSON-RPC batch: transactions sent to a `flood` mempool at once. */
const BATCH = 100
/** Bytes of such a batch: each transaction has at most 128 KB, in base64. */
const BATCH_BYTES = 20_000_000
/** Most bytes of transactions sent to the peers at a time. */
const REAP_BYTES = 1_048_576

const mempools = {
  // By default CometBFT asks every 500 ms, which adds up to 500 ms to the wait of a sender.
  app: { type: 'app', reap_interval: '100ms', reap_max_bytes: REAP_BYTES },
  flood: { type: 'flood', size: 60_000, cache_size: 120_000 },
} as const satisfies Record<Mempool, object>

/** The text of a new config.toml. */
export function configText(config: NewConfig): string {
  const { moniker, socket, p2p, rpc, prometheus, peers, mempool, blockTime, isLocal, signer, isHidden, hides } = config
  const local = isLocal ? { addr_book_strict: false, allow_duplicate_ip: true } : {}
  const hidden = isHidden ? { pex: false } : {}
  const ids = hides?.join(',') ?? ''
  const sentry = ids === '' ? {} : { private_peer_ids: ids, unconditional_peer_ids: ids }
  const text = stringify({
    proxy_app: `unix://${socket}`,
    moniker,
    ...(signer !== undefined && { priv_validator_laddr: signer }),
    rpc: { laddr: `tcp://${rpc}`, max_request_batch_size: BATCH, max_body_bytes: BATCH_BYTES },
    p2p: {
      laddr: `tcp://${p2p}`,
      persistent_peers: peers.join(','),
      send_rate: PEER_RATE,
      recv_rate: PEER_RATE,
      ...local,
      ...hidden,
      ...sentry,
    },
    mempool: mempools[mempool],
    consensus: { timeout_commit: `${blockTime}ms` },
    // kestrel stores results and index of blocks itself.
    storage: { discard_abci_responses: true },
    tx_index: { indexer: 'null' },
    instrumentation: { prometheus: true, prometheus_listen_addr: prometheus },
  })
  return `# Written by kestrel. What is not here has CometBFT's default.\n${text}\n`
}

/** What kestrel reads from config.toml, with CometBFT's defaults. */
export type CometBftConfig = {
  /** Path of the application's socket; undefined if `proxy_app` is not a Unix socket. */
  readonly socket: string | undefined
  readonly rpcUrl: string
  readonly rpc: Listener
  readonly p2p: Listener
  /** Address at which CometBFT waits for a remote signer (`priv_validator_laddr`); undefined: the key is in the home. */
  readonly signer: string | undefined
  /** Whether it lists persistent peers. */
  readonly hasPeers: boolean
  readonly mempool: Mempool
  /** Most requests in one JSON-RPC batch. */
  readonly batch: number
  /** Milliseconds that CometBFT waits for a proposal. */
  readonly proposeTimeout: number
  /** Milliseconds from a decided block to the next proposal. */
  readonly commitTimeout: number
  /** Whether a CometBFT without blocks fetches a state snapshot instead of all blocks. */
  readonly stateSync: boolean
}

/** Address at which a program listens. */
export type Listener = { readonly host: string; readonly port: number }

const FROM_UNIT: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

/** A duration in Go's format (`1m30s`, `250ms`) in milliseconds; undefined for other texts. */
export function goDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined
  const parts = [...text.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g)]
  return parts.reduce((sum, [, count = '', unit = '']) => sum + Number(count) * (FROM_UNIT[unit] ?? 0), 0)
}

const duration = z.string().transform((text, context) => {
  const milliseconds = goDuration(text)
  if (milliseconds !== undefined) return milliseconds
  context.addIssue({ code: 'custom', message: `expected a duration such as "3s", not "${text}"` })
  return z.NEVER
})

const listener = z.string().transform((text, context) => {
  const [, host, port] = /^(?:tcp:\/\/)?(?:\[?([^\]]*?)\]?):(\d{1,5})$/.exec(text) ?? []
  if (host !== undefined && port !== undefined) return { host, port: Number(port) }
  context.addIssue({ code: 'custom', message: `expected tcp://HOST:PORT, not "${text}"` })
  return z.NEVER
})

const config = z.object({
  proxy_app: z.string().default('tcp://127.0.0.1:26658'),
  priv_validator_laddr: z.string().default(''),
  rpc: z
    .object({
      laddr: listener.prefault('tcp://127.0.0.1:26657'),
      max_request_batch_size: z.number().int().min(0).default(10),
    })
    .prefault({}),
  p2p: z
    .object({ laddr: listener.prefault('tcp://0.0.0.0:26656'), persistent_peers: z.string().default('') })
    .prefault({}),
  mempool: z.object({ type: z.enum(['app', 'flood']).default('flood') }).prefault({}),
  consensus: z
    .object({ timeout_propose: duration.prefault('3s'), timeout_commit: duration.prefault('1s') })
    .prefault({}),
  statesync: z.object({ enable: z.boolean().default(false) }).prefault({}),
})

/** Reads config.toml. Throws ChainError `invalid-params`: `PATH: rpc.laddr: expected …`. */
export function readConfig(text: string, path: string): CometBftConfig {
  const refuse = (problem: string) => new ChainError('invalid-params', `${path}: ${problem}`)
  let toml: Record<string, unknown>
  try {
    toml = parse(text)
  } catch (error) {
    throw refuse(`expected TOML: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`)
  }
  const parsed = config.safeParse(toml)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw refuse(`${issue?.path.join('.')}: ${issue?.message}`)
  }
  const { proxy_app: application, priv_validator_laddr: signer, rpc, p2p, mempool, consensus, statesync } = parsed.data
  return {
    socket: application.startsWith('unix://') ? application.slice('unix://'.length) : undefined,
    rpcUrl: `http://${urlHost(rpc.laddr.host)}:${rpc.laddr.port}`,
    rpc: rpc.laddr,
    p2p: p2p.laddr,
    signer: signer === '' ? undefined : signer,
    hasPeers: p2p.persistent_peers.trim() !== '',
    mempool: mempool.type,
    // 0 means no limit there.
    batch: rpc.max_request_batch_size === 0 ? BATCH : rpc.max_request_batch_size,
    proposeTimeout: consensus.timeout_propose,
    commitTimeout: consensus.timeout_commit,
    stateSync: statesync.enable,
  }
}

/** A listener on all addresses is reached over loopback. */
function urlHost(host: string): string {
  if (host === '' || host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
