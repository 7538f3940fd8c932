// Requests to the chain that is forked, against servers that refuse, delay and lie.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { z } from 'zod'
import { RemoteError, RemoteFailure } from '../../src/fork/errors.ts'
import { Remote, type RemoteOptions } from '../../src/fork/remote.ts'

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
type Handler = (body: Call | Call[], response: ServerResponse, request: IncomingMessage) => void

/** A server, its URL with a key in it, and the number of requests in each exchange. */
async function server(handle: Handler) {
  const sizes: number[] = []
  const listening = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const body: Call | Call[] = JSON.parse(text)
    sizes.push(Array.isArray(body) ? body.length : 0)
    handle(body, response, request)
  }).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  onTestFinished(() => {
    listening.closeAllConnections()
    listening.close()
  })
  const { port } = listening.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}/v3/secretkey123?token=othersecret`),
    sizes,
    name: `http://127.0.0.1:${port}`,
  }
}

function remoteOf(urls: readonly URL[], options: Partial<RemoteOptions> = {}): Remote {
  const remote = new Remote({ urls, timeout: 2_000, retries: 2, ...options })
  onTestFinished(() => remote.close())
  return remote
}

/** The parameter of each request comes back. */
const echo = ({ id, params }: Call) => ({ jsonrpc: '2.0', id, result: params[0] })
const answer = (body: Call | Call[]) => JSON.stringify(Array.isArray(body) ? body.map(echo) : echo(body))
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const ask = (remote: Remote, count: number) => Promise.all(numbers(count).map((i) => remote.request('echo', [i])))

describe('batches', () => {
  it('sends the requests of one turn together, a hundred at most', async () => {
    const { url, sizes } = await server((body, response) => response.end(answer(body)))
    expect(await ask(remoteOf([url]), 250)).toEqual(numbers(250))
    expect(sizes).toEqual([100, 100, 50])
  })

  it('halves them when the remote refuses their size', async () => {
    const { url, sizes } = await server((body, response) => {
      if (!Array.isArray(body) || body.length <= 25) return response.end(answer(body))
      response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}}')
    })
    const remote = remoteOf([url])
    expect(await ask(remote, 100)).toEqual(numbers(100))
    expect(sizes).toEqual([100, 50, 50, 25, 25, 25, 25])
    sizes.length = 0
    await ask(remote, 50)
    expect(sizes).toEqual([25, 25])
  })

  it.each([
    ['is not answered', () => undefined],
    [
      'the server has no such method',
      (response: ServerResponse) => response.end('{"error":{"code":-32601,"message":"no"}}'),
    ],
    ['the server closes the connection', (response: ServerResponse) => response.destroy()],
  ])('are sent again without an optional request if it %s', async (_, refuse) => {
    const { url, sizes } = await server((body, response) => {
      const calls = Array.isArray(body) ? body : [body]
      if (calls.some(({ method }) => method === 'guess')) refuse(response)
      else response.end(answer(body))
    })
    const remote = remoteOf([url], { retries: 0 })
    const guess = remote.request('guess', [], 200).catch((error) => error)
    expect(await ask(remote, 3)).toEqual([0, 1, 2])
    expect(await guess).toBeInstanceOf(RemoteFailure)
    expect(sizes).toEqual([4, 3])
  })

  it('asks a remote without batches by parallel requests', async () => {
    let running = 0
    let most = 0
    const { url } = await server((body, response) => {
      if (Array.isArray(body)) {
        response.statusCode = 413
        return response.end()
      }
      most = Math.max(most, ++running)
      setTimeout(() => {
        running--
        response.end(answer(body))
      }, 20)
    })
    expect(await ask(remoteOf([url]), 40)).toEqual(numbers(40))
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(8)
  })

  it('takes answers in any order', async () => {
    const { url } = await server((body, response) => response.end(JSON.stringify([body].flat().map(echo).reverse())))
    expect(await ask(remoteOf([url]), 10)).toEqual(numbers(10))
  })
})

