// Validators: their tokens, the shares that divide them, and the two pools that hold the tokens. Tokens of bonded
// validators are in the bonded pool; those of all others are in the not-bonded pool, with unbonding delegations.

import { type Dec, fromInt, mulInt, quo, quoInt, quoTruncate, truncateInt } from '../../lib/dec.ts'
import type { Address, Hash } from '../../lib/hex.ts'
import { fromHex } from '../../lib/hex.ts'
import { MODULE_ACCOUNT } from '../../spec/addresses.ts'
import { schedule, takeDue } from '../calendar.ts'
import { reverted } from '../module.ts'
import type { StakingContext } from './context.ts'
import type { BondedValidator, BondStatus, Validator } from './layout.ts'

export type Shared = Pick<Validator, 'tokens' | 'shares'>

/** Tokens of shares, rounded. The validator must have shares. */
export const tokensFromShares = ({ tokens, shares }: Shared, of: Dec): Dec => quo(mulInt(of, tokens), shares)

/** The same, rounded down: the stake that rewards are computed from. */
export const tokensFromSharesTruncated = ({ tokens, shares }: Shared, of: Dec): Dec =>
  quoTruncate(mulInt(of, tokens), shares)

/** Shares of an amount of tokens. Throws ChainError when the validator has no tokens. */
export function sharesFromTokens({ tokens, shares }: Shared, amount: bigint): Dec {
  if (tokens === 0n) throw reverted('insufficient delegation shares')
  return quoInt(mulInt(shares, amount), tokens)
}

/** Shares without tokens, after all tokens were slashed: new tokens have no price in shares (`InvalidExRate` of x/staking). */
export const hasInvalidExchangeRate = ({ tokens, shares }: Shared): boolean => tokens === 0n && shares > 0n

export const poolOf = (status: BondStatus): Address =>
  status === 'bonded' ? MODULE_ACCOUNT.bondedPool : MODULE_ACCOUNT.notBondedPool

/** Moves coins to the pool of the new status. */
export function movePool({ bank }: StakingContext, from: BondStatus, to: BondStatus, amount: bigint): void {
  if (poolOf(from) !== poolOf(to)) bank.transfer(poolOf(from), poolOf(to), amount)
}

/** The members of a validator that delegations need. The others take many storage slots. */
export type Stake = Pick<Validator, 'operator' | 'status' | 'tokens' | 'shares'>

/** undefined: no such validator. */
export function findStake({ state }: StakingContext, operator: Address): Stake | undefined {
  if (!state.operators.has(operator)) return undefined
  const record = state.validators.at(operator)
  return { operator, status: record.member('status'), tokens: record.member('tokens'), shares: record.member('shares') }
}

/** Throws ChainError `validator does not exist`. */
export function requireStake(context: StakingContext, operator: Address): Stake {
  const stake = findStake(context, operator)
  if (stake === undefined) throw reverted('validator does not exist')
  return stake
}

/** undefined: no such validator. */
export function findValidator(context: StakingContext, operator: Address): Validator | undefined {
  const stake = findStake(context, operator)
  return stake === undefined ? undefined : new StoredValidator(stake, context.state.validators.at(operator))
}

type ValidatorCell = ReturnType<StakingContext['state']['validators']['at']>

/** A stored validator. Commission and description are read on access, because their texts may take a hundred slots. */
class StoredValidator implements Validator {
  readonly operator: Address
  readonly status: BondStatus
  readonly tokens: bigint
  readonly shares: Dec
  readonly consensusKey: Validator['consensusKey']
  readonly jailed: boolean
  readonly minSelfDelegation: bigint
  readonly unbondingHeight: bigint
  readonly unbondingTime: bigint
  readonly jailedUntil: bigint
  readonly #record: ValidatorCell

  constructor({ operator, status, tokens, shares }: Stake, record: ValidatorCell) {
    this.operator = operator
    this.status = status
    this.tokens = tokens
    this.shares = shares
    this.consensusKey = record.member('consensusKey')
    this.jailed = record.member('jailed')
    this.minSelfDelegation = record.member('minSelfDelegation')
    this.unbondingHeight = record.member('unbondingHeight')
    this.unbondingTime = record.member('unbondingTime')
    this.jailedUntil = record.member('jailedUntil')
    this.#record = record
  }

  get commission(): Validator['commission'] {
    return this.#record.member('commission')
  }

  get description(): Validator['description'] {
    return this.#record.member('description')
  }
}

/** Throws ChainError `validator does not exist`. */
export function requireValidator(context: StakingContext, operator: Address): Validator {
  const validator = findValidator(context, operator)
  if (validator === undefined) throw reverted('validator does not exist')
  return validator
}

/** Writes a new validator, unbonded and without tokens. */
export function addValidator(
  context: StakingContext,
  of: Pick<Validator, 'operator' | 'consensusKey' | 'minSelfDelegation' | 'commission' | 'description'>,
): void {
  const { state, hooks } = context
  const { operator, ...given } = of
  state.operators.set(operator, given.consensusKey)
  state.operatorByKey.at(given.consensusKey).set(operator)
  state.validators.at(operator).set({
    ...given,
    status: 'unbonded',
    jailed: false,
    tokens: 0n,
    shares: 0n,
    unbondingHeight: 0n,
    unbondingTime: 0n,
    jailedUntil: 0n,
  })
  hooks.afterValidatorCreated(operator)
}

