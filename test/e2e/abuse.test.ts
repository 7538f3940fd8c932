// Malformed and hostile input. The node returns standard errors, reveals no internals, and keeps running.
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { processForFile } from '../support/process.ts'
import { faultOf, openSocket, postRaw, readAnswer, type WireAnswer } from '../support/wire.ts'

const MAX_REQUEST = 1 << 20
const MAX_BATCH = 100
const { node, url, wsUrl, rpc } = await processForFile([
  '--in-memory',
  '--max-request-size',
  String(MAX_REQUEST),
  '--max-batch',
  String(MAX_BATCH),
])
const endpoint = `${url}/rpc`

afterEach(async () => {
  expect(await rpc('eth_chainId')).toBe('0x7d')
  expect(node.isRunning()).toBe(true)
})

const envelope = (method: string, params: unknown, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const codeOf = async (body: string | Buffer) => {
  const { status, text } = await postRaw(endpoint, body)
  expect(status, text).toBe(200)
  return readAnswer(text).error?.code
}
const call = async (method: string, ...params: unknown[]): Promise<WireAnswer> =>
  readAnswer((await postRaw(endpoint, envelope(method, params))).text)

const DEEP = 10_000
const NOT_JSON = ['', '{', '}', '[', 'nul', "{'a':1}", '{"jsonrpc":"2.0",}', '\ufeff{', '\0', '0x7d']
const NO_REQUEST = [
  '['.repeat(DEEP),
  'null',
  '1',
  '"eth_chainId"',
  '[]',
  '{}',
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  '{"jsonrpc":"1.0","id":1,"method":"eth_chainId"}',
  '{"id":1,"method":"eth_chainId"}',
  '{"jsonrpc":"2.0","id":1}',
  '{"jsonrpc":"2.0","id":1,"method":7}',
  '{"jsonrpc":"2.0","id":{},"method":"eth_chainId"}',
  '{"jsonrpc":"2.0","id":[1],"method":"eth_chainId"}',
  '{"jsonrpc":"2.0","id":true,"method":"eth_chainId"}',
  '{"__proto__":{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}}',
]

describe('hostile input over HTTP', () => {
  test.each(NOT_JSON.map((body) => [body.slice(0, 70), body]))('%j is refused as invalid JSON', async (_, body) => {
    expect(await codeOf(body)).toBe(-32700)
  })

  test('invalid UTF-8 and a truncated body are refused', async () => {
    expect(await codeOf(Buffer.from([0xff, 0xfe, 0x7b]))).toBe(-32700)
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.end('POST /rpc HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"json')
    await new Promise((resolve) => socket.on('close', resolve).resume())
  })

  test.each(NO_REQUEST.map((body) => [body.slice(0, 70), body]))(
    '%s is refused as an invalid request',
    async (_, body) => {
      const { text } = await postRaw(endpoint, body)
      const answer = JSON.parse(text)
      // Each entry of a batch gets an error.
      const errors: WireAnswer[] = Array.isArray(answer) ? answer : [answer]
      for (const one of errors) {
        expect(faultOf(one), text.slice(0, 200)).toBeUndefined()
        expect(one.error?.code, text.slice(0, 200)).toBe(-32600)
      }
    },
  )

  test('unknown methods are refused, also by names like toString', async () => {
    for (const method of [
      '',
      'eth_',
      'eth_chainID',
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      'x'.repeat(100_000),
    ])
      expect((await call(method)).error?.code, method.slice(0, 50)).toBe(-32601)
  })

  test('a too large body or batch is refused', async () => {
    const large = `"${'x'.repeat(MAX_REQUEST)}"`
    const { status, text } = await postRaw(endpoint, large)
    expect({ status, code: readAnswer(text).error?.code }).toEqual({ status: 200, code: -32600 })
    const batch = (size: number) =>
      JSON.stringify(Array.from({ length: size }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' })))
    expect(await codeOf(batch(MAX_BATCH + 1))).toBe(-32600)
    expect(JSON.parse((await postRaw(endpoint, batch(MAX_BATCH))).text)).toHaveLength(MAX_BATCH)
  })

  test('a batch of valid requests, invalid ones and notifications is answered in order', async () => {
    const { text } = await postRaw(
      endpoint,
      `[${envelope('eth_chainId', [], 'a')},1,{"jsonrpc":"2.0","method":"eth_chainId"},${envelope('nothing', [], null)},[],${envelope('eth_chainId', { a: 1 }, 5)}]`,
    )
    const answers = JSON.parse(text) as WireAnswer[]
    for (const answer of answers) expect(faultOf(answer)).toBeUndefined()
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      ['a', undefined],
      [null, -32600],
      [null, -32601],
      [null, -32600],
      [5, -32602],
    ])
  })

  test('other paths, methods and content types are answered', async () => {
    for (const [path, method] of [
      ['/nothing', 'GET'],
      ['/rpc/x', 'POST'],
      ['/../../etc/passwd', 'GET'],
      ['/rpc', 'DELETE'],
      ['/%00', 'GET'],
      ['/%', 'GET'],
    ] as const) {
      const { status, text } = await postRaw(`${url}${path}`, '', {}, method)
      expect(status, path).toBeGreaterThanOrEqual(400)
      expect(status, path).toBeLessThan(500)
      expect(text).not.toMatch(/node_modules|\n\s+at /)
    }
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      '',
      'multipart/form-data; boundary=x',
      'a/b;;;',
    ])
      expect(
        readAnswer((await postRaw(endpoint, envelope('eth_chainId', []), { 'content-type': type })).text).result,
      ).toBe('0x7d')
  })

  test('bytes that are not HTTP end the connection with status 400', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk))
    socket.write('\x16\x03\x01\0\xff nonsense\r\n\r\n')
    await new Promise((resolve) => socket.on('close', resolve))
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request/)
  })
})

