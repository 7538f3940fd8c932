// One WebSocket connection: subscriptions, and clients that do not read.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { Budget } from '../../src/lib/budget.ts'
import { connectionSignal } from '../../src/lib/connection-signal.ts'
import type { Hex } from '../../src/lib/hex.ts'
import { bool, string } from '../../src/rpc/codec.ts'
import { defaultRpcOptions, type RpcContext, rpcMethod } from '../../src/rpc/define.ts'
import { serveWebSocket } from '../../src/rpc/http/websocket.ts'

/** The send functions of all open subscriptions of these tests. */
const feeds = new Set<(result: unknown) => void>()
const feed = (result: unknown) => {
  for (const send of feeds) send(result)
}

const methods = new Map(
  Object.entries({
    watch: rpcMethod({
      summary: '',
      params: [],
      result: string,
      async handler(_, { subscriber }) {
        const id = subscriber?.open((send) => {
          feeds.add(send)
          return () => feeds.delete(send)
        })
        feed('early')
        // The response with the id comes later than the feed's first message.
        await new Promise((resolve) => setImmediate(resolve))
        return id ?? ''
      },
    }),
    unwatch: rpcMethod({
      summary: '',
      params: [string],
      result: bool,
      handler: ([id], { subscriber }) => subscriber?.close(id as Hex) ?? false,
    }),
  }),
)

const options = { ...defaultRpcOptions, maxSubscriptions: 2, maxUnsent: 1_000_000 }
// The methods of this test use only these parts of the context.
const subscriptions = new Budget(1000)
const log = { error: vi.fn(), debug: vi.fn() }
const reports = { failed: () => undefined, printed: () => undefined }
const context = { methods, options, subscriptions, log, reports, chain: {} } as unknown as RpcContext

let server: WebSocketServer
let client: WebSocket
let messages: { id?: number; result?: unknown; error?: { code: number }; params?: { result: unknown } }[]

beforeEach(async () => {
  feeds.clear()
  messages = []
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket, request) => serveWebSocket(socket, connectionSignal(request.socket), context))
  await once(server, 'listening')
  client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  client.on('message', (message) => messages.push(JSON.parse(String(message))))
  await once(client, 'open')
})

afterEach(() => {
  client.terminate()
  server.close()
})

const ask = (method: string, params: unknown[] = [], id = 1) =>
  client.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
const received = (count: number) => vi.waitFor(() => expect(messages).toHaveLength(count))

it('a subscription sends nothing before the response with its id', async () => {
  ask('watch')
  await received(2)
  feed('late')
  await received(3)
  const id = messages[0]?.result
  expect(id).toMatch(/^0x[0-9a-f]{32}$/)
  expect(messages.slice(1)).toEqual(
    ['early', 'late'].map((result) => ({
      jsonrpc: '2.0',
      method: 'eth_subscription',
      params: { subscription: id, result },
    })),
  )
})

it('a subscription can be ended once', async () => {
  ask('watch')
  await received(2)
  const id = messages[0]?.result
  ask('unwatch', [id], 2)
  ask('unwatch', [id], 3)
  await received(4)
  expect(messages.find((message) => message.id === 2)?.result).toBe(true)
  expect(messages.find((message) => message.id === 3)?.result).toBe(false)
  expect(feeds.size).toBe(0)
})

it('a connection has a limit of subscriptions', async () => {
  for (const id of [1, 2, 3]) ask('watch', [], id)
  await vi.waitFor(() => expect(messages.find((message) => message.id === 3)?.error?.code).toBe(-32005))
})

it('a closed connection removes its listeners', async () => {
  ask('watch')
  await received(2)
  expect(feeds.size).toBe(1)
  client.terminate()
  await vi.waitFor(() => expect(feeds.size).toBe(0))
})

it('a client that does not read is disconnected', async () => {
  ask('watch')
  await received(2)
  client.pause()
  const closed = once([...server.clients][0] as WebSocket, 'close')
  const large = 'x'.repeat(500_000)
  const feeding = setInterval(() => feed(large), 1)
  await closed
  clearInterval(feeding)
  expect(feeds.size).toBe(0)
})
