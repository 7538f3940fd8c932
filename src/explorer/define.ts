// The definition of a route of the explorer API: one exported const of a file in `routes/`. Its schemas validate the input and
// document the output; no other file contains its path.
import { z } from 'zod'
import type { ExplorerContext } from './context.ts'

type Fields = z.ZodObject
type Method = 'GET' | 'POST' | 'PATCH'
/** Path under /api/v2, parameters in braces: `/blocks/{block_hash_or_number_param}`. */
type Path = `/${string}`

/** The types of a route; `web/api.ts` uses them for the requests of the pages. */
type RouteTypes = {
  readonly method: Method
  readonly path: Path
  readonly params: Fields
  readonly query: Fields
  readonly body: z.ZodType
  readonly response: z.ZodType
}

type Definition<
  M extends Method,
  U extends Path,
  P extends Fields,
  Q extends Fields,
  B extends z.ZodType,
  R extends z.ZodType,
> = {
  /** GET if left out. */
  readonly method?: M
  readonly path: U
  readonly summary: string
  /** Name for generated functions; needed if the name derived from the path is already another route's. */
  readonly operationId?: string
  /** One field for each parameter of the path, with its name in errors. */
  readonly params?: P
  /** Empty values count as absent; unknown names are ignored. Routes with pages extend `pageQuery`. */
  readonly query?: Q
  /** Body of a POST, parsed from JSON or a form. */
  readonly body?: B
  /** Maximum bytes of the body; left out: the server's limit. */
  readonly bodyLimit?: number
  /** The body of an answer with status 200. Throw an `ExplorerError` for other statuses. */
  readonly response: R
  handler(
    input: { readonly params: z.output<P>; readonly query: z.output<Q>; readonly body: z.output<B> },
    context: ExplorerContext,
  ): z.input<R> | Promise<z.input<R>>
}

/** The common members of routes, for the plugin. */
type Mounted<T extends RouteTypes> = {
  readonly method: T['method']
  readonly path: T['path']
  readonly summary: string
  readonly operationId: string | undefined
  readonly params: T['params'] | undefined
  readonly query: T['query'] | undefined
  readonly body: T['body'] | undefined
  readonly bodyLimit?: number | undefined
  readonly response: T['response']
}
type JsonRoute<T extends RouteTypes = RouteTypes> = Mounted<T> & {
  readonly produces: 'application/json'
  handle(input: RouteInput, context: ExplorerContext): Promise<unknown>
}
type CsvRoute<T extends RouteTypes = RouteTypes> = Mounted<T> & {
  readonly produces: 'text/csv'
  /** The file. Its rows are read after the function has returned, so the context stays open until then. */
  table(input: RouteInput, context: ExplorerContext): Promise<CsvTable>
}
type MediaRoute = Mounted<RouteTypes> & {
  readonly produces: 'image/*'
  media(input: RouteInput, context: ExplorerContext): Promise<MediaFile>
}
/** A picture, video or sound. */
export type MediaFile = { readonly type: string; readonly bytes: Uint8Array }
/** A route, by the content type of its answers with status 200. */
export type ExplorerRoute = JsonRoute | CsvRoute | MediaRoute

export type RouteInput = { readonly params: unknown; readonly query: unknown; readonly body: unknown }

/** Creates a route from its definition. The schemas type the handler's input and output, and the requests of `web/`. */
export function explorerRoute<
  const U extends Path,
  M extends Method = 'GET',
  P extends Fields = z.ZodObject<Record<never, never>>,
  Q extends Fields = z.ZodObject<Record<never, never>>,
  R extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodUndefined,
>(definition: Definition<M, U, P, Q, B, R>) {
  // The type and the value have the same default.
  const { method = 'GET' as M, path, summary, operationId, params, query, body, bodyLimit, response } = definition
  type Types = { method: M; path: U; params: P; query: Q; body: B; response: R }
  const route: JsonRoute<Types> = {
    method,
    path,
    summary,
    operationId,
    params,
    query,
    body,
    bodyLimit,
    response,
    produces: 'application/json',
    // The plugin has parsed the input with these schemas.
    handle: async (input, context) => definition.handler(input as Parameters<typeof definition.handler>[0], context),
  }
  return route
}

type CsvDefinition<U extends Path, P extends Fields, Q extends Fields> = {
  readonly path: U
  readonly summary: string
  readonly params: P
  readonly query: Q
  /** Names of the columns: the first line of the file. */
  readonly columns: readonly string[]
  /** The other lines. Errors before it returns are answered; later ones abort the transfer. */
  rows(
    input: { readonly params: z.output<P>; readonly query: z.output<Q> },
    context: ExplorerContext,
  ): AsyncIterable<readonly CsvCell[]> | Promise<AsyncIterable<readonly CsvCell[]>>
}
export type CsvCell = string | number | null
export type CsvTable = { readonly columns: readonly string[]; readonly rows: AsyncIterable<readonly CsvCell[]> }

/** Creates a route that answers with a CSV file (RFC 4180). */
export function csvRoute<const U extends Path, P extends Fields, Q extends Fields>(definition: CsvDefinition<U, P, Q>) {
  const { path, summary, params, query, columns } = definition
  type Types = { method: 'GET'; path: U; params: P; query: Q; body: z.ZodUndefined; response: z.ZodString }
  const route: CsvRoute<Types> = {
    method: 'GET',
    path,
    summary,
    operationId: undefined,
    params,
    query,
    body: undefined,
    response: z.string().describe(`columns: ${columns.join(', ')}`),
    produces: 'text/csv',
    // The plugin has parsed the input with these schemas.
    async table(input, context) {
      const rows = await definition.rows(input as Parameters<typeof definition.rows>[0], context)
      return { columns, rows }
    },
  }
  return route
}

type MediaDefinition<P extends Fields, Q extends Fields> = {
  readonly path: Path
  readonly summary: string
  readonly params: P
  readonly query: Q
  file(
    input: { readonly params: z.output<P>; readonly query: z.output<Q> },
    context: ExplorerContext,
  ): Promise<MediaFile>
}

/** Creates a route that answers with a picture, video or sound, which is untrusted. */
export function mediaRoute<P extends Fields, Q extends Fields>(definition: MediaDefinition<P, Q>): MediaRoute {
  const { path, summary, params, query } = definition
  return {
    method: 'GET',
    path,
    summary,
    operationId: undefined,
    params,
    query,
    body: undefined,
    response: z.string().meta({ contentMediaType: 'image/*' }),
    produces: 'image/*',
    // The plugin has parsed the input with these schemas.
    media: (input, context) => definition.file(input as Parameters<typeof definition.file>[0], context),
  }
}
