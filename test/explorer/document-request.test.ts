// Requests for web documents: which addresses are called, whatever a contract's URL is, and which responses are accepted.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DocumentRequests, defaultDocumentLimits } from '../../src/explorer/metadata/document-request.ts'
import { isPublicAddress } from '../../src/explorer/metadata/public-address.ts'
import { NO_CONNECTION } from '../../src/lib/connection-signal.ts'

describe('public addresses', () => {
  it.each([
    // IANA's special-purpose registries (RFC 6890 and its updates).
    ...['127.0.0.1', '127.255.255.254', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
    ...['0.0.0.0', '100.64.0.1', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
    ...[
      '239.255.255.250',
      '240.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      'fe80::1',
      'fe80::1%eth0',
      'fc00::1',
      'fd12::1',
    ],
    ...['ff02::1', 'fec0::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::1'],
    ...['2001:db8::1', '2001::1', '100::1', 'nonsense', ''],
  ])('%s is none', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '192.167.255.255', '2606:4700::1111', '2a00:1450:4001::8a'])(
    '%s is one',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )
})

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A server on this machine. */
async function serve(handler: Handler): Promise<{ port: number; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, requests }
}

/** Host names; `public.test` resolves to the server, and counts as a public address. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'public.test': ['127.0.0.1'],
  'private.test': ['10.0.0.7'],
  'both.test': ['127.0.0.1', '192.168.0.1'],
}
const network = {
  resolve: async (host: string) => (NAMES[host] ?? []).map((address) => ({ address, family: 4 })),
  isAllowed: (address: string) => address === '127.0.0.1' || isPublicAddress(address),
}
const limits = { ...defaultDocumentLimits, bytes: 1_000, time: 1_000 }
const requests = new DocumentRequests('kestrel/test', undefined, limits, network)
const get = (url: string, by = requests) => by.get(url, NO_CONNECTION)
const json = (response: ServerResponse, body: string, type = 'application/json; charset=utf-8') =>
  response.writeHead(200, { 'content-type': type }).end(body)

describe('a document request', () => {
  it('returns a document, without sending cookies or credentials', async () => {
    const { port, requests: seen } = await serve((_, response) => {
      response.setHeader('set-cookie', 'a=b')
      json(response, '{"name":"one"}')
    })
    const url = `http://public.test:${port}/1`
    for (let i = 0; i < 2; i++)
      expect(await get(url)).toEqual({ url, type: 'application/json', text: '{"name":"one"}' })
    expect(Object.keys(seen[1]?.headers ?? {}).sort()).toEqual([
      ...['accept', 'accept-encoding', 'connection', 'host', 'user-agent'],
    ])
  })

  it.each([
    ['http://127.0.0.1:PORT/', '127.0.0.1 is not a public address'],
    ['http://2130706433:PORT/', '127.0.0.1 is not a public address'],
    ['http://0x7f.1:PORT/', '127.0.0.1 is not a public address'],
    ['http://[::1]:PORT/', '::1 is not a public address'],
    ['http://[::ffff:7f00:1]:PORT/', 'is not a public address'],
    ['http://localhost:PORT/', 'localhost is not a public address'],
    ['http://localhost:22/', 'port 22'],
    ['http://user:word@example.org/', 'a URL with credentials'],
    ['file:///etc/passwd', 'not an http(s) URL'],
    ['gopher://localhost:PORT/', 'not an http(s) URL'],
    ['nonsense', 'not an http(s) URL'],
  ])('is not sent to %s', async (url, reason) => {
    const { port, requests: seen } = await serve((_, response) => json(response, '{}'))
    await expect(get(url.replace('PORT', String(port)), new DocumentRequests('kestrel/test'))).rejects.toThrow(reason)
    expect(seen).toEqual([])
  })

  it('is not sent to a name if any of its addresses is private', async () => {
    await expect(get('http://private.test/')).rejects.toThrow('private.test is not a public address')
    await expect(get('http://both.test/')).rejects.toThrow('both.test is not a public address')
    await expect(get('http://unknown.test/')).rejects.toThrow('unknown.test has no address')
  })

  it('follows at most three redirects, and none to a private address', async () => {
    const { port, requests: seen } = await serve(({ url = '' }, response) => {
      const left = Number(url.slice(1))
      if (url === '/private') response.writeHead(302, { location: 'http://private.test/' }).end()
      else if (url === '/file') response.writeHead(302, { location: 'file:///etc/passwd' }).end()
      else if (url === '/metal') response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end()
      else if (left > 0) response.writeHead(301, { location: `/${left - 1}` }).end()
      else json(response, '{"end":true}')
    })
    const at = (path: string) => get(`http://public.test:${port}${path}`)
    expect(await at('/3')).toMatchObject({ text: '{"end":true}', url: `http://public.test:${port}/0` })
    await expect(at('/4')).rejects.toThrow('more than 3 redirects')
    await expect(at('/private')).rejects.toThrow('private.test is not a public address')
    await expect(at('/metal')).rejects.toThrow('169.254.169.254 is not a public address')
    await expect(at('/file')).rejects.toThrow('not an http(s) URL')
    expect(seen).toHaveLength(4 + 4 + 3)
  })

  it('accepts documents and images within the limits of size and time', async () => {
    const { port } = await serve(({ url }, response) => {
      if (url === '/large') json(response, 'x'.repeat(1_001))
      else if (url === '/full') json(response, 'x'.repeat(1_000))
      else if (url === '/html') json(response, '<html>', 'text/html')
      else if (url === '/plain') json(response, '{}', 'text/plain')
      else if (url === '/picture') json(response, 'PNG'.repeat(10_000), 'image/png')
      else if (url === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
      else if (url === '/missing') response.writeHead(404).end()
      else if (url === '/slow') response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    })
    const at = (path: string) => get(`http://public.test:${port}${path}`)
    expect((await at('/full')).text).toHaveLength(1_000)
    expect((await at('/plain')).text).toBe('{}')
    expect(await at('/picture')).toMatchObject({ type: 'image/png', text: '' })
    await expect(at('/large')).rejects.toThrow('more than 1000 bytes')
    await expect(at('/html')).rejects.toThrow('content type text/html')
    await expect(at('/gzip')).rejects.toThrow('content encoding gzip')
    await expect(at('/missing')).rejects.toThrow('status 404')
    const startedAt = performance.now()
    await expect(at('/slow')).rejects.toThrow()
    await expect(at('/silent')).rejects.toThrow()
    expect(performance.now() - startedAt).toBeLessThan(4_000)
  })

  it('may request files of a private gateway, but not follow its redirects', async () => {
    const { port, requests: seen } = await serve(({ url }, response) => {
      if (url === '/ipfs/away') response.writeHead(302, { location: '/admin' }).end()
      else json(response, '{}')
    })
    const gateway = `http://127.0.0.1:${port}/ipfs/`
    const trusting = new DocumentRequests('kestrel/test', gateway)
    expect((await get(`${gateway}cid`, trusting)).text).toBe('{}')
    await expect(get(`${gateway}away`, trusting)).rejects.toThrow('127.0.0.1 is not a public address')
    await expect(get(`http://127.0.0.1:${port}/admin`, trusting)).rejects.toThrow('127.0.0.1 is not a public address')
    await expect(get(`${gateway}../admin`, trusting)).rejects.toThrow('127.0.0.1 is not a public address')
    expect(seen.map(({ url }) => url)).toEqual(['/ipfs/cid', '/ipfs/away'])
  })
})
