// The distribution module (Cosmos SDK x/distribution). Fees become rewards of validators and their delegators; remainders
// go to the community pool. Validators are named by their operator's address; refusals have the Cosmos SDK's wording.

import { z } from 'zod'
import { toBech32 } from '../../lib/bech32.ts'
import type { Dec } from '../../lib/dec.ts'
import { type Address, ZERO_ADDRESS } from '../../lib/hex.ts'
import { NATIVE_CONTRACT, operatorPrefix } from '../../spec/addresses.ts'
import { distributionVersion } from '../../spec/block-rules.ts'
import type { Bank } from '../bank.ts'
import { isBlocked } from '../bank.ts'
import { fraction, readSection, rulesVersion } from '../genesis-section.ts'
import type { ModuleContext, NativeModule } from '../module.ts'
import { reverted } from '../module.ts'
import type { StakingHooks } from '../staking/context.ts'
import {
  type DistributionContext,
  distributeFromCommunityPool,
  fundCommunityPool,
  type StakingReader,
  validatorRewards,
  withdrawAddressOf,
} from './context.ts'
import { distributionInvariants } from './invariants.ts'
import { type DistributionParams, distributionLayout, type ValidatorSlashEvent } from './layout.ts'
import { PendingFees } from './pending-fees.ts'
import {
  allocateTokens,
  calculateDelegationRewards,
  depositRewards,
  firstSlashEventFrom,
  hasStartingInfo,
  incrementValidatorPeriod,
  initializeDelegation,
  initializeValidator,
  removeValidator,
  slashEventsSince,
  updateValidatorSlashFraction,
  withdrawDelegationRewards,
  withdrawValidatorCommission,
} from './rewards.ts'

export class Distribution implements NativeModule<DistributionGenesis> {
  readonly name = 'distribution'
  /** Called by staking. */
  readonly hooks: Omit<StakingHooks, 'afterValidatorBonded'>
  readonly #prefix: string
  readonly #context: DistributionContext

  constructor(
    { spec, block, view, unmetered = view, access }: ModuleContext,
    bank: Bank,
    staking: () => StakingReader,
    operatorByConsensusAddress: DistributionContext['operatorByConsensusAddress'],
  ) {
    const pendingFees = distributionVersion(spec) === 2 ? new PendingFees(unmetered, access) : undefined
    const slots = view.slots(NATIVE_CONTRACT.distribution, access)
    const state = distributionLayout.open(pendingFees?.over(slots) ?? slots)
    const context: DistributionContext = { block, bank, state, pendingFees, staking, operatorByConsensusAddress }
    this.#prefix = spec.bech32Prefix
    this.#context = context
    this.hooks = {
      beforeDelegationSharesModified(delegator, operator) {
        if (hasStartingInfo(context, delegator, operator)) withdrawDelegationRewards(context, delegator, operator)
        else incrementValidatorPeriod(context, operator)
      },
      afterDelegationModified: (delegator, operator) => initializeDelegation(context, delegator, operator),
      afterValidatorCreated(operator) {
        initializeValidator(context, operator)
        pendingFees?.payeesChanged()
      },
      afterValidatorRemoved(operator) {
        removeValidator(context, operator)
        pendingFees?.payeesChanged()
      },
      afterCommissionChanged: () => pendingFees?.payeesChanged(),
      afterBondedSetChanged: () => pendingFees?.payeesChanged(),
      beforeValidatorSlashed: (operator, fraction) => updateValidatorSlashFraction(context, operator, fraction),
    }
  }

  initGenesis({ params }: DistributionGenesis): void {
    this.#context.state.params.set(params)
  }

