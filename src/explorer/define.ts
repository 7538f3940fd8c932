// What an endpoint of the explorer API is, and what it may use. An endpoint is one exported const of a file of `routes/`:
// its schemas read what comes in and document what goes out, and its path stands nowhere else.
import type { z } from 'zod'
import type { Chain } from '../chain/types.ts'
import type { Logger } from '../lib/log.ts'
import type { WorkQueue } from '../lib/work-queue.ts'
import type { SealedHeader } from '../primitives/types.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import type { KvReader, StateView } from '../state/types.ts'
import type { Verification } from './contracts/verification.ts'
import type { Prices } from './prices.ts'
import type { Hub } from './socket/hub.ts'

export type ExplorerOptions = {
  /** This program's version: `0.1.0`. */
  readonly version: string
  /** Folder with compilers beside the one that comes with the program. */
  readonly compilers: string | undefined
  /** Milliseconds of processor time that one run of a compiler may take. */
  readonly compileTime: number
  /** What the operator knows of prices; nothing is ever made up. */
  readonly prices: Prices | undefined
}

export const defaultExplorerOptions: ExplorerOptions = {
  version: '0.1.0',
  compilers: undefined,
  compileTime: 60_000,
  prices: undefined,
}

/** What the node hands to this face. */
export type ExplorerServices = {
  readonly chain: Chain
  readonly options: ExplorerOptions
  /** The places of heavy work; those of JSON-RPC are the same. */
  readonly queue: WorkQueue
  /** Who listens to live updates. */
  readonly hub: Hub
  /** Who shows that sources make a contract's code; undefined: nobody does here. */
  readonly verification?: Verification | undefined
  readonly log: Pick<Logger, 'error' | 'warn' | 'info' | 'debug'>
}

/** Everything a handler may use. All of it is of one moment: whatever is committed meanwhile is not seen. */
export type ExplorerContext = ExplorerServices & {
  readonly spec: ChainSpec
  /** The readers' tables. */
  readonly rows: KvReader
  readonly head: SealedHeader
  /** The state after the head; a copy that nobody else writes on. */
  readonly view: StateView
  /**
   * Runs heavy work when it has a place in the queue. `caller` is aborted when the connection of the request is closed. Throws
   * ChainError `overloaded` and `cancelled`. To be called by nothing that has a place.
   */
  readonly heavy: <T>(work: (caller: AbortSignal) => Promise<T>) => Promise<T>
  /** Headers of the request that negotiate a dialect, in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Network address of who asks; empty where it is the node itself. */
  readonly client: string
}

type Fields = z.ZodObject

type Definition<P extends Fields, Q extends Fields, B extends z.ZodType, R extends z.ZodType> = {
  readonly method?: 'GET' | 'POST'
  /** Below /api/v2, parameters in braces: `/blocks/{block_hash_or_number_param}`. */
  readonly path: `/${string}`
  readonly summary: string
  /** One field for each parameter of the path; its name is what errors point at. */
  readonly params?: P
  /** Empty values count as absent; unknown names are ignored. */
  readonly query?: Q
  /** Of a POST, parsed from JSON or a form. */
  readonly body?: B
  /** What is answered with status 200. */
  readonly response: R
  handler(
    input: { readonly params: z.output<P>; readonly query: z.output<Q>; readonly body: z.output<B> },
    context: ExplorerContext,
  ): z.input<R> | Promise<z.input<R>>
}

/** An endpoint as the plugin mounts it; the types of its values are settled inside. */
export type ExplorerRoute = {
  readonly method: 'GET' | 'POST'
  readonly path: `/${string}`
  readonly summary: string
  readonly params: Fields | undefined
  readonly query: Fields | undefined
  readonly body: z.ZodType | undefined
  readonly response: z.ZodType
  handle(input: RouteInput, context: ExplorerContext): Promise<unknown>
}

export type RouteInput = { readonly params: unknown; readonly query: unknown; readonly body: unknown }

/** Makes an endpoint of its definition; the handler's input and output are typed by the schemas. */
export function explorerRoute<
  P extends Fields = z.ZodObject<Record<never, never>>,
  Q extends Fields = z.ZodObject<Record<never, never>>,
  R extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodUndefined,
>(definition: Definition<P, Q, B, R>): ExplorerRoute {
  const { method = 'GET', path, summary, params, query, body, response } = definition
  return {
    method,
    path,
    summary,
    params,
    query,
    body,
    response,
    // The plugin has parsed the three with these very schemas.
    handle: async (input, context) => definition.handler(input as Parameters<typeof definition.handler>[0], context),
  }
}
