// What a development node says of itself, read again with every block and after every action of the panel.
import { useEffect, useState } from 'preact/hooks'
import { useBlockVersion } from '../api.ts'
import { RpcError, rpcBatch } from '../contract/rpc.ts'

export type NodeState = {
  readonly client: string
  readonly chainId: number
  readonly blockNumber: bigint
  /** Of the head, in seconds. */
  readonly timestamp: number
  readonly fork: string
  readonly baseFee: string
  readonly gasLimit: string
  readonly automine: boolean
  /** Seconds; null when no blocks are made by the clock. */
  readonly interval: number | null
  readonly namespaces: readonly string[]
  /** Those that the node signs for, and the impersonated ones. */
  readonly accounts: readonly string[]
  readonly snapshots: readonly { readonly id: string; readonly block: number }[]
}

const METHODS = [
  'web3_clientVersion',
  'anvil_nodeInfo',
  'anvil_metadata',
  'anvil_getAutomine',
  'anvil_getIntervalMining',
  'rpc_modules',
  'eth_accounts',
] as const

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((of, name) => (typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined), value)

const quantityText = (value: unknown): string => BigInt(String(value ?? 0)).toString()

/** Throws the first error that the node answers. */
async function readNode(): Promise<NodeState> {
  const answers = await rpcBatch(METHODS.map((method) => ({ method, params: [] })))
  const failed = answers.find((answer) => answer instanceof RpcError)
  if (failed !== undefined) throw failed
  const [client, info, metadata, automine, interval, modules, accounts] = answers
  const snapshots = Object.entries(Object(at(metadata, 'snapshots')))
  return {
    client: String(client),
    chainId: Number(at(metadata, 'chainId')),
    blockNumber: BigInt(quantityText(at(info, 'currentBlockNumber'))),
    timestamp: Number(at(info, 'currentBlockTimestamp')),
    fork: String(at(info, 'hardFork')),
    baseFee: quantityText(at(info, 'environment', 'baseFee')),
    gasLimit: quantityText(at(info, 'environment', 'gasLimit')),
    automine: automine === true,
    interval: typeof interval === 'number' ? interval : null,
    namespaces: Object.keys(Object(modules)).sort(),
    accounts: Array.isArray(accounts) ? accounts.map(String) : [],
    snapshots: snapshots.map(([id, of]) => ({ id, block: Number(at(of, '0')) })),
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
