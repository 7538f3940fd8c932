// The chain of a data directory without a node around it, for commands that work on it and go.
import type { BlockChain } from '../chain/block-chain.ts'
import type { ProposalModule } from '../cip/modules.ts'
import { createLogger } from '../lib/log.ts'
import { defaultLimits, openChain } from '../node.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { chainFolder } from './datadir.ts'

/** Opens the chain. Throws as `openChain`. */
export const openForWork = (
  datadir: string,
  spec: ChainSpec,
  modules: readonly ProposalModule[],
  namesModules = false,
): Promise<BlockChain> =>
  openChain({
    datadir: chainFolder(datadir),
    spec,
    modules,
    namesModules,
    limits: defaultLimits,
    pool: { minTip: 0n, allowUnprotected: true },
    log: createLogger({ level: 'info', json: false }),
  })
