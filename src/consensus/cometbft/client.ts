// Client of CometBFT's JSON-RPC on this machine. A request times out after two seconds; answers to frequent requests are cached
// for half a second.
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { type Hash, hexToHash, toHash } from '../../lib/hex.ts'
import { type RoundState, STEP } from '../network/options.ts'

/** CometBFT did not answer. */
export class CometBftUnreachable extends ChainError {
  constructor(detail: string) {
    super('overloaded', 'the consensus engine does not answer', undefined, detail)
    this.name = 'CometBftUnreachable'
  }
}

export type CometBftStatus = {
  /** Whether CometBFT fetches decided blocks from peers. */
  readonly catchingUp: boolean
  readonly height: bigint
  readonly version: string
  readonly nodeId: string
  /** Consensus address: 40 hex digits in upper case. */
  readonly address: string
}

/** Timeout of a request, in milliseconds. */
const PATIENCE = 2_000
/** Milliseconds for which an answer is cached. */
const FRESH = 500
/** CometBFT's maximum page size. */
const VALIDATORS_PER_PAGE = 100
/** CometBFT's default limit of requests in one batch. */
const BATCH = 10

const integer = z
  .string()
  .regex(/^-?\d+$/)
  .transform(BigInt)

const status = z.object({
  node_info: z.object({ id: z.string(), version: z.string() }),
  sync_info: z.object({ latest_block_height: integer, catching_up: z.boolean() }),
  validator_info: z.object({ address: z.string() }),
})
const ed25519 = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine(({ length }) => length === 32)
const ownKey = z.object({ validator_info: z.object({ pub_key: z.object({ value: ed25519 }) }) })
const netInfo = z.object({ listening: z.boolean(), n_peers: z.string().regex(/^\d+$/).transform(Number) })
const consensusState = z.object({
  peers: z
    .array(z.object({ peer_state: z.object({ round_state: z.object({ height: integer }) }) }))
    .nullish()
    .transform((peers) => peers ?? []),
})
const block = z.object({ header: z.object({ height: integer, app_hash: z.string() }) }).nullish()
/** `BA{4:xx_x} 300/400 = 0.75`: who has voted, and their fraction of the stake. */
const votes = z.string().transform((text) => Number(/= ([\d.]+)$/.exec(text)?.[1] ?? 0))
const roundState = z.object({
  round_state: z.object({
    height: integer,
    round: z.int(),
    step: z.int(),
    validators: z.object({ validators: z.array(z.unknown()) }),
    proposal_block: block,
    valid_block: block,
    votes: z.array(z.object({ round: z.int(), prevotes_bit_array: votes })),
  }),
})
const commit = z.looseObject({ signed_header: z.looseObject({ header: z.unknown() }), canonical: z.boolean() })
const validatorPage = z.object({ validators: z.array(z.unknown()), total: z.string().transform(Number) })

const answer = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string(), data: z.string().optional() }) }),
  z.object({ result: z.unknown() }),
])

/** The proposer writes the app hash, and CometBFT allows any bytes there; ours has 32. */
function agreement({ height, app_hash: hash }: { height: bigint; app_hash: string }): RoundState['agreed'] {
  return /^[0-9A-F]{64}$/i.test(hash) ? { height, appHash: hexToHash(`0x${hash}`) } : undefined
}

export class CometBftClient {
  readonly #url: string
  readonly #batch: number
  readonly #kept = new Map<string, { readonly at: number; readonly answer: Promise<unknown> }>()

  /** `batch`: most requests that CometBFT accepts in one batch. */
  constructor(url: string, batch = BATCH) {
    this.#url = url
    this.#batch = batch
  }

  async status(): Promise<CometBftStatus> {
    const { node_info: node, sync_info: sync, validator_info: validator } = await this.#poll('status', status)
    return {
      catchingUp: sync.catching_up,
      height: sync.latest_block_height,
      version: node.version,
      nodeId: node.id,
      address: validator.address,
    }
  }

  /** The public key with which this CometBFT, or its signer, signs. */
  async consensusKey(): Promise<Hash> {
    const { validator_info: validator } = await this.#poll('status', ownKey)
    return toHash(validator.pub_key.value)
  }

