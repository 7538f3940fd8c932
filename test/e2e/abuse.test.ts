// Input that nobody should send. The node answers in the standard's terms, tells nothing of its insides, and stays.
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { methods } from '../../src/rpc/methods/index.ts'
import { account } from '../support/chain.ts'
import { processForFile } from '../support/process.ts'
import { faultOf, INSIDES, openSocket, postRaw, readAnswer, type WireAnswer } from '../support/wire.ts'

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
const NOT_JSON = [
  '',
  '{',
  '}',
  '[',
  'nul',
  "{'a':1}",
  '{"jsonrpc":"2.0",}',
  '\ufeff{',
  '\0',
  `${'['.repeat(DEEP)}`,
  '0x7d',
]
const NO_REQUEST = [
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

describe('over HTTP', () => {
  test.each(NOT_JSON.map((body) => [body.slice(0, 70), body]))('%j is no JSON', async (_, body) => {
    expect(await codeOf(body)).toBe(-32700)
  })

  test('bytes that are no UTF-8, and a body that ends too early', async () => {
    expect(await codeOf(Buffer.from([0xff, 0xfe, 0x7b]))).toBe(-32700)
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.end('POST /rpc HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"json')
    await new Promise((resolve) => socket.on('close', resolve).resume())
  })

  test.each(NO_REQUEST.map((body) => [body.slice(0, 70), body]))('%s is no request', async (_, body) => {
    const { text } = await postRaw(endpoint, body)
    const answer = JSON.parse(text)
    // A batch is answered entry by entry.
    const errors: WireAnswer[] = Array.isArray(answer) ? answer : [answer]
    for (const one of errors) {
      expect(faultOf(one), text.slice(0, 200)).toBeUndefined()
      expect(one.error?.code, text.slice(0, 200)).toBe(-32600)
    }
  })

  test('unknown methods, also by the names of things that every object has', async () => {
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

  test('too large: body and batch', async () => {
    const large = `"${'x'.repeat(MAX_REQUEST)}"`
    const { status, text } = await postRaw(endpoint, large)
    expect({ status, code: readAnswer(text).error?.code }).toEqual({ status: 200, code: -32600 })
    const batch = (size: number) =>
      JSON.stringify(Array.from({ length: size }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' })))
    expect(await codeOf(batch(MAX_BATCH + 1))).toBe(-32600)
    expect(JSON.parse((await postRaw(endpoint, batch(MAX_BATCH))).text)).toHaveLength(MAX_BATCH)
  })

  test('a batch of good, bad and silent entries is answered in order', async () => {
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

  test('other ways in: paths, verbs, content types', async () => {
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

  test('a request that is not even HTTP', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('\x16\x03\x01\0\xff nonsense\r\n\r\n')
    await new Promise((resolve) => socket.on('close', resolve).resume())
  })
})

describe('parameters', () => {
  // Written into the text afterwards: JSON.stringify would overflow the stack of this test.
  const DEEP_LIST = 'a deep list'
  const withDeepList = (text: string) => text.replaceAll(`"${DEEP_LIST}"`, `${'['.repeat(DEEP)}1${']'.repeat(DEEP)}`)
  const polluted = JSON.parse('{"__proto__":{"to":"0x00"},"constructor":{"prototype":{"polluted":1}},"to":"0x1234"}')
  const nasty: readonly unknown[] = [
    ...[null, true, 0, -1, 1.5, 1e308, '', '0x', '0x0g', '0x123', 'latest', '0', 'ä', '\u0000', '__proto__'],
    ...[`0x${'f'.repeat(1000)}`, `0x${'0'.repeat(65)}`, [], [[]], {}, { to: 1 }, { blockHash: '0x' }, polluted],
    ...[DEEP_LIST, { from: DEEP_LIST }],
  ]
  const paramsWith = (value: unknown, most: number) => [
    value,
    [value],
    Array(most).fill(value),
    [account(0).address, value, value].slice(0, Math.max(most, 2)),
  ]
  /** These do what they are told: make many blocks. */
  const obedient = new Set(['anvil_mine', 'hardhat_mine', 'evm_mine', 'evm_mine_detailed', 'anvil_mine_detailed'])

  test('of every method: nonsense gets an answer, and never an internal error', { timeout: 120_000 }, async () => {
    const failures: string[] = []
    for (const [method, { params }] of methods) {
      if (obedient.has(method)) continue
      const given = nasty.flatMap((value) => paramsWith(value, params.length))
      const body = JSON.stringify(given.map((params, id) => ({ jsonrpc: '2.0', id, method, params })))
      const { text } = await postRaw(endpoint, withDeepList(body))
      const answers = JSON.parse(text) as WireAnswer[]
      expect(answers, text.slice(0, 1000)).toHaveLength(given.length)
      for (const [i, answer] of answers.entries()) {
        const internal = answer.error?.code === -32603 || INSIDES.test(answer.error?.message ?? '')
        const fault = internal ? 'internal error' : faultOf(answer)
        if (fault) failures.push(`${method} ${JSON.stringify(given[i]).slice(0, 100)}: ${fault}`)
      }
      await rpc('anvil_reset')
    }
    expect(failures).toEqual([])
  })

  test('keys like __proto__ change nothing for others', async () => {
    const raw =
      '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"__proto__":{"to":"0x01"},"constructor":{"prototype":{"to":"0x01"}},"data":"0x"}],"__proto__":{"polluted":true}}'
    readAnswer((await postRaw(endpoint, raw)).text)
    const overrides = JSON.parse(
      `{"__proto__":{"balance":"0x1"},"${account(0).address}":{"__proto__":{"balance":"0x1"}}}`,
    )
    readAnswer((await postRaw(endpoint, envelope('eth_call', [{ data: '0x' }, 'latest', overrides]))).text)
    expect(Object.keys((await call('rpc_modules')).result as object)).not.toContain('polluted')
  })

  test('absurd numbers', async () => {
    const most = '0x7fffffffffffffff'
    const beyond = `0x1${'0'.repeat(64)}`
    const history = (await call('eth_feeHistory', most, 'latest', [])).result as { gasUsedRatio: number[] }
    expect(history.gasUsedRatio.length).toBeLessThanOrEqual(1024)
    expect((await call('eth_feeHistory', beyond, 'latest', [])).error?.code).toBe(-32602)
    expect((await call('eth_feeHistory', '0x1', 'latest', Array(10_000).fill(50))).error?.code).toBeLessThan(0)
    expect((await call('eth_feeHistory', '0x1', 'latest', [50, 10])).error?.code).toBeLessThan(0)
    expect((await call('eth_feeHistory', '0x1', 'latest', [-1, 101])).error?.code).toBeLessThan(0)
    expect((await call('eth_call', { to: account(0).address, gas: '0x8000000000000000' }, 'latest')).result).toBe('0x')
    expect((await call('eth_call', { to: account(0).address, gas: beyond }, 'latest')).error?.code).toBe(-32602)
    expect(
      (await call('eth_call', { to: account(0).address, value: `0x${'f'.repeat(64)}` }, 'latest')).error?.code,
    ).toBe(-32000)
    expect((await call('eth_getBlockByNumber', most, false)).result).toBeNull()
    expect((await call('eth_getBlockByNumber', '0xffffffffffffffffff', false)).error?.code).toBe(-32602)
    expect((await call('eth_getBalance', account(0).address, most)).error).toMatchObject({
      code: -32000,
      message: 'header not found',
    })
    expect((await call('eth_getStorageAt', account(0).address, beyond, 'latest')).error?.code).toBe(-32602)
    expect((await call('eth_getLogs', { fromBlock: most, toBlock: '0x1' })).error?.code).toBeLessThan(0)
    readAnswer((await postRaw(endpoint, envelope('eth_getLogs', [{ fromBlock: '0x0', toBlock: most }]))).text)
    expect((await call('eth_getLogs', { topics: Array(5).fill(null) })).error?.code).toBeLessThan(0)
    expect(
      (await call('eth_getProof', account(0).address, Array(10_000).fill('0x1'), 'latest')).error?.code,
    ).toBeLessThan(0)
    expect((await call('anvil_mine', '0xffffffffffff')).error?.code).toBeLessThan(0)
    expect((await call('eth_sendRawTransaction', `0x${'02'.repeat(200_000)}`)).error?.code).toBe(-32000)
    expect((await call('eth_sendRawTransaction', `0x${'f8'.repeat(1000)}`)).error?.code).toBe(-32000)
    expect((await call('eth_sendRawTransaction', `0x02${'c1'.repeat(100_000)}c0`)).error?.code).toBe(-32000)
  })
})

describe('over a WebSocket', () => {
  test('nonsense is answered as over HTTP, and the connection goes on', async () => {
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

  test('a message that is too large ends its connection only', async () => {
    const [large, other] = [await openSocket(wsUrl), await openSocket(wsUrl)]
    large.send('x'.repeat(MAX_REQUEST + 1))
    expect(await large.closed).toBe(1009)
    other.send(envelope('eth_chainId', []))
    expect(readAnswer(await other.next()).result).toBe('0x7d')
    other.close()
  })

  test('many subscriptions and sudden ends leave nothing behind', async () => {
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
