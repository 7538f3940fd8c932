// What a route of the explorer API is: one exported const of a file in `routes/`. Its schemas validate what comes in and
// document what goes out, and no other file contains its path.
import type { z } from 'zod'
import type { ExplorerContext } from './context.ts'

type Fields = z.ZodObject
type Method = 'GET' | 'POST' | 'PATCH'

/** An answer that is no JSON. The schema of its route is of its content as text, with `contentMediaType`. */
export class RawAnswer {
  readonly type: string
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>

  constructor(type: string, body: Uint8Array, headers: Readonly<Record<string, string>> = {}) {
    this.type = type
    this.body = body
    this.headers = headers
  }
}

type Definition<P extends Fields, Q extends Fields, B extends z.ZodType, R extends z.ZodType> = {
  readonly method?: Method
  /** Below /api/v2, parameters in braces: `/blocks/{block_hash_or_number_param}`. */
  readonly path: `/${string}`
  readonly summary: string
  /** One field for each parameter of the path, under the name that error answers give. */
  readonly params?: P
  /** Empty values count as absent; unknown names are ignored. Routes with pages extend `pageQuery`. */
  readonly query?: Q
  /** Body of a POST, parsed from JSON or a form. */
  readonly body?: B
  /** The body of an answer with status 200. Other statuses are thrown as `ExplorerError`. */
  readonly response: R
  handler(
    input: { readonly params: z.output<P>; readonly query: z.output<Q>; readonly body: z.output<B> },
    context: ExplorerContext,
  ): z.input<R> | RawAnswer | Promise<z.input<R> | RawAnswer>
}

/** A route as the plugin mounts it. Of the definition's types only the response's remains, for `web/`. */
export type ExplorerRoute<R extends z.ZodType = z.ZodType> = {
  readonly method: Method
  readonly path: `/${string}`
  readonly summary: string
  readonly params: Fields | undefined
  readonly query: Fields | undefined
  readonly body: z.ZodType | undefined
  readonly response: R
  handle(input: RouteInput, context: ExplorerContext): Promise<unknown>
}

export type RouteInput = { readonly params: unknown; readonly query: unknown; readonly body: unknown }

/** Makes a route of its definition. The schemas type the handler's input and output, and the answer for `web/`. */
export function explorerRoute<
  P extends Fields = z.ZodObject<Record<never, never>>,
  Q extends Fields = z.ZodObject<Record<never, never>>,
  R extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodUndefined,
>(definition: Definition<P, Q, B, R>): ExplorerRoute<R> {
  const { method = 'GET', path, summary, params, query, body, response } = definition
  return {
    method,
    path,
    summary,
    params,
    query,
    body,
    response,
    // The plugin has parsed the input with these schemas.
    handle: async (input, context) => definition.handler(input as Parameters<typeof definition.handler>[0], context),
  }
}
