// Transactions of validator operators: create a validator; edit its description, commission and minimum self-delegation.

import { type Dec, formatDec, ONE } from '../../lib/dec.ts'
import type { Address, Hash } from '../../lib/hex.ts'
import { ZERO_ADDRESS } from '../../lib/hex.ts'
import { reverted } from '../module.ts'
import type { StakingContext } from './context.ts'
import { delegate } from './delegations.ts'
import type { CommissionRates, Description, Validator } from './layout.ts'
import { addValidator, findValidator, requireValidator } from './validators.ts'

export type NewValidator = {
  readonly operator: Address
  readonly consensusKey: Hash
  readonly description: Description
  readonly commission: CommissionRates
  readonly minSelfDelegation: bigint
  /** Self-delegation, paid from the operator's account. */
  readonly value: bigint
}

/** undefined: do not change. */
export type ValidatorChange = {
  readonly description: Description
  readonly commissionRate: Dec | undefined
  readonly minSelfDelegation: bigint | undefined
}

/** A member of a new description with this value keeps the old text. */
const DO_NOT_MODIFY = '[do-not-modify]'

/** Maximum lengths in UTF-8 bytes. */
const LONGEST: { readonly [N in keyof Description]: number } = {
  moniker: 70,
  identity: 3000,
  website: 140,
  securityContact: 140,
  details: 280,
}
const LABELS: { readonly [N in keyof Description]: string } = {
  moniker: 'moniker',
  identity: 'identity',
  website: 'website',
  securityContact: 'security contact',
  details: 'details',
}
const MEMBERS = ['moniker', 'identity', 'website', 'securityContact', 'details'] as const

/** Seconds between two changes of the commission rate. */
const COMMISSION_PERIOD = 24n * 3600n

/** Adds a validator with its self-delegation. It is bonded at the end of the block if it has enough power. */
export function createValidator(context: StakingContext, of: NewValidator): void {
  const { operator, consensusKey, value, minSelfDelegation } = of
  const { state, block } = context
  checkDescription(of.description)
  checkCommission(of.commission, state.params.get().minCommissionRate)
  if (minSelfDelegation < 1n) throw reverted('minimum self delegation must be a positive integer: invalid request')
  if (value < 1n) throw reverted('invalid delegation amount: invalid request')
  if (value < minSelfDelegation) {
    throw reverted("validator's self delegation must be greater than their minimum self delegation")
  }
  if (findValidator(context, operator) !== undefined) {
    throw reverted('validator already exist for this operator address; must use new validator operator address')
  }
  if (state.operatorByKey.at(consensusKey).get() !== ZERO_ADDRESS) {
    throw reverted('validator already exist for this pubkey; must use new validator pubkey')
  }
  const commission = { ...of.commission, updateTime: block.timestamp }
  addValidator(context, { operator, consensusKey, minSelfDelegation, commission, description: of.description })
  delegate(context, operator, operator, value, 'account')
}

/** Changes a validator's description, commission rate and minimum. */
export function editValidator(context: StakingContext, operator: Address, change: ValidatorChange): void {
  const { state, block } = context
  const validator = requireValidator(context, operator)
  const description = merge(validator.description, change.description)
  checkDescription(description)
  const { commissionRate: rate, minSelfDelegation } = change
  if (rate !== undefined) checkNewRate(context, validator, rate)
  if (minSelfDelegation !== undefined) checkNewMinimum(validator, minSelfDelegation)
  state.validators.at(operator).update({
    description,
    ...(rate !== undefined && { commission: { ...validator.commission, rate, updateTime: block.timestamp } }),
    ...(minSelfDelegation !== undefined && { minSelfDelegation }),
  })
  if (rate !== undefined) context.hooks.afterCommissionChanged(operator)
}

const merge = (old: Description, change: Description): Description => {
  const member = (name: keyof Description) => (change[name] === DO_NOT_MODIFY ? old[name] : change[name])
  return {
    moniker: member('moniker'),
    identity: member('identity'),
    website: member('website'),
    securityContact: member('securityContact'),
    details: member('details'),
  }
}

function checkDescription(description: Description): void {
  if (description.moniker === '') throw reverted('empty moniker: invalid request')
  for (const member of MEMBERS) {
    const length = Buffer.byteLength(description[member])
    if (length > LONGEST[member]) {
      throw reverted(`invalid ${LABELS[member]} length; got: ${length}, max: ${LONGEST[member]}: invalid request`)
    }
  }
}

/** Throws unless the rates are valid for a validator. */
function checkCommission({ rate, maxRate, maxChangeRate }: CommissionRates, least: Dec): void {
  if (maxRate > ONE) throw reverted('commission cannot be more than 100%')
  if (rate > maxRate) throw reverted('commission cannot be more than the max rate')
  if (maxChangeRate > maxRate) throw reverted('commission change rate cannot be more than the max rate')
  checkLeast(rate, least)
}

function checkLeast(rate: Dec, least: Dec): void {
  if (rate >= least) return
  throw reverted(
    `cannot set validator commission to less than minimum rate of ${formatDec(least)}: commission cannot be less than min rate`,
  )
}

/** The maximum change applies only to increases: a lower rate harms no delegator. */
function checkNewRate({ state, block }: StakingContext, { commission }: Validator, rate: Dec): void {
  if (rate < 0n || rate > ONE) throw reverted('commission rate must be between 0 and 1 (inclusive): invalid request')
  checkLeast(rate, state.params.get().minCommissionRate)
  if (block.timestamp - commission.updateTime < COMMISSION_PERIOD) {
    throw reverted('commission cannot be changed more than once in 24h')
  }
  if (rate > commission.maxRate) throw reverted('commission cannot be more than the max rate')
  if (rate - commission.rate > commission.maxChangeRate) {
    throw reverted('commission cannot be changed more than max change rate')
  }
}

function checkNewMinimum(validator: Validator, minimum: bigint): void {
  if (minimum < 1n) throw reverted('minimum self delegation must be a positive integer: invalid request')
  if (minimum <= validator.minSelfDelegation) throw reverted('minimum self delegation cannot be decrease')
  if (minimum > validator.tokens) {
    throw reverted("validator's self delegation must be greater than their minimum self delegation")
  }
}
