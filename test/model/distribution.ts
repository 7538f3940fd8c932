// x/distribution: fees and new coins become rewards of validators and their delegators, by the periods of F1.
import { balanceOf, credit, debit, MODULE, mint, send } from './bank.ts'
import { dec, least, mul, mulTruncate, ONE, quo, quoTruncate, truncate } from './dec.ts'
import {
  type Address,
  need,
  pair,
  parts,
  Refused,
  type Rewards,
  refuseIf,
  type StartingInfo,
  type State,
  type Validator,
} from './state.ts'

export const recordOf = (state: State, validator: Address): Rewards =>
  need(state.rewards, validator, 'no validator distribution info')

export const validatorOf = (state: State, validator: Address): Validator =>
  need(state.validators, validator, 'validator does not exist')

/** Tokens of shares as a decimal, rounded half to even. */
export const tokensOf = ({ tokens, shares }: Validator, some: bigint): bigint => quo(some * tokens, shares)

/** Inflation, then the fees and new coins since the last block go to the bonded validators by their power. */
export function allocate(state: State): void {
  const { inflation, inflationShare, communityTax } = state.params
  const forStakers = truncate(inflation * inflationShare)
  mint(state, MODULE.feeCollector, forStakers)
  mint(state, MODULE.distribution, inflation - forStakers)
  state.communityPool += dec(inflation - forStakers)

  if (state.height === 1n) return
  const fees = balanceOf(state, MODULE.feeCollector)
  debit(state, MODULE.feeCollector, fees)
  credit(state, MODULE.distribution, fees)
  const bonded = [...state.validators].filter(([, { status }]) => status === 3)
  const total = bonded.reduce((sum, [, { tokens }]) => sum + tokens / ONE, 0n)
  const shared = mulTruncate(dec(fees), ONE - communityTax)
  let rest = dec(fees)
  for (const [operator, { tokens, commission }] of total === 0n ? [] : bonded) {
    const reward = mulTruncate(shared, quoTruncate(dec(tokens / ONE), dec(total)))
    const record = recordOf(state, operator)
    const kept = mul(reward, commission.rate)
    record.commission += kept
    record.current += reward - kept
    record.outstanding += reward
    rest -= reward
  }
  state.communityPool += rest
}

/** Ends the period of a validator and returns its number. */
function endPeriod(state: State, validator: Address): number {
  const record = recordOf(state, validator)
  const { tokens } = validatorOf(state, validator)
  let ratio = 0n
  if (tokens === 0n) {
    state.communityPool += record.current
    record.outstanding -= record.current
  } else ratio = quoTruncate(record.current, dec(tokens))
  const ended = record.period
  record.ratios[ended] = (record.ratios[ended - 1] ?? 0n) + ratio
  record.current = 0n
  record.period += 1
  return ended
}

/** Rewards of a delegation up to the end of a period, as a decimal. */
function rewardsUntil(state: State, key: string, { period, stake, height }: StartingInfo, ended: number): bigint {
  if (height === state.height) return 0n
  const [, validator = '0x'] = parts(key)
  const { ratios, slashes } = recordOf(state, validator)
  const between = (from: number, to: number, staked: bigint) =>
    mulTruncate((ratios[to] ?? 0n) - (ratios[from] ?? 0n), staked)
  let rewards = 0n
  let start = period
  let staked = stake
  for (const slash of slashes) {
    if (slash.height < height || slash.period <= start) continue
    rewards += between(start, slash.period, staked)
    staked = mulTruncate(staked, ONE - slash.fraction)
    start = slash.period
  }
  const now = tokensOf(validatorOf(state, validator), state.delegations.get(key) ?? 0n)
  if (staked > now + 3n) throw new Error(`the stake of ${key} is ${staked}, above ${now}`)
  return rewards + between(start, ended, least(staked, now))
}

/** What a delegation could withdraw now, as a decimal; changes nothing that stays. */
export function pendingRewards(state: State, key: string): bigint {
  const [, validator = '0x'] = parts(key)
  const record = recordOf(state, validator)
  const { tokens } = validatorOf(state, validator)
  const ratio = tokens === 0n ? 0n : quoTruncate(record.current, dec(tokens))
  record.ratios[record.period] = (record.ratios[record.period - 1] ?? 0n) + ratio
  const rewards = rewardsUntil(state, key, need(state.starting, key, 'no delegation'), record.period)
  record.ratios.pop()
  return rewards
}

