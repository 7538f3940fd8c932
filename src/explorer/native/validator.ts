// A validator in the explorer's form: stake, commission, description, votes of its signing window.
import { z } from 'zod'
import { toBech32 } from '../../lib/bech32.ts'
import { fromInt, quoTruncate, truncateInt } from '../../lib/dec.ts'
import { type Address, fromHex } from '../../lib/hex.ts'
import type { Validator } from '../../modules/staking/layout.ts'
import { consensusAddress, consensusPrefix } from '../../spec/addresses.ts'
import { wire } from '../codec.ts'
import { type ExplorerContext, oncePerRequest } from '../context.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'
import { showSigningInfo, signingInfoSchema } from './commit.ts'
import { type Native, nativeOf, operatorText, rate, showRate, showTime, timeOrNull } from './modules.ts'

export const BOND_STATUSES = ['bonded', 'unbonding', 'unbonded'] as const

const uptimeSchema = z.strictObject({
  signed: z.number().int().describe('votes of the window that were given'),
  window: z.number().int().describe('blocks of which votes are counted'),
  missed: z.number().int(),
})

export const validatorSchema = z.strictObject({
  address: addressSchema.describe('account of the operator'),
  operator_address: z.string().describe('bech32'),
  consensus_address: z.string().describe('bech32'),
  consensus_pubkey: z.string().describe('ed25519, base64'),
  moniker: z.string(),
  description: z.strictObject({
    identity: z.string(),
    website: z.string(),
    security_contact: z.string(),
    details: z.string(),
  }),
  status: z.enum(BOND_STATUSES),
  jailed: z.boolean(),
  jailed_until: wire.time.nullable().describe('it may not be let back before'),
  tombstoned: z.boolean(),
  tokens: wire.decimal.describe('base units'),
  delegator_shares: rate,
  self_delegation: wire.decimal.describe('base units that the operator itself delegates'),
  min_self_delegation: wire.decimal,
  commission: z.strictObject({ rate, max_rate: rate, max_change_rate: rate, updated_at: wire.time }),
  voting_power: wire.decimal.describe('units of power; zero when it does not sign'),
  voting_power_share: rate.describe('part of all power'),
  delegators_count: z.number().int(),
  unbonding_height: z.number().int().nullable(),
  unbonding_time: wire.time.nullable().describe('end of its latest unbonding'),
  uptime: uptimeSchema.nullable().describe('null on chains without slashing, and for validators that never signed'),
  signing_info: signingInfoSchema.nullable().describe('null where `uptime` is'),
  outstanding_rewards: rate.describe('base units that its delegators and operator have not taken'),
  accumulated_commission: rate.describe('the operator’s part of them'),
})

/** Voting power of the signers of the next block by operator, and its sum. */
const powersOf = oncePerRequest((context, _: 'head') => {
  const bonded = nativeOf(context, 'head').modules.staking.bondedValidators()
  const powers = new Map(bonded.map(({ operator, power }) => [operator, power]))
  return { powers, total: bonded.reduce((sum, { power }) => sum + power, 0n) }
})

function uptimeOf({ modules: { slashing } }: Native, signer: Address) {
  const info = slashing?.signingInfo(signer)
  if (slashing === undefined || info === undefined) return null
  const { signedBlocksWindow } = slashing.params()
  const counted = info.indexOffset < signedBlocksWindow ? info.indexOffset : signedBlocksWindow
  const missed = info.missedBlocksCounter
  return { signed: Number(counted - missed), window: Number(signedBlocksWindow), missed: Number(missed) }
}

const latest = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** A validator on the state of the context's head. */
export function showValidator(context: ExplorerContext, validator: Validator): z.input<typeof validatorSchema> {
  const native = nativeOf(context, 'head')
  const { spec, modules } = native
  const { staking, slashing, distribution } = modules
  const { operator, consensusKey, commission, description, unbondingHeight } = validator
  const signer = consensusAddress(consensusKey)
  const info = slashing?.signingInfo(signer)
  const window = slashing?.params().signedBlocksWindow
  const { powers, total } = powersOf(context, 'head')
  const power = powers.get(operator) ?? 0n
  const own = staking.delegation(operator, operator)?.shares ?? 0n
  const { moniker, identity, website, securityContact, details } = description
  return {
    address: showAddress(context, operator),
    operator_address: operatorText(spec, operator),
    consensus_address: toBech32(consensusPrefix(spec.bech32Prefix), signer),
    consensus_pubkey: Buffer.from(fromHex(consensusKey)).toString('base64'),
    moniker,
    description: { identity, website, security_contact: securityContact, details },
    status: validator.status,
    jailed: validator.jailed,
    jailed_until: validator.jailed ? timeOrNull(latest(validator.jailedUntil, info?.jailedUntil ?? 0n)) : null,
    tombstoned: info?.tombstoned ?? false,
    tokens: validator.tokens.toString(),
    delegator_shares: showRate(validator.shares),
    self_delegation: truncateInt(staking.tokensFromShares(operator, own)).toString(),
    min_self_delegation: validator.minSelfDelegation.toString(),
    commission: {
      rate: showRate(commission.rate),
      max_rate: showRate(commission.maxRate),
      max_change_rate: showRate(commission.maxChangeRate),
      updated_at: showTime(commission.updateTime),
    },
    voting_power: power.toString(),
    voting_power_share: showRate(total === 0n ? 0n : quoTruncate(fromInt(power), fromInt(total))),
    delegators_count: staking.delegatorCount(operator),
    unbonding_height: unbondingHeight === 0n ? null : Number(unbondingHeight),
    unbonding_time: timeOrNull(validator.unbondingTime),
    uptime: uptimeOf(native, signer),
    signing_info: info === undefined || window === undefined ? null : showSigningInfo(info, window),
    outstanding_rewards: showRate(distribution.outstandingRewards(operator)),
    accumulated_commission: showRate(distribution.accumulatedCommission(operator)),
  }
}
