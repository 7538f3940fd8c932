// x/staking: delegations, unbondings and redelegations.
import { credit, debit, MODULE, send } from './bank.ts'
import { dec, least, ONE, quo, truncate } from './dec.ts'
import {
  afterDelegationModified,
  beforeDelegationCreated,
  beforeSharesChange,
  tokensOf,
  validatorCreated,
  validatorOf,
  validatorRemoved,
} from './distribution.ts'
import { type Address, need, pair, Refused, refuseIf, type State, triple, type Validator } from './state.ts'
import { delegatable, trackDelegation, trackUndelegation } from './vesting.ts'

export const poolOf = ({ status }: Validator): Address => (status === 3 ? MODULE.bonded : MODULE.notBonded)

function move(state: State, from: Address, to: Address, amount: bigint): void {
  if (from === to) return
  debit(state, from, amount)
  credit(state, to, amount)
}

/** Adds stake whose coins are in the validator's pool already. Returns the new shares. */
function addStake(state: State, delegator: Address, operator: Address, amount: bigint): bigint {
  const validator = validatorOf(state, operator)
  const key = pair(delegator, operator)
  const shares = state.delegations.get(key)
  if (shares === undefined) beforeDelegationCreated(state, operator)
  else beforeSharesChange(state, key)
  const added = validator.shares === 0n ? dec(amount) : (validator.shares * amount) / validator.tokens
  validator.tokens += amount
  validator.shares += added
  state.delegations.set(key, (shares ?? 0n) + added)
  afterDelegationModified(state, key)
  return added
}

const refuseWithoutRate = ({ tokens, shares }: Validator): void =>
  refuseIf(tokens === 0n && shares > 0n, 'cannot delegate to validators with invalid (zero) ex-rate')

export function delegate(state: State, delegator: Address, operator: Address, amount: bigint): void {
  refuseIf(amount === 0n, 'invalid delegation amount')
  const validator = validatorOf(state, operator)
  refuseWithoutRate(validator)
  refuseIf(delegatable(state, delegator) < amount, 'insufficient coins to delegate')
  // Rewards that the delegation pays out come before the coins leave: both orders give the same balance.
  debit(state, delegator, amount)
  trackDelegation(state, delegator, amount)
  credit(state, poolOf(validator), amount)
  addStake(state, delegator, operator, amount)
}

/** Shares that are worth `amount`, at most those of the delegation. */
function sharesFor(state: State, delegator: Address, operator: Address, amount: bigint): bigint {
  const { tokens, shares } = validatorOf(state, operator)
  const owned = need(state.delegations, pair(delegator, operator), 'no delegation for (address, validator) tuple')
  refuseIf(amount === 0n || tokens === 0n, 'invalid shares amount')
  const wanted = (shares * amount) / tokens
  refuseIf(wanted > owned, 'invalid shares amount')
  return least(wanted, owned)
}

/** Takes shares from a delegation, which pays its rewards. Returns the tokens that leave the validator. */
export function unbond(state: State, delegator: Address, operator: Address, shares: bigint): bigint {
  const key = pair(delegator, operator)
  beforeSharesChange(state, key)
  const validator = validatorOf(state, operator)
  const left = need(state.delegations, key, 'no delegation') - shares
  if (delegator === operator && !validator.jailed && truncate(tokensOf(validator, left)) < validator.minSelfDelegation)
    validator.jailed = true
  if (left === 0n) state.delegations.delete(key)
  else {
    state.delegations.set(key, left)
    afterDelegationModified(state, key)
  }
  const amount =
    validator.shares === shares ? validator.tokens : truncate(quo(shares * validator.tokens, validator.shares))
  validator.tokens -= amount
  validator.shares -= shares
  if (validator.shares === 0n && validator.status === 1) removeValidator(state, operator)
  return amount
}

export function undelegate(state: State, delegator: Address, operator: Address, amount: bigint): void {
  const validator = validatorOf(state, operator)
  const shares = sharesFor(state, delegator, operator, amount)
  const key = pair(delegator, operator)
  const entries = state.unbondings.get(key) ?? []
  refuseIf(BigInt(entries.length) >= state.params.maxEntries, 'too many unbonding delegation entries')
  const returned = unbond(state, delegator, operator, shares)
  move(state, poolOf(validator), MODULE.notBonded, returned)
  const completion = state.time + state.params.unbondingTime
  const same = entries.find((entry) => entry.height === state.height && entry.completion === completion)
  if (same === undefined) entries.push({ height: state.height, completion, initial: returned, balance: returned })
  else {
    same.initial += returned
    same.balance += returned
  }
  state.unbondings.set(key, entries)
}

