// Random histories: blocks of transactions and reports, drawn from what the model knows, so that most of them can succeed.
import { MESSAGE_NAMES } from './authz.ts'
import { balanceOf } from './bank.ts'
import type { Step, Transaction } from './chain.ts'
import { least, ONE, quo, truncate } from './dec.ts'
import type { Operation } from './operations.ts'
import { type Address, pair, parts, type State, type Vote } from './state.ts'
import { ACCOUNTS, CONTRACTS, consensusOf, OPERATORS, USERS, VESTER } from './world.ts'

export type Report = { readonly kind: 'doubleSign' | 'downtime'; readonly operator: Address; readonly back: bigint }
/** One block: seconds since the one before, what is reported before it, and its transactions. */
export type Block = {
  readonly seconds: bigint
  readonly reports: readonly Report[]
  readonly transactions: readonly Transaction[]
}

export type Random = ReturnType<typeof random>

/** Random numbers of a seed (xorshift32 after a mixing step). */
export function random(seed: number) {
  let word = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ (seed >>> 7)) | 1
  const next = (): number => {
    word ^= word << 13
    word ^= word >>> 17
    word ^= word << 5
    return word >>> 0
  }
  for (let skipped = 0; skipped < 10; skipped++) next()
  const below = (limit: number): number => next() % limit
  const chance = (percent: number): boolean => below(100) < percent
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new Error('nothing to pick from')
    return list[below(list.length)] as T
  }
  /** An amount that is mostly between 1 and `most`, sometimes at or above the edge. */
  const amount = (most: bigint): bigint => {
    const kind = below(20)
    if (kind === 0) return BigInt(below(3))
    if (kind === 1) return most + BigInt(below(3))
    if (kind < 5) return most
    return 1n + (most * BigInt(below(1_000_000_007))) / 1_000_000_007n
  }
  return { below, chance, pick, amount }
}

/** Coins that an account may stake at a time: enough to change the order of validators. */
const STAKE = 40n * ONE

const worthOf = (state: State, who: Address, validator: Address): bigint => {
  const { tokens, shares } = state.validators.get(validator) ?? { tokens: 0n, shares: 0n }
  const own = state.delegations.get(pair(who, validator)) ?? 0n
  return shares === 0n ? 0n : truncate(quo(own * tokens, shares))
}

const tokensOf = (state: State, validator: Address): bigint => state.validators.get(validator)?.tokens ?? 0n

/** Stake operations for `who`. */
function stakeOperation(state: State, { below, chance, pick, amount }: Random, who: Address): Operation {
  const validators = [...state.validators.keys()]
  const delegated = [...state.delegations.keys()].filter((key) => key.startsWith(who)).map((key) => parts(key)[1])
  const open = [...state.unbondings].filter(([key]) => key.startsWith(who))
  const kind = below(12)
  if (kind > 9 && (open.length > 0 || chance(10))) {
    const [key, entries] = open.length === 0 ? [pair(who, pick(validators)), []] : pick(open)
    const { height, balance } = entries.length === 0 ? { height: state.height, balance: ONE } : pick(entries)
    const validator = parts(key)[1] ?? pick(validators)
    const part = amount(balance)
    return { name: 'cancelUnbonding', who, validator, amount: part, height: chance(5) ? height + 1n : height }
  }
  if (chance(8)) {
    // Power is whole coins: equal powers are ranked by address.
    const [low, high] = [pick(validators), pick(validators)]
    const missing = tokensOf(state, high) - tokensOf(state, low)
    if (missing > 0n && missing < 4n * STAKE && !CONTRACTS.includes(who))
      return { name: 'delegate', who, validator: low, amount: missing }
  }
  if (kind < 4 || (delegated.length === 0 && chance(90))) {
    const most = CONTRACTS.includes(who) ? least(STAKE, balanceOf(state, who)) : STAKE
    return { name: 'delegate', who, validator: pick(validators), amount: chance(3) ? 10n ** 30n : amount(most) }
  }
  const validator = (delegated.length === 0 || chance(5) ? undefined : pick(delegated)) ?? pick(validators)
  const worth = worthOf(state, who, validator)
  if (kind < 7) return { name: 'undelegate', who, validator, amount: amount(worth) }
  return { name: 'redelegate', who, from: validator, to: pick(validators), amount: amount(worth) }
}

function rewardOperation(state: State, { below, chance, pick, amount }: Random, who: Address): Operation {
  const kind = below(10)
  const delegated = [...state.delegations.keys()].filter((key) => key.startsWith(who)).map((key) => parts(key)[1])
  const validator = (delegated.length === 0 ? undefined : pick(delegated)) ?? pick([...state.validators.keys()])
  if (kind < 4) return { name: 'withdraw', who, validator }
  if (kind < 6) return { name: 'claim', who, most: below(4) }
  if (kind < 7) return { name: 'withdrawCommission', who }
  if (kind < 9) return { name: 'setWithdrawAddress', who, to: chance(40) ? who : pick(ACCOUNTS) }
  return { name: 'fundPool', who, amount: chance(10) ? 10n ** 30n : amount(ONE) }
}

