// The OpenRPC document is valid, complete, matches real responses, and lists enabled methods only.
import metaSchema from '@open-rpc/meta-schema'
import { Ajv, type AnySchema } from 'ajv'
import { expect, it } from 'vitest'
import { encodeBlock } from '../../src/primitives/block.ts'
import { defaultRpcOptions } from '../../src/rpc/define.ts'
import { methods } from '../../src/rpc/methods/index.ts'
import { openRpcDocument } from '../../src/rpc/openrpc.ts'
import { amsterdamChain, amsterdamChainSpec } from '../support/amsterdam-chain.ts'
import { testChain } from '../support/chain.ts'

type Described = {
  readonly name: string
  readonly summary: string
  readonly params: readonly { readonly name: string; readonly required: boolean; readonly schema: object }[]
  readonly result: { readonly name: string; readonly schema: object }
}
type Document = { readonly methods: readonly Described[]; readonly components: object }

const all = openRpcDocument(methods, {
  ...defaultRpcOptions,
  development: true,
  testing: true,
  audit: true,
})() as Document
const ajv = () => new Ajv({ strict: false, validateFormats: false })

it('the document is valid by OpenRPC’s meta schema', async () => {
  // The meta schema refers to a web page for JSON Schema itself; the next test validates that part with ajv's copy.
  const text = JSON.stringify({ ...Object(metaSchema), $schema: undefined })
  const schema = JSON.parse(
    text.replaceAll(/"\$ref":"https:\/\/meta\.json-schema\.tools[^"]*"/g, '"description":"JSON Schema"'),
  )
  const validate = ajv().compile(schema)
  validate(all)
  expect(validate.errors).toBeNull()
  expect(validate({ ...all, methods: [{ name: 'nothing' }] })).toBe(false)
})

it('the document has valid JSON Schemas', () => {
  const judge = ajv()
  for (const { name, params, result } of all.methods) {
    for (const { schema } of [...params, result]) expect(judge.validateSchema(schema), name).toBe(true)
  }
  expect(judge.validateSchema({ type: 'nothing' })).toBe(false)
})

it('the document describes every method, its parameters and its result', () => {
  expect(all.methods).toHaveLength(methods.size)
  // Methods with missing or too few parameter names.
  const nameless = all.methods.filter(({ params }) => params.some(({ name }) => !/^[a-z]\w*$/i.test(name ?? '')))
  expect(nameless.map(({ name }) => name)).toEqual([])
  const doubled = all.methods.filter(({ params }) => new Set(params.map(({ name }) => name)).size < params.length)
  expect(doubled.map(({ name }) => name)).toEqual([])
  for (const { name, summary, result } of all.methods)
    expect([summary, result.name, result.schema], name).not.toContain(undefined)
  expect(all.methods.find(({ name }) => name === 'eth_getBalance')?.params).toMatchObject([
    { name: 'address', required: true },
    { name: 'block', required: false },
  ])
})

it('the document does not list methods that are not enabled', async () => {
  const { rpc, raw, url } = await testChain({ rpc: { development: false } })
  const document = (await rpc('rpc_discover')) as Document
  const names = document.methods.map(({ name }) => name)
  expect(names).toContain('eth_call')
  expect(names.filter((name) => /^(evm|anvil|hardhat|miner|testing)_/.test(name))).toEqual([])
  expect(await (await fetch(`${url}/rpc/openrpc.json`)).json()).toEqual(document)
  expect((await raw('rpc.discover')).result).toEqual(document)
})

it('real responses match the document', async () => {
  const { raw, rpc, walletOf, bob, viem } = await testChain()
  const hash = await walletOf(0).deployContract({
    abi: [],
    // Logs nothing with no topic, and returns no code: PUSH0 PUSH0 LOG0 STOP.
    bytecode: '0x5f5fa000',
  })
  await viem.waitForTransactionReceipt({ hash })
  await walletOf(0).sendTransaction({ to: bob.address, value: 1n, type: 'legacy' })
  const { blockHash } = (await rpc('eth_getTransactionReceipt', hash)) as { blockHash: string }
  const samples: readonly [string, ...unknown[]][] = [
    ['eth_getBlockByNumber', 'latest', true],
    ['eth_getBlockByHash', blockHash, false],
    ['eth_getHeaderByNumber', 'latest'],
    ['eth_getTransactionByHash', hash],
    ['eth_getTransactionByBlockNumberAndIndex', 'latest', '0x0'],
    ['eth_getTransactionReceipt', hash],
    ['eth_getBlockReceipts', blockHash],
    ['eth_getLogs', { fromBlock: '0x0' }],
    ['eth_feeHistory', '0x2', 'latest', [50]],
    ['eth_createAccessList', { to: bob.address }],
    ['eth_getBalance', bob.address],
    ['eth_chainId'],
    ['eth_syncing'],
    ['eth_accounts'],
    ['eth_getBlockByHash', `0x${'00'.repeat(32)}`, false],
  ]
  for (const [name, ...params] of samples) expectDescribed(name, (await raw(name, ...params)).result)
})

it('real responses of Amsterdam match the document', async () => {
  const { node, raw } = await testChain({ spec: amsterdamChainSpec() })
  for (const { block } of await amsterdamChain()) await node.chain.importBlock(encodeBlock(block))
  expectDescribed('eth_getBlockByNumber', (await raw('eth_getBlockByNumber', '0x5', true)).result)
  expectDescribed('eth_getBlockAccessList', (await raw('eth_getBlockAccessList', '0x5')).result)
})

function expectDescribed(name: string, result: unknown): void {
  const { schema } = all.methods.find((method) => method.name === name)?.result ?? { schema: false }
  const validate = ajv().compile({ ...Object(schema), components: closed(all.components) } as AnySchema)
  validate(result)
  expect(validate.errors, name).toBeNull()
}

/** The same schemas, refusing unknown fields. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const inner = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each)]))
  return 'properties' in inner ? { ...inner, additionalProperties: false } : inner
}
