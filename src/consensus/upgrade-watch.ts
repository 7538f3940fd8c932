// Ends the node before a block that another version of the program has to make.
import type { Chain } from '../chain/types.ts'
import { OtherProgramNeeded } from '../runtime/program-upgrades.ts'

/** Milliseconds in which the peers of a network get this node's votes for the block before. */
const LAST_VOTES = 1_000

/** Throws OtherProgramNeeded if this program may not make the next block; later `stop` gets it, after the block before. */
export function watchUpgrades(chain: Chain, isNetwork: boolean, stop: (why: OtherProgramNeeded) => void): void {
  chain.governed.requireProgram()
  chain.events.on('block', () => {
    try {
      chain.governed.requireProgram()
    } catch (error) {
      if (!(error instanceof OtherProgramNeeded)) throw error
      setTimeout(stop, isNetwork ? LAST_VOTES : 0, error)
    }
  })
}