export function cancelUnbonding(
  state: State,
  delegator: Address,
  operator: Address,
  amount: bigint,
  height: bigint,
): void {
  refuseIf(amount === 0n || height === 0n, 'invalid request')
  const validator = validatorOf(state, operator)
  refuseWithoutRate(validator)
  refuseIf(validator.jailed, 'validator for this address is currently jailed')
  const key = pair(delegator, operator)
  const entries = need(state.unbondings, key, 'unbonding delegation not found')
  const entry = entries.find((one) => one.height === height && one.completion >= state.time)
  if (entry === undefined || amount > entry.balance) throw new Refused('no such unbonding delegation entry')
  move(state, MODULE.notBonded, poolOf(validator), amount)
  addStake(state, delegator, operator, amount)
  entry.balance -= amount
  entry.initial -= amount
  keepEntries(state.unbondings, key, entries, (one) => one !== entry || one.balance > 0n)
}

/** Keeps some entries of a record; a record without entries goes. */
export function keepEntries<E>(
  records: Map<string, E[]>,
  key: string,
  entries: E[],
  keeps: (entry: E) => boolean,
): void {
  const kept = entries.filter(keeps)
  if (kept.length === 0) records.delete(key)
  else records.set(key, kept)
}

export function redelegate(state: State, delegator: Address, from: Address, to: Address, amount: bigint): void {
  refuseIf(from === to, 'cannot redelegate to the same validator')
  const source = validatorOf(state, from)
  const target = validatorOf(state, to)
  const shares = sharesFor(state, delegator, from, amount)
  const receives = [...state.redelegations.keys()].some(
    (key) => key.startsWith(`${delegator}/`) && key.endsWith(`/${from}`),
  )
  refuseIf(receives, 'redelegation to this validator already in progress')
  const key = triple(delegator, from, to)
  const entries = state.redelegations.get(key) ?? []
  refuseIf(BigInt(entries.length) >= state.params.maxEntries, 'too many redelegation entries')
  const moved = unbond(state, delegator, from, shares)
  refuseIf(moved === 0n, 'too few tokens to redelegate')
  refuseWithoutRate(target)
  move(state, poolOf(source), poolOf(target), moved)
  const sharesDst = addStake(state, delegator, to, moved)
  if (source.status === 1) return
  const [height, completion] =
    source.status === 3
      ? [state.height, state.time + state.params.unbondingTime]
      : [source.unbondingHeight, source.unbondingTime]
  entries.push({ height, completion, initial: moved, sharesDst })
  state.redelegations.set(key, entries)
}

/** Pays unbondings that are due and forgets redelegations that are due: the end of a block. */
export function completeEntries(state: State): void {
  for (const [key, entries] of state.unbondings) {
    const [delegator] = key.split('/') as [Address]
    for (const { completion, balance } of entries) {
      if (completion > state.time) continue
      send(state, MODULE.notBonded, delegator, balance)
      trackUndelegation(state, delegator, balance)
    }
    keepEntries(state.unbondings, key, entries, ({ completion }) => completion > state.time)
  }
  for (const [key, entries] of state.redelegations)
    keepEntries(state.redelegations, key, entries, ({ completion }) => completion > state.time)
}

/** A new validator with its self delegation. */
export function createValidator(
  state: State,
  operator: Address,
  consensus: Address,
  amount: bigint,
  given: Pick<Validator, 'minSelfDelegation'> & { rate: bigint; maxRate: bigint; maxChangeRate: bigint },
): void {
  const { rate, maxRate, maxChangeRate, minSelfDelegation } = given
  refuseIf(state.validators.has(operator), 'validator already exist for this operator address')
  const isTaken = [...state.validators.values()].some((other) => other.consensus === consensus)
  refuseIf(isTaken || state.signing.has(consensus), 'validator already exist for this pubkey')
  refuseIf(rate > maxRate || maxRate > ONE || maxChangeRate > maxRate, 'invalid commission')
  refuseIf(minSelfDelegation < 1n || amount < minSelfDelegation, 'invalid self delegation')
  addValidator(state, operator, { ...given, consensus, updated: state.time })
  delegate(state, operator, operator, amount)
}

/** The record of a new validator, unbonded and without stake. */
export function addValidator(
  state: State,
  operator: Address,
  given: Pick<Validator, 'minSelfDelegation' | 'consensus'> & Validator['commission'],
): void {
  const { rate, maxRate, maxChangeRate, updated, minSelfDelegation, consensus } = given
  const commission = { rate, maxRate, maxChangeRate, updated }
  const nothing = { jailed: false, status: 1, tokens: 0n, shares: 0n, unbondingHeight: 0n, unbondingTime: 0n } as const
  state.validators.set(operator, { ...nothing, commission, minSelfDelegation, consensus })
  validatorCreated(state, operator)
}

/** A validator that is unbonded and has no stake left goes. */
export function removeValidator(state: State, operator: Address): void {
  validatorRemoved(state, operator)
  state.validators.delete(operator)
}
