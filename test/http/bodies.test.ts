// Limits of request bodies: every POST route bounds bytes, fields, parts, values and levels, and reports a violation in its
// format; all bodies together are bounded.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, describe, expect, it, onTestFinished, test } from 'vitest'
import { urlEncodedForm } from '../../src/explorer/uploads.ts'
import { isBoundedJson, MAX_JSON_DEPTH, MAX_JSON_VALUES } from '../../src/lib/bounded-json.ts'
import { Budget } from '../../src/lib/budget.ts'
import { startNode } from '../../src/node.ts'
import { nodeOptions } from '../support/chain.ts'
import { postRaw } from '../support/wire.ts'

const MB = 1 << 20
const node = await startNode(nodeOptions())
const faces = await node.server.faces()
afterAll(() => node.close())

/** The POST routes in the tree that Fastify prints, with values for their parameters. */
function postRoutes(): string[] {
  const path: string[] = []
  const found: string[] = []
  for (const line of faces.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', name, methods = ''] = /^((?:[│ ] {3})*)[├└]── (\S*)(?: \((.*)\))?$/.exec(line) ?? []
    if (name === undefined) continue
    path.splice(indent.length / 4, Number.POSITIVE_INFINITY, name)
    if (methods.includes('POST')) found.push(path.join('').replaceAll('//', '/'))
  }
  const values: Readonly<Record<string, string>> = { chain: '125' }
  return found.map((route) => route.replace(/:(\w+)/g, (_, name) => values[name] ?? `0x${'11'.repeat(20)}`))
}

const routes = postRoutes()
const isRpc = (route: string) => route === '/' || route === '/rpc'
const manyFields = Array.from({ length: 1001 }, (_, i) => `k${i}=1`).join('&')
const part = (i: number) => `--x\r\ncontent-disposition: form-data; name="k${i}"\r\n\r\n1\r\n`
const manyParts = `${Array.from({ length: 1001 }, (_, i) => part(i)).join('')}--x--\r\n`
const deep = `${'['.repeat(300)}${']'.repeat(300)}`.replace('[]', `["${'x'.repeat(5000)}"]`)
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=x' }

/** Expects the refusal of a body that is too large, in the format of the route's face. */
function expectRefusal(route: string, { status, text }: { readonly status: number; readonly text: string }): void {
  const answer = JSON.parse(text)
  // JSON-RPC errors have status 200, because wallets treat an endpoint with other statuses as dead.
  expect(status, text).toBe(isRpc(route) ? 200 : 413)
  if (isRpc(route) || route.endsWith('/api/eth-rpc'))
    expect(answer).toMatchObject({ id: null, error: { code: -32600 } })
  else if (route.endsWith('/api')) expect(answer).toMatchObject({ status: '0', message: 'NOTOK' })
  else if (/^\/sourcify\/?v2/.test(route)) expect(answer).toMatchObject({ customCode: 'invalid_parameter' })
  else expect(answer.message).toMatch(/^the (body|form) /)
}

/** Sends a request head with this content length and a part of the body. Returns the response. */
async function announce(
  path: string,
  announced: number,
  sent: number,
): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = connect(Number(new URL(node.url).port), '127.0.0.1')
    .setMaxListeners(0)
    .on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: localhost',
    `content-length: ${announced}`,
    'content-type: application/json',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const answer = once(socket, 'data').then(([bytes]) => String(bytes))
  for (let at = 0; at < sent; at += MB) {
    if (!socket.write(Buffer.alloc(Math.min(MB, sent - at), ' '))) await Promise.race([once(socket, 'drain'), answer])
  }
  return { socket, answer }
}

describe('every POST route', () => {
  it('is listed by Fastify', () => {
    expect(routes).toEqual(expect.arrayContaining(['/', '/rpc', '/api', '/api/eth-rpc', '/sourcify/verify']))
    expect(routes.length).toBeGreaterThanOrEqual(18)
  })

  test.each(routes)('%s refuses a body of 40 MB before it has arrived', async (route) => {
    const { answer } = await announce(route, 40 * MB, 0)
    const [head = '', text = ''] = (await answer).split('\r\n\r\n')
    expectRefusal(route, { status: Number(head.split(' ', 2)[1]), text })
  })

  test.each(routes)('%s refuses JSON with too many levels or values without parsing it', async (route) => {
    expectRefusal(route, await postRaw(`${node.url}${route}`, deep))
    expectRefusal(route, await postRaw(`${node.url}${route}`, `[${'1,'.repeat(MAX_JSON_VALUES)}1]`))
  })

  test.each(routes.filter((route) => !isRpc(route)))('%s refuses forms with too many fields', async (route) => {
    expectRefusal(route, await postRaw(`${node.url}${route}`, manyFields, FORM))
    expectRefusal(route, await postRaw(`${node.url}${route}`, manyParts, MULTIPART))
  })
})

