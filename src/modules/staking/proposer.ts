// The proposer of a block without CometBFT: the bonded validators in turn.
import type { Address } from '../../lib/hex.ts'
import { NATIVE_CONTRACT } from '../../spec/addresses.ts'
import type { StateView } from '../../state/types.ts'
import { stakingLayout } from './layout.ts'

/** Operator of the validator that proposes a block, on the state of its parent; undefined: no validator is bonded. */
export function proposerInTurn(parent: StateView, number: bigint): Address | undefined {
  const bonded = stakingLayout.open(parent.slots(NATIVE_CONTRACT.staking, 'read')).bonded.get()
  return bonded[Number(number % BigInt(Math.max(1, bonded.length)))]?.operator
}
