// The dispatcher: JSON-RPC 2.0 (jsonrpc.org/specification, sections 4 to 6) with go-ethereum's messages and error codes.
import { beforeEach, describe, expect, it, test, vi } from 'vitest'
import { Budget } from '../../src/lib/budget.ts'
import { ChainError } from '../../src/lib/errors.ts'
import { address, atBlock, quantity } from '../../src/rpc/codec.ts'
import {
  defaultRpcOptions,
  type RpcContext,
  type RpcMethod,
  type RpcServices,
  rpcMethod,
} from '../../src/rpc/define.ts'
import { answer } from '../../src/rpc/dispatch.ts'
import { RpcError } from '../../src/rpc/errors.ts'
import { LoggedRequests } from '../../src/rpc/request-reports.ts'

const calls: string[] = []
const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() }

const throwing = (error: unknown) =>
  rpcMethod({
    summary: 'Fails.',
    params: [],
    result: quantity,
    handler: (): bigint => {
      throw error
    },
  })

const methods = new Map<string, RpcMethod>(
  Object.entries({
    twice: rpcMethod({ summary: '', params: [quantity], result: quantity, handler: ([n]) => n * 2n }),
    slow: rpcMethod({
      summary: '',
      params: [quantity],
      result: quantity,
      async handler([n]) {
        calls.push(`begin ${n}`)
        // Later calls are faster: concurrent calls would finish in another order.
        for (let turns = 10n - n; turns > 0n; turns--) await new Promise((resolve) => setImmediate(resolve))
        calls.push(`end ${n}`)
        return n
      },
    }),
    balance: rpcMethod({
      summary: '',
      params: [address, atBlock],
      result: (text: string) => text,
      handler: ([who, ref]) => `${who} ${JSON.stringify(ref, (_, v) => (typeof v === 'bigint' ? Number(v) : v))}`,
    }),
    none: rpcMethod({ summary: '', params: [], result: quantity, handler: () => 1n }),
    large: rpcMethod({ summary: '', params: [], result: (text: string) => text, handler: () => 'x'.repeat(1000) }),
    hidden: rpcMethod({ summary: '', params: [], result: quantity, gate: 'development', handler: () => 1n }),
    personal_refuses: throwing(new ChainError('unknown-account', 'unknown account')),
    reverts: throwing(new ChainError('execution-reverted', 'execution reverted', '0x1234')),
    rejects: throwing(new ChainError('transaction-rejected', 'nonce too low')),
    unknown: throwing(new ChainError('header-not-found', 'header not found')),
    limited: throwing(new ChainError('limit-exceeded', 'too much')),
    special: throwing(new RpcError(-38011, 'nonce too high')),
    disk: throwing(new ChainError('storage', 'block 7 is missing', undefined, '/home/secret/data')),
    bug: throwing(new Error('secret detail')),
  }),
)

const options = { ...defaultRpcOptions, maxBatch: 5, maxBatchAnswer: 1500 }
const reports = new LoggedRequests({ options, log } as unknown as RpcServices)
// The handlers of this test use only these parts of the context.
const contextWith = (room: number) =>
  ({ methods, options, log, reports, chain: {}, textBudget: new Budget(room) }) as unknown as RpcContext
const context = contextWith(1e6)

