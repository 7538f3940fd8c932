// The endpoints as an OpenAPI 3.1 document, from the very schemas that read and describe their values.
import { z } from 'zod'
import type { ExplorerRoute } from './define.ts'

type Json = Readonly<Record<string, unknown>>

const ERRORS: Json = {
  400: { description: 'Bad Request', content: json({ type: 'object', properties: { message: { type: 'string' } } }) },
  404: { description: 'Not Found', content: json({ type: 'object', properties: { message: { type: 'string' } } }) },
  422: {
    description: 'Unprocessable Entity',
    content: json({
      type: 'object',
      properties: { message: { type: 'string' }, errors: { type: 'array', items: { type: 'object' } } },
    }),
  },
  500: { description: 'Internal Server Error' },
}

export function openApi(routes: readonly ExplorerRoute[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    const operations = paths[route.path] ?? {}
    operations[route.method.toLowerCase()] = operation(route)
    paths[route.path] = operations
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'kestrel explorer API',
      version,
      description: 'Blocks, transactions, addresses, tokens and statistics of the chain that this node runs.',
    },
    servers: [{ url: '/api/v2' }],
    paths,
  }
}

function operation(route: ExplorerRoute): Json {
  const { method, path, summary, params, query, body, response } = route
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^\w]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    tags: [path.split('/')[1] ?? ''],
    parameters: [...parameters(params, 'path'), ...parameters(query, 'query')],
    ...(body && { requestBody: { required: true, content: json(schemaOf(body, 'input')) } }),
    responses: { 200: { description: 'Success', content: json(schemaOf(response, 'input')) }, ...ERRORS },
  }
}

function parameters(fields: z.ZodObject | undefined, where: 'path' | 'query'): Json[] {
  return Object.entries(fields?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: where,
    required: where === 'path',
    schema: schemaOf(schema as z.ZodType, 'input'),
  }))
}

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

function json(schema: Json): Json {
  return { 'application/json': { schema } }
}
