// A user's strict TypeScript: what the declarations promise.
import { type NodeAccount, RpcError, type RunningNode, type StartOptions, startNode } from 'kestrel-evm'
import { explorerClient, type Schemas } from 'kestrel-evm/explorer'

const options: StartOptions = { blockTime: 2, chainId: 777n, balance: '0.5', corsOrigins: ['https://app.example'] }
const node: RunningNode = await startNode(options)
const accounts: readonly NodeAccount[] = node.accounts
const number: `0x${string}` = await node.request<`0x${string}`>('eth_blockNumber')
console.log(accounts[0]?.privateKey, number, RpcError.name)
const { data } = await explorerClient(node.url).GET('/blocks', { params: { query: { items_count: 1 } } })
const blocks: readonly Schemas['Block'][] = data?.items ?? []
console.log(blocks[0]?.height)
await node.stop()
// @ts-expect-error there is no such option
await startNode({ prot: 1 })
