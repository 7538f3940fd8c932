// Requests of the pages to the node. The path of a request determines the types of its parameters and answer, from the route's
// schemas on the node (`src/explorer/routes`), of which only types are imported. JSON-RPC is in `rpc.ts`.
import { useEffect, useState } from 'preact/hooks'
import type { z } from 'zod'
import type { ApiRoute } from '../src/explorer/routes/index.ts'
import type * as statisticsRoutes from '../src/explorer/v1/routes.ts'

export { useBlockVersion, useEventCount, useHead, useLive } from './live.ts'

type StatisticsRoute = (typeof statisticsRoutes)[keyof typeof statisticsRoutes]
type Route = ApiRoute | StatisticsRoute

type At<R extends Route, M extends Route['method']> = {
  [Each in Extract<R, { readonly method: M }> as Each['path']]: Each
}
type Gets = At<ApiRoute, 'GET'>
type StatisticsGets = At<StatisticsRoute, 'GET'>

type AnswerOf<R> = R extends Route ? z.output<R['response']> : never
/** The input of a schema. Zod types a schema without fields as a record of `never`, which would exclude all parameters. */
type Fields<S> = S extends z.ZodType ? (string extends keyof z.input<S> ? unknown : z.input<S>) : never
/** Parameters are text in a URL; a number is accepted for a parameter of arbitrary text. */
type InUrl<F> = { readonly [N in keyof F]: string extends F[N] ? F[N] | number : F[N] }
/** Parameters of the path and of the query together. */
type ParametersOf<R> = R extends Route
  ? InUrl<Fields<NonNullable<R['params']>>> & InUrl<Fields<NonNullable<R['query']>>>
  : never
/** The parameters as an argument, optional if all of them are. */
type Argument<P> = Record<never, never> extends P ? [parameters?: P] : [parameters: P]

/** The answer at a path: `Answer<'/stats'>`. */
export type Answer<P extends keyof Gets> = AnswerOf<Gets[P]>
/** An item of the list at a path. */
type Item<P extends keyof Gets> = Answer<P> extends { items: readonly (infer T)[] } ? T : never

/** A page of a list. */
export type List<T> = {
  items: T[]
  next_page_params: { page: number; items_count: number; anchor?: number | undefined } | null
  total_count?: number | undefined
}

export type Activity = Item<'/advanced-filters'>
export type Account = Answer<'/addresses/{address_hash_param}'>
export type AccountCounters = Answer<'/addresses/{address_hash_param}/tabs-counters'>
export type Block = Answer<'/blocks/{block_hash_or_number_param}'>
export type CastVote = Item<'/native/addresses/{address}/votes'>
export type Client = Answer<'/native/clients/{client}'>
export type ClientChange = Item<'/native/clients/{client}/history'>
export type Chart = Answer<'/stats/charts/transactions'>
export type ChartLine = AnswerOf<StatisticsGets['/lines/{name}']>
export type ChartSections = AnswerOf<StatisticsGets['/lines']>
export type CoinChange = Item<'/addresses/{address_hash_param}/coin-balance-history'>
export type Commit = Answer<'/native/blocks/{block_hash_or_number_param}/commit'>
export type Contract = Answer<'/smart-contracts/{address_hash_param}'>
export type Delegation = Item<'/native/validators/{address}/delegations'>
export type Denomination = Item<'/native/denominations'>
export type Grant = Item<'/native/addresses/{address}/grants'>
export type Holder = Item<'/tokens/{address_hash_param}/holders'>
export type InternalTransaction = Item<'/internal-transactions'>
export type Log = Item<'/transactions/{transaction_hash_param}/logs'>
export type ModuleAccount = Item<'/native/modules'>
export type NativeAccount = Answer<'/native/addresses/{address}'>
export type ListedOperation = Item<'/proxy/account-abstraction/operations'>
export type OpcodeProposal = Item<'/native/opcode-proposals'>
export type Packet = Item<'/native/transfers'>
export type ParameterChange = Item<'/native/parameters/history'>
export type Proposal = Answer<'/native/proposals/{id}'>
export type ProposalDeposit = Item<'/native/proposals/{id}/deposits'>
export type ProposalVote = Item<'/native/proposals/{id}/votes'>
export type Redelegation = Item<'/native/validators/{address}/redelegations'>
export type SearchHit = Item<'/search'>
export type StateChange = Item<'/transactions/{transaction_hash_param}/state-changes'>
export type Stats = Answer<'/stats'>
export type StorageChange = Item<'/smart-contracts/{address_hash_param}/storage/history'>
export type StorageVariable = Item<'/smart-contracts/{address_hash_param}/storage'>
export type Token = Answer<'/tokens/{address_hash_param}'>
export type TokenBalance = Answer<'/addresses/{address_hash_param}/token-balances'>[number]
export type TokenInstance = Item<'/tokens/{address_hash_param}/instances'>
export type TopAccount = Item<'/addresses'>
export type Trace = Answer<'/transactions/{transaction_hash_param}/raw-trace'>[number]
export type Transaction = Answer<'/transactions/{transaction_hash_param}'>
export type Transfer = Item<'/tokens/{address_hash_param}/transfers'>
export type Unbonding = Item<'/native/validators/{address}/unbondings'>
export type UserOperation = Answer<'/proxy/account-abstraction/operations/{operation_hash_param}'>
export type Validator = Answer<'/native/validators/{address}'>
export type ValidatorRef = Delegation['validator']
export type ValidatorVote = Item<'/native/validators/{address}/votes'>
export type VerificationConfig = Answer<'/smart-contracts/verification/config'>
export type VerifiedContract = Item<'/smart-contracts'>
export type Withdrawal = Item<'/withdrawals'>

