// Limits of connections: memory for unread responses, time for incomplete requests, and closing the server.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { accessOf } from '../../src/http/access.ts'
import { type ConnectionLimits, Connections, defaultConnectionLimits } from '../../src/http/connections.ts'
import { startNode } from '../../src/node.ts'
import { serveFastPath } from '../../src/rpc/http/fast-path.ts'
import { nodeOptions } from '../support/chain.ts'

/** More than the buffers of both sockets hold. */
const LARGE = 'a'.repeat(24 << 20)

const post = (body: string, headers: readonly string[] = []) =>
  ['POST / HTTP/1.1', 'Host: localhost', ...headers, `Content-Length: ${body.length}`, '', body].join('\r\n')

/** A server with both paths: the fast path for `/`, Node's HTTP server for `/http`. `answer` maps a body to its response. */
async function serve(limits: Partial<ConnectionLimits>, answer: (body: string) => Promise<string>) {
  const connections = new Connections({ ...defaultConnectionLimits, ...limits })
  const server: Server = createServer({ connectionsCheckingInterval: 50 }, (request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk)).on('end', async () => response.end(await answer(body)))
  })
  connections.watch(server)
  const access = accessOf({ origins: [], hosts: [] })
  serveFastPath(server, { paths: ['/'], maxBody: 1000, access, headers: [], connections }, async (body) => [
    await answer(body),
  ])
  const accepted: Socket[] = []
  server.on('connection', (socket) => accepted.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of accepted) socket.destroy()
    server.close()
  })
  const port = (server.address() as AddressInfo).port
  const open = async () => {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  return { accepted, open, connections }
}

