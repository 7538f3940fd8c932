// What every part of staking works on: its context, its hooks, and its limit for the end of a block.

import type { Dec } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import type { Bank } from '../bank.ts'
import type { BlockInfo } from '../module.ts'
import type { stakingLayout } from './layout.ts'

/** Hooks of other modules (Cosmos SDK StakingHooks), called before or after a change. `openModules` connects them. */
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
  /** In a network the last bonded validator stays, whatever becomes of it: an engine without validators stops for good. */
  readonly keepsLast: boolean
  readonly slashingVersion: 1 | 2
  /** How much the slashes of this block may still do, in units of `SLASH_WORK`. */
  readonly slashWork: { left: number }
}

/**
 * Most unbondings, redelegations and validators' unbondings, counted separately, that the end of one block completes; the
 * rest waits for the next block, in order of time. An unbonding is 35 reads and 24 changes of the state, and up to
 * as much again where the calendar is out of order: 0.7 to 1.6 ms. 500 are more than a block of 36,000,000 gas can begin
 * (some 103,000 gas each), so that entries wait only after a jump of the clock.
 */
export const MAX_ENDED_PER_BLOCK = 500

/**
 * The work that all slashes of one block may do together, and the cost of each step: looking at an entry, burning an unbonding entry's
 * (or a validator's) tokens, burning a delegation's tokens. Measured with the commit of the block and 1,000 delegators: 0.08, 0.25 and 0.77 ms of CPU
 * time; half as much again with 5,000. So a block spends about 0.1 s: on 1,000 entries that are not liable, 200 unbonding entries or
 * 90 redelegations that are.
 */
export const SLASH_WORK = { ofBlock: 1_000, look: 1, burn: 4, unbond: 10 }

/** The next id of an unbonding or redelegation entry. */
export function nextEntryId({ state }: StakingContext): bigint {
  const id = state.lastEntryId.get() + 1n
  state.lastEntryId.set(id)
  return id
}
