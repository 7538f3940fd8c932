// Reports of requests for developers: failures with their reasons in words, and what contracts print in calls. The main thread
// writes them to the log; a read thread, which knows no contracts, hands them over. Bounded, because a client may repeat a
// request forever.
import type { Chain } from '../chain/types.ts'
import { printedBelow, printedLines } from '../contracts/console.ts'
import { callAndValueInWords, messageInWords, revertInWords, type WordedChain } from '../contracts/message-words.ts'
import { type Address, fromHex, type Hex, ZERO_ADDRESS } from '../lib/hex.ts'
import { bounded, type LineBelow, lineWidth } from '../lib/log.ts'
import { decodeSigned } from '../primitives/transaction.ts'
import type { FailedRequest, PrintingCall, RequestReports, RpcServices } from './define.ts'
import { callObject } from './shapes/call.ts'

/** Records of a second; the requests after them are only counted. */
const MOST_IN_SECOND = 20
const SECOND = 1_000

export class LoggedRequests implements RequestReports {
  readonly #chain: Chain
  readonly #contracts: RpcServices['contracts']
  readonly #wallet: RpcServices['wallet']
  readonly #log: RpcServices['log']
  readonly #isDevelopment: boolean
  #reported = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ chain, contracts, wallet, log, options }: RpcServices) {
    this.#chain = chain
    this.#contracts = contracts
    this.#wallet = wallet
    this.#log = log
    this.#isDevelopment = options.development
  }

  /** On a production node refusals would only fill the log. */
  failed(request: FailedRequest): void {
    if (!this.#isDevelopment) this.#log.debug(fieldsOf(request), `failed: ${request.error.message}`)
    else if (this.#mayReport()) void this.#inWords((known) => this.#reportFailed(known, request))
  }

  printed({ method, call, messages: { first, count } }: PrintingCall): void {
    if (!this.#mayReport()) return
    void this.#inWords((known) => {
      const printed = printedLines(first, count - first.length)
      this.#log.info({ method, console: printed.first, lines: printedBelow(printed) }, callInLine(known, call))
    })
  }

  #reportFailed(known: WordedChain, request: FailedRequest): void {
    const { method, params, error } = request
    const message = messageOf(method, params)
    const { code, data } = error
    const isRevert = code === 3 && typeof data === 'string' && /^0x([0-9a-f]{2})+$/.test(data)
    const words = isRevert ? revertInWords(known, message?.to ?? undefined, fromHex(data as Hex)) : undefined
    const reason = words === undefined ? error.message : `execution reverted: ${words}`
    const text = (message && callInLine(known, message)) ?? parametersInLine(fieldsOf(request)['params'])
    const lines: LineBelow[] = text === undefined ? [] : [{ text, colour: 'grey' }]
    this.#log.info({ ...fieldsOf(request), lines }, `failed: ${reason}`)
  }

  /** Does something with names of contracts and accounts. */
  async #inWords(work: (known: WordedChain) => void): Promise<void> {
    try {
      const { view } = await this.#chain.at('latest')
      const accounts = this.#wallet.addresses()
      const nameOf = (of: Address) => {
        const index = accounts.indexOf(of)
        return index < 0 ? undefined : `account ${index}`
      }
      work({ ...this.#contracts, view, spec: this.#chain.spec, nameOf })
    } catch (error) {
      this.#log.error({ err: error }, 'a request cannot be reported')
    }
  }

  #mayReport(): boolean {
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#endSecond(), SECOND).unref()
    return ++this.#reported <= MOST_IN_SECOND
  }

  #endSecond(): void {
    const more = this.#reported - MOST_IN_SECOND
    this.#timer = undefined
    this.#reported = 0
    if (more > 0) this.#log.info({ requests: more }, `… and ${more.toLocaleString('en-US')} more such requests`)
  }
}

/** Parameters of `personal_` methods may be passwords. */
function fieldsOf({ method, params, error }: FailedRequest): Record<string, unknown> {
  return { method, ...(!method.startsWith('personal_') && { params }), error }
}

/** The message of a call or transaction; undefined for other requests. */
function messageOf(method: string, params: unknown): PrintingCall['call'] | undefined {
  const first: unknown = Array.isArray(params) ? params[0] : undefined
  if (method.startsWith('eth_sendRaw')) return typeof first === 'string' ? decoded(first) : undefined
  const { success, data: call } = callObject.safeParse(first)
  if (!success || (call.to == null && call.data == null && call.input == null)) return undefined
  return {
    from: call.from ?? undefined,
    to: call.to,
    value: call.value ?? undefined,
    data: call.input ?? call.data ?? undefined,
  }
}

function decoded(raw: string): PrintingCall['call'] | undefined {
  try {
    return decodeSigned(fromHex(raw as Hex))
  } catch {
    // It may be what the request has failed for.
    return undefined
  }
}

const NO_INPUT = new Uint8Array(0)

function callInLine(
  known: WordedChain,
  { from, to = null, value = 0n, data = NO_INPUT }: PrintingCall['call'],
): string {
  const message = { to, value, input: data }
  // Clients put the zero address in the place of no sender.
  return from === undefined || from === ZERO_ADDRESS
    ? callAndValueInWords(known, message)
    : messageInWords(known, { ...message, from }, lineWidth())
}

/** Most characters of the parameters, and of a text in them: a hash is shown in full. */
const LONGEST = 400
const LONGEST_TEXT = 66

function parametersInLine(params: unknown): string | undefined {
  if (params === undefined || (Array.isArray(params) && params.length === 0)) return undefined
  const short = (_: string, value: unknown) =>
    typeof value === 'string' && value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value
  const text = JSON.stringify(bounded(params), short)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
