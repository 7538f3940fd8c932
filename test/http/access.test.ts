// Access control: the rules, and that JSON-RPC, REST and WebSockets apply them to every form of request.
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, test } from 'vitest'
import { WebSocket } from 'ws'
import type { HttpOptions } from '../../src/faces.ts'
import { accessOf, LOCAL, originsOf } from '../../src/http/access.ts'
import { account, testChain } from '../support/chain.ts'

const EXTENSION = 'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn'
const EVIL = 'http://evil.example'

describe('the access rules', () => {
  const byDefault = accessOf({ origins: originsOf(undefined, false), hosts: [] })
  const withKeys = accessOf({ origins: originsOf(undefined, true), hosts: [] })

  test.each([
    ['127.0.0.1:8545', undefined],
    ['127.0.0.1', undefined],
    ['192.168.1.20:8545', undefined],
    ['[::1]:8545', undefined],
    ['[fe80::1]', undefined],
    ['localhost:8545', undefined],
    ['LocalHost', undefined],
    ['localhost.:8545', undefined],
    ['node.localhost', undefined],
    ['evil.example:8545', 'host'],
    ['127.0.0.1.evil.example', 'host'],
    ['localhost.evil.example', 'host'],
    ['evillocalhost', 'host'],
    ['127.0.0.1@evil.example', 'host'],
    ['[::1].evil.example', 'host'],
    // Not in the notation of an address, so resolved as a name.
    ['2130706433', 'host'],
    ['127.1', 'host'],
    ['', 'host'],
    ['kestrel:8545', 'host'],
  ])('host %j: %j', (host, denial) => expect(byDefault(undefined, host)).toBe(denial))

  test.each([
    ['http://localhost:3000', undefined],
    ['https://localhost', undefined],
    ['http://127.0.0.1:9999', undefined],
    ['http://[::1]:3000', undefined],
    ['http://app.localhost:3000', undefined],
    [EXTENSION, undefined],
    ['moz-extension://0b1a2c3d-0000-4000-8000-000000000000', undefined],
    [EVIL, 'origin'],
    ['http://localhost.evil.example', 'origin'],
    ['http://127.0.0.1.evil.example', 'origin'],
    ['http://evil.example:8545', 'origin'],
    ['http://192.168.1.20:3000', 'origin'],
    ['null', 'origin'],
    ['', 'origin'],
    ['http://localhost:3000, http://localhost:3000', 'origin'],
  ])('origin %j: %j; with an unlocked key: never', (origin, denial) => {
    expect(byDefault(origin, '127.0.0.1:8545')).toBe(denial)
    expect(withKeys(origin, '127.0.0.1:8545')).toBe('origin')
  })

  it("allow the node's pages under the host name that the browser used", () => {
    for (const host of ['127.0.0.1:8545', '[::1]:8545', 'localhost', '192.168.1.20:8545']) {
      expect(withKeys(`http://${host}`, host)).toBeUndefined()
      expect(withKeys(`https://${host}`, host)).toBeUndefined()
    }
    expect(withKeys('http://127.0.0.1:3000', '127.0.0.1:8545')).toBe('origin')
    expect(withKeys('http://evil.example:8545', 'evil.example:8545')).toBe('host')
  })

  it('allow listed origins and hosts only', () => {
    const access = accessOf({ origins: ['https://app.example', 'null'], hosts: ['node.example'] })
    expect(access('https://app.example', 'node.example:8545')).toBeUndefined()
    expect(access('null', 'NODE.example')).toBeUndefined()
    expect(access('https://app.example:444', 'node.example')).toBe('origin')
    expect(access('http://localhost:3000', 'node.example')).toBe('origin')
    expect(accessOf({ origins: ['*'], hosts: [] })(EVIL, 'localhost')).toBeUndefined()
    expect(accessOf({ origins: ['*'], hosts: [] })(EVIL, 'evil.example')).toBe('host')
    expect(accessOf({ origins: [LOCAL], hosts: ['*'] })(undefined, 'any.example')).toBeUndefined()
  })

  it('allow HTTP/1.0 without a Host', () => expect(byDefault(undefined, undefined)).toBeUndefined())
})

/** Status and body of one request, sent as bytes. */
async function ask(url: string, lines: readonly string[], body = ''): Promise<{ status: number; text: string }> {
  const { port } = new URL(url)
  const socket = connect({ port: Number(port), host: '127.0.0.1' })
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  const length = body === '' ? [] : [`Content-Length: ${body.length}`]
  socket.write([...lines, ...length, 'Connection: close', '', body].join('\r\n'))
  await once(socket, 'close')
  return { status: Number(text.split(' ')[1]), text }
}

const SEND = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_sendTransaction',
  params: [{ from: account(0).address, to: account(1).address, value: '0x1' }],
})
const TYPES = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '',
]
const FACES = ['/', '/rpc', '/api/eth-rpc']
const OTHER_FACES = [
  ...['POST /api?module=contract&action=verifysourcecode', 'GET /api?module=stats&action=ethsupply'],
  ...['GET /api/v2/stats', 'POST /api/v2/smart-contracts/0x00/verification/via/flattened-code', 'GET /api/v2/docs'],
  ...['GET /', 'GET /blocks', 'GET /web/main.js', 'GET /nowhere', 'OPTIONS /rpc', 'OPTIONS /api/v2/stats'],
  ...['PUT /rpc', 'GET /socket/v2/websocket'],
]
const FOREIGN: [string, readonly string[]][] = [
  ['a foreign origin', ['Host: 127.0.0.1', `Origin: ${EVIL}`]],
  ['an opaque origin', ['Host: 127.0.0.1', 'Origin: null']],
  ['a foreign host', ['Host: evil.example']],
  ['a foreign host that is its origin', ['Host: evil.example', `Origin: ${EVIL}`]],
]

