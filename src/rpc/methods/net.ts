// The node: its network, version, peers and enabled namespaces.
import { keccakHash } from '../../lib/keccak.ts'
import { firstBlock } from '../../spec/forks.ts'
import { bool, data, hash, quantity, string } from '../codec.ts'
import { otherwise, type RpcContext, type RpcOptions, rpcMethod } from '../define.ts'

export const net_version = rpcMethod({
  summary: 'Network id as a decimal string; equal to the chain id.',
  params: [],
  result: string,
  committed: true,
  handler: (_, { chain }) => chain.spec.chainId.toString(),
})

/** Its name in anvil. */
export const eth_networkId = net_version

export const net_listening = rpcMethod({
  summary: 'Whether peers can connect to a network’s node; true on a chain of one node.',
  params: [],
  result: bool,
  handler: async (_, { network }) => (await network?.isListening().catch(otherwise(false))) ?? true,
})

export const net_peerCount = rpcMethod({
  summary: 'The number of connected peers; zero on a chain of one node.',
  params: [],
  result: quantity,
  handler: async (_, { network }) => BigInt((await network?.peerCount().catch(otherwise(0))) ?? 0),
})

function clientVersion({ development, version }: RpcOptions): string {
  if (development) return `anvil/kestrel/v${version}`
  const node = process.versions.node.split('.')[0]
  return `kestrel/v${version}/${process.platform}-${process.arch}/node${node}`
}

export const web3_clientVersion = rpcMethod({
  summary:
    'Name and version. Begins with `anvil` in development mode, because tools check that before they use anvil’s methods.',
  params: [],
  result: string,
  committed: true,
  handler: (_, { options }) => clientVersion(options),
})

/** go-ethereum's shape (`p2p.NodeInfo`) without address and ports: in a network CometBFT has the peers. */
function wireNodeInfo({ chain, options }: RpcContext) {
  const genesis = chain.canonicalHash(firstBlock(chain.spec))
  const { head } = chain
  return {
    id: genesis?.slice(2) ?? '',
    name: clientVersion(options),
    enode: '',
    ip: '127.0.0.1',
    ports: { discovery: 0, listener: 0 },
    listenAddr: '',
    protocols: {
      eth: {
        network: Number(chain.spec.chainId),
        difficulty: Number(head.difficulty),
        genesis,
        head: head.hash,
      },
    },
  }
}

export const admin_nodeInfo = rpcMethod({
  summary:
    'Name, network and head of the node. Its id is the genesis hash, because it has no key of its own for peers.',
  params: [],
  result: wireNodeInfo,
  handler: (_, context) => context,
})

export const admin_peers = rpcMethod({
  summary: 'An empty list: a network’s peers are those of its engine, which net_peerCount counts.',
  params: [],
  result: (peers: readonly never[]) => peers,
  handler: () => [],
})

export const web3_sha3 = rpcMethod({
  summary: 'Keccak-256 of the bytes.',
  params: [data],
  names: ['data'],
  result: hash,
  handler: ([bytes]) => keccakHash(bytes),
})

export const rpc_modules = rpcMethod({
  summary: 'The enabled namespaces, each with its version.',
  params: [],
  result: (modules: Readonly<Record<string, string>>) => modules,
  handler(_, { methods, options }) {
    const enabled = [...methods].filter(([, { gate }]) => gate === undefined || options[gate])
    return Object.fromEntries(enabled.map(([name]) => [name.split(/[_.]/)[0] ?? name, '1.0']))
  },
})

export const rpc_discover = rpcMethod({
  summary: 'All enabled methods as an OpenRPC document. Its other name is rpc.discover.',
  params: [],
  result: (document: Readonly<Record<string, unknown>>) => document,
  heavy: true,
  handler: (_, { openRpc }) => openRpc(),
})