/** Everything received on a connection until it closes. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => (text += chunk))
  await once(socket, 'close')
  return text
}

async function roundTrip(socket: Socket): Promise<void> {
  socket.write(post('short'))
  await once(socket, 'data')
}

describe('unread responses', () => {
  it('stop the server from reading requests, and are complete when the client reads again', async () => {
    let handled = 0
    const { open, accepted } = await serve({}, async (body) => {
      if (body === 'large') handled += 1
      return body === 'large' ? LARGE : 'short'
    })
    const stalled = await open()
    const clock = await open()
    stalled.pause()
    const [atServer] = accepted
    for (let sent = 0; sent < 8; sent++) {
      stalled.write(post('large'))
      // Positive control: after another client's response the server has had its turn to read.
      for (let turns = 0; turns < 3; turns++) await roundTrip(clock)
      expect(atServer?.writableLength).toBeLessThan(LARGE.length + 1000)
    }
    expect(handled).toBe(1)
    let bytes = 0
    stalled.on('data', (chunk) => (bytes += chunk.length)).resume()
    while (bytes < 8 * LARGE.length) await once(stalled, 'data')
    expect(handled).toBe(8)
  }, 30_000)

  test.each([
    ['/', 1],
    ['/http', 1],
  ])('close their connection after a while, at %s', async (path) => {
    const { open, accepted } = await serve({ idleTimeout: 300 }, async () => LARGE)
    const socket = (await open()).pause()
    socket.write(post('x').replace('/', path))
    const [atServer] = accepted
    if (atServer === undefined) throw new Error('nothing was accepted')
    await once(atServer, 'close')
    expect(atServer.destroyed).toBe(true)
  })

  it('close their connections, the largest first, when their sum exceeds the limit', async () => {
    const { open, accepted } = await serve({ maxBuffered: 100 << 20 }, async (body) => LARGE.repeat(Number(body)))
    const clients: Socket[] = []
    // 24, 48, 24, 48 and 24 MB, minus the system's buffers.
    for (const times of ['1', '2', '1', '2', '1']) {
      const client = (await open()).pause()
      client.write(post(times))
      clients.push(client)
    }
    await Promise.all([1, 3].map((at) => once(accepted[at] as Socket, 'close')))
    const left = accepted.filter((socket) => !socket.destroyed)
    expect(left.length).toBeGreaterThanOrEqual(3)
    expect(accepted.filter((_, at) => at % 2 === 0).every((socket) => !socket.destroyed)).toBe(true)
    expect(left.reduce((sum, socket) => sum + socket.writableLength, 0)).toBeLessThan(100 << 20)
  }, 30_000)
})

describe('incomplete requests', () => {
  test.each([
    ['a body on the fast path', post('0123456789'.repeat(90)).slice(0, 80), '408 Request Timeout'],
    ['a body', post('0123456789'.repeat(90)).replace('/', '/http').slice(0, 90), '408 Request Timeout'],
    ['a head', 'POST / HTTP/1.1\r\nX-Long: ', '408 Request Timeout'],
  ])('%s that trickles in is given up', async (_what, beginning, words) => {
    const { open } = await serve({ requestTimeout: 300 }, async () => 'never')
    const socket = await open()
    const text = untilClosed(socket)
    socket.write(beginning)
    const trickle = setInterval(() => socket.writable && socket.write('x'), 20)
    expect(await text).toContain(words)
    clearInterval(trickle)
  })

  it('do not close a connection whose request is being answered', async () => {
    const { open } = await serve(
      { requestTimeout: 100, idleTimeout: 100 },
      // Time is the subject: five times the request timeout.
      () => new Promise((resolve) => setTimeout(resolve, 500, 'late')),
    )
    for (const path of ['/', '/http']) {
      const socket = await open()
      socket.write(post('x').replace('/', path))
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200 OK/)
    }
  })
})

describe('at the maximum number of connections', () => {
  const answered = async (socket: Socket): Promise<string> => {
    socket.write(post('x'))
    return String((await once(socket, 'data'))[0])
  }

  it('the oldest connection without a request is closed in favour of a new one', async () => {
    const { open, connections } = await serve({ maxConnections: 3 }, async () => 'here')
    const known = await open()
    const silent = await open()
    const younger = await open()
    expect(await answered(known)).toContain('here')
    const closed = once(silent.resume(), 'close')
    const fourth = await open()
    await closed
    for (const socket of [known, younger, fourth]) expect(await answered(socket)).toContain('here')
    expect(connections.load).toEqual({ open: 3, refused: 0, displaced: 1 })
  })

  it('a connection that is idle after its requests is closed if there is no other', async () => {
    const { open } = await serve({ maxConnections: 2 }, async () => 'here')
    const older = await open()
    const younger = await open()
    for (const socket of [older, younger]) await answered(socket)
    const closed = once(older.resume(), 'close')
    expect(await answered(await open())).toContain('here')
    await closed
    expect(await answered(younger)).toContain('here')
  })

  it('a new connection is refused while requests of all others are being answered', async () => {
    const answers: (() => void)[] = []
    const { open, connections } = await serve(
      { maxConnections: 2 },
      () => new Promise<string>((resolve) => answers.push(() => resolve('here'))),
    )
    const first = answered(await open())
    const second = answered(await open())
    await expect.poll(() => answers.length).toBe(2)
    expect(await untilClosed(await open())).toMatch(/^HTTP\/1.1 503 /)
    expect(connections.load).toEqual({ open: 2, refused: 1, displaced: 0 })
    for (const answer of answers) answer()
    for (const text of [await first, await second]) expect(text).toContain('here')
  })
})

describe('the connections of a client', () => {
  /** A connection as the server accepts it. */
  function from(remoteAddress: string): Socket {
    const socket = new Socket()
    Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress })
    return socket
  }

  it('are limited to a quarter of all connections, and count until they close', async () => {
    const connections = new Connections({ ...defaultConnectionLimits, maxConnections: 100 })
    const all = Array.from({ length: 26 }, () => from('192.0.2.1'))
    expect(all.map((socket) => connections.admit(socket)).filter(Boolean)).toHaveLength(25)
    expect(connections.admit(from('192.0.2.2'))).toBe(true)
    const [first] = all
    first?.destroy()
    await expect.poll(() => connections.admit(from('192.0.2.1'))).toBe(true)
    expect(connections.admit(from('192.0.2.1'))).toBe(false)
  })

  it('are those of an IPv6 network of 64 bits', () => {
    const connections = new Connections({ ...defaultConnectionLimits, maxConnectionsPerClient: 1 })
    expect(connections.admit(from('2001:db8:1:2::1'))).toBe(true)
    expect(connections.admit(from('2001:0db8:0001:0002:aaaa::2'))).toBe(false)
    expect(connections.admit(from('2001:db8:1:3::1'))).toBe(true)
    expect(connections.admit(from('::ffff:192.0.2.1'))).toBe(true)
    expect(connections.admit(from('192.0.2.1'))).toBe(false)
  })

  it('leave a reserve for this machine and listed proxies, which have no share', () => {
    const limits = { ...defaultConnectionLimits, maxConnections: 200, maxConnectionsPerClient: 198 }
    const connections = new Connections({ ...limits, trustedProxies: ['10.0.0.0/8', '2001:db8::7'] })
    // A connection with a running request is not closed in favour of others.
    const admit = (address: string) => {
      const socket = from(address)
      const isAdmitted = connections.admit(socket)
      if (isAdmitted) connections.stateOf(socket).isAnswering = true
      return isAdmitted
    }
    expect(Array.from({ length: 198 }, () => admit('192.0.2.1')).every(Boolean)).toBe(true)
    expect(admit('192.0.2.2')).toBe(false)
    expect(admit('::1')).toBe(true)
    expect(admit('10.1.2.3')).toBe(true)
    expect(admit('127.0.0.1')).toBe(false)
    expect(connections.clientOf('2001:db8:0::7')).toBeUndefined()
  })
})

