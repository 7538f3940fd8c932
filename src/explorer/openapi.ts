// The OpenAPI 3.1 document, generated from the routes' schemas. A schema with an id (`z.globalRegistry.add(blockSchema, { id:
// 'Block' })`) becomes a component with that name, and its uses references, so that generated clients have named types and the
// document stays small.
import { z } from 'zod'
import { documentedForm } from './codec.ts'
import type { ExplorerRoute } from './define.ts'

type Json = Readonly<Record<string, unknown>>
type Components = Record<string, Json>

/** Groups of the document by first path segment, in this order. */
const TAGS: Readonly<Record<string, string>> = {
  blocks: 'Blocks, with their transactions, messages and withdrawals',
  transactions: 'Transactions, mined and waiting, and what they did',
  addresses: 'Accounts and contracts, and their lists',
  tokens: 'Tokens (ERC-20, ERC-721, ERC-1155), their holders and single items',
  'advanced-filters': 'Transactions, token transfers and messages of the whole chain by many conditions',
  'token-transfers': 'Token transfers of the whole chain',
  'internal-transactions': 'Messages within transactions, of the whole chain',
  'smart-contracts': 'Verified contracts, and verification',
  native: 'The native modules of the chain: staking, governance and the others',
  validators: 'Validators, in the forms that frontends for other chains read',
  withdrawals: 'Withdrawals of the consensus layer (EIP-4895)',
  search: 'Search by name, symbol, address, hash and number',
  stats: 'Figures and charts of the chain',
  'main-page': 'What the first page of an explorer shows',
  'csv-exports': 'Files that are made in the background',
  config: 'Settings that a frontend reads',
  proxy: 'Services that Blockscout offers through its API',
}

/** The body of every error. */
const ERROR_BODY = z
  .object({
    message: z.string(),
    errors: z
      .array(
        z.object({
          title: z.string(),
          source: z.object({ pointer: z.string().describe('the parameter, behind a slash') }),
          detail: z.string(),
        }),
      )
      .optional()
      .describe('of status 422: the fault of each parameter'),
  })
  .meta({ id: 'Error' })

/** Errors by status: name of the component, and description. */
const ERRORS: Readonly<Record<string, readonly [name: string, description: string]>> = {
  400: ['BadRequest', 'The request cannot be read, or lacks a parameter'],
  404: ['NotFound', 'There is no such record'],
  422: ['UnprocessableEntity', 'A parameter is malformed'],
  500: ['InternalServerError', 'A fault of the node'],
  503: ['ServiceUnavailable', 'The node has too much to do, or its disk fails'],
}
/** Errors of routes that do not offer anything. */
const NOT_OFFERED: Readonly<Record<string, readonly [name: string, description: string]>> = {
  401: ['Unauthorized', 'Needs an account; this node has none'],
  403: ['Forbidden', 'Not offered by this node'],
}

/** The document for routes under /api/v2. */
export function openApi(routes: readonly ExplorerRoute[], version: string): Json {
  const schemas: Components = {}
  schemaOf(ERROR_BODY, schemas)
  const paths: Record<string, Record<string, Json>> = {}
  // In order of paths, so that the same routes give the same text.
  for (const route of routes.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
    const operations = paths[route.path] ?? {}
    operations[route.method.toLowerCase()] = operation(route, schemas)
    paths[route.path] = operations
  }
  const shared = shareParameters(paths)
  const tags = [...new Set([...Object.keys(TAGS), ...routes.map(tagOf)])].filter((tag) =>
    routes.some((route) => tagOf(route) === tag),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'kestrel explorer API',
      version,
      description: 'Blocks, transactions, addresses, tokens and statistics of the chain that this node runs.',
    },
    servers: [{ url: '/api/v2' }],
    tags: tags.map((name) => ({ name, ...(TAGS[name] !== undefined && { description: TAGS[name] }) })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      parameters: shared,
      responses: Object.fromEntries(
        Object.values({ ...ERRORS, ...NOT_OFFERED }).map(([name, description]) => [
          name,
          { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
        ]),
      ),
    },
  }
}

