// The chain of a data directory without a node around it, for commands that work on it and go.
import type { Chain } from '../chain/chain.ts'
import type { Proposal } from '../cip/define.ts'
import { createLogger } from '../lib/log.ts'
import { defaultLimits, openChain } from '../node.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { chainFolder } from './datadir.ts'

/** Opens the chain, or begins it with the spec. Throws as `openChain`. */
export const openForWork = (datadir: string, spec: ChainSpec, proposals: readonly Proposal[]): Promise<Chain> =>
  openChain({
    datadir: chainFolder(datadir),
    spec,
    proposals,
    limits: defaultLimits,
    pool: { minTip: 0n, allowUnprotected: true },
    log: createLogger({ level: 'info', json: false }),
  })
