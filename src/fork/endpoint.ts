// One URL of the chain that is forked: HTTP or WebSocket. Sends a text of JSON-RPC and returns the parsed answer, whatever it is. URLs
// and headers hold keys, so no error and no log line shows more of them than scheme and host.
import { once } from 'node:events'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { WebSocket } from 'ws'
import { RefusedAddress } from '../lib/checked-lookup.ts'
import { visibleText } from '../lib/visible-text.ts'

/** Largest answer in bytes. */
export const LONGEST_ANSWER = 32 * 2 ** 20
/** Characters of a remote's message that are shown. */
const SHOWN = 300
/** Parts of a URL that are at least this long are removed from the remote's messages; shorter ones are words. */
const SECRET = 6

export type EndpointOptions = {
  /** `http:`, `https:`, `ws:` or `wss:`; a user name and password become a header. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds for one exchange. */
  readonly timeout: number
  /** Resolves the host at each connection; undefined: as the system does. */
  readonly lookup?: LookupFunction | undefined
}

/** No usable answer. The message names scheme and host, and says why. */
export class EndpointFailure extends Error {
  /** Whether the same exchange may succeed later, or elsewhere. */
  readonly mayPass: boolean
  /** Milliseconds that the remote asks to wait (`Retry-After`). */
  readonly retryAfter: number | undefined
  /** Whether a smaller batch may succeed. */
  readonly isTooMuch: boolean

  constructor(message: string, { mayPass = true, retryAfter, isTooMuch = false }: Partial<FailureKind> = {}) {
    super(message)
    this.name = 'EndpointFailure'
    this.mayPass = mayPass
    this.retryAfter = retryAfter
    this.isTooMuch = isTooMuch
  }
}

type FailureKind = Pick<EndpointFailure, 'mayPass' | 'retryAfter' | 'isTooMuch'>

export abstract class Endpoint {
  /** `https://host`, as errors, logs and metrics name it. */
  readonly name: string
  /** Without user name and password. */
  protected readonly url: URL
  protected readonly timeout: number
  protected readonly lookup: LookupFunction | undefined
  protected readonly headers: Readonly<Record<string, string>>
  readonly #secrets: readonly string[]
  /** Bytes of all answers. */
  received = 0

  constructor({ url, headers, timeout, lookup }: EndpointOptions) {
    this.name = `${url.protocol}//${url.host}`
    this.timeout = timeout
    this.lookup = lookup
    const { username, password } = url
    const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString(
      'base64',
    )
    this.headers = username === '' ? headers : { authorization: `Basic ${credentials}`, ...headers }
    this.#secrets = secretsOf(url, this.headers)
    this.url = new URL(url)
    this.url.username = ''
    this.url.password = ''
  }

  static of(options: EndpointOptions): Endpoint {
    return options.url.protocol.startsWith('ws') ? new SocketEndpoint(options) : new HttpEndpoint(options)
  }

  /** Sends a request or batch. `ids` are its ids; `timeout` in milliseconds if it differs from the usual one. Throws EndpointFailure. */
  abstract exchange(text: string, ids: readonly number[], timeout?: number): Promise<unknown>
  abstract close(): void

  /** The remote's words, safe to print and to pass on. */
  shown(text: string): string {
    const plain = this.#secrets.reduce((shown, secret) => shown.replaceAll(secret, '…'), text)
    return visibleText(plain.slice(0, SHOWN)) ?? 'no message'
  }

  /** The data of a remote's error, without keys. */
  shownData(data: unknown): unknown {
    if (data === undefined) return undefined
    const text = JSON.stringify(data) ?? 'null'
    return this.#secrets.some((secret) => text.includes(secret)) ? undefined : data
  }

  protected failure(reason: string, kind?: Partial<FailureKind>): EndpointFailure {
    return new EndpointFailure(`${this.name} ${this.shown(reason)}`, kind)
  }

  protected parse(text: string): unknown {
    const parsed = tryParse(text)
    if (parsed === undefined) throw this.failure('answers something that is not JSON')
    return parsed
  }
}

/** Parts of a URL and its headers that may be keys, longest first. */
function secretsOf({ pathname, search, username, password, searchParams }: URL, headers: object): readonly string[] {
  const values = Object.values(headers).filter((value): value is string => typeof value === 'string')
  const given = [pathname, search, username, password, ...searchParams.values(), ...values]
  const parts = given.flatMap((text) => [text, decoded(text), ...text.split(WORDS), ...decoded(text).split(WORDS)])
  const secrets = parts.filter(({ length }) => length >= SECRET)
  return [...new Set(secrets)].sort((a, b) => b.length - a.length)
}

/** What separates the words of paths, queries and header values. */
const WORDS = /[\s/?&=,;:]+/

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

class HttpEndpoint extends Endpoint {
  readonly #agent: HttpAgent
  readonly #request: typeof requestHttp

  constructor(options: EndpointOptions) {
    super(options)
    const isSecure = options.url.protocol === 'https:'
    const connections = { keepAlive: true, lookup: this.lookup }
    this.#agent = isSecure ? new HttpsAgent(connections) : new HttpAgent(connections)
    this.#request = isSecure ? requestHttps : requestHttp
  }

