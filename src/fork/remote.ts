// The chain that is forked, by JSON-RPC. Requests that begin together share a batch; a batch that the remote refuses is
// halved, and a remote without batches gets parallel requests. What passes by itself (lost connections, limits of rate, errors of
// servers) is tried again, at the next URL; what the remote says about a request is its answer.
import { setMaxListeners } from 'node:events'
import type { LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type Hash, toQuantity } from '../lib/hex.ts'
import { Endpoint, EndpointFailure } from './endpoint.ts'
import { RemoteError, RemoteFailure } from './errors.ts'
import { block, quantity } from './wire.ts'

export type RemoteOptions = {
  /** The first one is used until it fails. */
  readonly urls: readonly URL[]
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds for one exchange. */
  readonly timeout?: number
  /** Further attempts after a failure that passes by itself. */
  readonly retries?: number
  /** Most requests per second; each one of a batch counts. undefined: no limit. */
  readonly rate?: number | undefined
  /** Resolves hosts at each connection; undefined: as the system does. */
  readonly lookup?: LookupFunction | undefined
}

/** Requests of one batch, until the remote refuses that many. */
const BATCH = 100
/** Milliseconds that a request waits for others to share its exchange. */
const LONGEST_GATHERING = 5
/** Exchanges at the same time. */
const AT_ONCE = 8
/** Milliseconds before the second attempt; each further one waits twice as long. */
const FIRST_PAUSE = 100
const LONGEST_PAUSE = 10_000
/** Longest `Retry-After` in milliseconds that is waited for. */
const LONGEST_RETRY_AFTER = 120_000

const responses = z.array(
  z.object({
    id: z.union([z.number(), z.string(), z.null()]).optional(),
    result: z.unknown().optional(),
    error: z
      .object({ code: z.number().catch(-32603), message: z.string().catch(''), data: z.unknown().optional() })
      .nullish(),
  }),
)
type Response = z.infer<typeof responses>[number]

type Pending = {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
  readonly settle: (result: unknown) => void
  readonly fail: (error: Error) => void
  /** Attempts that failed. */
  failures: number
  /** Milliseconds for a request that is tried once, and whose exchange is repeated without it if it fails; undefined: as for all. */
  readonly optional?: number | undefined
}

/** Counts since the start; `seconds`: in which at least one exchange was under way. */
export type RemoteCounts = Readonly<Record<'requests' | 'exchanges' | 'failures' | 'bytes' | 'seconds', number>>

export class Remote {
  readonly #endpoints: readonly Endpoint[]
  readonly #retries: number
  readonly #rate: number | undefined
  readonly #counts = { requests: 0, exchanges: 0, failures: 0, seconds: 0 }
  readonly #closing = new AbortController()
  #expected: ExpectedBlock | undefined
  /** Settles when an endpoint has shown that it serves the expected chain. */
  readonly #identities = new Map<Endpoint, Promise<void>>()
  /** Number of the endpoint in use. */
  #current = 0
  #batch = BATCH
  #lastId = 0
  /** Requests that no exchange has yet. */
  #waiting: Pending[] = []
  /** Those that began in this turn of the event loop, by their milliseconds. */
  readonly #pauses = new Map<number, Promise<void>>()
  #running = 0
  #busySince = 0
  /** When the rate allows the next request, in time of `performance.now()`. */
  #mayAsk = 0

