// The engine's home: its configuration, of which only what differs from its defaults is written, and its genesis file, which
// carries ours whole as `app_state`.
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, stringify, TomlError } from 'smol-toml'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import type { ChainSpec } from '../../spec/chain-spec.ts'

export type EngineSettings = {
  /** Name that others see. */
  readonly moniker: string
  /** Where peers connect, and where the engine's RPC and metrics are: `HOST:PORT`. */
  readonly p2p: string
  readonly rpc: string
  readonly metrics: string
  /** `ID@HOST:PORT` of nodes to stay connected with. */
  readonly peers: readonly string[]
  /** Seconds from a decided block to the next proposal. */
  readonly blockTime: number
  readonly mempool: Mempool
  /** All nodes are on this machine. */
  readonly isLocal: boolean
}

/** `app`: the node's own pool (v0.40). `flood`: the engine's list (v0.38). */
export type Mempool = 'app' | 'flood'

/** What the node must know of the configuration of its engine. */
export type EngineConfig = {
  readonly mempool: Mempool
  /** Base URL of its RPC. */
  readonly rpcUrl: string
  /** Milliseconds that it waits for a proposal. */
  readonly proposeTimeout: number
  /** Whether it fetches a snapshot of the state where there are no blocks. */
  readonly stateSync: boolean
}

const configPath = (home: string) => join(home, 'config', 'config.toml')
const genesisPath = (home: string) => join(home, 'config', 'genesis.json')

/** Milliseconds between two requests for transactions; the engine's default of 500 would be latency of every one. */
const REAP_INTERVAL = 100
const REAP_MAX_BYTES = 1_048_576
/** Requests in a batch, and bytes of one, that the engine's RPC takes. */
export const RPC_BATCH = 100
export const RPC_BODY_BYTES = 20_000_000

/** Writes `config/config.toml`. An existing file is the operator's and stays as it is. */
export async function writeConfig(home: string, settings: EngineSettings): Promise<void> {
  const { moniker, p2p, rpc, metrics, peers, blockTime, mempool, isLocal } = settings
  const config = {
    moniker,
    rpc: { laddr: `tcp://${rpc}`, max_request_batch_size: RPC_BATCH, max_body_bytes: RPC_BODY_BYTES },
    p2p: {
      laddr: `tcp://${p2p}`,
      persistent_peers: peers.join(','),
      send_rate: 51_200_000,
      recv_rate: 51_200_000,
      ...(isLocal && { addr_book_strict: false, allow_duplicate_ip: true }),
    },
    mempool:
      mempool === 'app'
        ? { type: 'app', reap_interval: `${REAP_INTERVAL}ms`, reap_max_bytes: REAP_MAX_BYTES }
        : { type: 'flood', size: 60_000 },
    consensus: { timeout_commit: `${Math.round(blockTime * 1000)}ms` },
    storage: { discard_abci_responses: true },
    tx_index: { indexer: 'null' },
    instrumentation: { prometheus: true, prometheus_listen_addr: metrics },
  }
  const head = '# What differs from the defaults of CometBFT; its documentation describes every setting.\n'
  await mkdir(join(home, 'config'), { recursive: true })
  if (!existsSync(configPath(home))) await writeFile(configPath(home), `${head}${stringify(config)}`, { flag: 'wx' })
}

const duration = z.string().regex(/^\d+(\.\d+)?(ms|s|m)$/)
const configFile = z.object({
  rpc: z.object({ laddr: z.string().default('tcp://127.0.0.1:26657') }).prefault({}),
  mempool: z.object({ type: z.enum(['app', 'flood']).default('flood') }).prefault({}),
  consensus: z.object({ timeout_propose: duration.default('3s') }).prefault({}),
  statesync: z.object({ enable: z.boolean().default(false) }).prefault({}),
})

/** Throws ChainError `storage` for a home without configuration, or with one that this node cannot work with. */
export async function readConfig(home: string): Promise<EngineConfig> {
  const file = configPath(home)
  if (!existsSync(file))
    throw new ChainError('storage', `${home} is no home of an engine: there is no config/config.toml`)
  const parsed = configFile.safeParse(parseToml(file, await readFile(file, 'utf8')))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new ChainError('storage', `${file}: ${issue?.path.join('.')}: ${issue?.message}`)
  }
  const { rpc, mempool, consensus, statesync } = parsed.data
  return {
    mempool: mempool.type,
    rpcUrl: rpc.laddr.replace(/^tcp:/, 'http:').replace('//0.0.0.0:', '//127.0.0.1:'),
    proposeTimeout: milliseconds(consensus.timeout_propose),
    stateSync: statesync.enable,
  }
}

function parseToml(file: string, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new ChainError('storage', `${file}: line ${error.line} is no TOML`)
  }
}

function milliseconds(text: string): number {
  const unit = text.endsWith('ms') ? 1 : text.endsWith('s') ? 1000 : 60_000
  return Number.parseFloat(text) * unit
}

/** Age of evidence in blocks, where the time alone would not bound it. */
const MAX_EVIDENCE_BLOCKS = 100_000n

/**
 * The engine's genesis file: a function of ours, so that the nodes of a network need not agree on a second file.
 * @param genesis - our genesis file, as JSON values
 * @param unbondingTime - seconds in which stake answers for misbehaviour
 */
export function engineGenesis(spec: ChainSpec, genesis: unknown, unbondingTime: bigint): object {
  const { native } = spec
  if (native?.consensus === undefined) throw new ChainError('invalid-genesis', 'kestrel.consensus: expected a section')
  const { consensus, textChainId } = native
  return {
    genesis_time: new Date(Number(spec.genesis.timestamp) * 1000).toISOString(),
    chain_id: textChainId,
    initial_height: String(consensus.initialHeight),
    consensus_params: {
      block: { max_bytes: String(consensus.maxBytes), max_gas: String(spec.genesis.gasLimit) },
      evidence: {
        max_age_num_blocks: String(MAX_EVIDENCE_BLOCKS),
        max_age_duration: String(unbondingTime * 1_000_000_000n),
        max_bytes: String(consensus.maxBytes < 1_048_576n ? consensus.maxBytes : 1_048_576n),
      },
      validator: { pub_key_types: ['ed25519'] },
      version: { app: '0' },
    },
    app_hash: '',
    app_state: genesis,
  }
}

/** Writes the engine's genesis file, unless the home has one. */
export async function writeGenesis(home: string, genesis: object): Promise<void> {
  await mkdir(join(home, 'config'), { recursive: true })
  if (!existsSync(genesisPath(home))) await writeFile(genesisPath(home), JSON.stringify(genesis), { flag: 'wx' })
}

const genesisFile = z.object({ chain_id: z.string(), app_state: z.record(z.string(), z.unknown()) })

/** Our genesis file out of the engine's, as text; undefined: the home has none. Throws ChainError `storage`. */
export async function readAppState(home: string): Promise<string | undefined> {
  const file = genesisPath(home)
  if (!existsSync(file)) return undefined
  const text = await readFile(file, 'utf8')
  const parsed = genesisFile.safeParse(jsonOf(text))
  if (!parsed.success) throw new ChainError('storage', `${file}: expected chain_id and app_state`)
  return JSON.stringify(parsed.data.app_state)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