test.each([
  ['without a boundary', 'multipart/form-data', manyParts],
  ['that is truncated', 'multipart/form-data; boundary=x', part(1)],
  ['with a field named __proto__', 'multipart/form-data; boundary=x', `${part(1).replace('k1', '__proto__')}--x--\r\n`],
])('a form %s gets status 400', async (_what, type, body) => {
  for (const path of ['/api', '/sourcify/verify']) {
    expect((await postRaw(`${node.url}${path}`, body, { 'content-type': type })).status).toBe(400)
  }
})

describe('a body of 6 MB at /api', () => {
  const source = `sourceCode=${'x'.repeat(6 * MB)}`
  const post = (query: string, body: string, headers = FORM) => postRaw(`${node.url}/api${query}`, body, headers)

  // Foundry's and Hardhat 2's order of fields; Hardhat 3 sends the first two in the query.
  it('is accepted when the query or the first fields name verifysourcecode', async () => {
    const named = 'module=contract&action=verifysourcecode'
    for (const [query, body] of [
      [`?${named}`, source],
      ['', `apikey=x&${named}&${source}`],
    ] as const) {
      const { status, text } = await post(query, body)
      expect([status, JSON.parse(text).result]).toEqual([200, expect.stringContaining('contractaddress')])
    }
  })

  it('is refused for other actions, and if the action comes after the sources', async () => {
    for (const body of [source, `${source}&module=contract&action=verifysourcecode`]) {
      const { status, text } = await post('?module=contract&action=getabi', body)
      expect([status, JSON.parse(text)]).toEqual([
        413,
        { status: '0', message: 'NOTOK', result: 'Error! the body is too large, want at most 5242880 bytes' },
      ])
    }
  })
})

it('bodies of all connections together are bounded, and are freed when their clients disconnect', async () => {
  // 128 MB together.
  const uploads = await Promise.all(Array.from({ length: 4 }, () => announce('/sourcify/verify', 32 * MB, 31 * MB)))
  const { answer } = await announce('/sourcify/verify', 32 * MB, 20 * MB)
  expect(await answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 5\r\n[\s\S]*too many bytes of requests/i)
  // Small requests are not counted.
  expect((await postRaw(node.url, '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')).text).toContain('"result"')
  for (const { socket } of uploads) socket.destroy()
  const again = () => postRaw(`${node.url}/sourcify/verify`, `{"address":"${' '.repeat(20 * MB)}"}`)
  await expect.poll(async () => (await again()).status, { timeout: 10_000 }).toBe(400)
})

test.each([
  'a=1&b=2&a=3',
  'sourceCode=%7B%22a%22%3A+%22%C3%A9%22%7D&empty=&=nameless&flag&&x=1',
  'percent=100%&half=%4&bad=%zz&plus=%2B+%2b',
])('forms are parsed as in the URL standard: %s', (text) => {
  const expected: Record<string, string[]> = {}
  for (const [name, value] of new URLSearchParams(text)) expected[name] = [...(expected[name] ?? []), value]
  const form = Object.entries(urlEncodedForm(Buffer.from(text))).map(([name, value]) => [name, [value].flat()])
  expect(Object.fromEntries(form)).toEqual(expected)
})

describe('bounded JSON', () => {
  test.each([
    ['levels', `${'['.repeat(MAX_JSON_DEPTH)}${']'.repeat(MAX_JSON_DEPTH)}`, true],
    ['one level more', `${'['.repeat(MAX_JSON_DEPTH + 1)}${']'.repeat(MAX_JSON_DEPTH + 1)}`, false],
    // The array itself is a value.
    ['values', `[${'1,'.repeat(MAX_JSON_VALUES - 2)}1]`, true],
    ['two values more', `[${'1,'.repeat(MAX_JSON_VALUES)}1]`, false],
    ['commas and brackets in a string', JSON.stringify(`${',[{"\\"'.repeat(MAX_JSON_VALUES)}\\`), true],
    ['a string without an end', `"${','.repeat(MAX_JSON_VALUES * 2)}`, true],
  ])('%s', (_what, text, expected) => {
    expect(isBoundedJson(text)).toBe(expected)
  })
})

describe('a budget', () => {
  it('refuses amounts that exceed the total or the share of a client', () => {
    const budget = new Budget(100, 40)
    expect(budget.take(40, 'a')).toBe(true)
    expect(budget.take(1, 'a')).toBe(false)
    expect(budget.take(60)).toBe(true)
    expect(budget.take(1, 'b')).toBe(false)
    budget.give(10, 'a')
    expect(budget.take(10, 'b')).toBe(true)
    expect([budget.taken, budget.refusals]).toEqual([100, 2])
  })
})
