// The OpenRPC document (open-rpc.org, 1.3) of the enabled methods, made of the schemas that decode their arguments. Large
// results are written by plain functions, because they are called for every transaction of a block; the schemas below describe
// them, and `test/rpc/openrpc.test.ts` checks real answers against these.
import { z } from 'zod'
import type { RpcMethod, RpcOptions } from './define.ts'

type Json = Readonly<Record<string, unknown>>
type Registry = ReadonlyMap<string, RpcMethod>

/** Returns a function that makes the document of the methods that these options enable, once, in about 50 ms. */
export function openRpcDocument(methods: Registry, options: RpcOptions): () => Json {
  let document: Json | undefined
  return () => {
    document ??= documentOf(methods, options)
    return document
  }
}

function documentOf(methods: Registry, options: RpcOptions): Json {
  const enabled = [...methods].filter(([, { gate }]) => gate === undefined || options[gate])
  return {
    openrpc: '1.3.2',
    info: {
      title: 'kestrel JSON-RPC',
      version: options.version,
      description:
        'Arguments are passed by position. Numbers are QUANTITY and bytes are DATA, as in the Ethereum JSON-RPC specification.',
      license: { name: 'MIT' },
    },
    methods: enabled.map(([name, method]) => describe(name, method)),
    components: {
      schemas: Object.fromEntries(Object.entries(components).map(([name, shape]) => [name, schemaOf(shape)])),
    },
  }
}

function describe(name: string, method: RpcMethod): Json {
  const { summary, params, names, required, result, heavy } = method
  return {
    name,
    summary,
    tags: [{ name: name.split(/[_.]/)[0] }],
    paramStructure: 'by-position',
    params: params.map((schema, position) => ({
      name: names[position],
      required: position < required,
      schema: schemaOf(schema),
    })),
    result: { name: 'result', schema: resultSchema(name) ?? (typeof result === 'function' ? {} : schemaOf(result)) },
    ...(heavy && { description: 'A heavy call: the node runs only a few of them at a time.' }),
  }
}

/** The JSON Schema of a codec's wire value; `{}` (anything) if JSON Schema cannot express it. */
function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(withoutDefault(schema), {
    io: 'input',
    unrepresentable: 'any',
    target: 'draft-7',
  })
  return rest
}

/** The schema without its default, which is a decoded value (such as a bigint) and may have no JSON form. */
function withoutDefault(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodDefault ? withoutDefault(schema.unwrap() as z.ZodType) : schema
}

// --- schemas of large results

const hex = (digits: string, name: string) =>
  z
    .string()
    .regex(new RegExp(`^0x${digits}$`))
    .describe(name)
const quantity = hex('(0|[1-9a-f][0-9a-f]*)', 'QUANTITY')
const data = hex('([0-9a-f]{2})*', 'DATA')
const hash = hex('[0-9a-f]{64}', 'DATA, 32 bytes')
const address = hex('[0-9a-f]{40}', 'DATA, 20 bytes')
const fields = <K extends string, T extends z.ZodType>(names: readonly K[], schema: T) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<K, T>

const authorization = z.object({ ...fields(['chainId', 'nonce', 'yParity', 'r', 's'], quantity), address })
const accessList = z.array(z.object({ address, storageKeys: z.array(hash) }))

/** The block fields of a pending transaction are null; fields of later types are absent from earlier ones. */
const transaction = z.object({
  blockHash: hash.nullable(),
  ...fields(['blockNumber', 'blockTimestamp', 'transactionIndex'], quantity.nullable()),
  hash,
  from: address,
  to: address.nullable(),
  input: data,
  ...fields(['type', 'nonce', 'gas', 'gasPrice', 'value', 'v', 'r', 's'], quantity),
  ...fields(['chainId', 'yParity', 'maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas'], quantity.optional()),
  accessList: accessList.optional(),
  blobVersionedHashes: z.array(hash).optional(),
  authorizationList: z.array(authorization).optional(),
})

const header = z.object({
  ...fields(['number', 'difficulty', 'gasLimit', 'gasUsed', 'timestamp'], quantity),
  ...fields(['hash', 'parentHash', 'mixHash', 'sha3Uncles', 'stateRoot', 'transactionsRoot', 'receiptsRoot'], hash),
  ...fields(['nonce', 'logsBloom', 'extraData'], data),
  miner: address,
  ...fields(['baseFeePerGas', 'blobGasUsed', 'excessBlobGas', 'slotNumber'], quantity.optional()),
  ...fields(['withdrawalsRoot', 'parentBeaconBlockRoot', 'requestsHash', 'blockAccessListHash'], hash.optional()),
})

