// Malformed parameters for every method: errors of the JSON-RPC standard, and no internal error.
import { afterEach, expect, test } from 'vitest'
import { methods } from '../../src/rpc/methods/index.ts'
import { account } from '../support/chain.ts'
import { processForFile } from '../support/process.ts'
import { faultOf, INSIDES, postRaw, readAnswer, type WireAnswer } from '../support/wire.ts'

const MAX_BATCH = 1000
/** Nesting that passes the check before parsing (`bodies.test.ts`), minus the levels around the parameter. */
const DEEP = 200
const { node, url, rpc } = await processForFile(['--in-memory'])
const endpoint = `${url}/rpc`
const alice = account(0).address

afterEach(async () => {
  expect(await rpc('eth_chainId')).toBe('0x7d')
  expect(node.isRunning()).toBe(true)
})

const envelope = (method: string, params: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const call = async (method: string, ...params: unknown[]): Promise<WireAnswer> =>
  readAnswer((await postRaw(endpoint, envelope(method, params))).text)

/** Faults of the responses, each with its request. */
function faults(text: string, requests: readonly string[]): string[] {
  const answers = JSON.parse(text) as WireAnswer[]
  expect(answers, text.slice(0, 1000)).toHaveLength(requests.length)
  return answers.flatMap((answer, i) => {
    const internal = answer.error?.code === -32603 || INSIDES.test(answer.error?.message ?? '')
    const fault = internal ? 'internal error' : faultOf(answer)
    return fault ? [`${fault}: ${requests[i]?.slice(0, 400)}`] : []
  })
}

// Inserted into the text afterwards: JSON.stringify would overflow the test's stack.
const DEEP_LIST = 'a deep list'
const withDeepList = (text: string) => text.replaceAll(`"${DEEP_LIST}"`, `${'['.repeat(DEEP)}1${']'.repeat(DEEP)}`)
const polluted = JSON.parse('{"__proto__":{"to":"0x00"},"constructor":{"prototype":{"polluted":1}},"to":"0x1234"}')
const invalidValues: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e308, '', '0x', '0x0g', '0x123', 'latest', '0', 'ä', '\u0000', '__proto__'],
  ...[`0x${'f'.repeat(1000)}`, `0x${'0'.repeat(65)}`, [], [[]], {}, { to: 1 }, { blockHash: '0x' }, polluted],
  ...[DEEP_LIST, { from: DEEP_LIST }],
]
const paramsWith = (value: unknown, most: number) => [
  value,
  [value],
  Array(most).fill(value),
  [alice, value, value].slice(0, Math.max(most, 2)),
]
/** Methods that accept the number, and mine as many blocks. */
const mining = new Set(['anvil_mine', 'hardhat_mine', 'evm_mine', 'evm_mine_detailed', 'anvil_mine_detailed'])

test('invalid parameters of every method are refused', { timeout: 60_000 }, async () => {
  const failures: string[] = []
  for (const [method, { params }] of methods) {
    if (mining.has(method)) continue
    const requests = invalidValues
      .flatMap((value) => paramsWith(value, params.length))
      .map((given) => envelope(method, given))
    const { text } = await postRaw(endpoint, withDeepList(`[${requests.join()}]`))
    failures.push(...faults(text, requests))
    await rpc('anvil_reset')
  }
  expect(failures).toEqual([])
})

test('an invalid value in the place of any part of a valid request is refused', { timeout: 60_000 }, async () => {
  const failures: string[] = []
  for (const [method, params] of GOOD) {
    const requests = replacements(params).flatMap((replace) =>
      invalidValues.map((value) => envelope(method, replace(value))),
    )
    for (let i = 0; i < requests.length; i += MAX_BATCH) {
      const part = requests.slice(i, i + MAX_BATCH)
      const { text } = await postRaw(endpoint, withDeepList(`[${part.join()}]`))
      failures.push(...faults(text, part))
    }
    await rpc('anvil_reset')
  }
  expect(failures).toEqual([])
})

