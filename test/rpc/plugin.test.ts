// HTTP and WebSocket around the dispatcher, as wallets, web pages and curl rely on them.
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { Explorer } from '../../src/explorer/explorer.ts'
import { defaultExplorerOptions } from '../../src/explorer/options.ts'
import { Hub } from '../../src/explorer/socket/hub.ts'
import type { HttpOptions } from '../../src/faces.ts'
import { defaultRpcOptions, type RpcOptions, type RpcServices } from '../../src/rpc/define.ts'
import { createServer, defaultHttpOptions, type NodeServer } from '../../src/server.ts'

const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() }
const chain = { spec: { chainId: 125n, name: 'kestrel' }, head: { number: 7n } }
const events = { on: () => () => undefined }
const pool = { onPending: () => {}, onRemoved: () => {}, content: () => ({ pending: new Map(), queued: new Map() }) }

let app: NodeServer
let url: string

async function start(options: Partial<RpcOptions> = {}, http: Partial<HttpOptions> = {}) {
  // These tests call eth_chainId only.
  const services = { chain, log, options: { ...defaultRpcOptions, ...options } } as unknown as RpcServices
  const parts = { chain: { ...chain, events, pool }, log, hub: new Hub(), options: defaultExplorerOptions }
  app = createServer({
    rpc: services,
    explorer: new Explorer(parts as unknown as ConstructorParameters<typeof Explorer>[0]),
    http: { ...defaultHttpOptions, ...http },
  })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
}

const CHAIN_ID = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const post = (body: string, init: RequestInit = {}, path = '/rpc') =>
  fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body, ...init })

afterEach(() => app.close())

describe('JSON-RPC over HTTP', () => {
  beforeEach(() => start())

  test.each(['/rpc', '/'])('answers at %s', async (path) => {
    const response = await post(CHAIN_ID, {}, path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch('application/json')
    expect(await response.text()).toBe('{"jsonrpc":"2.0","id":1,"result":"0x7d"}')
  })

  test.each([{}, { 'content-type': 'text/plain' }, { 'content-type': 'nonsense' }])(
    'reads JSON whatever the header says: %j',
    async (headers) => {
      expect(await (await post(CHAIN_ID, { headers: headers as Record<string, string> })).json()).toMatchObject({
        result: '0x7d',
      })
    },
  )

  it('sends errors with status 200', async () => {
    for (const body of ['{', '', '[]', '{"jsonrpc":"2.0","id":1,"method":"nope"}']) {
      const response = await post(body)
      expect(response.status).toBe(200)
      expect(await response.json()).toHaveProperty('error.code')
    }
  })

  it('answers notifications with 204', async () => {
    const response = await post('{"jsonrpc":"2.0","method":"eth_chainId"}')
    expect([response.status, await response.text()]).toEqual([204, ''])
  })

  it('answers a GET of a browser with a line of text', async () => {
    const response = await fetch(`${url}/rpc`)
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('JSON-RPC')])
  })

  it('refuses subscriptions over HTTP', async () => {
    const response = await post('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    expect(await response.json()).toMatchObject({ error: { code: -32601 } })
  })
})

it('refuses a body over the limit as a JSON-RPC error, with status 200', async () => {
  await start({ maxRequestSize: 1000 })
  const response = await post(`{"x":"${'a'.repeat(2000)}"}`)
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ id: null, error: { code: -32600 } })
})

describe('JSON-RPC over WebSocket', () => {
  const connect = async (path = '/rpc') => {
    const socket = new WebSocket(url.replace('http', 'ws') + path)
    const messages: unknown[] = []
    socket.on('message', (message) => messages.push(JSON.parse(String(message))))
    await new Promise((resolve) => socket.on('open', resolve))
    const received = (count: number) => vi.waitFor(() => expect(messages).toHaveLength(count))
    return { socket, messages, received }
  }

  test.each(['/rpc', '/'])('answers at %s', async (path) => {
    await start()
    const { socket, messages, received } = await connect(path)
    socket.send(CHAIN_ID)
    socket.send('{')
    await received(2)
    expect(messages).toContainEqual({ jsonrpc: '2.0', id: 1, result: '0x7d' })
    expect(messages).toContainEqual(
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }),
    )
  })

  it('disconnects a client that does not answer pings', async () => {
    await start({ pingInterval: 0.05 })
    const unresponsive = new WebSocket(url.replace('http', 'ws'), { autoPong: false })
    const closed = new Promise((resolve) => unresponsive.on('close', resolve))
    const { socket } = await connect()
    await closed
    // More pings than the unresponsive client was given.
    for (let pings = 0; pings < 3; pings++) await once(socket, 'ping')
    expect(socket.readyState).toBe(WebSocket.OPEN)
  })

  it('closes connections when the server closes', async () => {
    await start()
    const { socket } = await connect()
    const closed = new Promise((resolve) => socket.on('close', resolve))
    await app.close()
    expect(await closed).toBe(1001)
  })
})
