// Documentation of the API: the OpenAPI document (`openapi.ts`), and Swagger UI to browse it.
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { sendPage } from '../http/page-headers.ts'
import { builtFile } from '../lib/built-files.ts'
import type { ExplorerRoute } from './define.ts'
import { openApi } from './openapi.ts'

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
/** A separate file, because the page's policy forbids inline scripts. */
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