  constructor({ urls, headers = {}, timeout = 45_000, retries = 5, rate, lookup }: RemoteOptions) {
    this.#endpoints = urls.map((url) => Endpoint.of({ url, headers, timeout, lookup }))
    this.#retries = retries
    this.#rate = rate
    // Each pause listens to it.
    setMaxListeners(0, this.#closing.signal)
  }

  /** Scheme and host of the URL in use. */
  get name(): string {
    return this.#endpoint.name
  }

  get counts(): RemoteCounts {
    const bytes = this.#endpoints.reduce((sum, { received }) => sum + received, 0)
    return { ...this.#counts, bytes }
  }

  /**
   * The result of a request. `optional`: milliseconds for its only attempt, which others do not fail with. Throws RemoteError with
   * the remote's refusal, RemoteFailure if there is no usable answer.
   */
  request(method: string, params: readonly unknown[], optional?: number): Promise<unknown> {
    this.#counts.requests++
    return new Promise((settle, fail) =>
      this.#add({ id: ++this.#lastId, method, params, settle, fail, failures: 0, optional }),
    )
  }

  /** As `request`, with the result read by a schema. */
  async ask<T>(schema: z.ZodType<T>, method: string, params: readonly unknown[], optional?: number): Promise<T> {
    return this.read(schema, method, await this.request(method, params, optional))
  }

  /** An answer, read by a schema. Throws RemoteFailure. */
  read<T>(schema: z.ZodType<T>, method: string, answer: unknown): T {
    const parsed = schema.safeParse(answer)
    if (parsed.success) return parsed.data
    const where = parsed.error.issues[0]?.path.join('.')
    throw new RemoteFailure(`${this.name} answers ${method} in another form${where ? ` at ${where}` : ''}`)
  }

  /** Ends all requests. */
  close(): void {
    this.#closing.abort()
    for (const endpoint of this.#endpoints) endpoint.close()
    for (const { fail } of this.#waiting) fail(closing())
    this.#waiting = []
  }

  get #endpoint(): Endpoint {
    const endpoint = this.#endpoints[this.#current % this.#endpoints.length]
    if (endpoint === undefined) throw new Error('a remote has at least one URL')
    return endpoint
  }

  // --- exchanges

  #add(pending: Pending): void {
    if (this.#closing.signal.aborted) pending.fail(closing())
    else if (this.#waiting.push(pending) === 1) this.#gather(0, performance.now())
  }

  /** Waits for further requests, as long as each turn of the event loop brings some. */
  #gather(gathered: number, since: number): void {
    setImmediate(() => {
      const { length } = this.#waiting
      const isMore = length > gathered && length < this.#batch && performance.now() - since < LONGEST_GATHERING
      if (isMore) this.#gather(length, since)
      else this.#sendWaiting()
    })
  }

  #sendWaiting(): void {
    while (this.#waiting.length > 0 && this.#running < AT_ONCE) {
      if (this.#running++ === 0) this.#busySince = performance.now()
      const group = this.#waiting.splice(0, this.#batch)
      void this.#send(group).finally(() => {
        if (--this.#running === 0) this.#counts.seconds += (performance.now() - this.#busySince) / 1000
        this.#sendWaiting()
      })
    }
  }

  async #send(group: readonly Pending[]): Promise<void> {
    const endpoint = this.#endpoint
    try {
      await this.#waitForRate(group.length)
      if (this.#expected !== undefined) await this.#identified(endpoint, this.#expected)
      this.#counts.exchanges++
      const calls = group.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, method, params }))
      const text = JSON.stringify(calls.length === 1 ? calls[0] : calls)
      const answer = await endpoint.exchange(
        text,
        group.map(({ id }) => id),
        group.find(({ optional }) => optional !== undefined)?.optional,
      )
      const parsed = responses.safeParse(Array.isArray(answer) ? answer : [answer])
      if (!parsed.success) throw new EndpointFailure(`${endpoint.name} answers no JSON-RPC`)
      const [first] = parsed.data
      if (group.length > 1 && parsed.data.length === 1) {
        const { code = 0, message = '' } = first?.error ?? {}
        if (isLimit(code, message)) throw new EndpointFailure(`${endpoint.name} refuses: ${endpoint.shown(message)}`)
        if (!this.#withoutOptional(endpoint, group)) this.#split(group)
        return
      }
      const byId = new Map(parsed.data.map((response) => [response.id, response]))
      // A request that cannot be read is answered with id null.
      const only = group.length === 1 ? parsed.data[0] : undefined
      for (const pending of group) this.#settle(endpoint, pending, only ?? byId.get(pending.id))
    } catch (error) {
      if (this.#withoutOptional(endpoint, group)) return
      if (group.length > 1 && error instanceof EndpointFailure && error.isTooMuch) this.#split(group)
      else for (const pending of group) this.#failed(endpoint, pending, error)
    }
  }

  /** Sends a batch that failed again without its optional requests, which may be why; false: it has none, or nothing else. */
  #withoutOptional(endpoint: Endpoint, group: readonly Pending[]): boolean {
    const others = group.filter(({ optional }) => optional === undefined)
    if (others.length === group.length || others.length === 0) return false
    for (const { optional, fail, method } of group)
      if (optional !== undefined) fail(new RemoteFailure(`${endpoint.name} does not answer ${method}`))
    this.#waiting.unshift(...others)
    return true
  }

