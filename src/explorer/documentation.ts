// Documentation of the API: the OpenAPI 3.1 document, generated from the routes' schemas, and Swagger UI to browse it.
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { sendPage } from '../http/page-headers.ts'
import { builtFile } from '../lib/built-files.ts'
import type { ExplorerRoute } from './define.ts'

/** Files of swagger-ui-dist that the build copies: 1.6 MB of the package's 11 MB. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
}

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>kestrel explorer API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/api/v2/docs/swagger-ui.css"></head>
<body><div id="ui"></div><script src="/api/v2/docs/swagger-ui-bundle.js"></script>
<script src="/api/v2/docs/start.js"></script></body></html>
`
/** A file of its own, because the page's policy forbids inline scripts. */
const START = "SwaggerUIBundle({ url: '/api/v2/openapi.json', dom_id: '#ui', deepLinking: true })\n"

export async function documentation(
  app: FastifyInstance,
  { routes, version }: { readonly routes: readonly ExplorerRoute[]; readonly version: string },
): Promise<void> {
  let document: string | undefined
  app.get('/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(openApi(routes, version))
    return reply.type('application/json; charset=utf-8').send(document)
  })
  app.get('/docs', (_request, reply) => sendPage(reply, PAGE))
  app.get('/docs/start.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(START))
  for (const [file, type] of Object.entries(ASSETS)) {
    app.get(`/docs/${file}`, async (_request, reply) => {
      const path = builtFile(`docs/${file}`)
      if (path === undefined) return reply.code(404).type('text/plain').send('The page is not built.\n')
      return reply.type(type).send(await readFile(path))
    })
  }
}

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
