// `module=proxy`: JSON-RPC methods with named fields, converted to a JSON-RPC request to the same server.
import type { FastifyInstance } from 'fastify'
import type { Fields } from './define.ts'

type Arguments = (fields: Fields) => readonly unknown[]
const tag = ({ tag = 'latest' }: Fields) => tag
const call = ({ from, to, value, data, gas, gasprice: gasPrice }: Fields) => ({ from, to, value, data, gas, gasPrice })

/** By action in lower case: the method's name and its arguments. */
const METHODS: ReadonlyMap<string, readonly [string, Arguments]> = new Map(
  (
    [
      ['eth_blockNumber', () => []],
      ['eth_gasPrice', () => []],
      ['eth_getBlockByNumber', (of) => [tag(of), of.boolean === 'true']],
      ['eth_getBlockTransactionCountByNumber', (of) => [tag(of)]],
      ['eth_getUncleByBlockNumberAndIndex', (of) => [tag(of), of.index]],
      ['eth_getTransactionByHash', (of) => [of.txhash]],
      ['eth_getTransactionByBlockNumberAndIndex', (of) => [tag(of), of.index]],
      ['eth_getTransactionCount', (of) => [of.address, tag(of)]],
      ['eth_getTransactionReceipt', (of) => [of.txhash]],
      ['eth_sendRawTransaction', (of) => [of.hex]],
      ['eth_call', (of) => [call(of), tag(of)]],
      ['eth_estimateGas', (of) => [call(of)]],
      ['eth_getCode', (of) => [of.address, tag(of)]],
      ['eth_getStorageAt', (of) => [of.address, of.position, tag(of)]],
    ] satisfies [string, Arguments][]
  ).map(([name, args]) => [name.toLowerCase(), [name, args]]),
)
/** Actions of Blockscout's modules that are answered with JSON-RPC, and their names in the module `proxy`. */
const ALIAS: ReadonlyMap<string, string> = new Map([['eth_block_number', 'eth_blocknumber']])

/** The JSON-RPC request for the fields; undefined for another action. */
export function requestOf(module: string, action: string, fields: Fields): string | undefined {
  const name = ALIAS.get(action) ?? (module === 'proxy' ? action : '')
  const [method, args] = METHODS.get(name) ?? []
  return args && JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: args(fields) })
}

/** The server's answer to a JSON-RPC request. */
export async function callJsonRpc(app: FastifyInstance, request: string): Promise<string> {
  const { payload } = await app.inject({
    method: 'POST',
    url: '/rpc',
    headers: { 'content-type': 'application/json' },
    payload: request,
  })
  return payload
}
