// State of a development node, read again with every block, with what other programs do to it, and after every action of a panel.
import { useEffect, useState } from 'preact/hooks'
import type { Timeline } from '../../src/rpc/development-timeline.ts'
import { type Read, useBlockVersion, useEventCount } from '../api.ts'
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
  readonly timeline: Timeline
}

/** Properties of each panel; `reread` is called after an action. */
export type PanelProps = { readonly state: NodeState; readonly reread: () => void }

function orThrow<T>(result: T | RpcError): T {
  if (result instanceof RpcError) throw result
  return result
}

/** Throws the first error in the node's answers. */
async function readNode(): Promise<NodeState> {
  const [client, info, automine, interval, modules, accounts, timeline] = await rpcBatch([
    call('web3_clientVersion'),
    call('anvil_nodeInfo'),
    call('anvil_getAutomine'),
    call('anvil_getIntervalMining'),
    call('rpc_modules'),
    call('eth_accounts'),
    call('kestrel_getTimeline'),
  ])
  const { currentBlockNumber, currentBlockTimestamp, hardFork, environment } = orThrow(info)
  return {
    client: orThrow(client),
    chainId: Number(environment.chainId),
    blockNumber: BigInt(currentBlockNumber),
    timestamp: currentBlockTimestamp,
    fork: hardFork,
    baseFee: BigInt(environment.baseFee).toString(),
    gasLimit: BigInt(environment.gasLimit).toString(),
    automine: orThrow(automine),
    interval: orThrow(interval),
    namespaces: Object.keys(orThrow(modules)).sort(),
    accounts: orThrow(accounts),
    timeline: orThrow(timeline),
  }
}

/** Whether blocks are made on request only; false on a node that does not tell. */
export const isMinedOnRequest: Read<boolean> = {
  key: 'mined on request',
  load: async () => {
    const [automine, interval] = await rpcBatch([call('anvil_getAutomine'), call('anvil_getIntervalMining')])
    return automine === false && interval === null
  },
}

/** Least milliseconds between reads for events. */
const INTERVAL = 500

/** The node's state, and a function that reads it again. */
export function useNodeState(): { state: NodeState | undefined; error: Error | undefined; reread: () => void } {
  const blocks = useBlockVersion()
  const occurrences = useEventCount('development', 'timeline', INTERVAL)
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
  }, [blocks, occurrences, actions])
  return { state: reading.state, error: reading.error, reread: () => setActions((before) => before + 1) }
}
