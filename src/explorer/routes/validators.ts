// Validators in the form of a Blockscout frontend with `NEXT_PUBLIC_VALIDATORS_CHAIN_TYPE=blackfort`, the one of its three
// forms that has names, commissions and stakes. `/native/validators` has more.
import { z } from 'zod'
import { NATIVE_EVENT } from '../../indexer/native-parties.ts'
import { LIST } from '../../indexer/tables.ts'
import { fromInt, truncateInt } from '../../lib/dec.ts'
import { SECONDS_A_DAY } from '../../lib/unix-time.ts'
import { compareAddresses } from '../../modules/staking/validators.ts'
import { NATIVE_CONTRACT } from '../../spec/addresses.ts'
import { ListReader } from '../../tables/list.ts'
import { wire } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { nativeOf } from '../native/modules.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'
import { firstBlockFrom } from '../statistics/block-times.ts'

/** Hundredths of a percent in a whole. */
const BASIS_POINTS = 10_000n

export const validatorsBlackfort = explorerRoute({
  path: '/validators/blackfort',
  summary: 'Validators as a Blockscout frontend lists them',
  query: pageQuery.extend({ sort: z.enum(['address_hash']).optional(), order: z.enum(['asc', 'desc']).optional() }),
  response: pageSchema(
    z.strictObject({
      address: addressSchema,
      name: z.string(),
      commission: z.number().int().describe('hundredths of a percent'),
      self_bonded_amount: wire.decimal.describe('base units'),
      delegated_amount: wire.decimal.describe('base units that others delegate'),
    }),
  ),
  handler({ query: { sort, order = 'asc', ...query } }, context) {
    const { staking } = nativeOf(context, 'head').modules
    const all = [...staking.validators()]
    if (sort === undefined) all.sort((a, b) => (a.tokens === b.tokens ? 0 : a.tokens > b.tokens ? -1 : 1))
    else all.sort((a, b) => compareAddresses(a.operator, b.operator) * (order === 'asc' ? 1 : -1))
    return arrayPage(all, query, ({ operator, tokens, commission, description }) => {
      const own = staking.delegation(operator, operator)?.shares ?? 0n
      const selfBonded = truncateInt(staking.tokensFromShares(operator, own))
      return {
        address: showAddress(context, operator),
        name: description.moniker,
        commission: Number((commission.rate * BASIS_POINTS) / fromInt(1n)),
        self_bonded_amount: selfBonded.toString(),
        delegated_amount: (tokens - selfBonded).toString(),
      }
    })
  },
})

export const validatorsBlackfortCounters = explorerRoute({
  path: '/validators/blackfort/counters',
  summary: 'The number of validators, and of those that were created in the last 24 hours',
  response: z.strictObject({
    validators_count: wire.decimal,
    new_validators_count_24h: wire.decimal,
    validators_counter: wire.decimal.describe('name of `validators_count` in the backend; frontends read the other'),
    new_validators_counter_24h: wire.decimal,
  }),
  async handler(_, context) {
    const { modules, now } = nativeOf(context, 'head')
    const created = new ListReader(context.rows, LIST.logsOfWith(NATIVE_CONTRACT.staking, NATIVE_EVENT.creation))
    const since = await firstBlockFrom(context, now - SECONDS_A_DAY)
    const count = modules.staking.operators().length.toString()
    const recent = (created.length - created.find(since)).toString()
    return {
      ...{ validators_count: count, new_validators_count_24h: recent },
      ...{ validators_counter: count, new_validators_counter_24h: recent },
    }
  },
})