export const withdrawAddress = (state: State, account: Address): Address =>
  state.withdrawAddresses.get(account) ?? account

export const validatorCreated = (state: State, validator: Address): void => {
  state.rewards.set(validator, { current: 0n, period: 1, ratios: [0n], commission: 0n, outstanding: 0n, slashes: [] })
}

export const beforeDelegationCreated = (state: State, validator: Address): void => {
  endPeriod(state, validator)
}

/** Pays the rewards of a delegation, before its shares change. Returns what was paid. */
export function beforeSharesChange(state: State, key: string): bigint {
  const [delegator = '0x', validator = '0x'] = parts(key)
  const starting = need(state.starting, key, 'no delegation distribution info')
  const ended = endPeriod(state, validator)
  const record = recordOf(state, validator)
  const rewards = least(rewardsUntil(state, key, starting, ended), record.outstanding)
  record.outstanding -= rewards
  state.communityPool += rewards % ONE
  send(state, MODULE.distribution, withdrawAddress(state, delegator), truncate(rewards))
  state.starting.delete(key)
  return truncate(rewards)
}

/** Begins the rewards of a delegation anew with its shares of now. */
export function afterDelegationModified(state: State, key: string): void {
  const [, validator = '0x'] = parts(key)
  const { tokens, shares } = validatorOf(state, validator)
  const stake = quoTruncate((state.delegations.get(key) ?? 0n) * tokens, shares)
  state.starting.set(key, { period: recordOf(state, validator).period - 1, stake, height: state.height })
}

export function beforeValidatorSlashed(state: State, validator: Address, fraction: bigint): void {
  const period = endPeriod(state, validator)
  recordOf(state, validator).slashes.push({ height: state.height, period, fraction })
}

/** Pays the commission, and gives what nobody can claim to the community pool. */
export function validatorRemoved(state: State, validator: Address): void {
  const { commission, outstanding } = recordOf(state, validator)
  state.communityPool += outstanding - commission + (commission % ONE)
  send(state, MODULE.distribution, withdrawAddress(state, validator), truncate(commission))
  state.rewards.delete(validator)
}

export function withdrawRewards(state: State, delegator: Address, validator: Address): void {
  validatorOf(state, validator)
  const key = pair(delegator, validator)
  refuseIf(!state.delegations.has(key), 'no delegation distribution info')
  beforeSharesChange(state, key)
  afterDelegationModified(state, key)
}

/** Withdraws from the first `most` validators of a delegator, in the order of their addresses. */
export function claimRewards(state: State, delegator: Address, most: bigint): void {
  refuseIf(most > state.params.maxValidators, 'maxRetrieve exceeds the maximum number of validators')
  const own = [...state.delegations.keys()].filter((key) => parts(key)[0] === delegator).sort()
  for (const key of own.slice(0, Number(most))) {
    const [, validator = '0x'] = parts(key)
    withdrawRewards(state, delegator, validator)
  }
}

export function withdrawCommission(state: State, validator: Address): void {
  const record = recordOf(state, validator)
  const paid = truncate(record.commission)
  refuseIf(paid === 0n, 'no validator commission to withdraw')
  record.commission -= dec(paid)
  record.outstanding -= dec(paid)
  send(state, MODULE.distribution, withdrawAddress(state, validator), paid)
}

export function setWithdrawAddress(state: State, delegator: Address, to: Address): void {
  if (Object.values<Address>(MODULE).includes(to)) throw new Refused('not allowed to receive external funds')
  state.withdrawAddresses.set(delegator, to)
}

export function fundCommunityPool(state: State, from: Address, amount: bigint): void {
  refuseIf(amount === 0n, 'invalid amount')
  send(state, from, MODULE.distribution, amount)
  state.communityPool += dec(amount)
}

/** Pays from the community pool, by governance. */
export function spendCommunityPool(state: State, to: Address, amount: bigint): void {
  refuseIf(state.communityPool < dec(amount), 'community pool does not have sufficient coins')
  state.communityPool -= dec(amount)
  send(state, MODULE.distribution, to, amount)
}