  async exchange(text: string, _ids?: readonly number[], timeout = this.timeout): Promise<unknown> {
    const headers = { ...HEADERS, 'content-length': Buffer.byteLength(text), ...this.headers }
    // Not `fetch`, which takes three times the CPU. A redirect, which would send the headers elsewhere, is an answer like others.
    const asked = this.#request(this.url, { method: 'POST', agent: this.#agent, headers })
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      asked.destroy()
    }, timeout)
    let response: IncomingMessage
    let answer: string
    try {
      asked.end(text)
      ;[response] = await once(asked, 'response')
      // Lost in the middle of the answer, which its reader tells.
      asked.on('error', () => undefined)
      answer = await this.#body(response)
    } catch (error) {
      asked.destroy()
      if (error instanceof EndpointFailure) throw error
      if (isLate) throw this.failure(`does not answer within ${timeout} ms`)
      throw this.failure(reasonOf(error), { mayPass: isTemporary(error) })
    } finally {
      clearTimeout(timer)
    }
    const { statusCode: status = 0 } = response
    if (status >= 200 && status < 300) return this.parse(answer)
    const mayPass = status === 408 || status === 425 || status === 429 || status >= 500
    // Some send errors of JSON-RPC with a status of their own.
    const parsed = tryParse(answer)
    if (isAnswer(parsed) && !mayPass) return parsed
    const kind = { mayPass, retryAfter: retryAfter(response), isTooMuch: status === 413 }
    throw this.failure(`answers with HTTP status ${status}`, kind)
  }

  close(): void {
    this.#agent.destroy()
  }

  async #body(response: IncomingMessage): Promise<string> {
    const isZipped = response.headers['content-encoding'] === 'gzip'
    const body = isZipped ? pipeline(response, createGunzip(), () => undefined) : response
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of body) {
      length += chunk.length
      if (length > LONGEST_ANSWER)
        throw this.failure(`answers more than ${LONGEST_ANSWER / 2 ** 20} MB`, { mayPass: false, isTooMuch: true })
      chunks.push(chunk)
    }
    this.received += length
    return Buffer.concat(chunks).toString('utf8')
  }
}

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  'accept-encoding': 'gzip',
  'user-agent': 'kestrel',
}

const tryParse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isAnswer = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('error' in value || Array.isArray(value))

/** RFC 9110, section 10.2.3: seconds, or a date. */
function retryAfter({ headers }: IncomingMessage): number | undefined {
  const text = headers['retry-after']
  if (text === undefined) return undefined
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}

const isTemporary = (error: unknown): boolean => !(error instanceof RefusedAddress)

const reasonOf = (error: unknown): string =>
  error instanceof RefusedAddress
    ? error.message
    : `cannot be reached${error instanceof Error && 'code' in error ? ` (${error.code})` : ''}`

type Waiting = {
  readonly socket: WebSocket
  readonly settle: (answer: unknown) => void
  readonly fail: (error: EndpointFailure) => void
  readonly timer: NodeJS.Timeout
}

/** One connection, opened at the first exchange and again after it was lost. */
class SocketEndpoint extends Endpoint {
  #socket: Promise<WebSocket> | undefined
  /** Connections that are open or opening; one that was lost ends without harm to the next. */
  readonly #sockets = new Set<WebSocket>()
  /** Pending exchanges by each of their ids. */
  readonly #waiting = new Map<number, Waiting>()

  async exchange(text: string, ids: readonly number[], timeout = this.timeout): Promise<unknown> {
    this.#socket ??= this.#open()
    const socket = await this.#socket
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        for (const id of ids) this.#waiting.delete(id)
      }
      const timer = setTimeout(() => {
        end()
        reject(this.failure(`does not answer within ${timeout} ms`))
      }, timeout)
      const waiting: Waiting = {
        socket,
        timer,
        settle: (answer) => {
          end()
          resolve(answer)
        },
        fail: (error) => {
          end()
          reject(error)
        },
      }
      for (const id of ids) this.#waiting.set(id, waiting)
      socket.send(text)
    })
  }

  close(): void {
    for (const socket of this.#sockets) socket.terminate()
  }

  #open(): Promise<WebSocket> {
    const { headers, timeout, lookup } = this
    const limits = { handshakeTimeout: timeout, maxPayload: LONGEST_ANSWER, followRedirects: false }
    const socket = new WebSocket(this.url, { headers, ...limits, lookup })
    this.#sockets.add(socket)
    const lost = (reason: string, kind?: Partial<FailureKind>) => {
      if (this.#socket === opened) this.#socket = undefined
      this.#sockets.delete(socket)
      socket.terminate()
      for (const waiting of new Set(this.#waiting.values()))
        if (waiting.socket === socket) waiting.fail(this.failure(reason, kind))
    }
    socket.on('message', (data: Buffer) => this.#receive(socket, data, lost))
    const opened: Promise<WebSocket> = new Promise((resolve, reject) => {
      socket.once('open', () => resolve(socket))
      socket.on('error', (error) => {
        const isTooMuch = 'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'
        const reason = isTooMuch ? `answers more than ${LONGEST_ANSWER / 2 ** 20} MB` : reasonOf(error)
        const kind = { isTooMuch, mayPass: !isTooMuch && isTemporary(error) }
        lost(reason, kind)
        reject(this.failure(reason, kind))
      })
      socket.once('close', () => {
        lost('has closed the connection')
        reject(this.failure('has closed the connection'))
      })
    })
    return opened
  }

  #receive(socket: WebSocket, data: Buffer, lost: (reason: string) => void): void {
    this.received += data.length
    const answer = tryParse(data.toString('utf8'))
    if (answer === undefined) {
      lost('answers something that is not JSON')
      return
    }
    const [first] = Array.isArray(answer) ? answer : [answer]
    const id: unknown = typeof first === 'object' && first !== null && 'id' in first ? first.id : undefined
    // A batch that is refused as a whole is answered with id null.
    const all = [...new Set(this.#waiting.values())].filter((waiting) => waiting.socket === socket)
    const refused = id === null && all.length === 1 ? all[0] : undefined
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : refused
    waiting?.settle(answer)
  }
}
