// x/staking: the set of validators, and x/slashing: what they lose.
import { burn, credit, debit, MODULE } from './bank.ts'
import { dec, least, mul, ONE, quoRoundUp, truncate } from './dec.ts'
import { beforeValidatorSlashed, tokensOf, validatorOf } from './distribution.ts'
import { poolOf, removeValidator, unbond } from './staking.ts'
import { type Address, need, pair, parts, Refused, refuseIf, type State, type Validator } from './state.ts'

const DAY = 86_400n
/** 9999-12-31T23:59:59Z: the end of the jail after a double sign. */
const FOREVER = 253_402_300_799n

/** The validators with the most power are bonded: the end of a block, and after a report. */
export function updateSet(state: State): void {
  const ranked = [...state.validators]
    .filter(([, { jailed, tokens }]) => !jailed && tokens >= ONE)
    .sort(([a, x], [b, y]) => Number(y.tokens / ONE - x.tokens / ONE) || (a < b ? -1 : 1))
  const bonded = new Set(ranked.slice(0, Number(state.params.maxValidators)).map(([operator]) => operator))
  for (const [operator, validator] of state.validators) {
    if (bonded.has(operator) === (validator.status === 3)) continue
    const before = poolOf(validator)
    if (bonded.has(operator)) {
      validator.status = 3
      const known = state.signing.get(validator.consensus) ?? { start: 0n, jailedUntil: 0n, tombstoned: false }
      state.signing.set(validator.consensus, { ...known, start: state.height })
    } else {
      validator.status = 2
      validator.unbondingHeight = state.height
      validator.unbondingTime = state.time + state.params.unbondingTime
    }
    debit(state, before, validator.tokens)
    credit(state, poolOf(validator), validator.tokens)
  }
}

/** Validators whose unbonding is over; those without stake go. */
export function completeValidators(state: State): void {
  for (const [operator, validator] of state.validators) {
    if (validator.status !== 2 || validator.unbondingTime > state.time) continue
    validator.status = 1
    if (validator.shares === 0n) removeValidator(state, operator)
  }
}

export function editValidator(state: State, operator: Address, rate: bigint, minSelfDelegation: bigint): void {
  const validator = validatorOf(state, operator)
  const { commission } = validator
  if (rate !== -1n) {
    const change = rate > commission.rate ? rate - commission.rate : commission.rate - rate
    refuseIf(state.time - commission.updated < DAY, 'commission cannot be changed more than once in 24h')
    refuseIf(rate > commission.maxRate || change > commission.maxChangeRate, 'invalid commission')
    commission.rate = rate
    commission.updated = state.time
  }
  if (minSelfDelegation === -1n) return
  refuseIf(minSelfDelegation <= validator.minSelfDelegation, 'minimum self delegation cannot be decreased')
  refuseIf(minSelfDelegation > validator.tokens, 'validator must be greater than its self delegation')
  validator.minSelfDelegation = minSelfDelegation
}

/** Whether an entry of this height still pays for an infraction. */
const isLiable = (state: State, infraction: bigint, entry: { height: bigint; completion: bigint }): boolean =>
  entry.height >= infraction && entry.completion > state.time

function slashUnbondings(state: State, operator: Address, infraction: bigint, fraction: bigint): bigint {
  let owed = 0n
  for (const [key, entries] of state.unbondings)
    for (const entry of entries) {
      if (parts(key)[1] !== operator || !isLiable(state, infraction, entry)) continue
      const part = truncate(fraction * entry.initial)
      owed += part
      const burnt = least(part, entry.balance)
      entry.balance -= burnt
      burn(state, MODULE.notBonded, burnt)
    }
  return owed
}

/**
 * Cosmos SDK 0.50: a redelegation pays out of the liable unbonding entries at its destination first; if they do not cover what it owes,
 * also the slashed fraction of the shares with which it began.
 */
