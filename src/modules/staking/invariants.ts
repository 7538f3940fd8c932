// Invariants of staking at the end of every block, for tests and `dev_invariants`. A plain transfer to a pool also breaks them:
// its coins belong to no validator.
import type { Address } from '../../lib/hex.ts'
import { MODULE_ACCOUNT } from '../../spec/addresses.ts'
import type { StakingContext } from './context.ts'
import { unbondingEntries } from './unbonding.ts'
import { findValidator } from './validators.ts'

/** The broken invariants in words. */
export function stakingInvariants(context: StakingContext): string[] {
  return [...pools(context), ...shares(context), ...statuses(context), ...entries(context)]
}

const operators = ({ state }: StakingContext): Address[] => [...state.operators.keys()]

function validators(context: StakingContext) {
  return operators(context).flatMap((operator) => findValidator(context, operator) ?? [])
}

/** The bonded pool holds the tokens of bonded validators; the other pool all other tokens and the unbonding balances. */
function pools(context: StakingContext): string[] {
  const all = validators(context)
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
  const bonded = sum(all.filter(({ status }) => status === 'bonded').map(({ tokens }) => tokens))
  const others = sum(all.filter(({ status }) => status !== 'bonded').map(({ tokens }) => tokens))
  const leaving = sum(openUnbondings(context).flatMap(({ entries }) => entries.map(({ balance }) => balance)))
  return [
    ...differs('bonded pool', context.bank.balance(MODULE_ACCOUNT.bondedPool), bonded),
    ...differs('not-bonded pool', context.bank.balance(MODULE_ACCOUNT.notBondedPool), others + leaving),
  ]
}

const differs = (what: string, is: bigint, should: bigint): string[] =>
  is === should ? [] : [`${what} is ${is}, should be ${should}`]

/** Pairs of delegator and validator with unbonding entries, found by the calendar. */
function openUnbondings(context: StakingContext) {
  const pairs = context.state.endingUnbondings.get().map(({ delegator, operator }) => ({ delegator, operator }))
  const distinct = new Map(pairs.map((pair) => [`${pair.delegator} ${pair.operator}`, pair]))
  return [...distinct.values()].map((pair) => ({
    ...pair,
    entries: unbondingEntries(context, pair.delegator, pair.operator),
  }))
}

/** The shares of a validator are the sum of its delegations' shares, and both indices of delegations agree. */
function shares(context: StakingContext): string[] {
  const { state } = context
  return validators(context).flatMap((validator) => {
    const { operator } = validator
    let sum = 0n
    const broken: string[] = []
    for (const delegator of state.delegators.at(operator).keys()) {
      const owned = state.delegations.at(delegator).get(operator) ?? 0n
      if (owned === 0n) broken.push(`delegation of ${delegator} to ${operator} is empty`)
      sum += owned
    }
    return [...broken, ...differs(`shares of ${operator}`, validator.shares, sum)]
  })
}

/** The bonded set is the validators with that status, none of them jailed, in order of power. */
function statuses(context: StakingContext): string[] {
  const set = context.state.bonded.get()
  const bonded = validators(context).filter(({ status }) => status === 'bonded')
  const inSet = new Set(set.map(({ operator }) => operator))
  return [
    ...differs('size of the bonded set', BigInt(set.length), BigInt(bonded.length)),
    ...bonded
      .filter(({ operator }) => !inSet.has(operator))
      .map(({ operator }) => `${operator} is not in the bonded set`),
    ...bonded.filter(({ jailed }) => jailed).map(({ operator }) => `${operator} is jailed and bonded`),
    ...set.flatMap(({ operator, power }, i) => {
      const above = set[i - 1]?.power ?? power
      return power > above ? [`${operator} stands below less power`] : []
    }),
  ]
}

/** The calendar has the completion time of each entry, and its balance is at most the initial one. */
function entries(context: StakingContext): string[] {
  const ends = new Set(
    context.state.endingUnbondings.get().map(({ time, delegator, operator }) => `${delegator} ${operator} ${time}`),
  )
  return openUnbondings(context).flatMap(({ delegator, operator, entries }) =>
    entries
      .filter(
        ({ balance, initialBalance, completionTime }) =>
          balance > initialBalance || !ends.has(`${delegator} ${operator} ${completionTime}`),
      )
      .map(({ id }) => `unbonding entry ${id} of ${delegator} from ${operator} is wrong`),
  )
}