const tx = {
  from: alice,
  to: alice,
  gas: '0x7530',
  gasPrice: '0x77359400',
  value: '0x1',
  nonce: '0x0',
  data: '0x00',
  accessList: [{ address: alice, storageKeys: [`0x${'00'.repeat(32)}`] }],
}
const typed = {
  types: { EIP712Domain: [{ name: 'name', type: 'string' }], A: [{ name: 'b', type: 'uint8[2][]' }] },
  primaryType: 'A',
  domain: { name: 'x' },
  message: { b: [[1, 2]] },
}
const override = {
  [alice]: { balance: '0x1', nonce: '0x1', code: '0x00', state: {}, movePrecompileToAddress: alice },
}
const GOOD: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  [
    'eth_call',
    [
      tx,
      { blockNumber: '0x0' },
      override,
      {
        number: '0x1',
        time: '0x1',
        gasLimit: '0x1',
        feeRecipient: alice,
        prevRandao: `0x${'00'.repeat(32)}`,
        baseFeePerGas: '0x1',
        blobBaseFee: '0x1',
      },
    ],
  ],
  ['eth_estimateGas', [tx, 'latest', override]],
  ['eth_createAccessList', [tx, 'latest']],
  [
    'eth_sendTransaction',
    [
      {
        ...tx,
        type: '0x4',
        authorizationList: [{ chainId: '0x7d', address: alice, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' }],
      },
    ],
  ],
  [
    'eth_getLogs',
    [{ fromBlock: '0x0', toBlock: 'latest', address: [alice], topics: [[`0x${'00'.repeat(32)}`], null] }],
  ],
  ['eth_newFilter', [{ fromBlock: '0x0', toBlock: 'latest', address: alice, topics: [null] }]],
  ['eth_getProof', [alice, ['0x0'], 'latest']],
  ['eth_feeHistory', ['0x1', 'latest', [10, 50]]],
  ['eth_getStorageValues', [{ [alice]: [`0x${'00'.repeat(32)}`] }, 'latest']],
  [
    'eth_simulateV1',
    [
      {
        blockStateCalls: [
          { blockOverrides: { number: '0x5', time: '0x70000000' }, stateOverrides: override, calls: [tx] },
        ],
        validation: true,
        traceTransfers: true,
        returnFullTransactions: true,
      },
      'latest',
    ],
  ],
  ['eth_signTypedData_v4', [alice, typed]],
  [
    'debug_traceCall',
    [
      tx,
      'latest',
      {
        tracer: 'callTracer',
        tracerConfig: { withLog: true },
        timeout: '1s',
        stateOverrides: override,
        blockOverrides: { number: '0x1' },
      },
    ],
  ],
  ['trace_call', [tx, ['trace', 'vmTrace', 'stateDiff'], 'latest']],
  ['trace_filter', [{ fromBlock: '0x0', toBlock: '0x1', fromAddress: [alice], after: 0, count: 1 }]],
  ['debug_storageRangeAt', [`0x${'00'.repeat(32)}`, 0, alice, '0x0', 5]],
  ['anvil_setStorageAt', [alice, '0x0', `0x${'00'.repeat(32)}`]],
]
/** For each part of a value, a function that replaces that part. */
function replacements(whole: unknown): ((value: unknown) => unknown)[] {
  if (typeof whole !== 'object' || whole === null) return []
  return Object.entries(whole).flatMap(([key, part]) => {
    const put = (value: unknown) => (Array.isArray(whole) ? whole.with(Number(key), value) : { ...whole, [key]: value })
    return [put, ...replacements(part).map((inner) => (value: unknown) => put(inner(value)))]
  })
}

test('keys like __proto__ do not affect other requests', async () => {
  const raw =
    '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"__proto__":{"to":"0x01"},"constructor":{"prototype":{"to":"0x01"}},"data":"0x"}],"__proto__":{"polluted":true}}'
  readAnswer((await postRaw(endpoint, raw)).text)
  const overrides = JSON.parse(`{"__proto__":{"balance":"0x1"},"${alice}":{"__proto__":{"balance":"0x1"}}}`)
  readAnswer((await postRaw(endpoint, envelope('eth_call', [{ data: '0x' }, 'latest', overrides]))).text)
  expect(Object.keys((await call('rpc_modules')).result as object)).not.toContain('polluted')
})

test('extreme numbers are refused or answered', async () => {
  const most = '0x7fffffffffffffff'
  const beyond = `0x1${'0'.repeat(64)}`
  const history = (await call('eth_feeHistory', most, 'latest', [])).result as { gasUsedRatio: number[] }
  expect(history.gasUsedRatio.length).toBeLessThanOrEqual(1024)
  expect((await call('eth_feeHistory', beyond, 'latest', [])).error?.code).toBe(-32602)
  expect((await call('eth_feeHistory', '0x1', 'latest', Array(10_000).fill(50))).error?.code).toBeLessThan(0)
  expect((await call('eth_feeHistory', '0x1', 'latest', [50, 10])).error?.code).toBeLessThan(0)
  expect((await call('eth_feeHistory', '0x1', 'latest', [-1, 101])).error?.code).toBeLessThan(0)
  expect((await call('eth_call', { to: alice, gas: '0x8000000000000000' }, 'latest')).result).toBe('0x')
  expect((await call('eth_call', { to: alice, gas: beyond }, 'latest')).error?.code).toBe(-32602)
  expect((await call('eth_call', { to: alice, value: `0x${'f'.repeat(64)}` }, 'latest')).error?.code).toBe(-32000)
  expect((await call('eth_getBlockByNumber', most, false)).result).toBeNull()
  expect((await call('eth_getBlockByNumber', '0xffffffffffffffffff', false)).error?.code).toBe(-32602)
  expect((await call('eth_getBalance', alice, most)).error).toMatchObject({
    code: -32000,
    message: 'header not found',
  })
  expect((await call('eth_getStorageAt', alice, beyond, 'latest')).error?.code).toBe(-32602)
  expect((await call('eth_getLogs', { fromBlock: most, toBlock: '0x1' })).error?.code).toBeLessThan(0)
  readAnswer((await postRaw(endpoint, envelope('eth_getLogs', [{ fromBlock: '0x0', toBlock: most }]))).text)
  expect((await call('eth_getLogs', { topics: Array(5).fill(null) })).error?.code).toBeLessThan(0)
  expect((await call('eth_getProof', alice, Array(10_000).fill('0x1'), 'latest')).error?.code).toBeLessThan(0)
  expect((await call('anvil_mine', '0xffffffffffff')).error?.code).toBeLessThan(0)
  expect((await call('eth_sendRawTransaction', `0x${'02'.repeat(200_000)}`)).error?.code).toBe(-32000)
  expect((await call('eth_sendRawTransaction', `0x${'f8'.repeat(1000)}`)).error?.code).toBe(-32000)
  expect((await call('eth_sendRawTransaction', `0x02${'c1'.repeat(100_000)}c0`)).error?.code).toBe(-32000)
})