describe('incomplete messages of WebSockets', () => {
  it('close the largest connection when their sum exceeds the limit', async () => {
    const node = await startNode(nodeOptions({ http: { maxBuffered: 3 << 20 } }))
    onTestFinished(() => node.close())
    const [large, small] = await Promise.all(
      Array.from({ length: 2 }, async () => {
        const socket = new WebSocket(node.url.replace('http', 'ws')).on('error', () => undefined)
        await once(socket, 'open')
        return socket
      }),
    )
    if (large === undefined || small === undefined) throw new Error('there are two')
    small.send('{"jsonrpc":"2.0",', { fin: false })
    large.send('x'.repeat(4 << 20), { fin: false })
    await once(large, 'close')
    small.ping()
    small.send('"id":1,"method":"eth_chainId"}', { fin: true })
    expect(JSON.parse(String((await once(small, 'message'))[0]))).toMatchObject({ id: 1, result: '0x7d' })
    small.terminate()
  })
})

it('a request with Connection: close is answered, and later bytes are ignored', async () => {
  const node = await startNode(nodeOptions())
  onTestFinished(() => node.close())
  const socket = connect(Number(new URL(node.url).port), '127.0.0.1')
  const text = untilClosed(socket)
  const last = post('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}', ['Connection: close'])
  socket.write(`${last}${last}`)
  expect(await text).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*"result":"0x7d"}$/)
})

describe('closing a node', () => {
  // RFC 6455, 1.3.
  const HANDSHAKE = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
  const CLIENTS: readonly (readonly [what: string, bytes: string, waits: boolean])[] = [
    ['has sent nothing', '', false],
    ['has sent a part of a head', 'POST / HTTP/1.1\r\nHost: ', false],
    ['has sent a part of a body', post('0123456789').slice(0, -5), false],
    [
      'has sent a part of a chunked body',
      'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n',
      false,
    ],
    ['has just sent a request', post('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'), false],
    ['has got a response', post('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'), true],
    ['has got a response of Node’s HTTP server', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', true],
    ['has a WebSocket', ['GET /rpc HTTP/1.1', 'Host: localhost', ...HANDSHAKE, KEY, '', ''].join('\r\n'), true],
    [
      'has a WebSocket to the explorer',
      ['GET /socket/v2/websocket HTTP/1.1', 'Host: a.localhost', ...HANDSHAKE, KEY, '', ''].join('\r\n'),
      true,
    ],
  ]
  const outcomes = new Map<string, Promise<unknown>>()
  // Closing waits up to two seconds for clients, so all nodes close at the same time.
  beforeAll(() => {
    for (const [what, bytes, waits] of CLIENTS) {
      const closed = closeWith(bytes, waits).then(
        () => 'closed',
        (error: unknown) => error,
      )
      outcomes.set(what, closed)
    }
  })
  afterAll(() => Promise.all(outcomes.values()))
  test.each(CLIENTS)(
    'does not wait for a client that %s and never closes',
    async (what) => {
      expect(await outcomes.get(what)).toBe('closed')
    },
    20_000,
  )

  /** Closes a node that has received these bytes on a connection; `waits`: after a response to them. */
  async function closeWith(bytes: string, waits: boolean): Promise<void> {
    const node = await startNode(nodeOptions())
    const socket = connect({ port: Number(new URL(node.url).port), host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => undefined).resume()
    await once(socket, 'connect')
    if (bytes !== '') socket.write(bytes)
    if (waits) await once(socket, 'data')
    else await new Promise((resolve) => setImmediate(resolve))
    await node.close()
    socket.destroy()
  }
})