  /** Sends a batch again in two halves. */
  #split(group: readonly Pending[]): void {
    this.#batch = Math.max(1, Math.min(this.#batch, group.length >> 1))
    this.#waiting.unshift(...group)
  }

  #settle(endpoint: Endpoint, pending: Pending, response: Response | undefined): void {
    if (response?.error) {
      const { code, message, data } = response.error
      const shown = endpoint.shown(message)
      if (isLimit(code, message))
        this.#failed(endpoint, pending, new EndpointFailure(`${endpoint.name} refuses: ${shown}`))
      else pending.fail(new RemoteError(code, shown, endpoint.shownData(data)))
    } else if (response !== undefined && 'result' in response) pending.settle(response.result)
    else this.#failed(endpoint, pending, new EndpointFailure(`${endpoint.name} does not answer ${pending.method}`))
  }

  /** Tries a request again later, at the next endpoint, unless it has failed too often. */
  #failed(endpoint: Endpoint, pending: Pending, error: unknown): void {
    this.#counts.failures++
    if (!(error instanceof EndpointFailure)) {
      pending.fail(error instanceof Error ? error : new Error(String(error)))
      return
    }
    if (!error.mayPass || pending.optional !== undefined || pending.failures++ >= this.#retries) {
      pending.fail(new RemoteFailure(error.message))
      return
    }
    if (this.#endpoint === endpoint) this.#current++
    const { retryAfter } = error
    if (retryAfter !== undefined && retryAfter > LONGEST_RETRY_AFTER) {
      pending.fail(new RemoteFailure(`${error.message}, and asks to wait ${Math.ceil(retryAfter / 1000)} s`))
      return
    }
    // All requests wait as long as the remote asks for.
    if (retryAfter !== undefined) this.#mayAsk = Math.max(this.#mayAsk, performance.now() + retryAfter)
    this.#paused(retryAfter ?? Math.min(FIRST_PAUSE * 2 ** (pending.failures - 1), LONGEST_PAUSE)).then(
      () => this.#add(pending),
      () => pending.fail(closing()),
    )
  }

  /** A pause in milliseconds. Requests that fail together share it, and so their next exchange. */
  #paused(pause: number): Promise<void> {
    const begun = this.#pauses.get(pause)
    if (begun !== undefined) return begun
    const paused = sleep(pause, undefined, { signal: this.#closing.signal })
    this.#pauses.set(pause, paused)
    setImmediate(() => this.#pauses.delete(pause))
    return paused
  }

  async #waitForRate(requests: number): Promise<void> {
    const now = performance.now()
    const at = Math.max(now, this.#mayAsk)
    if (this.#rate !== undefined) this.#mayAsk = at + (requests / this.#rate) * 1000
    if (at > now)
      await sleep(at - now, undefined, { signal: this.#closing.signal }).catch(() => {
        throw closing()
      })
  }

  // --- which chain

  /**
   * From now on an endpoint is asked only after it has shown that it has this block of this chain, or the one that was expected first.
   * `isShown`: the endpoint in use has just done so.
   */
  expect(at: ExpectedBlock, isShown = false): void {
    this.#expected ??= at
    if (isShown) this.#identities.set(this.#endpoint, Promise.resolve())
  }

  #identified(endpoint: Endpoint, expected: ExpectedBlock): Promise<void> {
    const known = this.#identities.get(endpoint) ?? this.#identify(endpoint, expected)
    this.#identities.set(endpoint, known)
    known.catch(() => this.#identities.delete(endpoint))
    return known
  }

  async #identify(endpoint: Endpoint, { chainId, number, hash }: ExpectedBlock): Promise<void> {
    const ids = [++this.#lastId, ++this.#lastId] as const
    const ask = async <T>(schema: z.ZodType<T>, id: number, method: string, params: readonly unknown[]): Promise<T> => {
      const text = JSON.stringify({ jsonrpc: '2.0', id, method, params })
      const parsed = z.object({ result: schema }).safeParse(await endpoint.exchange(text, [id]))
      if (parsed.success) return parsed.data.result
      throw new EndpointFailure(`${endpoint.name} answers ${method} in another form`)
    }
    const [chain, found] = await Promise.all([
      ask(quantity, ids[0], 'eth_chainId', []),
      ask(block.nullable(), ids[1], 'eth_getBlockByNumber', [toQuantity(number), false]),
    ])
    const differs = (what: string) =>
      new EndpointFailure(`${endpoint.name} ${what}`, { mayPass: this.#endpoints.length > 1 })
    if (chain !== chainId) throw differs(`has chain ${chain}, not chain ${chainId}, which was forked`)
    if (found?.hash !== hash)
      throw differs(
        `: block ${number} has another hash now (${found?.hash ?? 'no block'}, was ${hash}): begin a new fork`,
      )
  }
}

/** The block by which the forked chain is recognized. */
export type ExpectedBlock = { readonly chainId: bigint; readonly number: bigint; readonly hash: Hash }

const closing = (): RemoteFailure => new RemoteFailure('the node is closing')

/** Errors of JSON-RPC by which servers refuse for their limits: EIP-1474's code, and the words of several. */
const isLimit = (code: number, message: string): boolean => {
  if (code === -32005 || code === 429) return true
  // A contract may revert with any words.
  return code !== 3 && !/revert/i.test(message) && /rate limit|too many requests|capacity|throttl/i.test(message)
}