function validatorOperation(state: State, { below, chance, amount }: Random, who: Address): Operation {
  const own = state.validators.get(who)
  if (own === undefined || chance(3)) {
    const { key, consensus } = consensusOf(who)
    const rate = (ONE * BigInt(below(60))) / 100n
    const minSelfDelegation = 1n + BigInt(below(30)) * ONE
    return {
      name: 'createValidator',
      who,
      consensusKey: key,
      consensus,
      amount: amount(120n * ONE),
      rate,
      minSelfDelegation,
    }
  }
  if (own.jailed && chance(60)) return { name: 'unjail', who }
  if (chance(30)) {
    // To the least self-delegation, or a little below, where the validator is jailed.
    const spare = worthOf(state, who, who) - own.minSelfDelegation + BigInt(below(3))
    return { name: 'undelegate', who, validator: who, amount: spare < 0n ? 0n : spare }
  }
  if (chance(50)) return { name: 'withdrawCommission', who }
  const rate = chance(50) ? -1n : own.commission.rate + BigInt(below(3) - 1) * (ONE / 200n)
  const minSelfDelegation = chance(50) ? -1n : own.minSelfDelegation + BigInt(below(3)) * ONE
  return { name: 'editValidator', who, rate: rate < -1n ? 0n : rate, minSelfDelegation }
}

function grantOperation(state: State, { below, chance, pick, amount }: Random, who: Address): Operation {
  const granted = [...state.grants.keys()].filter((key) => key.startsWith(who))
  const names = MESSAGE_NAMES.filter(() => chance(70))
  if (names.length === 0) names.push('MSG_DELEGATE')
  const kind = below(10)
  if (kind < 6 || (granted.length === 0 && chance(90))) {
    const spender = pick(CONTRACTS)
    const limit = chance(30) ? 2n ** 256n - 1n : chance(5) ? 0n : amount(3n * STAKE)
    return { name: 'approve', spender, amount: limit, names }
  }
  const grant = granted.length === 0 ? '' : pick(granted)
  const spender = CONTRACTS.find((contract) => grant.includes(contract)) ?? pick(CONTRACTS)
  const name = MESSAGE_NAMES.find((one) => grant.endsWith(`/${one}`)) ?? pick(MESSAGE_NAMES)
  if (kind === 9) return { name: 'revoke', spender, names: [name] }
  return { name: 'changeAllowance', spender, change: amount(STAKE) * (chance(50) ? 1n : -1n), names: [name] }
}

function voteOptions({ below, chance }: Random): Vote {
  const option = chance(60) ? 1 : 1 + below(4)
  if (chance(70)) return [{ option, weight: ONE }]
  const part = BigInt(1 + below(99)) * (ONE / 100n)
  return [
    { option, weight: part },
    { option: (option % 4) + 1, weight: ONE - part },
  ]
}

function govOperation(state: State, source: Random, who: Address): Operation {
  const { below, chance, pick, amount } = source
  const open = [...state.proposals].filter(([, { status }]) => status < 3).map(([id]) => id)
  const own = open.filter((id) => state.proposals.get(id)?.proposer === who)
  const id = open.length === 0 || chance(5) ? BigInt(1 + below(9)) : pick(open)
  const kind = below(20)
  if (kind < 12 && open.length > 0) return { name: 'vote', who, id, options: voteOptions(source) }
  if (kind < 16 && open.length > 0) return { name: 'deposit', who, id, amount: 1n + amount(8n * ONE) }
  if (kind < 17 && open.length > 0) return { name: 'cancelProposal', who, id: own.length === 0 ? id : pick(own) }
  const message = chance(60)
    ? ({ kind: 'spend', to: pick(ACCOUNTS), amount: 1n + amount(chance(20) ? 10n ** 24n : 2n * ONE) } as const)
    : ({
        kind: 'staking',
        maxEntries: BigInt(2 + below(3)),
        unbondingTime: BigInt(40 + below(40)),
        maxValidators: BigInt(2 + below(3)),
      } as const)
  return { name: 'submit', who, message, expedited: chance(30), amount: ONE + amount(70n * ONE) }
}

