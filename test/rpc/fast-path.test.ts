// HTTP requests as bytes on a connection: the fast path answers plain ones, node's HTTP server all others, in order.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { accessOf } from '../../src/http/access.ts'
import { Connections, defaultConnectionLimits } from '../../src/http/connections.ts'
import { serveFastPath } from '../../src/rpc/http/fast-path.ts'
import { requestParser, responseHeadWriter } from '../../src/rpc/http/http-parser.ts'

const PATHS = ['/rpc', '/']
const access = accessOf({ origins: ['https://a'], hosts: [] })
const post = (body: string, headers: readonly string[] = [], path = '/rpc') =>
  [`POST ${path} HTTP/1.1`, 'Host: localhost', `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', body].join(
    '\r\n',
  )

describe('a plain request', () => {
  const read = requestParser({ paths: PATHS, maxBody: 100, access })
  const span = (text: string) => read(Buffer.from(text))

  test.each([
    ['at the other path', post('{}', [], '/')],
    ['with other headers', post('{}', ['User-Agent: x/1 (y; z)', 'accept:*/*', 'Origin: https://a', 'X-Empty:'])],
    ['with keep-alive', post('{}', ['Connection: Keep-Alive'])],
    // RFC 9110, 7.8: a server may ignore the offer of an upgrade. Java's HTTP client and curl --http2 send such requests.
    ['with the offer of another protocol', post('{}', ['Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings'])],
  ])('may be one %s', (_what, text) => expect(span(text)).toMatchObject({ start: text.length - 2, end: text.length }))

  it('may be incomplete', () => {
    const text = post('{"a":1}')
    expect(span(text.slice(0, -3))).toMatchObject({ start: text.length - 7, end: text.length })
  })

  // Requests that RFC 9112 forbids or lets a server repair, or whose headers affect the body or the connection.
  test.each([
    ['another method', post('{}').replace('POST', 'PUT')],
    ['another path', post('{}', [], '/rpc?x')],
    ['another version', post('{}').replace('1.1', '1.0')],
    ['no host', post('{}').replace('Host', 'Hest')],
    ['two hosts', post('{}', ['host: b'])],
    ['no length', post('{}').replace('Content-Length', 'Content-Lungth')],
    ['two lengths', post('{}', ['Content-Length: 2'])],
    ['a list of lengths', post('{}').replace('Length: 2', 'Length: 2, 2')],
    ['a signed length', post('{}').replace('Length: 2', 'Length: +2')],
    ['a length that is not decimal', post('{}').replace('Length: 2', 'Length: 0x2')],
    ['a transfer encoding', post('{}', ['Transfer-Encoding: chunked'])],
    ['a content encoding', post('{}', ['Content-Encoding: gzip'])],
    ['an expectation', post('{}', ['Expect: 100-continue'])],
    ['Connection: close', post('{}', ['Connection: close'])],
    ['several connection options', post('{}', ['Connection: keep-alive, close'])],
    ['two origins', post('{}', ['Origin: https://a', 'Origin: https://a'])],
    ['an origin that is not allowed', post('{}', ['Origin: https://b'])],
    ['a host that is not allowed', post('{}').replace('localhost', 'b.example')],
    ['a folded line', post('{}', ['X: a', ' b'])],
    ['a space before the colon', post('{}').replace('Content-Length:', 'Content-Length :')],
    ['a space before the name', post('{}').replace('Content-Length:', ' Content-Length:')],
    ['a bare line feed', post('{}', ['X: a\nContent-Length: 5'])],
    ['a bare carriage return', post('{}', ['X: a\rb'])],
    ['a zero byte', post('{}', ['X: a\0b'])],
    ['a line without a colon', post('{}', ['nonsense'])],
    ['half a head', post('{}').slice(0, 30)],
    ['a long head', post('{}', [`X: ${'a'.repeat(9000)}`])],
    ['a long body', post('a'.repeat(101))],
  ])('must not have %s', (_what, text) => expect(span(text)).toBeUndefined())

  it('may come from a web page, whose origin is returned', () => {
    expect(span(post('{}', ['oriGin:  https://a ']))?.origin).toBe('https://a')
    expect(span(post('{}'))?.origin).toBeUndefined()
  })
})

it('a response head has a date, a length, the given headers and the origin', () => {
  const write = responseHeadWriter(['x: y'])
  const lines = write({ bytes: 12, origin: undefined, isLast: false }).split('\r\n')
  expect(lines[0]).toBe('HTTP/1.1 200 OK')
  expect(lines.slice(-2)).toEqual(['', ''])
  expect(lines).toEqual(expect.arrayContaining(['content-length: 12', 'x: y', 'connection: keep-alive']))
  expect(Date.parse(lines.find((line) => line.startsWith('date: '))?.slice(6) ?? '')).toBeCloseTo(Date.now(), -4)
  expect(write({ bytes: 1, origin: 'https://a', isLast: false })).toContain(
    '\r\naccess-control-allow-origin: https://a\r\n',
  )
  expect(write({ bytes: undefined, origin: undefined, isLast: true })).toMatch(
    /^HTTP\/1\.1 204 No Content\r\n(?!.*content-length).*connection: close\r\n\r\n$/s,
  )
})

describe('a connection on the fast path', () => {
  let server: Server
  let socket: Socket
  let received: string
  let asked: string[]
  let ended: string[]
  let atServer: Socket | undefined
  let endIdle: () => void

  beforeEach(async () => {
    asked = []
    ended = []
    atServer = undefined
    received = ''
    server = createServer({ keepAliveTimeout: 5000 }, (request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += chunk)).on('end', () => response.end(`http ${request.method} ${body}`))
    })
    const connections = new Connections(defaultConnectionLimits)
    const options = { paths: PATHS, maxBody: 1 << 20, access, headers: ['x-test: 1'], connections }
    const path = serveFastPath(server, options, async (body) => {
      asked.push(body)
      // A slow method, so that more requests arrive while it runs.
      await sleep(body.includes('slow') ? 50 : 0)
      ended.push(body)
      if (body.includes('broken')) throw new Error('broken')
      return body.includes('nothing') ? undefined : [`direct ${body}`]
    })
    endIdle = path.end
    server.on('connection', (accepted) => {
      atServer ??= accepted
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
    socket.on('data', (chunk) => (received += chunk)).on('error', () => undefined)
    await once(socket, 'connect')
  })
  afterEach(() => {
    socket.destroy()
    server.close()
    server.closeAllConnections()
  })

  const until = (text: string) => vi.waitFor(() => expect(received).toContain(text), { timeout: 5_000, interval: 5 })
  /** Writes a part of a request, and waits until the server has read it. */
  const writePart = async (bytes: string | Uint8Array) => {
    const before = atServer?.bytesRead ?? 0
    socket.write(bytes)
    await vi.waitUntil(() => (atServer?.bytesRead ?? 0) >= before + Buffer.byteLength(bytes), { interval: 1 })
  }
  const untilAsked = (body: string) => vi.waitUntil(() => asked.includes(body), { interval: 1 })

  it('answers requests one after the other', async () => {
    for (const body of ['{"a":1}', '{"b":"é€😀"}', '']) {
      received = ''
      socket.write(post(body))
      await until(`\r\n\r\ndirect ${body}`)
      expect(received).toContain(`content-length: ${Buffer.byteLength(`direct ${body}`)}\r\n`)
      expect(received).toContain('x-test: 1\r\n')
    }
  })

  it('answers notifications with 204', async () => {
    socket.write(post('nothing'))
    await until('HTTP/1.1 204 No Content\r\n')
    socket.write(post('more'))
    await until('direct more')
  })

  it('waits for a body in several packets, split within a character too', async () => {
    const bytes = Buffer.from(post('{"a":"é"}'))
    for (const [from, to] of [
      [0, bytes.length - 4],
      [bytes.length - 4, bytes.length - 3],
      [bytes.length - 3, bytes.length],
    ]) {
      await writePart(bytes.subarray(from, to))
    }
    await until('direct {"a":"é"}')
  })

  it('passes other requests to the HTTP server, with all received bytes', async () => {
    socket.write(post('plain'))
    await until('direct plain')
    await writePart(post('x', [], '/elsewhere').slice(0, 20))
    socket.write(post('x', [], '/elsewhere').slice(20))
    await until('http POST x')
    socket.write(post('y'))
    await until('http POST y')
    expect(asked).toEqual(['plain'])
  })

  it('keeps the order of pipelined requests', async () => {
    socket.write(post('slow 1'))
    await untilAsked('slow 1')
    socket.write(post('2') + post('3'))
    await until('http POST 3')
    expect(received.indexOf('direct slow 1')).toBeLessThan(received.indexOf('http POST 2'))
    expect(received.indexOf('http POST 2')).toBeLessThan(received.indexOf('http POST 3'))
  })

  it('reads long bodies', async () => {
    const body = 'a'.repeat(500_000)
    socket.write(post(body))
    await until(body)
  })

  it('answers a client that has half-closed the connection, and closes it', async () => {
    socket.end(post('slow'))
    await once(socket, 'close')
    expect(received).toContain('direct slow')
    expect(received).toContain('connection: close')
  })

  it('closes when the server closes: at once when idle, otherwise after the response', async () => {
    const idle = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).resume()
    await once(idle, 'connect')
    socket.write(post('slow'))
    await untilAsked('slow')
    const closed = new Promise((resolve) => server.close(resolve))
    endIdle()
    await once(idle, 'close')
    expect(received).toBe('')
    await Promise.all([once(socket, 'close'), closed])
    expect(received).toContain('direct slow')
  })

  it('is closed after an internal error, and other connections stay open', async () => {
    socket.write(post('broken'))
    await once(socket, 'close')
    const other = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
    other.write(post('still here'))
    const [chunk] = await once(other, 'data')
    expect(String(chunk)).toContain('direct still here')
    other.destroy()
  })

  it('tolerates a client that disconnects during a request', async () => {
    socket.write(post('slow'))
    await untilAsked('slow')
    socket.destroy()
    await vi.waitUntil(() => ended.includes('slow'), { interval: 1 })
    const other = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
    other.write(post('still here'))
    const [chunk] = await once(other, 'data')
    expect(String(chunk)).toContain('direct still here')
    other.destroy()
    expect(asked).toEqual(['slow', 'still here'])
  })
})