  /** Allocates the fees of the block before. */
  beginBlock(): void {
    if (this.#context.block.number > 1n) allocateTokens(this.#context)
  }

  /** Allocates pending fees, so that a change of the state from outside cannot affect the fees of earlier blocks. */
  settle(): void {
    this.#context.pendingFees?.settle()
    this.#context.pendingFees?.payeesChanged()
  }

  params(): DistributionParams {
    return this.#context.state.params.get()
  }

  /** Fees of earlier blocks are allocated by the former parameters. */
  updateParams(params: DistributionParams): void {
    this.settle()
    this.#context.state.params.set(params)
  }

  /** The community pool, in base units, without allocating pending fees. */
  communityPool(): Dec {
    const { state, pendingFees } = this.#context
    return state.communityPool.get() + (pendingFees?.poolPart() ?? 0n)
  }

  /** Rewards and commission of a validator that are not withdrawn, with remainders of rounding. Zero: no such validator. */
  outstandingRewards(operator: Address): Dec {
    return validatorRewards(this.#context, operator).outstandingRewards.get()
  }

  /** Commission that is not withdrawn. Zero: no such validator. */
  accumulatedCommission(operator: Address): Dec {
    return validatorRewards(this.#context, operator).accumulatedCommission.get()
  }

  /** Rewards of a delegation that are not withdrawn. undefined: there is no such delegation. */
  delegationRewards(delegator: Address, operator: Address): Dec | undefined {
    if (!hasStartingInfo(this.#context, delegator, operator)) return undefined
    return calculateDelegationRewards(this.#context, delegator, operator)
  }

  /** Number of slash events that `delegationRewards` visits. */
  slashEventCount(delegator: Address, operator: Address): number {
    if (!hasStartingInfo(this.#context, delegator, operator)) return 0
    return slashEventsSince(this.#context, delegator, operator).length
  }

  /** Slash events of a validator from one height to another, both included, oldest first. Empty: no such validator. */
  slashEvents(
    operator: Address,
    from: bigint,
    to: bigint,
  ): { readonly length: number; at(index: number): ValidatorSlashEvent } {
    const rewards = validatorRewards(this.#context, operator)
    const first = firstSlashEventFrom(rewards, from)
    return {
      length: Math.max(0, firstSlashEventFrom(rewards, to + 1n) - first),
      at(index) {
        const event = rewards.slashEvents.at(first + index)
        if (event === undefined) throw new RangeError(`no slash event ${index}`)
        return event
      },
    }
  }

  /** The account that gets the rewards and the commission of an account: by default itself. */
  withdrawAddress(of: Address): Address {
    return withdrawAddressOf(this.#context, of)
  }

  setWithdrawAddress(of: Address, to: Address): void {
    if (!this.params().withdrawAddrEnabled) throw reverted('set withdraw address disabled')
    if (isBlocked(to)) {
      throw reverted(`${toBech32(this.#prefix, to)} is not allowed to receive external funds: unauthorized`)
    }
    // In storage zero means that no address was set.
    if (to === ZERO_ADDRESS) throw reverted(`invalid withdraw address: ${to}`)
    this.#context.state.withdrawAddresses.at(of).set(to)
  }

  /** Pays a delegation's rewards. Returns the paid base units, which may be 0. */
  withdrawDelegationRewards(delegator: Address, operator: Address): bigint {
    if (!this.#context.staking().has(operator)) throw reverted('no validator distribution info')
    if (!hasStartingInfo(this.#context, delegator, operator)) throw reverted('no delegation distribution info')
    const paid = withdrawDelegationRewards(this.#context, delegator, operator)
    initializeDelegation(this.#context, delegator, operator)
    return paid
  }

  /** Pays a validator's commission. Returns the paid base units. */
  withdrawValidatorCommission(operator: Address): bigint {
    return withdrawValidatorCommission(this.#context, operator)
  }

  /** Transfers base units of an account to the community pool. */
  fundCommunityPool(from: Address, amount: bigint): void {
    fundCommunityPool(this.#context, from, amount)
  }

  /** Transfers base units of an account to a validator as rewards: the commission is its operator's, the rest its delegators'. */
  depositRewards(from: Address, operator: Address, amount: bigint): void {
    if (!this.#context.staking().has(operator)) {
      throw reverted(`${toBech32(operatorPrefix(this.#prefix), operator)}: validator does not exist`)
    }
    depositRewards(this.#context, from, operator, amount)
  }

  /** Transfers base units of the community pool to an account. */
  spendCommunityPool(to: Address, amount: bigint): void {
    if (isBlocked(to)) {
      throw reverted(`${toBech32(this.#prefix, to)} is not allowed to receive external funds: unauthorized`)
    }
    distributeFromCommunityPool(this.#context, to, amount)
  }

  /** The broken invariants in words. Between blocks only. */
  invariants(): readonly string[] {
    return distributionInvariants(this.#context)
  }
}

/** The version is a rule of the chain (`distributionVersion`), not a parameter. */
export type DistributionGenesis = { readonly version: 1 | 2; readonly params: DistributionParams }

const zero = fraction.refine((of) => of === 0n, { error: 'expected zero: it has no effect' }).optional()

/** The Cosmos SDK's default: two hundredths. */
const DEFAULT_PARAMS: DistributionParams = { communityTax: 2n * 10n ** 16n, withdrawAddrEnabled: true }

/** All parameters: a governance proposal replaces them together. The SDK's two that do nothing any more may be given as zero. */
export const distributionParams = z
  .strictObject({
    communityTax: fraction,
    withdrawAddrEnabled: z.boolean(),
    baseProposerReward: zero,
    bonusProposerReward: zero,
  })
  .transform(({ communityTax, withdrawAddrEnabled }): DistributionParams => ({ communityTax, withdrawAddrEnabled }))

/** The default is version 1, because genesis files without a version are of chains that follow it. */
const section = z
  .strictObject({
    version: rulesVersion,
    params: z
      .strictObject({
        communityTax: fraction.default(DEFAULT_PARAMS.communityTax),
        withdrawAddrEnabled: z.boolean().default(DEFAULT_PARAMS.withdrawAddrEnabled),
      })
      .default(DEFAULT_PARAMS),
  })
  .prefault({})

/** Throws ChainError `invalid-genesis` that names the field. */
export const readDistributionGenesis = (json: unknown): DistributionGenesis =>
  readSection('distribution', section, json)
