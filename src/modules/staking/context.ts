// The context of the staking module's functions, its hooks, and the limits of its work in a block.

import type { Dec } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import type { Bank } from '../bank.ts'
import type { BlockInfo } from '../module.ts'
import type { stakingLayout } from './layout.ts'

/** Hooks of other modules (`StakingHooks` of the Cosmos SDK). `openModules` connects them. */
export type StakingHooks = {
  /** Before the shares of a delegation change, and before a delegation is created. */
  beforeDelegationSharesModified(delegator: Address, operator: Address): void
  /** After the delegation's new shares are written. */
  afterDelegationModified(delegator: Address, operator: Address): void
  afterValidatorCreated(operator: Address): void
  /** After the validator's record is deleted. */
  afterValidatorRemoved(operator: Address): void
  /** The validator signs from the next block on. */
  afterValidatorBonded(operator: Address): void
  /** After the validator has a new commission rate. */
  afterCommissionChanged(operator: Address): void
  /** After the bonded set, or the power of a member, may have changed. */
  afterBondedSetChanged(): void
  /** `fraction`: of the validator's tokens. */
  beforeValidatorSlashed(operator: Address, fraction: Dec): void
}

export type StakingContext = {
  readonly block: BlockInfo
  /** Of bech32 addresses. */
  readonly prefix: string
  readonly bank: Bank
  readonly hooks: StakingHooks
  readonly state: ReturnType<typeof stakingLayout.open>
  /** Whether the last bonded validator stays bonded even if it is jailed: CometBFT without validators halts permanently. */
  readonly keepsLastValidator: boolean
  readonly slashingVersion: 1 | 2
  /** Of `MAX_ENDED_PER_BLOCK`, by the version of staking's rules. */
  readonly mostEnded: number
  /** Work that the slashes of this block can still do, in units of `SLASH_WORK`. */
  readonly slashWork: { left: number }
}

/**
 * Most unbondings, redelegations and validators' unbondings, counted separately, that one block completes; the rest is completed
 * by the next blocks, in order of time. By the version of staking's rules. Completing an unbonding takes 35 reads and 24 writes of
 * state, up to twice as many if the calendar is out of order: 0.7 to 1.6 ms; with 10,000 due 2 to 3 ms, a redelegation 3 to 5 ms.
 * So 500 redelegations of version 1 can take 2.7 s. With version 2 entries wait when many blocks in a row begin more than 60 of a
 * kind, which takes half of their gas.
 */
export const MAX_ENDED_PER_BLOCK = { 1: 500, 2: 60 }

/**
 * Limit of the work of all slashes in a block, and the cost of each step: reading an entry, burning tokens of an unbonding entry or
 * a validator, burning tokens of a delegation. Measured with the commit of the block: 0.08, 0.25 and 0.77 ms of CPU time with
 * 1,000 delegators, 1.5 times that with 5,000. So a block spends about 0.1 s: 1,000 entries that are not liable, 200 unbonding
 * entries that are, or 90 redelegations that are.
 */
export const SLASH_WORK = { ofBlock: 1_000, look: 1, burn: 4, unbond: 10 }

/** The next id of an unbonding or redelegation entry. */
export function nextEntryId({ state }: StakingContext): bigint {
  const id = state.lastEntryId.get() + 1n
  state.lastEntryId.set(id)
  return id
}
