// The API's own description: the OpenAPI document, and a page to browse it and try it out.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { sendPage } from '../http/page-headers.ts'
import type { ExplorerRoute } from './define.ts'
import { openApi } from './openapi.ts'

/** Files of the page that are served as the library brings them. */
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
/** A file of its own: pages run no script that stands in them. */
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
    app.get(`/docs/${file}`, async (_request, reply) => reply.type(type).send(await asset(file)))
  }
}

const asset = (file: string): Promise<Buffer> => {
  const home = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  return readFile(join(home, file))
}
