// The distribution module (Cosmos SDK x/distribution). Fees become rewards of validators and their delegators; remainders
// go to the community pool. Validators are named by their operator's address; refusals have the Cosmos SDK's wording.

import { z } from 'zod'
import { toBech32 } from '../../lib/bech32.ts'
import type { Dec } from '../../lib/dec.ts'
import { type Address, ZERO_ADDRESS } from '../../lib/hex.ts'
import { NATIVE_CONTRACT } from '../../spec/addresses.ts'
import type { Bank } from '../bank.ts'
import { isBlocked } from '../bank.ts'
import { fraction, readSection } from '../genesis-section.ts'
import type { ModuleContext, NativeModule } from '../module.ts'
import { reverted } from '../module.ts'
import type { StakingHooks } from '../staking/context.ts'
import {
  booksOf,
  type DistributionContext,
  fundPool,
  type StakingReader,
  spendPool,
  withdrawAddressOf,
} from './context.ts'
import { distributionInvariants } from './invariants.ts'
import { type DistributionParams, distributionLayout, type SlashEvent } from './layout.ts'
import {
  allocateFees,
  beginEarning,
  earned,
  endPeriod,
  firstSlashFrom,
  isEarning,
  openBooks,
  payCommission,
  payDelegation,
  recordSlash,
  slashesSince,
  windUp,
} from './rewards.ts'

export class Distribution implements NativeModule<DistributionGenesis> {
  readonly name = 'distribution'
  /** What staking must call. */
  readonly hooks: Omit<StakingHooks, 'afterValidatorBonded'>
  readonly #prefix: string
  readonly #context: DistributionContext

  constructor(
    { spec, block, view, access }: ModuleContext,
    bank: Bank,
    staking: () => StakingReader,
    signers: DistributionContext['signers'],
  ) {
    const state = distributionLayout.open(view.slots(NATIVE_CONTRACT.distribution, access))
    const context: DistributionContext = { block, bank, state, staking, signers }
    this.#prefix = spec.bech32Prefix
    this.#context = context
    this.hooks = {
      beforeDelegationSharesChange(delegator, operator) {
        if (isEarning(context, delegator, operator)) payDelegation(context, delegator, operator)
        else endPeriod(context, operator)
      },
      afterDelegationChange: (delegator, operator) => beginEarning(context, delegator, operator),
      afterValidatorCreated: (operator) => openBooks(context, operator),
      afterValidatorRemoved: (operator) => windUp(context, operator),
      beforeValidatorSlashed: (operator, fraction) => recordSlash(context, operator, fraction),
    }
  }

  initGenesis({ params }: DistributionGenesis): void {
    this.#context.state.params.set(params)
  }

  /** Shares what the block before has collected. */
  beginBlock(): void {
    if (this.#context.block.number > 1n) allocateFees(this.#context)
  }

  params(): DistributionParams {
    return this.#context.state.params.get()
  }

  /** The community pool, in base units. */
  communityPool(): Dec {
    return this.#context.state.communityPool.get()
  }

  /** What a validator's delegators and operator have not taken yet, and what rounding has left. Zero for a stranger. */
  outstanding(operator: Address): Dec {
    return booksOf(this.#context, operator).outstanding.get()
  }

  /** What an operator has not taken yet. Zero for a stranger. */
  commission(operator: Address): Dec {
    return booksOf(this.#context, operator).commission.get()
  }

  /** What a delegation has earned since it was last paid. undefined: there is no such delegation. */
  rewards(delegator: Address, operator: Address): Dec | undefined {
    return isEarning(this.#context, delegator, operator) ? earned(this.#context, delegator, operator) : undefined
  }

  /** Number of slashes that `rewards` reckons with. */
  slashesOf(delegator: Address, operator: Address): number {
    return isEarning(this.#context, delegator, operator) ? slashesSince(this.#context, delegator, operator).length : 0
  }

  /** Slashes of a validator from one height to another, both counted, oldest first; empty for a stranger. */
  slashes(operator: Address, from: bigint, to: bigint): { readonly length: number; at(place: number): SlashEvent } {
    const books = booksOf(this.#context, operator)
    const first = firstSlashFrom(books, from)
    return {
      length: Math.max(0, firstSlashFrom(books, to + 1n) - first),
      at(place) {
        const event = books.slashes.at(first + place)
        if (event === undefined) throw new RangeError(`no slash ${place}`)
        return event
      },
    }
  }

  /** Where rewards and commission of an account go; itself, if it has not chosen. */
  withdrawAddress(of: Address): Address {
    return withdrawAddressOf(this.#context, of)
  }

  setWithdrawAddress(of: Address, to: Address): void {
    if (!this.params().withdrawAddrEnabled) throw reverted('set withdraw address disabled')
    if (isBlocked(to)) {
      throw reverted(`${toBech32(this.#prefix, to)} is not allowed to receive external funds: unauthorized`)
    }
    // Nobody has its key, and in storage it means that nothing was chosen.
    if (to === ZERO_ADDRESS) throw reverted(`invalid withdraw address: ${to}`)
    this.#context.state.withdrawAddresses.at(of).set(to)
  }

  /** Pays out what a delegation has earned. Returns the base units paid, which may be none. */
  withdrawRewards(delegator: Address, operator: Address): bigint {
    if (!this.#context.staking().has(operator)) throw reverted('no validator distribution info')
    if (!isEarning(this.#context, delegator, operator)) throw reverted('no delegation distribution info')
    const paid = payDelegation(this.#context, delegator, operator)
    beginEarning(this.#context, delegator, operator)
    return paid
  }

  /** Pays out a validator's commission. Returns the base units paid. */
  withdrawCommission(operator: Address): bigint {
    return payCommission(this.#context, operator)
  }

  /** Gives base units of an account to the community pool. */
  fundCommunityPool(from: Address, amount: bigint): void {
    fundPool(this.#context, from, amount)
  }

  /** Pays an account out of the community pool. */
  spendCommunityPool(to: Address, amount: bigint): void {
    if (isBlocked(to)) {
      throw reverted(`${toBech32(this.#prefix, to)} is not allowed to receive external funds: unauthorized`)
    }
    spendPool(this.#context, to, amount)
  }

  /** What is wrong with the books, in words; empty when all is well. Between blocks only. */
  invariants(): readonly string[] {
    return distributionInvariants(this.#context)
  }
}

export type DistributionGenesis = { readonly params: DistributionParams }

/** The Cosmos SDK's: two hundredths. */
const DEFAULT_PARAMS: DistributionParams = { communityTax: 2n * 10n ** 16n, withdrawAddrEnabled: true }

const section = z
  .strictObject({
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
