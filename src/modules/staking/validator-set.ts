// The bonded set: at the end of a block the validators with the most tokens that are not jailed, up to the parameter
// `maxValidators`. The set fixed at the end of one block signs the next block and earns its fees.
import { type Address, fromHex } from '../../lib/hex.ts'
import { schedule, takeDue } from './calendar.ts'
import { MAX_ENDED_PER_BLOCK, type StakingContext } from './context.ts'
import type { BondedValidator, BondStatus } from './layout.ts'
import { findStake, movePool, removeValidator } from './validators.ts'

/** By power, the strongest first; equal ones by operator. */
function ranked({ state }: StakingContext): BondedValidator[] {
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

/** Order of their bytes. */
export const compareAddresses = (a: Address, b: Address): number => Buffer.compare(fromHex(a), fromHex(b))

/** Bonds newcomers, begins the unbonding of those who fell out, moves their tokens between the pools. */
export function updateValidatorSet(context: StakingContext): void {
  const { state } = context
  if (!state.powersChanged.get()) return
  state.powersChanged.set(false)
  const before = state.bonded.get()
  const after = ranked(context)
  state.bonded.set(after)
  const stays = new Set(after.map(({ operator }) => operator))
  const was = new Set(before.map(({ operator }) => operator))
  for (const { operator } of before) if (!stays.has(operator)) beginUnbonding(context, operator)
  for (const { operator } of after) if (!was.has(operator)) beginSigning(context, operator)
}

function beginSigning(context: StakingContext, operator: Address): void {
  setStatus(context, operator, 'bonded')
  context.hooks.afterValidatorBonded(operator)
}

function beginUnbonding(context: StakingContext, operator: Address): void {
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
 * Ends the unbonding of validators whose time has come, up to `MAX_ENDED_PER_BLOCK`; those that nobody delegates to any
 * more are removed.
 */
export function finishUnbondingValidators(context: StakingContext): void {
  const { state, block } = context
  for (const { time, operator } of takeDue(state.unbondingValidators, block.timestamp, MAX_ENDED_PER_BLOCK)) {
    const validator = findStake(context, operator)
    // It may have been bonded again since, and be unbonding once more with a later time.
    if (validator?.status !== 'unbonding' || state.validators.at(operator).member('unbondingTime') !== time) continue
    setStatus(context, operator, 'unbonded')
    if (validator.shares === 0n) removeValidator(context, operator)
  }
}
