// Native module data of an account: stake, rewards, grants, vesting, votes.
import { z } from 'zod'
import { LIST } from '../../indexer/tables.ts'
import { toBech32 } from '../../lib/bech32.ts'
import { truncateInt } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { labels, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { explorerRoute } from '../define.ts'
import { notFound } from '../errors.ts'
import { grantSchema, grantsOf, showGrant } from '../native/grant.ts'
import {
  accountNamed,
  accountParam,
  coinSchema,
  nativeOf,
  operatorText,
  rate,
  showCoin,
  showRate,
} from '../native/modules.ts'
import {
  delegationSchema,
  redelegationSchema,
  showDelegation,
  showRedelegation,
  showUnbonding,
  showValidatorRef,
  unbondingSchema,
  validatorRefSchema,
} from '../native/stake.ts'
import { showVesting, vestingSchema } from '../native/vesting.ts'
import { castVoteSchema, showCastVote } from '../native/vote.ts'
import { listPage } from '../pagination/lists.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'

const params = z.object({ address: accountParam })
const SIDES = ['given', 'received'] as const
const accountAt = (context: ExplorerContext, address: string): Address => accountNamed(context, 'address', address)

/** An account's delegations with their rewards, in order of operator. */
const delegationsOf = (context: ExplorerContext, delegator: Address) =>
  nativeOf(context, 'head')
    .modules.staking.delegationsOf(delegator)
    .map((of) => ({ delegator, ...of }))

function unbondingsOf(context: ExplorerContext, delegator: Address) {
  const { staking } = nativeOf(context, 'head').modules
  const all = staking
    .unbondingOf(delegator)
    .flatMap((operator) => staking.unbonding(delegator, operator).map((entry) => ({ delegator, operator, ...entry })))
  return all.sort((a, b) => Number(a.completionTime - b.completionTime || a.id - b.id))
}

export const nativeAddress = explorerRoute({
  path: '/native/addresses/{address}',
  summary: 'An account’s coins: spendable, delegated, unbonding, earned, locked',
  params,
  response: z.strictObject({
    address: addressSchema,
    bech32: z.string(),
    operator_address: z.string().describe('as a validator’s operator, bech32'),
    is_validator: z.boolean(),
    balances: z.array(coinSchema).describe('the base coin first'),
    spendable: wire.decimal.describe('base units of the balance that may be sent'),
    locked: wire.decimal.describe('base units of the balance that must stay'),
    delegated: wire.decimal,
    unbonding: wire.decimal,
    rewards: rate.describe('earned and not taken'),
    commission: rate.nullable().describe('of a validator’s operator: earned and not taken'),
    withdraw_address: addressSchema.describe('where rewards go'),
    delegations_count: z.number().int(),
    unbondings_count: z.number().int(),
    vesting: vestingSchema.nullable().describe('null for accounts whose coins do not vest'),
  }),
  handler({ params: { address } }, context) {
    const of = accountAt(context, address)
    const { spec, modules } = nativeOf(context, 'head')
    const { staking, distribution, bank, vesting } = modules
    const delegations = delegationsOf(context, of)
    const unbondings = unbondingsOf(context, of)
    const spendable = vesting.spendable(of)
    const tokens = delegations.map(({ operator, shares }) => truncateInt(staking.tokensFromShares(operator, shares)))
    const rewards = delegations.map(({ operator }) => distribution.delegationRewards(of, operator) ?? 0n)
    return {
      address: showAddress(context, of),
      bech32: toBech32(spec.bech32Prefix, of),
      operator_address: operatorText(spec, of),
      is_validator: staking.has(of),
      balances: bank.balances(of).map(showCoin),
      spendable: spendable.toString(),
      locked: (bank.balance(of) - spendable).toString(),
      delegated: sum(tokens).toString(),
      unbonding: sum(unbondings.map(({ balance }) => balance)).toString(),
      rewards: showRate(sum(rewards)),
      commission: staking.has(of) ? showRate(distribution.accumulatedCommission(of)) : null,
      withdraw_address: showAddress(context, distribution.withdrawAddress(of)),
      delegations_count: delegations.length,
      unbondings_count: unbondings.length,
      vesting: showVesting(context, of) ?? null,
    }
  },
})

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)