function slashRedelegations(state: State, operator: Address, infraction: bigint, fraction: bigint): bigint {
  let owed = 0n
  for (const key of [...state.redelegations.keys()].sort()) {
    const [delegator = '0x', source, target = '0x'] = parts(key)
    for (const { initial, sharesDst, ...entry } of source === operator ? (state.redelegations.get(key) ?? []) : []) {
      if (!isLiable(state, infraction, entry)) continue
      let part = truncate(fraction * initial)
      owed += part
      for (const unbonding of state.unbondings.get(pair(delegator, target)) ?? []) {
        if (!isLiable(state, infraction, unbonding)) continue
        const burnt = least(part, unbonding.balance)
        unbonding.balance -= burnt
        part -= burnt
        burn(state, MODULE.notBonded, burnt)
      }
      const owned = state.delegations.get(pair(delegator, target)) ?? 0n
      const shares = least(mul(fraction, sharesDst), owned)
      if (part === 0n || shares === 0n) continue
      const pool = poolOf(validatorOf(state, target))
      burn(state, pool, unbond(state, delegator, target, shares))
    }
  }
  return owed
}

/** Slashes a validator that had `power` coins when it broke the rules at height `infraction`. */
function slash(state: State, operator: Address, infraction: bigint, power: bigint, fraction: bigint): void {
  const validator = validatorOf(state, operator)
  let amount = truncate(mul(dec(power), fraction))
  if (infraction < state.height) {
    amount -= slashUnbondings(state, operator, infraction, fraction)
    amount -= slashRedelegations(state, operator, infraction, fraction)
  }
  const burnt = least(amount, validator.tokens)
  if (burnt <= 0n) return
  beforeValidatorSlashed(state, operator, least(ONE, quoRoundUp(dec(burnt), dec(validator.tokens))))
  validator.tokens -= burnt
  burn(state, poolOf(validator), burnt)
}

/** Coins with which a validator signed a block. */
const powerAt = (state: State, operator: Address, height: bigint): bigint =>
  need(need(state.powers, height, 'no such block'), operator, 'did not sign the block')

/** Evidence of two votes in block `height`; stake counts from one block earlier on, because sets change with that delay. */
export function doubleSign(state: State, operator: Address, height: bigint): void {
  const power = powerAt(state, operator, height)
  const validator = validatorOf(state, operator)
  const info = need(state.signing, validator.consensus, 'no signing info')
  refuseIf(validator.status === 1 || info.tombstoned, 'cannot be punished')
  slash(state, operator, height - 1n, power, state.params.slashDoubleSign)
  validator.jailed = true
  info.jailedUntil = FOREVER
  info.tombstoned = true
  updateSet(state)
}

/** Too many missed blocks up to `height`: liable is what was staked two blocks earlier. */
export function downtime(state: State, operator: Address, height: bigint): void {
  const power = powerAt(state, operator, height)
  const validator = validatorOf(state, operator)
  const info = need(state.signing, validator.consensus, 'no signing info')
  refuseIf(validator.status === 1 || validator.jailed, 'cannot be punished')
  slash(state, operator, height - 2n, power, state.params.slashDowntime)
  validator.jailed = true
  info.jailedUntil = state.time + state.params.jailDuration
  updateSet(state)
}

export function unjail(state: State, operator: Address): void {
  const validator: Validator = validatorOf(state, operator)
  const own = state.delegations.get(pair(operator, operator))
  if (own === undefined) throw new Refused('validator has no self-delegation; cannot be unjailed')
  refuseIf(truncate(tokensOf(validator, own)) < validator.minSelfDelegation, 'self delegation too low')
  refuseIf(!validator.jailed, 'validator not jailed; cannot be unjailed')
  const info = state.signing.get(validator.consensus)
  refuseIf(info?.tombstoned === true || (info?.jailedUntil ?? 0n) > state.time, 'still jailed')
  validator.jailed = false
}
