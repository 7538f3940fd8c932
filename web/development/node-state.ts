// State of a development node, read again with every block and after every action of a panel.
import { useEffect, useState } from 'preact/hooks'
import { useBlockVersion } from '../api.ts'
import { call, RpcError, rpcBatch } from '../rpc.ts'

export type NodeState = {
  readonly client: string
  readonly chainId: number
  readonly blockNumber: bigint
  /** Timestamp of the head in seconds. */
  readonly timestamp: number
  readonly fork: string
  readonly baseFee: string
  readonly gasLimit: string
  readonly automine: boolean
  /** Seconds; null if blocks are not made at an interval. */
  readonly interval: number | null
  readonly namespaces: readonly string[]
  /** Accounts that the node signs for, and impersonated ones. */
  readonly accounts: readonly string[]
  readonly snapshots: readonly { readonly id: string; readonly block: number }[]
}

/** Properties of each panel; `reread` is called after an action. */
export type PanelProps = { readonly state: NodeState; readonly reread: () => void }

function orThrow<T>(result: T | RpcError): T {
  if (result instanceof RpcError) throw result
  return result
}

/** Throws the first error in the node's answers. */
async function readNode(): Promise<NodeState> {
  const [client, info, metadata, automine, interval, modules, accounts] = await rpcBatch([
    call('web3_clientVersion'),
    call('anvil_nodeInfo'),
    call('anvil_metadata'),
    call('anvil_getAutomine'),
    call('anvil_getIntervalMining'),
    call('rpc_modules'),
    call('eth_accounts'),
  ])
  const { currentBlockNumber, currentBlockTimestamp, hardFork, environment } = orThrow(info)
  const { chainId, snapshots } = orThrow(metadata)
  return {
    client: orThrow(client),
    chainId,
    blockNumber: BigInt(currentBlockNumber),
    timestamp: currentBlockTimestamp,
    fork: hardFork,
    baseFee: BigInt(environment.baseFee).toString(),
    gasLimit: BigInt(environment.gasLimit).toString(),
    automine: orThrow(automine),
    interval: orThrow(interval),
    namespaces: Object.keys(orThrow(modules)).sort(),
    accounts: orThrow(accounts),
    snapshots: Object.entries(snapshots).map(([id, [block]]) => ({ id, block })),
  }
}

/** The node's state, and a function that reads it again. */
export function useNodeState(): { state: NodeState | undefined; error: Error | undefined; reread: () => void } {
  const blocks = useBlockVersion()
  const [actions, setActions] = useState(0)
  const [reading, setReading] = useState<{ state?: NodeState; error?: Error }>({})
  useEffect(() => {
    let isCurrent = true
    readNode().then(
      (state) => isCurrent && setReading({ state }),
      (error: Error) => isCurrent && setReading({ error }),
    )
    return () => {
      isCurrent = false
    }
  }, [blocks, actions])
  return { state: reading.state, error: reading.error, reread: () => setActions((before) => before + 1) }
}
