// Requests to the engine's own JSON-RPC: whether it catches up, its peers, signed headers, and transactions for its mempool.
// Every request ends after two seconds; an engine that does not answer is an error of this node's caller, never a hang.
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { RPC_BATCH } from './home.ts'

/** Milliseconds. */
const TIMEOUT = 2_000
/** Milliseconds for which what is polled is remembered. */
const FRESH = 500
/** Bytes of the transactions of one request; base64 makes them a third longer. */
const BATCH_BYTES = 10_000_000

const integer = z
  .string()
  .regex(/^-?\d+$/)
  .transform(BigInt)
const answer = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string(), data: z.string().optional() }).optional(),
})
const statusResult = z.object({
  node_info: z.object({ id: z.string(), version: z.string(), network: z.string() }),
  sync_info: z.object({ latest_block_height: integer, catching_up: z.boolean() }),
})
const netInfo = z.object({ listening: z.boolean(), n_peers: z.string() })
const consensusState = z.object({
  peers: z.array(z.object({ peer_state: z.object({ round_state: z.object({ height: integer }) }) })).nullable(),
})
const header = z.looseObject({ header: z.looseObject({ height: z.string(), app_hash: z.string() }) })
const signedHeader = z.looseObject({ signed_header: header, canonical: z.boolean() })
const validatorSet = z.looseObject({ validators: z.array(z.looseObject({})), total: z.string() })

export type EngineState = {
  readonly catchingUp: boolean
  readonly height: bigint
  readonly version: string
  readonly nodeId: string
  readonly chainId: string
}

export class EngineClient {
  readonly #url: string
  readonly #remembered = new Map<string, { readonly until: number; readonly result: Promise<unknown> }>()

  /** @param url - base URL of the engine's RPC: `http://127.0.0.1:26657` */
  constructor(url: string) {
    this.#url = url
  }

  async status(): Promise<EngineState> {
    const { node_info, sync_info } = read(statusResult, await this.#polled('status'))
    const { id, version, network } = node_info
    const { latest_block_height: height, catching_up: catchingUp } = sync_info
    return { catchingUp, height, version, nodeId: id, chainId: network }
  }

  async peers(): Promise<number> {
    return Number(read(netInfo, await this.#polled('net_info')).n_peers)
  }

  async isListening(): Promise<boolean> {
    return read(netInfo, await this.#polled('net_info')).listening
  }

  /** Newest block that a peer is known to have; undefined: no peer tells. */
  async highestHeight(): Promise<bigint | undefined> {
    const { peers } = read(consensusState, await this.#polled('dump_consensus_state'))
    // A peer tells the height that it works on.
    const heights = (peers ?? []).map(({ peer_state }) => peer_state.round_state.height - 1n)
    return heights.length === 0 ? undefined : heights.reduce((a, b) => (a > b ? a : b))
  }

  /** Signed header and validators of a height, as the engine's JSON. Throws ChainError `not-found`. */
  async commit(height: bigint): Promise<unknown> {
    const found = signedHeader.safeParse(await this.#ask('commit', { height: String(height) }).catch(notFound))
    if (!found.success) throw new ChainError('not-found', `there is no commit of height ${height} yet`)
    const validators: unknown[] = []
    for (let page = 1; ; page++) {
      const asked = { height: String(height), page: String(page), per_page: '100' }
      const set = read(validatorSet, await this.#ask('validators', asked))
      validators.push(...set.validators)
      if (set.validators.length === 0 || validators.length >= Number(set.total)) break
    }
    return { signed_header: found.data.signed_header, canonical: found.data.canonical, validators }
  }

  /** Hands transactions to the engine's own mempool; what it refuses it does not tell. */
  async broadcast(transactions: readonly Uint8Array[]): Promise<void> {
    let batch: object[] = []
    let bytes = 0
    for (const [id, transaction] of transactions.entries()) {
      const tx = Buffer.from(transaction).toString('base64')
      batch.push({ jsonrpc: '2.0', id, method: 'broadcast_tx_async', params: { tx } })
      bytes += tx.length
      if (batch.length < RPC_BATCH && bytes < BATCH_BYTES) continue
      await this.#post(batch)
      batch = []
      bytes = 0
    }
    if (batch.length > 0) await this.#post(batch)
  }

  /** The result of a request that many ask for at a time. */
  #polled(method: string): Promise<unknown> {
    const known = this.#remembered.get(method)
    if (known !== undefined && performance.now() < known.until) return known.result
    const result = this.#ask(method)
    this.#remembered.set(method, { until: performance.now() + FRESH, result })
    return result
  }

  async #ask(method: string, params: object = {}): Promise<unknown> {
    const parsed = answer.safeParse(await this.#post({ jsonrpc: '2.0', id: 1, method, params }))
    if (!parsed.success) throw unreachable()
    const { result, error } = parsed.data
    if (error !== undefined) throw new EngineRefusal('not-found', `the engine: ${error.data ?? error.message}`)
    return result
  }

  async #post(body: object): Promise<unknown> {
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT),
      })
      return await response.json()
    } catch {
      throw unreachable()
    }
  }
}

/** A result of the expected form. Throws ChainError as for an engine that does not answer. */
function read<S extends z.ZodType>(schema: S, result: unknown): z.output<S> {
  const parsed = schema.safeParse(result)
  if (!parsed.success) throw unreachable()
  return parsed.data
}

/** The engine has answered with an error. */
class EngineRefusal extends ChainError {}

const unreachable = (): ChainError => new ChainError('overloaded', 'the consensus engine does not answer')

/** A height that the engine does not have is no result; an engine that cannot be reached is an error. */
function notFound(error: unknown): undefined {
  if (error instanceof EngineRefusal) return undefined
  throw error
}