const block = header.extend({
  size: quantity,
  transactions: z.union([z.array(hash), z.array(transaction)]),
  uncles: z.array(hash),
  withdrawals: z.array(z.object({ ...fields(['index', 'validatorIndex', 'amount'], quantity), address })).optional(),
})

const log = z.object({
  address,
  topics: z.array(hash).max(4),
  data,
  ...fields(['blockNumber', 'transactionIndex', 'blockTimestamp', 'logIndex'], quantity),
  ...fields(['transactionHash', 'blockHash'], hash),
  removed: z.boolean(),
})

const receipt = z.object({
  ...fields(['transactionHash', 'blockHash'], hash),
  ...fields(['blockNumber', 'transactionIndex', 'type', 'cumulativeGasUsed', 'gasUsed', 'effectiveGasPrice'], quantity),
  from: address,
  to: address.nullable(),
  contractAddress: address.nullable(),
  logs: z.array(log),
  logsBloom: data,
  status: quantity.optional(),
  root: hash.optional(),
  ...fields(['blobGasUsed', 'blobGasPrice'], quantity.optional()),
})

const feeHistory = z.object({
  oldestBlock: quantity,
  ...fields(['baseFeePerGas', 'baseFeePerBlobGas'], z.array(quantity)),
  ...fields(['gasUsedRatio', 'blobGasUsedRatio'], z.array(z.number())),
  reward: z.array(z.array(quantity)).optional(),
})

const change = <K extends string>(name: K, value: z.ZodType) =>
  z.array(z.object({ blockAccessIndex: quantity, ...fields([name], value) }))
const accountAccess = z.object({
  address,
  storageChanges: z.array(z.object({ slot: quantity, slotChanges: change('postValue', quantity) })),
  storageReads: z.array(quantity),
  balanceChanges: change('postBalance', quantity),
  nonceChanges: change('postNonce', quantity),
  codeChanges: change('newCode', data),
})

const accessListResult = z.object({ accessList, gasUsed: quantity, error: z.string().optional() })

/** By their names in the document. */
const components = {
  Block: block,
  Header: header,
  Transaction: transaction,
  Receipt: receipt,
  Log: log,
  FeeHistory: feeHistory,
  AccessListResult: accessListResult,
  AccountAccess: accountAccess,
}

type Component = keyof typeof components
type Multiplicity = 'one' | 'one or null' | 'list' | 'list or null'

const RESULTS: Readonly<Record<string, readonly [Component, Multiplicity]>> = {
  eth_getBlockByHash: ['Block', 'one or null'],
  eth_getBlockByNumber: ['Block', 'one or null'],
  eth_getHeaderByHash: ['Header', 'one or null'],
  eth_getHeaderByNumber: ['Header', 'one or null'],
  eth_getTransactionByHash: ['Transaction', 'one or null'],
  eth_getTransactionByBlockHashAndIndex: ['Transaction', 'one or null'],
  eth_getTransactionByBlockNumberAndIndex: ['Transaction', 'one or null'],
  eth_getTransactionBySenderAndNonce: ['Transaction', 'one or null'],
  eth_getTransactionReceipt: ['Receipt', 'one or null'],
  eth_sendRawTransactionSync: ['Receipt', 'one'],
  eth_getBlockReceipts: ['Receipt', 'list or null'],
  eth_getLogs: ['Log', 'list'],
  eth_getFilterLogs: ['Log', 'list'],
  eth_feeHistory: ['FeeHistory', 'one'],
  eth_getBlockAccessList: ['AccountAccess', 'list or null'],
  eth_getBlockAccessListByBlockHash: ['AccountAccess', 'list or null'],
  eth_getBlockAccessListByBlockNumber: ['AccountAccess', 'list or null'],
  eth_createAccessList: ['AccessListResult', 'one'],
}

/** The schema of a method's result, as a reference to a component; undefined when the table does not have the method. */
function resultSchema(method: string): Readonly<Record<string, unknown>> | undefined {
  const [name, form] = RESULTS[method] ?? []
  if (name === undefined || form === undefined) return undefined
  const one = { $ref: `#/components/schemas/${name}` }
  const value = form.startsWith('list') ? { type: 'array', items: one } : one
  return form.endsWith('null') ? { oneOf: [{ type: 'null' }, value] } : value
}
