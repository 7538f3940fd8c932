// Chain-wide data of the modules: parameters and their history, opcode proposals, accounts, stake and supply.
import { z } from 'zod'
import { fromInt, quo } from '../../lib/dec.ts'
import { escrowAddress } from '../../modules/transfer/packets.ts'
import { MODULE_ACCOUNT, MODULE_NAME } from '../../spec/addresses.ts'
import { wire } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { coinSchema, nativeOf, rate, showCoin, showRate } from '../native/modules.ts'
import { opcodeProposalSchema, opcodeProposalsOf } from '../native/opcode-proposal.ts'
import { GOVERNED, parameterHistory } from '../native/parameter-history.ts'
import { parametersSchema, showInflation, showParameters } from '../native/parameters.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'

export const nativeParameters = explorerRoute({
  path: '/native/parameters',
  summary: 'The parameters of all modules',
  response: parametersSchema,
  handler: (_, context) => showParameters(nativeOf(context, 'head')),
})

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()])

export const nativeParametersHistory = explorerRoute({
  path: '/native/parameters/history',
  summary: 'Every change of a parameter, newest first, with the proposal or upgrade that caused it',
  query: pageQuery,
  response: pageSchema(
    z.strictObject({
      block_number: z.number().int().describe('a proposal works at its end, an upgrade at its beginning'),
      module: z.enum(GOVERNED),
      key: z.string().describe('as in /native/parameters'),
      before: value,
      after: value,
      cause: z.strictObject({
        type: z.enum(['proposal', 'upgrade']),
        proposal_id: z.number().int().nullable(),
        name: z.string().describe('title of the proposal, or name of the upgrade'),
      }),
    }),
  ),
  async handler({ query }, context) {
    nativeOf(context, 'head')
    const changes = await parameterHistory(context, 'head')
    return arrayPage(changes.toReversed(), query, ({ block, module, key, before, after, cause }) => ({
      block_number: block,
      module,
      key,
      before: value.parse(before),
      after: value.parse(after),
      cause: {
        type: cause.type,
        proposal_id: cause.type === 'proposal' ? Number(cause.id) : null,
        name: cause.type === 'proposal' ? cause.title : cause.name,
      },
    }))
  },
})

export const nativeOpcodeProposals = explorerRoute({
  path: '/native/opcode-proposals',
  summary: 'Opcode proposals that this chain knows: what they change, and in which blocks they were active',
  query: pageQuery,
  response: pageSchema(opcodeProposalSchema),
  async handler({ query }, context) {
    nativeOf(context, 'head')
    return arrayPage(await opcodeProposalsOf(context), query, (proposal) => proposal)
  },
})

export const nativeModules = explorerRoute({
  path: '/native/modules',
  summary: 'Module accounts and the escrow accounts of channels, with their coins',
  query: pageQuery,
  response: pageSchema(
    z.strictObject({
      name: z.string().describe('of the module account, or `escrow port/channel`'),
      address: addressSchema,
      balances: z.array(coinSchema),
    }),
  ),
  handler({ query }, context) {
    const { bank, transfer } = nativeOf(context, 'head').modules
    const accounts = [
      { name: MODULE_NAME.feeCollector, address: MODULE_ACCOUNT.feeCollector },
      { name: MODULE_NAME.distribution, address: MODULE_ACCOUNT.distribution },
      { name: MODULE_NAME.bondedPool, address: MODULE_ACCOUNT.bondedPool },
      { name: MODULE_NAME.notBondedPool, address: MODULE_ACCOUNT.notBondedPool },
      { name: MODULE_NAME.gov, address: MODULE_ACCOUNT.gov },
      { name: MODULE_NAME.erc20, address: MODULE_ACCOUNT.erc20 },
      { name: MODULE_NAME.transfer, address: MODULE_ACCOUNT.transfer },
      { name: MODULE_NAME.mint, address: MODULE_ACCOUNT.mint },
      { name: MODULE_NAME.evm, address: MODULE_ACCOUNT.evm },
      ...transfer.channels.ends().map(([end]) => {
        return { name: `escrow ${end.port}/${end.channel}`, address: escrowAddress(end) }
      }),
    ]
    return arrayPage(accounts, query, ({ name, address }) => ({
      name,
      address: showAddress(context, address),
      balances: bank.balances(address).map(showCoin),
    }))
  },
})

export const nativePool = explorerRoute({
  path: '/native/pool',
  summary: 'Stake and supply of the base coin',
  response: z.strictObject({
    denom: z.string(),
    symbol: z.string(),
    decimals: z.number().int(),
    bonded_tokens: wire.decimal.describe('tokens of the validators that sign'),
    not_bonded_tokens: wire.decimal.describe('tokens of other validators, and unbonding ones'),
    bonded_ratio: rate.describe('part of the supply'),
    community_pool: rate,
    supply: wire.decimal,
    validators_count: z.number().int(),
    bonded_validators_count: z.number().int(),
    max_validators: z.number().int(),
    inflation: parametersSchema.shape.inflation.nullable().describe('null where no coins are made'),
  }),
  handler(_, context) {
    const { spec, modules } = nativeOf(context, 'head')
    const { bank, staking, distribution, inflation } = modules
    const supply = bank.supply()
    const bonded = bank.balance(MODULE_ACCOUNT.bondedPool)
    const made = inflation.params()
    return {
      denom: spec.denom,
      symbol: spec.symbol,
      decimals: 18,
      bonded_tokens: bonded.toString(),
      not_bonded_tokens: bank.balance(MODULE_ACCOUNT.notBondedPool).toString(),
      bonded_ratio: showRate(supply === 0n ? 0n : quo(fromInt(bonded), fromInt(supply))),
      community_pool: showRate(distribution.communityPool()),
      supply: supply.toString(),
      validators_count: staking.operators().length,
      bonded_validators_count: staking.bondedValidators().length,
      max_validators: Number(staking.params().maxValidators),
      inflation: made.perBlock === 0n ? null : showInflation(made),
    }
  },
})