/** An address within another record. */
export type EmbeddedAddress = Transaction['from']
/** A token within another record: its decimals are text there, and a number in the record of the token itself. */
export type EmbeddedToken = Transfer['token']
export type Decoded = NonNullable<Transaction['decoded_input']>

/** A request, not sent yet. */
export type Read<T> = {
  /** Equal for equal requests. */
  readonly key: string
  load(): Promise<T>
}
/** A read of the explorer's API. */
export type ApiRead<T> = Read<T> & { readonly url: string }

export class NotFound extends Error {}

/** Throws NotFound for a record that does not exist or an invalid path. */
function requireSuccess({ ok, status, url }: Response): void {
  if (status === 404 || status === 422) throw new NotFound(new URL(url).pathname)
  if (!ok) throw new Error(`The node answered with status ${status}.`)
}

function readOf<T>(url: string): ApiRead<T> {
  const load = async (): Promise<T> => {
    // Answers may be cached for a second; a page that reads again because of a new block must not get the old answer.
    const response = await fetch(url, { cache: 'no-cache' })
    requireSuccess(response)
    // The type comes from the node's schema, and the tests compare all answers with the schemas.
    return (await response.json()) as T
  }
  return { key: url, url, load }
}

/** The URL of a route: parameters in its path are inserted there, the others are the query. */
function urlOf(base: string, path: string, parameters: Readonly<Record<string, unknown>> = {}): string {
  const query = new URLSearchParams()
  const filled = Object.entries(parameters).reduce((url, [name, value]) => {
    const place = `{${name}}`
    if (value === undefined) return url
    if (url.includes(place)) return url.replace(place, () => encodeURIComponent(String(value)))
    query.set(name, String(value))
    return url
  }, path)
  return query.size === 0 ? `${base}${filled}` : `${base}${filled}?${query}`
}

/** A read of a route under /api/v2: `api('/tokens/{address_hash_param}/holders', { address_hash_param, items_count: 8 })`. */
export const api = <P extends keyof Gets>(
  path: P,
  ...[parameters]: Argument<ParametersOf<Gets[P]>>
): ApiRead<AnswerOf<Gets[P]>> => readOf(urlOf('/api/v2', path, parameters))

/** A read of Blockscout's statistics, which are under /api/v1. */
export const statistics = <P extends keyof StatisticsGets>(
  path: P,
  ...[parameters]: Argument<ParametersOf<StatisticsGets[P]>>
): ApiRead<AnswerOf<StatisticsGets[P]>> => readOf(urlOf('/api/v1', path, parameters))

/** A page of a list, in the same order and with the same filters. */
export const atPage = <L extends List<unknown>>({ url }: ApiRead<L>, page: number, anchor = ''): ApiRead<L> =>
  readOf(`${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams({ page: String(page), anchor })}`)

/** The fields that a body's schema names, without other permitted fields. */
type Named<F> = F extends unknown ? keyof { [N in keyof F as string extends N ? never : N]: N } : never
type Form<R> = {
  readonly fields: { readonly [N in R extends Route ? Named<z.input<NonNullable<R['body']>>> : never]?: string }
  readonly files: readonly { readonly field: string; readonly content: Blob; readonly path: string }[]
}

/** Sends a POST or PATCH to a route under /api/v2 and returns its answer. Throws Error with the node's reason for a refusal. */
export async function act<M extends 'POST' | 'PATCH', P extends keyof At<ApiRoute, M>>(
  method: M,
  path: P & string,
  parameters: ParametersOf<At<ApiRoute, M>[P]>,
  form?: Form<At<ApiRoute, M>[P]>,
): Promise<AnswerOf<At<ApiRoute, M>[P]>> {
  const body = form && formData(form)
  const response = await fetch(urlOf('/api/v2', path, parameters), { method, ...(body && { body }) })
  if (!response.ok) throw new Error(await refusal(response))
  return (await response.json()) as AnswerOf<At<ApiRoute, M>[P]>
}

function formData({ fields, files }: Form<unknown>): FormData {
  const data = new FormData()
  for (const [name, text] of Object.entries<string>(fields)) data.set(name, text)
  for (const { field, content, path } of files) data.set(field, content, path)
  return data
}

/** The node's reason for a refusal: `{ message, errors: [{ title, detail }] }`. */
async function refusal(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined)
  if (typeof body !== 'object' || body === null) return `The node answered with status ${response.status}.`
  const errors: unknown = Reflect.get(body, 'errors')
  const details = Array.isArray(errors) ? errors.map((error: unknown) => detailOf(error)) : []
  const words = details.filter((detail) => detail !== '')
  return words.length > 0 ? words.join('\n') : String(Reflect.get(body, 'message'))
}

const detailOf = (error: unknown): string =>
  typeof error === 'object' && error !== null ? String(Reflect.get(error, 'detail') ?? '') : ''

export type Reading<T> = { data: T | undefined; error: Error | undefined }

/**
 * The answer of a request, read again whenever the request or the version changes; undefined without a request. After a new
 * version the old data is shown until the new data arrives.
 */
export const useRead = <T>(read: Read<T> | undefined, version = 0): Reading<T> => {
  const key = read?.key
  const [reading, setReading] = useState<Reading<T> & { key: string | undefined }>({
    key,
    data: undefined,
    error: undefined,
  })
  useEffect(() => {
    if (read === undefined) return
    let isCurrent = true
    read.load().then(
      (data) => isCurrent && setReading({ key, data, error: undefined }),
      (error: Error) => isCurrent && setReading({ key, data: undefined, error }),
    )
    return () => {
      isCurrent = false
    }
  }, [key, version])
  return reading.key === key ? reading : { data: undefined, error: undefined }
}