  async peers(): Promise<number> {
    return (await this.#poll('net_info', netInfo)).n_peers
  }

  async isListening(): Promise<boolean> {
    return (await this.#poll('net_info', netInfo)).listening
  }

  /** Whether CometBFT answers at all. */
  async answers(): Promise<boolean> {
    return this.status().then(
      () => true,
      () => false,
    )
  }

  /** The state of the vote. Throws CometBftUnreachable while the application processes a proposal. */
  async rounds(): Promise<RoundState> {
    const { round_state: state } = await this.#poll('dump_consensus_state', roundState)
    const { height, round, step, proposal_block: proposal, valid_block: valid } = state
    // In the last step the proposed block is the decided one: CometBFT drops all others.
    const agreed = (step === STEP.commit ? proposal : undefined) ?? valid
    const seen = state.votes.filter((votes) => votes.round >= round - 1)
    return {
      height,
      round,
      step,
      validators: state.validators.validators.length,
      voting: Math.max(0, ...seen.map((votes) => votes.prevotes_bit_array)),
      hasBlock: proposal !== null && proposal !== undefined,
      agreed: agreed ? agreement(agreed.header) : undefined,
    }
  }

  /** Newest block that a peer claims to have; undefined if no peer reports one. */
  async highestHeight(): Promise<bigint | undefined> {
    const { peers } = await this.#poll('dump_consensus_state', consensusState)
    // A peer reports the height that it is deciding, one above its newest block.
    const heights = peers
      .map(({ peer_state: { round_state } }) => round_state.height - 1n)
      .filter((height) => height > 0n)
    return heights.length === 0 ? undefined : heights.reduce((most, height) => (height > most ? height : most))
  }

  /**
   * Signed header of a height and the validators that signed it, as JSON of CometBFT:
   * `{ signed_header, canonical, validators }`. Throws ChainError `not-found` while there is none.
   */
  async commit(height: bigint): Promise<unknown> {
    const found = await this.#request('commit', commit, { height: String(height) })
    // A height that CometBFT does not have yet is answered with an empty header by some versions.
    if (found.signed_header.header === null || found.signed_header.header === undefined) throw noSuchHeight(height)
    return { ...found, validators: await this.validators(height) }
  }

  /** All validators at a height, as JSON of CometBFT. Throws ChainError `not-found` for a height that it does not have. */
  async validators(height: bigint): Promise<readonly unknown[]> {
    const all: unknown[] = []
    for (let page = 1; ; page++) {
      const { validators, total } = await this.#request('validators', validatorPage, {
        height: String(height),
        page: String(page),
        per_page: String(VALIDATORS_PER_PAGE),
      })
      all.push(...validators)
      if (validators.length === 0 || all.length >= total) return all
    }
  }

  /** Sends transactions to CometBFT's own mempool, without learning whether it accepts them. Throws CometBftUnreachable. */
  async broadcast(transactions: readonly Uint8Array[]): Promise<void> {
    for (let first = 0; first < transactions.length; first += this.#batch) {
      const batch = transactions.slice(first, first + this.#batch).map((raw, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'broadcast_tx_async',
        params: { tx: Buffer.from(raw).toString('base64') },
      }))
      await this.#post(batch)
    }
  }

  /** The cached answer to a request without parameters, up to half a second old. */
  #poll<T>(method: string, schema: z.ZodType<T>): Promise<T> {
    const kept = this.#kept.get(method)
    if (kept !== undefined && performance.now() - kept.at < FRESH)
      return kept.answer.then((value) => schema.parse(value))
    const asked = this.#request(method, z.unknown(), {})
    this.#kept.set(method, { at: performance.now(), answer: asked })
    // Failures are not cached: CometBFT may be back at once.
    asked.catch(() => this.#kept.delete(method))
    return asked.then((value) => parseAnswer(method, schema, value))
  }

  async #request<T>(method: string, schema: z.ZodType<T>, params: Readonly<Record<string, string>>): Promise<T> {
    const parsed = answer.safeParse(await this.#post({ jsonrpc: '2.0', id: 1, method, params }))
    if (!parsed.success) throw new CometBftUnreachable(`${method}: no JSON-RPC answer`)
    if ('error' in parsed.data) throw refusal(method, parsed.data.error, params)
    return parseAnswer(method, schema, parsed.data.result)
  }

  async #post(body: unknown): Promise<unknown> {
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE),
      })
      return await response.json()
    } catch (error) {
      const reason = error instanceof Error ? causeOf(error) : String(error)
      throw new CometBftUnreachable(`${this.#url}: ${reason}`)
    }
  }
}

/** The error of `fetch` says only that it failed; its cause says why. */
const causeOf = (error: Error): string => (error.cause instanceof Error ? error.cause.message : error.message)

function parseAnswer<T>(method: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new CometBftUnreachable(`${method}: an answer of another form at ${parsed.error.issues[0]?.path.join('.')}`)
}

const noSuchHeight = (height: string | bigint): ChainError =>
  new ChainError('not-found', `the consensus engine has no commit of height ${height}`)

function refusal(
  method: string,
  { message, data = '' }: { readonly message: string; readonly data?: string | undefined },
  { height }: Readonly<Record<string, string>>,
): ChainError {
  if (height !== undefined && /height|could not find/i.test(data)) return noSuchHeight(height)
  return new CometBftUnreachable(`${method}: ${message} ${data}`.trim())
}