describe.each(FOREIGN)('a request with %s', (_what, headers) => {
  it('is refused by JSON-RPC, REST and WebSockets before it runs', async () => {
    const { url, rpc } = await testChain()
    for (const path of FACES) {
      for (const type of TYPES) {
        const given = type === '' ? headers : [...headers, `Content-Type: ${type}`]
        const { status, text } = await ask(url, [`POST ${path} HTTP/1.1`, ...given], SEND)
        expect(status, `${path} ${type}`).toBe(403)
        expect(text).not.toMatch(/access-control-allow-origin/i)
        expect(text).toContain('may not')
      }
    }
    for (const face of OTHER_FACES) {
      const { status, text } = await ask(url, [`${face} HTTP/1.1`, ...headers])
      expect(status, face).toBe(403)
      expect(text).not.toMatch(/access-control-allow/i)
    }
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    expect(await rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  })

  test.each(['/', '/rpc', '/socket/v2/websocket'])('opens no WebSocket at %s', async (path) => {
    const { url } = await testChain()
    const named = Object.fromEntries(headers.map((line) => line.split(': ')))
    const socket = new WebSocket(url.replace('http', 'ws') + path, { headers: named })
    const [, response] = await once(socket, 'unexpected-response')
    expect(response.statusCode).toBe(403)
    await once(response.socket, 'close')
  })
})

it('a refused request is answered in the format of its interface', async () => {
  const { url } = await testChain()
  const refused = (path: string) => fetch(url + path, { method: 'POST', headers: { origin: EVIL }, body: SEND })
  expect(await (await refused('/rpc')).json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } })
  expect(await (await refused('/api/v2/search')).json()).toEqual({ message: expect.stringContaining('--cors-origins') })
  expect(await (await refused('/api')).json()).toMatchObject({ status: '0', message: 'NOTOK' })
})

it('a request with two Host headers is refused', async () => {
  const { url } = await testChain()
  const { status } = await ask(url, ['POST / HTTP/1.1', 'Host: localhost', 'Host: localhost'], SEND)
  expect(status).toBe(400)
})

describe('an allowed page', () => {
  const preflight = (url: string, path: string, origin: string) =>
    fetch(url + path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        // Headers that Blockscout's frontend and wallets request.
        'access-control-request-headers': 'content-type,updated-gas-oracle',
        'access-control-request-private-network': 'true',
      },
    })

  test.each([
    ['http://localhost:3000', {}],
    [EXTENSION, {}],
    ['https://app.example', { origins: ['https://app.example'] }],
    ['null', { origins: ['null'] }],
    ['https://any.example', { origins: ['*'] }],
  ] satisfies [string, Partial<HttpOptions>][])(
    'of %s gets its origin in the CORS headers, on every face',
    async (origin, http) => {
      const { url } = await testChain({ http })
      for (const path of ['/', '/rpc', '/api', '/api/v2/stats', '/api/eth-rpc']) {
        const { status, headers } = await preflight(url, path, origin)
        expect(status).toBe(204)
        expect(headers.get('access-control-allow-origin')).toBe(origin)
        expect(headers.get('access-control-allow-methods')).toContain('POST')
        expect(headers.get('access-control-allow-headers')).toBe('content-type,updated-gas-oracle')
        expect(headers.get('access-control-allow-private-network')).toBe('true')
      }
      const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
      for (const init of [{ method: 'POST', body }, {}]) {
        for (const path of init.body === undefined
          ? ['/', '/api?module=stats&action=ethsupply', '/api/v2/stats']
          : FACES) {
          const { status, headers } = await fetch(url + path, { ...init, headers: { origin } })
          expect(status).toBe(200)
          expect(headers.get('access-control-allow-origin')).toBe(origin)
          expect(headers.get('vary')).toContain('Origin')
          expect(headers.get('x-content-type-options')).toBe('nosniff')
        }
      }
      const socket = new WebSocket(`${url.replace('http', 'ws')}/rpc`, { origin })
      await once(socket, 'open')
      socket.close()
    },
  )
})

it('a GET of the Etherscan API does no work of the node, because an image in a page of another site sends it without an Origin', async () => {
  const { url } = await testChain()
  const get = async (query: string) => (await fetch(`${url}/api?${query}`)).json()
  const refused = { status: '0', result: expect.stringContaining('POST') }
  expect(await get('module=contract&action=verifySourceCode&contractaddress=0x00')).toMatchObject(refused)
  const unsigned = { to: account(1).address, gas: 21_000n, gasPrice: 10n ** 10n, chainId: 125 }
  // A raw transaction is allowed: it is already signed, and the node only forwards it.
  const hex = await account(0).signTransaction(unsigned)
  const sent = await get(`module=proxy&action=eth_sendRawTransaction&hex=${hex}`)
  expect(sent).toMatchObject({ result: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
})
