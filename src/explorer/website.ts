// Serves the node's own explorer (`web/`): one HTML page for every path, with its script and style. The page reads /api/v2.
import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { sendPage } from '../http/page-headers.ts'
import { builtFile } from '../lib/built-files.ts'
import { hasIbc } from '../spec/block-rules.ts'
import type { Explorer } from './explorer.ts'
import { pagesOf, type SiteTraits } from './pages.ts'

/** Files of the pages: the script, its chunks and the style, as the build names them. */
const ASSET = /^[\w-]+\.(js|css)$/
const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#c2602f" d="M3 21c7-1 10-5 13-12 2 6 6 9 13 10-5 1-8 2-10 5-2-2-4-2-6-1-3 1-6 1-10-2z"/></svg>'

/** `development`: whether the node offers development methods, for which there are pages. */
type Site = Pick<Explorer, 'chain' | 'options'> & { readonly development: boolean }

const traitsOf = ({ chain: { spec }, development }: Site): SiteTraits => ({
  native: spec.native !== undefined,
  ibc: spec.native !== undefined && hasIbc(spec.native),
  development,
})

export async function website(app: FastifyInstance, { site }: { readonly site: Site }): Promise<void> {
  const send = pageSender(site)
  for (const path of pagesOf(traitsOf(site))) {
    // JSON-RPC answers `/`, and calls `landing` for browsers.
    if (path !== '/') app.get(path, (_request, reply) => send(reply))
  }
  app.get('/favicon.svg', (_request, reply) => reply.type('image/svg+xml').send(ICON))
  app.get<{ Params: { name: string } }>('/web/:name', (request, reply) => sendAsset(request.params.name, reply))
  app.setNotFoundHandler((request, reply) => {
    const isBrowser = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
    reply.code(404)
    return isBrowser ? send(reply) : reply.send({ message: 'Not found' })
  })
}

/** Chunk names contain a hash of their content, so browsers may cache them; the entry points are requested again. */
async function sendAsset(name: string, reply: FastifyReply): Promise<FastifyReply> {
  const [, kind] = ASSET.exec(name) ?? []
  const file = kind === undefined ? undefined : builtFile(`web/${name}`)
  if (file === undefined)
    return reply.code(404).type('text/plain').send('There is no such file; are the pages built?\n')
  return reply
    .type(kind === 'css' ? TYPES.css : TYPES.js)
    .header('cache-control', name.startsWith('main.') ? 'no-cache' : 'public, max-age=31536000, immutable')
    .send(await readFile(file))
}

/** Sends the page at `/` to browsers. */
export const landing = (site: Site): ((reply: FastifyReply) => FastifyReply) => pageSender(site)

function pageSender(site: Site): (reply: FastifyReply) => FastifyReply {
  const media = mediaSources(site.options)
  const page = pageOf(site, media)
  return (reply) => sendPage(reply, page, media)
}

/**
 * Sources of token item media other than this node: none, unless the operator lets the node fetch metadata. With others, the
 * reader's browser reveals to the token's issuer that the item is viewed.
 */
function mediaSources({ nftMetadata, ipfsGateway }: Site['options']): readonly string[] {
  if (nftMetadata !== 'fetch') return []
  const gateway = ipfsGateway?.startsWith('http:') === true ? [new URL(ipfsGateway).origin] : []
  return ['https:', ...gateway]
}

/** Escapes text for HTML: names from a genesis file must not become markup. */
const escaped = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const pageOf = ({ chain: { spec }, development }: Site, media: readonly string[]): string => {
  const { name, native } = spec
  return `<!doctype html>
<html lang="en" data-chain="${escaped(name)}" data-coin="${escaped(native?.symbol ?? 'ETH')}" data-prefix="${escaped(native?.bech32Prefix ?? '')}" data-media="${escaped(media.join(' '))}"${development ? ' data-development' : ''}${native?.consensus === undefined ? '' : ' data-network'}${native !== undefined && hasIbc(native) ? ' data-ibc' : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(name)} explorer</title>
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="/web/main.css">
</head>
<body><div id="app"></div><script type="module" src="/web/main.js"></script></body>
</html>
`
}
