// What every part of staking works on, and the words in which it refuses (the Cosmos SDK's).

import type { Dec } from '../../lib/dec.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Address } from '../../lib/hex.ts'
import type { Bank } from '../bank.ts'
import type { BlockInfo } from '../module.ts'
import type { stakingLayout } from './layout.ts'

/** Who must know before or after something changes. Plain functions; `openModules` ties them to the distribution. */
export type StakingHooks = {
  /** The delegation's shares will change, or it will come to be. */
  beforeDelegationSharesChange(delegator: Address, operator: Address): void
  /** The delegation exists and has its new shares. */
  afterDelegationChange(delegator: Address, operator: Address): void
  afterValidatorCreated(operator: Address): void
  /** It is gone already. */
  afterValidatorRemoved(operator: Address): void
  /** It signs from the next block on. */
  afterValidatorBonded(operator: Address): void
  /** The validator will lose this fraction of its tokens. */
  beforeValidatorSlashed(operator: Address, fraction: Dec): void
}

export type StakingContext = {
  readonly block: BlockInfo
  /** Of bech32 addresses. */
  readonly prefix: string
  readonly bank: Bank
  readonly hooks: StakingHooks
  readonly state: ReturnType<typeof stakingLayout.open>
}

/**
 * Unbondings, redelegations, and validators' unbondings that the end of one block ends, of each at most so many; what is
 * due beyond waits for the next block, in order of time. An unbonding is 35 reads and 24 changes of the state, and up to
 * as much again where the calendar is out of order: 0.7 to 1.6 ms. 500 are more than a block of 36,000,000 gas can begin
 * (some 103,000 gas each), so that entries wait only after a jump of the clock.
 */
export const MOST_ENDED_A_BLOCK = 500

export const refuse = (why: string): ChainError => new ChainError('execution-reverted', why)

/** The next id of an unbonding or redelegation entry. */
export function nextEntryId({ state }: StakingContext): bigint {
  const id = state.lastEntryId.get() + 1n
  state.lastEntryId.set(id)
  return id
}
