// Opens a node's part in a network from its options. The rest of this room's code for networks is loaded here, because CometBFT's
// messages are 150 KB of code that a chain of one node does not need.
import type { Chain, Indexer } from '../chain/types.ts'
import type { Logger } from '../lib/log.ts'
import { refuseNetwork, requireNetwork } from '../spec/chain-spec.ts'
import type { Joining } from './network/joining.ts'
import type { Network } from './network/network.ts'
import type { NetworkOptions } from './network/options.ts'

/** What both functions need; `network` undefined: a chain of one node. */
type Settings = { readonly network?: NetworkOptions | undefined; readonly log: Logger; readonly version: string }

/**
 * undefined: a chain of one node. Throws ChainError `not-allowed` if the options say a network and the chain is none, or the
 * reverse.
 */
export async function openNetwork(
  chain: Chain,
  { network: options, log, version }: Settings,
  parts: {
    readonly indexer: Pick<Indexer, 'addresses'>
    readonly fail: (line: string) => void
    readonly joining: Joining | undefined
  },
): Promise<Network | undefined> {
  if (options === undefined) {
    refuseNetwork(chain.spec)
    return undefined
  }
  requireNetwork(chain.spec)
  const { Network } = await import('./network/network.ts')
  return new Network({ chain, options, version, ...consensusLog(log), ...parts })
}

/** undefined: the chain begins with its genesis. */
export async function openJoining({ network, log, version }: Settings): Promise<Joining | undefined> {
  if (!network?.stateSync) return undefined
  const { Joining } = await import('./network/joining.ts')
  return new Joining({ ...network, version, ...consensusLog(log) })
}

const consensusLog = (log: Logger) => ({
  log: (text: string) => log.info({ room: 'consensus' }, text),
  onError: (error: unknown) => log.error({ err: error, room: 'consensus' }, String(error)),
})