/** Removes a validator that is unbonded and has no shares left. */
export function removeValidator({ state, hooks }: StakingContext, operator: Address): void {
  const consensusKey = state.validators.at(operator).member('consensusKey')
  state.operators.delete(operator)
  state.operatorByKey.at(consensusKey).clear()
  state.validators.at(operator).clear()
  hooks.afterValidatorRemoved(operator)
}

/** Replaces a validator's consensus key. Throws ChainError `validator does not exist`. */
export function replaceConsensusKey(context: StakingContext, operator: Address, key: Hash): void {
  const { state } = context
  const { consensusKey } = requireValidator(context, operator)
  state.operatorByKey.at(consensusKey).clear()
  state.operatorByKey.at(key).set(operator)
  state.operators.set(operator, key)
  state.validators.at(operator).update({ consensusKey: key })
}

/** Writes a validator's tokens and shares. The end of the block updates the bonded set. */
function setShared({ state }: StakingContext, operator: Address, { tokens, shares }: Shared): void {
  if (shares >> 256n !== 0n) throw reverted('shares overflow: invalid request')
  state.validators.at(operator).update({ tokens, shares })
  state.powersChanged.set(true)
}

/** Adds tokens whose coins are in the validator's pool already. Returns the new shares. */
export function addTokensFromDelegation(
  context: StakingContext,
  { operator, tokens, shares }: Stake,
  amount: bigint,
): Dec {
  const minted = shares === 0n ? fromInt(amount) : sharesFromTokens({ tokens, shares }, amount)
  setShared(context, operator, { tokens: tokens + amount, shares: shares + minted })
  return minted
}

/** Removes shares and their tokens; the coins stay in the pool. Returns the tokens. */
export function removeDelegationShares(
  context: StakingContext,
  { operator, tokens, shares }: Stake,
  removed: Dec,
): bigint {
  const worth = truncateInt(tokensFromShares({ tokens, shares }, removed))
  // The last shares take the remainder of rounding.
  const issued = removed === shares || worth > tokens ? tokens : worth
  setShared(context, operator, { tokens: tokens - issued, shares: shares - removed })
  return issued
}

/** Burns tokens of a validator, which lowers the price of its shares. */
export function burnTokens(context: StakingContext, { operator, tokens, shares, status }: Stake, burnt: bigint): void {
  context.bank.burn(poolOf(status), burnt)
  setShared(context, operator, { tokens: tokens - burnt, shares })
}

/** Jails a validator: it leaves the bonded set at the end of this block. */
export function jail({ state }: StakingContext, operator: Address, until = 0n): void {
  state.validators.at(operator).update({ jailed: true, jailedUntil: until })
  state.powersChanged.set(true)
}

/** The first `maxValidators` validators that are not jailed, by descending power, then by operator. */
function validatorsByPower({ state }: StakingContext): BondedValidator[] {
  const { maxValidators, powerReduction } = state.params.get()
  const candidates: BondedValidator[] = []
  for (const operator of state.operators.keys()) {
    const record = state.validators.at(operator)
    const power = record.member('tokens') / powerReduction
    if (power > 0n && !record.member('jailed')) candidates.push({ operator, power })
  }
  candidates.sort((a, b) =>
    a.power === b.power ? compareAddresses(a.operator, b.operator) : a.power > b.power ? -1 : 1,
  )
  return candidates.slice(0, Number(maxValidators))
}

/** Compares addresses as bytes. */
export const compareAddresses = (a: Address, b: Address): number => Buffer.compare(fromHex(a), fromHex(b))

/** Updates the bonded set: bonds validators, begins the unbonding of others, and moves their tokens between the pools. */
export function updateValidatorSet(context: StakingContext): void {
  const { state } = context
  if (!state.powersChanged.get()) return
  state.powersChanged.set(false)
  const before = state.bonded.get()
  const strong = validatorsByPower(context)
  const after = strong.length === 0 && context.keepsLastValidator ? before.slice(0, 1) : strong
  state.bonded.set(after)
  const stays = new Set(after.map(({ operator }) => operator))
  const was = new Set(before.map(({ operator }) => operator))
  for (const { operator } of before) if (!stays.has(operator)) beginUnbondingValidator(context, operator)
  for (const { operator } of after) if (!was.has(operator)) bondValidator(context, operator)
  context.hooks.afterBondedSetChanged()
}

function bondValidator(context: StakingContext, operator: Address): void {
  setStatus(context, operator, 'bonded')
  context.hooks.afterValidatorBonded(operator)
}

function beginUnbondingValidator(context: StakingContext, operator: Address): void {
  const { state, block } = context
  const time = block.timestamp + state.params.get().unbondingTime
  state.validators.at(operator).update({ unbondingHeight: block.number, unbondingTime: time })
  setStatus(context, operator, 'unbonding')
  schedule(state.unbondingValidators, { time, operator })
}

function setStatus(context: StakingContext, operator: Address, to: BondStatus): void {
  const record = context.state.validators.at(operator)
  movePool(context, record.member('status'), to, record.member('tokens'))
  record.update({ status: to })
}

/**
 * Completes the unbonding of mature validators, at most `MAX_ENDED_PER_BLOCK`. Validators without delegations are removed.
 */
export function unbondAllMatureValidators(context: StakingContext): void {
  const { state, block } = context
  for (const { time, operator } of takeDue(state.unbondingValidators, block.timestamp, context.mostEnded)) {
    const validator = findStake(context, operator)
    // The validator may have been bonded again since, and may be unbonding with a later time.
    if (validator?.status !== 'unbonding' || state.validators.at(operator).member('unbondingTime') !== time) continue
    setStatus(context, operator, 'unbonded')
    if (validator.shares === 0n) removeValidator(context, operator)
  }
}