describe('failures', () => {
  it('waits as long as the remote asks for', async () => {
    const times: number[] = []
    const { url } = await server((body, response) => {
      times.push(performance.now())
      if (times.length > 1) return response.end(answer(body))
      response.writeHead(429, { 'retry-after': '1' }).end()
    })
    expect(await ask(remoteOf([url]), 1)).toEqual([0])
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950)
  })

  it('goes on at the next URL', async () => {
    const broken = await server((_, response) => response.writeHead(503).end())
    const good = await server((body, response) => response.end(answer(body)))
    const remote = remoteOf([broken.url, good.url])
    expect(await ask(remote, 3)).toEqual([0, 1, 2])
    expect(remote.name).toBe(good.name)
    expect(broken.sizes.length).toBe(1)
  })

  it('tries again only what was not answered', async () => {
    let exchanges = 0
    const { url, sizes } = await server((body, response) => {
      const limited = { code: -32005, message: 'rate limit exceeded' }
      const first = exchanges++ === 0
      response.end(
        JSON.stringify(
          [body].flat().map((call) => (first && call.id % 2 === 0 ? { id: call.id, error: limited } : echo(call))),
        ),
      )
    })
    expect(await ask(remoteOf([url]), 10)).toEqual(numbers(10))
    expect(sizes).toEqual([10, 5])
  })

  it.each<[string, Handler, string]>([
    ['text', (_, response) => response.end('<html>'), 'answers something that is not JSON'],
    ['JSON of another form', (_, response) => response.end('[1]'), 'answers no JSON-RPC'],
    [
      'an answer to another request',
      (_, response) => response.end('[{"id":77,"result":1},{"id":78,"result":1}]'),
      'does not answer echo',
    ],
    ['a status', (_, response) => response.writeHead(401).end('no'), 'answers with HTTP status 401'],
    ['nothing', () => undefined, 'does not answer within 200 ms'],
    ['33 MB', (_, response) => response.end(Buffer.alloc(33 * 2 ** 20, ' ')), 'answers more than 32 MB'],
    ['a closed connection', (_, response) => response.destroy(), 'cannot be reached (ECONNRESET)'],
  ])('says what is wrong: %s', async (_, handle, reason) => {
    const { url, name } = await server(handle)
    const remote = remoteOf([url], { retries: 0, timeout: reason.includes('within') ? 200 : 10_000 })
    const failures = await Promise.allSettled([remote.request('echo', [1]), remote.request('echo', [2])])
    for (const failure of failures) expect(failure).toMatchObject({ reason: new RemoteFailure(`${name} ${reason}`) })
  })

  it('passes the words of the remote on, without keys', async () => {
    const { url } = await server((body, response) => {
      const { id } = [body].flat()[0] ?? { id: 0 }
      const message = 'bad key secretkey123 of /v3/secretkey123?token=othersecret\u001b[31m'
      response.end(JSON.stringify({ id, error: { code: -32000, message, data: '0x01' } }))
    })
    const asked = remoteOf([url]).request('echo', [])
    await expect(asked).rejects.toMatchObject({ code: -32000, data: '0x01', message: 'bad key … of ……[31m' })
    await expect(asked).rejects.toBeInstanceOf(RemoteError)
  })

  it('names the place where an answer has another form', async () => {
    const { url, name } = await server((body, response) => response.end(answer(body)))
    const asked = remoteOf([url]).ask(z.object({ number: z.string() }), 'eth_getBlockByNumber', [{ number: 1 }])
    await expect(asked).rejects.toThrow(`${name} answers eth_getBlockByNumber in another form at number`)
  })
})

it('obeys the rate', async () => {
  const { url, sizes } = await server((body, response) => response.end(answer(body)))
  const remote = remoteOf([url], { rate: 500 })
  const began = performance.now()
  await ask(remote, 150)
  await ask(remote, 1)
  expect(performance.now() - began).toBeGreaterThan(290)
  expect(sizes).toEqual([100, 50, 0])
})

it('sends the headers, and credentials of the URL as one', async () => {
  const { url } = await server((_, response, { headers }) =>
    response.end(JSON.stringify({ id: 1, result: [headers['x-key'], headers.authorization] })),
  )
  url.username = 'me'
  url.password = 'pass'
  const remote = remoteOf([url], { headers: { 'x-key': 'one' } })
  expect(await remote.request('echo', [])).toEqual(['one', `Basic ${Buffer.from('me:pass').toString('base64')}`])
})

it('asks over a WebSocket, and again after it was lost', async () => {
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => sockets.close())
  await once(sockets, 'listening')
  let connections = 0
  sockets.on('connection', (socket) => {
    connections++
    socket.on('message', (data) => {
      socket.send(answer(JSON.parse(String(data))))
      if (connections === 1) socket.terminate()
    })
  })
  const { port } = sockets.address() as AddressInfo
  const remote = remoteOf([new URL(`ws://127.0.0.1:${port}/key`)])
  expect(await ask(remote, 150)).toEqual(numbers(150))
  expect(await ask(remote, 3)).toEqual([0, 1, 2])
  expect(connections).toBe(2)
})

it('ends requests when it is closed', async () => {
  const { url } = await server(() => undefined)
  const remote = remoteOf([url], { timeout: 100 })
  const asked = remote.request('echo', [1])
  remote.close()
  await expect(asked).rejects.toThrow('the node is closing')
})