function vestingOperation(
  state: State,
  { below, chance, pick, amount }: Random,
): { from: Address; operation: Operation } {
  const [account = '0x'] = VESTER
  const [funder = '0x'] = USERS
  const vesting = state.vesting.get(account)
  const kind = below(10)
  if (vesting === undefined) return { from: account, operation: { name: 'createVesting', who: account, funder } }
  if (kind < 2 && vesting.vesting.length > 0)
    return { from: funder, operation: { name: 'clawback', who: funder, account, to: pick([funder, ...USERS]) } }
  if (kind < 4) return { from: pick(USERS), operation: { name: 'convertVesting', account } }
  const total = 1n + amount(20n * ONE)
  const periods = () => {
    const first = total / BigInt(1 + below(5))
    const last = { length: BigInt(1 + below(60)), amount: total - first }
    return [{ length: BigInt(1 + below(60)), amount: first }, ...(last.amount === 0n ? [] : [last])]
  }
  const start = state.time + BigInt(below(40)) - 20n
  const lockup = chance(30) ? [] : periods()
  const from = chance(95) ? funder : pick(USERS)
  const vested = lockup.length > 0 && chance(20) ? [] : periods()
  return { from, operation: { name: 'fundVesting', who: from, account, start, lockup, vesting: vested } }
}

function personalOperation(state: State, source: Random, who: Address): Operation {
  const kind = source.below(20)
  if (OPERATORS.includes(who) && (kind < 8 || !state.validators.has(who))) return validatorOperation(state, source, who)
  if (kind < 12) return stakeOperation(state, source, who)
  if (kind < 15) return rewardOperation(state, source, who)
  if (kind < 18 && USERS.includes(who)) return grantOperation(state, source, who)
  return govOperation(state, source, who)
}

function transaction(state: State, source: Random): Transaction {
  const { below, chance, pick } = source
  const kind = below(20)
  if (kind === 0) {
    const { from, operation } = vestingOperation(state, source)
    return { from, steps: [{ mode: 'must', operation }] }
  }
  // A contract acts for itself, for the signer who may have granted it, or for a stranger, which fails.
  if (kind < 6) {
    const grants = [...state.grants.keys()].filter((key) => USERS.some((user) => key.startsWith(user)))
    const [from = pick(USERS), via = pick(CONTRACTS)] = grants.length > 0 && chance(70) ? parts(pick(grants)) : []
    const steps = Array.from({ length: 1 + below(4) }, (): Step => {
      const who = chance(45) ? via : chance(90) ? from : pick(ACCOUNTS)
      const operation = chance(70) ? stakeOperation(state, source, who) : personalOperation(state, source, who)
      return { mode: chance(5) ? 'must' : chance(65) ? 'try' : 'undo', operation }
    })
    return { from, via, steps }
  }
  const from = chance(35) ? pick(OPERATORS) : pick([...USERS, ...USERS, ...VESTER])
  return { from, steps: [{ mode: 'must', operation: personalOperation(state, source, from) }] }
}

function reports(state: State, { below, chance, pick }: Random): Report[] {
  const bonded = [...state.validators].filter(([, { status }]) => status === 3)
  if (bonded.length < 2 || !chance(15)) return []
  const [operator, { consensus }] = pick(bonded)
  const able = [...state.validators.values()].filter(
    ({ consensus: one }) => state.signing.get(one)?.tombstoned !== true,
  )
  const isLast = able.length < 4 || state.signing.get(consensus)?.tombstoned === true
  const kind = !isLast && chance(40) ? 'doubleSign' : 'downtime'
  return [{ kind, operator, back: kind === 'downtime' ? 0n : BigInt(below(4)) }]
}

/** Times within a minute at which something ends or comes due: off-by-one errors show there. */
function dueTimes(state: State): bigint[] {
  const jails = [...state.signing.values()].map(({ jailedUntil }) => jailedUntil)
  const entries = [...state.unbondings.values(), ...state.redelegations.values()].flat().map((one) => one.completion)
  const votes = [...state.proposals.values()].map(({ votingEnd, depositEnd }) => votingEnd || depositEnd)
  const grants = [...state.grants.values()].map(({ expiration }) => expiration)
  return [...jails, ...entries, ...votes, ...grants].filter((at) => at > state.time && at <= state.time + 60n)
}

/** The next block of a history. */
export function nextBlock(state: State, source: Random): Block {
  const { below, chance, pick } = source
  const due = chance(20) ? dueTimes(state) : []
  const seconds = due.length > 0 ? pick(due) - state.time : BigInt(chance(8) ? 20 + below(60) : below(6))
  const transactions = Array.from({ length: below(7) }, () => transaction(state, source))
  for (const [who, { jailed, consensus }] of state.validators)
    if (jailed && state.signing.get(consensus)?.jailedUntil === state.time + seconds)
      transactions.push({ from: who, steps: [{ mode: 'must', operation: { name: 'unjail', who } }] })
  return { seconds, reports: reports(state, source), transactions }
}