const keyOf = ({ path, method }: ExplorerRoute): string => `${path} ${method}`
const tagOf = ({ path }: ExplorerRoute): string => path.split('/')[1] ?? ''

function operation(route: ExplorerRoute, schemas: Components): Json {
  const { summary, params, query, body, response } = route
  const errors = response instanceof z.ZodNever ? NOT_OFFERED : ERRORS
  const content = (schema: z.ZodType, type = 'application/json') => ({ [type]: { schema: schemaOf(schema, schemas) } })
  return {
    operationId: route.operationId ?? operationId(route),
    summary,
    tags: [tagOf(route)],
    parameters: [...parameters(params, 'path', schemas), ...parameters(query, 'query', schemas)],
    ...(body && { requestBody: { required: true, content: content(body) } }),
    responses: {
      ...(!(response instanceof z.ZodNever) && {
        200: { description: 'Success', content: content(response, route.produces) },
      }),
      ...Object.fromEntries(
        Object.entries(errors).map(([status, [name]]) => [status, { $ref: `#/components/responses/${name}` }]),
      ),
    },
  }
}

function parameters(fields: z.ZodObject | undefined, where: 'path' | 'query', schemas: Components): Json[] {
  return Object.entries(fields?.shape ?? {}).map(([name, field]) => {
    const { description, ...schema } = schemaOf(field as z.ZodType, schemas)
    return {
      name,
      in: where,
      required: where === 'path' || !z.safeParse(field, undefined).success,
      ...(description !== undefined && { description }),
      // A list of labels is one value with commas.
      ...(schema.type === 'array' && { style: 'form', explode: false }),
      schema,
    }
  })
}

/** Replaces parameters that several operations have by references, and returns them by name; equal names get a number. */
function shareParameters(paths: Readonly<Record<string, Readonly<Record<string, Json>>>>): Components {
  const lists = Object.values(paths).flatMap((operations) =>
    Object.values(operations).map((each) => each.parameters as Json[]),
  )
  const uses = new Map<string, number>()
  for (const text of lists.flat().map((each) => JSON.stringify(each))) uses.set(text, (uses.get(text) ?? 0) + 1)
  const names = new Map<string, string>()
  const shared: Components = {}
  for (const list of lists) {
    for (const [i, parameter] of list.entries()) {
      const text = JSON.stringify(parameter)
      if ((uses.get(text) ?? 0) < 2) continue
      const alike = Object.keys(shared).filter((name) => name.replace(/\.\d+$/, '') === parameter.name)
      const name = names.get(text) ?? `${parameter.name}${alike.length === 0 ? '' : `.${alike.length + 1}`}`
      names.set(text, name)
      shared[name] = parameter
      list[i] = { $ref: `#/components/parameters/${name}` }
    }
  }
  return shared
}

/** The JSON schema of a value sent or received by clients; schemas with ids are added to the components. */
function schemaOf(schema: z.ZodType, components: Components): Json {
  const made = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      // Every JavaScript integer is a safe integer, so this bound tells clients nothing.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      const form = documentedForm(zodSchema)
      if (form === undefined) return
      for (const name of Object.keys(jsonSchema)) delete jsonSchema[name]
      Object.assign(jsonSchema, form)
    },
  })
  const { $schema: _, $defs = {}, ...rest } = made
  for (const [id, definition] of Object.entries($defs)) components[id] = referring(definition)
  return referring(rest)
}

/** The schema with references to components instead of inline definitions. */
function referring(schema: object): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))
}

/** A name for generated functions: `getAddressTokenTransfers` for `/addresses/{address_hash_param}/token-transfers`. */
function operationId({ method, path }: ExplorerRoute): string {
  const parts = path.split('/').slice(1)
  const words = parts.flatMap((part, i) => {
    if (part.startsWith('{')) return []
    return (parts[i + 1]?.startsWith('{') ? singular(part) : part).split('-')
  })
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('')
}

const singular = (word: string): string => word.replace(/(?<=ss|x)es$|(?<!s)s$/, '')