const ask = async (body: string, within = context) => {
  const text = await answer(body, within)
  return text === undefined ? undefined : JSON.parse(text)
}
const request = (method: string, params?: unknown, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const code = async (body: string) => (await ask(body)).error.code

beforeEach(() => {
  calls.length = 0
  vi.clearAllMocks()
})

it('logs a refused personal_ method without its parameters, which may hold a password', async () => {
  await ask(request('reverts', []))
  await ask(request('personal_refuses', []))
  const records = log.debug.mock.calls.map(([record]) => record)
  expect(records).toMatchObject([{ method: 'reverts', params: [] }, { method: 'personal_refuses' }])
  expect(records[1]).not.toHaveProperty('params')
})

describe('a JSON-RPC request', () => {
  it('is answered with its id', async () => {
    expect(await ask(request('twice', ['0x2']))).toEqual({ jsonrpc: '2.0', id: 1, result: '0x4' })
    expect(await ask(request('none', [], 'a'))).toEqual({ jsonrpc: '2.0', id: 'a', result: '0x1' })
    expect(await ask(request('none', [], null))).toEqual({ jsonrpc: '2.0', id: null, result: '0x1' })
  })

  it('may have no params, or null or {} instead of an empty list', async () => {
    expect((await ask('{"jsonrpc":"2.0","id":1,"method":"none"}')).result).toBe('0x1')
    expect((await ask(request('none', null))).result).toBe('0x1')
    expect((await ask(request('none', {}))).result).toBe('0x1')
  })

  it('without an id (notification) runs and is not answered', async () => {
    expect(await ask('{"jsonrpc":"2.0","method":"slow","params":["0x1"]}')).toBeUndefined()
    expect(calls).toEqual(['begin 1', 'end 1'])
    expect(await ask('{"jsonrpc":"2.0","method":"nope"}')).toBeUndefined()
  })

  it('may omit trailing arguments with defaults, or give null for them', async () => {
    const who = `0x${'22'.repeat(20)}`
    expect((await ask(request('balance', [who]))).result).toBe(`${who} "latest"`)
    expect((await ask(request('balance', [who, null]))).result).toBe(`${who} "latest"`)
    expect((await ask(request('balance', [who, '0x7']))).result).toBe(`${who} {"number":7}`)
  })
})

describe('refused JSON-RPC requests', () => {
  test.each([
    ['{"jsonrpc":"2.0","method":"foobar, "params":"bar","baz]', -32700],
    ['', -32700],
    ['[{"jsonrpc":"2.0","method":"none","id":1},{"jsonrpc":"2.0","method"', -32700],
    ['{"jsonrpc":"2.0","method":1,"params":"bar"}', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"none"}', -32600],
    ['{"id":1,"method":"none"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"none"}', -32600],
    ['{"jsonrpc":"2.0","id":1e400,"method":"none"}', -32600],
    ['{"jsonrpc":"2.0","id":9007199254740993,"method":"none"}', -32600],
    ['"none"', -32600],
    ['null', -32600],
    ['[]', -32600],
    [request('constructor'), -32601],
    [request('__proto__'), -32601],
    [request('hidden'), -32601],
    [request('twice', { n: '0x1' }), -32602],
    [request('twice', 'bar'), -32602],
    [request('twice', []), -32602],
    [request('twice', ['0x1', '0x2']), -32602],
    [request('twice', ['2']), -32602],
  ])('%s is %i', async (body, expected) => {
    expect(await code(body)).toBe(expected)
  })

  it('repeat a valid id, otherwise have a null id', async () => {
    expect(await ask('{"jsonrpc":"1.0","id":7,"method":"none"}')).toMatchObject({ id: 7 })
    expect(await ask('{"jsonrpc":"2.0","id":[],"method":"none"}')).toMatchObject({ id: null })
    expect(await ask('{')).toMatchObject({ id: null })
  })

  it('have geth’s messages', async () => {
    const message = async (body: string) => (await ask(body)).error.message
    expect(await message(request('nope'))).toBe('the method nope does not exist/is not available')
    expect(await message(request('twice', []))).toBe('missing value for required argument 0')
    expect(await message(request('twice', ['0x1', '0x2']))).toBe('too many arguments, want at most 1')
    expect(await message(request('twice', ['2']))).toBe('invalid argument 0: hex string without 0x prefix')
  })

  it('of hostile JSON have an error', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(await code(request('twice', ['DEEP']).replace('"DEEP"', deep))).toBe(-32600)
    expect(await code('{"jsonrpc":"2.0","id":1,"method":"twice","params":[{"__proto__":{"x":1}}]}')).toBe(-32602)
    expect(await code(`{"jsonrpc":"2.0","id":1,"method":"twice","params":[1${'0'.repeat(10_000)}]}`)).toBe(-32602)
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })
})

