// Validators with their delegations, unbondings, redelegations and blocks.
import { z } from 'zod'
import { LIST, positionEntry } from '../../indexer/tables.ts'
import type { Address } from '../../lib/hex.ts'
import { compareAddresses } from '../../modules/staking/validators.ts'
import { labels } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { explorerRoute } from '../define.ts'
import { notFound } from '../errors.ts'
import { accountNamed, accountParam, nativeOf } from '../native/modules.ts'
import {
  delegationSchema,
  redelegationSchema,
  showDelegation,
  showRedelegation,
  showUnbonding,
  unbondingSchema,
} from '../native/stake.ts'
import { BOND_STATUSES, showValidator, validatorSchema } from '../native/validator.ts'
import { listPage } from '../pagination/lists.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'
import { blockSchema, showBlock } from '../shapes/block.ts'

const params = z.object({ address: accountParam })

/** The operator of a parameter. Throws 404 if there is no such validator. */
function operatorAt(context: ExplorerContext, address: string): Address {
  const operator = accountNamed(context, 'address', address)
  if (!nativeOf(context, 'head').modules.staking.has(operator)) throw notFound()
  return operator
}

export const nativeValidators = explorerRoute({
  path: '/native/validators',
  summary: 'Validators, those with the most tokens first',
  query: pageQuery.extend({
    status: labels(BOND_STATUSES),
    sort: z.enum(['tokens', 'delegators']).optional(),
    order: z.enum(['asc', 'desc']).optional(),
  }),
  response: pageSchema(validatorSchema),
  handler({ query: { status, sort = 'tokens', order = 'desc', ...query } }, context) {
    const { staking } = nativeOf(context, 'head').modules
    const found = staking
      .operators()
      .filter((operator) => status === undefined || status.some((one) => one === staking.status(operator)))
    const rankOf = (operator: Address): bigint =>
      sort === 'tokens' ? (staking.stake(operator)?.tokens ?? 0n) : BigInt(staking.delegatorCount(operator))
    const ranked = found.map((operator) => ({ operator, rank: rankOf(operator) }))
    ranked.sort((a, b) => (a.rank === b.rank ? compareAddresses(a.operator, b.operator) : a.rank > b.rank ? -1 : 1))
    if (order === 'asc') ranked.reverse()
    return arrayPage(ranked, query, ({ operator }) => validatorAt(context, operator))
  },
})

function validatorAt(context: ExplorerContext, operator: Address) {
  const validator = nativeOf(context, 'head').modules.staking.validator(operator)
  if (validator === undefined) throw notFound()
  return showValidator(context, validator)
}

export const nativeValidator = explorerRoute({
  path: '/native/validators/{address}',
  summary: 'A validator',
  params,
  response: validatorSchema,
  handler: ({ params: { address } }, context) => validatorAt(context, operatorAt(context, address)),
})

export const nativeValidatorDelegations = explorerRoute({
  path: '/native/validators/{address}/delegations',
  summary: 'Delegations to a validator, the largest first',
  params,
  query: pageQuery,
  response: pageSchema(delegationSchema),
  handler({ params: { address }, query }, context) {
    const operator = operatorAt(context, address)
    const all = [...nativeOf(context, 'head').modules.staking.delegationsTo(operator)]
    all.sort((a, b) => (a.shares === b.shares ? 0 : a.shares > b.shares ? -1 : 1))
    return arrayPage(all, query, ({ delegator, shares }) => showDelegation(context, { delegator, operator, shares }))
  },
})

export const nativeValidatorUnbondings = explorerRoute({
  path: '/native/validators/{address}/unbondings',
  summary: 'Tokens that are leaving a validator, in order of completion',
  params,
  query: pageQuery,
  response: pageSchema(unbondingSchema),
  handler({ params: { address }, query }, context) {
    const operator = operatorAt(context, address)
    const { staking } = nativeOf(context, 'head').modules
    const all = staking
      .unbondersOf(operator)
      .flatMap((delegator) =>
        staking.unbonding(delegator, operator).map((entry) => ({ delegator, operator, ...entry })),
      )
    all.sort((a, b) => Number(a.completionTime - b.completionTime || a.id - b.id))
    return arrayPage(all, query, (entry) => showUnbonding(context, entry))
  },
})

export const nativeValidatorRedelegations = explorerRoute({
  path: '/native/validators/{address}/redelegations',
  summary: 'Tokens that have moved away from a validator and still answer for its faults, in order of completion',
  params,
  query: pageQuery,
  response: pageSchema(redelegationSchema),
  handler({ params: { address }, query }, context) {
    const source = operatorAt(context, address)
    const all = [...nativeOf(context, 'head').modules.staking.redelegationsFrom(source)].flatMap(
      ({ entries, ...route }) => entries.map((entry) => ({ ...route, ...entry })),
    )
    all.sort((a, b) => Number(a.completionTime - b.completionTime || a.id - b.id))
    return arrayPage(all, query, (entry) => showRedelegation(context, entry))
  },
})

export const nativeValidatorBlocks = explorerRoute({
  path: '/native/validators/{address}/blocks',
  summary: 'Blocks whose coinbase is the operator, newest first',
  params,
  query: pageQuery,
  response: pageSchema(blockSchema),
  handler: ({ params: { address }, query }, context) =>
    listPage(context, [LIST.blocksOf(operatorAt(context, address))], query, (entry) =>
      showBlock(context, positionEntry.decode(entry).number),
    ),
})
