// Requests of the pages that must not compile: `npm run types` fails if a line below compiles, or if a response has another
// type.
import { act, api, statistics } from '../../web/api.ts'
import { call, rpc, rpcBatch } from '../../web/rpc.ts'

const { height }: { height: number } = await api('/blocks/{block_hash_or_number_param}', {
  block_hash_or_number_param: 1,
}).load()
// @ts-expect-error: no such path
api('/block')
// @ts-expect-error: the path has a parameter
api('/blocks/{block_hash_or_number_param}')
// @ts-expect-error: the parameter has another name
api('/blocks/{block_hash_or_number_param}', { number: height })
// @ts-expect-error: the query has no such parameter
api('/tokens', { item_count: 8 })
// @ts-expect-error: this parameter has three values
statistics('/lines/{name}', { name: 'newTxns', resolution: 'HOUR' })
// @ts-expect-error: the response has no such field
const { blocks } = await api('/stats').load()

const contract = { address_hash_param: '0x' }
// @ts-expect-error: this path is GET only
act('POST', '/smart-contracts/{address_hash_param}', contract)
// @ts-expect-error: there is no such way to verify
act('POST', '/smart-contracts/{address_hash_param}/verification/via/post', contract)
act('POST', '/smart-contracts/{address_hash_param}/verification/via/flattened-code', contract, {
  // @ts-expect-error: the form has no such field
  fields: { source: '' },
  files: [],
})

const isDone: boolean = await rpc('evm_revert', '0x1')
// @ts-expect-error: no such method
rpc('evm_rewind', '0x1')
// @ts-expect-error: the parameter is required
rpc('evm_revert')
// @ts-expect-error: the parameter is a number
rpc('evm_revert', isDone)
// @ts-expect-error: there is no third parameter
rpc('anvil_mine', 1, 2, 3)
// @ts-expect-error: the call object has no such field
rpc('eth_call', { too: '0x' }, 'latest')
// @ts-expect-error: the chain id is text
const [id]: number[] = await rpcBatch([call('eth_chainId')])

export { blocks, id }