describe('errors of methods', () => {
  it('have the codes of the table of ChainErrors', async () => {
    expect((await ask(request('reverts'))).error).toEqual({ code: 3, message: 'execution reverted', data: '0x1234' })
    expect((await ask(request('rejects'))).error).toEqual({ code: -32000, message: 'nonce too low' })
    expect((await ask(request('unknown'))).error).toEqual({ code: -32000, message: 'header not found' })
    expect((await ask(request('limited'))).error).toEqual({ code: -32005, message: 'too much' })
    expect((await ask(request('special'))).error).toEqual({ code: -38011, message: 'nonce too high' })
  })

  test.each([
    ['disk', 'block 7 is missing'],
    ['bug', 'internal error'],
  ])('do not reveal internals: %s', async (method, message) => {
    expect((await ask(request(method))).error).toEqual({ code: -32603, message })
    expect(log.error).toHaveBeenCalledOnce()
  })

  it('of gated methods disappear when the option is set', async () => {
    const open = { ...context, options: { ...options, development: true } }
    expect((await ask(request('hidden'), open)).result).toBe('0x1')
  })
})

describe('a JSON-RPC batch', () => {
  const batch = (...entries: string[]) => `[${entries.join(',')}]`

  it('runs and is answered in order', async () => {
    const answers = await ask(batch(request('slow', ['0x1'], 1), request('slow', ['0x9'], 2), request('nope', [], 3)))
    expect(answers).toMatchObject([
      { id: 1, result: '0x1' },
      { id: 2, result: '0x9' },
      { id: 3, error: { code: -32601 } },
    ])
    expect(calls).toEqual(['begin 1', 'end 1', 'begin 9', 'end 9'])
  })

  it('answers invalid requests, and does not answer notifications (specification, section 7)', async () => {
    expect(await ask('[1,2]')).toMatchObject([
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
    ])
    expect(await ask(batch('{"jsonrpc":"2.0","method":"none"}', request('none')))).toHaveLength(1)
    expect(await ask(batch('{"jsonrpc":"2.0","method":"none"}'))).toBeUndefined()
  })

  it('is limited in the number of requests and the length of its answers', async () => {
    expect(await code(batch(...Array.from({ length: 6 }, () => request('none'))))).toBe(-32600)
    const answers = await ask(batch(...Array.from({ length: 4 }, () => request('large'))))
    expect(answers.map((entry: { error?: { code: number } }) => entry.error?.code)).toEqual([
      undefined,
      undefined,
      -32003,
      -32003,
    ])
  })
})

describe('the text budget of all connections', () => {
  /** A request of more than 64 KB that runs for some milliseconds. */
  const large = request('slow', ['0x1'], 'x'.repeat(70_000))

  it('is taken by large requests until they are answered', async () => {
    const within = contextWith(100_000)
    const first = ask(large, within)
    expect((await ask(large, within)).error).toEqual({
      code: -32005,
      message: 'limit exceeded: too many large requests in work',
    })
    expect((await ask(request('none'), within)).result).toBe('0x1')
    expect((await first).result).toBe('0x1')
    expect((await ask(large, within)).result).toBe('0x1')
  })

  it('is taken by the answers of batches until they are written', async () => {
    const within = contextWith(500)
    const batch = `[${[1, 2, 3].map((id) => request('large', [], id)).join()}]`
    for (let round = 0; round < 2; round++) {
      const [first, ...rest] = await ask(batch, within)
      expect(first.result.length).toBe(1000)
      expect(rest.map((one: { error: { code: number } }) => one.error.code)).toEqual([-32003, -32003])
    }
  })
})