export const nativeAddressDelegations = explorerRoute({
  path: '/native/addresses/{address}/delegations',
  summary: 'An account’s delegations, in order of operator',
  params,
  query: pageQuery,
  response: pageSchema(delegationSchema),
  handler: ({ params: { address }, query }, context) =>
    arrayPage(delegationsOf(context, accountAt(context, address)), query, (of) => showDelegation(context, of)),
})

export const nativeAddressUnbondings = explorerRoute({
  path: '/native/addresses/{address}/unbondings',
  summary: 'An account’s tokens that are leaving their validators, in order of completion',
  params,
  query: pageQuery,
  response: pageSchema(unbondingSchema),
  handler: ({ params: { address }, query }, context) =>
    arrayPage(unbondingsOf(context, accountAt(context, address)), query, (entry) => showUnbonding(context, entry)),
})

export const nativeAddressRedelegations = explorerRoute({
  path: '/native/addresses/{address}/redelegations',
  summary: 'An account’s tokens that still answer for the validator they have left, in order of completion',
  params,
  query: pageQuery,
  response: pageSchema(redelegationSchema),
  handler({ params: { address }, query }, context) {
    const of = accountAt(context, address)
    const all = [...nativeOf(context, 'head').modules.staking.redelegationsOf(of)].flatMap(({ entries, ...route }) =>
      entries.map((entry) => ({ ...route, ...entry })),
    )
    all.sort((a, b) => Number(a.completionTime - b.completionTime || a.id - b.id))
    return arrayPage(all, query, (entry) => showRedelegation(context, entry))
  },
})

export const nativeAddressRewards = explorerRoute({
  path: '/native/addresses/{address}/rewards',
  summary: 'What each delegation of an account has earned and not taken, in order of operator',
  params,
  query: pageQuery,
  response: pageSchema(z.strictObject({ validator: validatorRefSchema, rewards: rate })).extend({
    total_rewards: rate,
  }),
  async handler({ params: { address }, query }, context) {
    const delegator = accountAt(context, address)
    const { distribution } = nativeOf(context, 'head').modules
    const all = delegationsOf(context, delegator).map(({ operator }) => {
      return { operator, rewards: distribution.delegationRewards(delegator, operator) ?? 0n }
    })
    const page = await arrayPage(all, query, ({ operator, rewards }) => ({
      validator: showValidatorRef(context, operator),
      rewards: showRate(rewards),
    }))
    return { ...page, total_rewards: showRate(sum(all.map(({ rewards }) => rewards))) }
  },
})

export const nativeAddressGrants = explorerRoute({
  path: '/native/addresses/{address}/grants',
  summary: 'Grants that an account has given or received and that are alive',
  params,
  query: pageQuery.extend({ filter: labels(SIDES) }),
  response: pageSchema(grantSchema),
  handler({ params: { address }, query: { filter = SIDES, ...query } }, context) {
    const grants = grantsOf(context, accountAt(context, address), filter)
    return arrayPage(grants, query, (grant) => showGrant(context, grant))
  },
})

export const nativeAddressVesting = explorerRoute({
  path: '/native/addresses/{address}/vesting',
  summary: 'The schedules of an account whose coins vest; 404 for any other',
  params,
  response: vestingSchema,
  handler({ params: { address } }, context) {
    const vesting = showVesting(context, accountAt(context, address))
    if (vesting === undefined) throw notFound()
    return vesting
  },
})

export const nativeAddressVotes = explorerRoute({
  path: '/native/addresses/{address}/votes',
  summary: 'Votes that an account has cast, newest first, replaced ones too',
  params,
  query: pageQuery,
  response: pageSchema(castVoteSchema),
  handler({ params: { address }, query }, context) {
    const of = accountAt(context, address)
    return listPage(context, [LIST.votesOf(of)], query, (entry) => showCastVote(context, of, entry))
  },
})