describe('hostile input over a WebSocket', () => {
  test('invalid messages are answered as over HTTP, and the connection stays open', async () => {
    const socket = await openSocket(wsUrl)
    for (const body of NOT_JSON) {
      socket.send(body)
      expect(readAnswer(await socket.next()).error?.code, body.slice(0, 50)).toBe(-32700)
    }
    socket.send(Buffer.from([0, 1, 2, 255]))
    expect(readAnswer(await socket.next()).error?.code).toBe(-32700)
    for (const params of [
      [],
      ['nothing'],
      [7],
      ['logs', 7],
      ['logs', { address: 'x' }],
      ['__proto__'],
      ['newHeads', {}, {}],
    ]) {
      socket.send(envelope('eth_subscribe', params))
      const { error } = readAnswer(await socket.next())
      expect(error?.code, JSON.stringify(params)).toBeLessThan(0)
    }
    socket.send(envelope('eth_unsubscribe', ['0x1234']))
    const { result, error } = readAnswer(await socket.next())
    expect(result === false || error !== undefined).toBe(true)
    socket.send(envelope('eth_chainId', []))
    expect(readAnswer(await socket.next()).result).toBe('0x7d')
    socket.close()
  })

  test('a too large message ends only its connection', async () => {
    const large = await openSocket(wsUrl)
    const other = await openSocket(wsUrl)
    large.send('x'.repeat(MAX_REQUEST + 1))
    expect(await large.closed).toBe(1009)
    other.send(envelope('eth_chainId', []))
    expect(readAnswer(await other.next()).result).toBe('0x7d')
    other.close()
  })

  test('many subscriptions and abrupt disconnects leave nothing behind', async () => {
    const socket = await openSocket(wsUrl)
    let refused: WireAnswer | undefined
    for (let i = 0; i < 2000 && refused === undefined; i++) {
      socket.send(envelope('eth_subscribe', ['logs', {}]))
      const answer = readAnswer(await socket.next())
      if (answer.error) refused = answer
    }
    expect(refused?.error?.code).toBe(-32005)
    socket.terminate()
    for (let i = 0; i < 20; i++) {
      const brief = await openSocket(wsUrl)
      brief.send(envelope('eth_subscribe', ['newHeads']))
      brief.send(envelope('eth_getLogs', [{ fromBlock: '0x0' }]))
      brief.terminate()
    }
    await rpc('anvil_mine', '0x2')
  })

  test('a subscription over HTTP is refused', async () => {
    expect((await call('eth_subscribe', 'newHeads')).error?.code).toBeLessThan(0)
  })
})
