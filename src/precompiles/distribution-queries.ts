// View functions of the distribution contract. They change nothing; rewards are computed as if they were paid now.

import { parseAbi } from 'viem'
import { toBech32 } from '../lib/bech32.ts'
import { type Dec, truncateInt } from '../lib/dec.ts'
import { type Address, ZERO_ADDRESS } from '../lib/hex.ts'
import { reverted } from '../modules/revert.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import { PAGE_REQUEST, PAGE_RESPONSE } from './abi.ts'
import { operatorName, operatorNamed } from './bech32.ts'
import { implement, type ReadCall } from './define.ts'
import { byPlace, type PaginationRequest, page } from './paging.ts'

const DEC_COIN = 'struct DecCoin { string denom; uint256 amount; uint8 precision; }'
const SLASH_EVENT = [
  'struct Dec { uint256 value; uint8 precision; }',
  'struct ValidatorSlashEvent { uint64 validatorPeriod; Dec fraction; }',
] as const

const PRECISION = 18n

/** Gas of each slash that a reward calculation reads, of each listed item, and of each delegation in a total. */
const SLASH_GAS = 1_000n
const ITEM_GAS = 1_000n
const DELEGATION_GAS = 10_000n

/**
 * An amount of the base coin as a list of coins, empty for zero. Evmos truncates the amount to whole base units, but
 * still reports a precision of 18 decimals; with `compat.decCoinRaw` the amount does have 18 decimals.
 */
function decCoins({ denom, compat }: NativeSpec, sum: Dec) {
  const amount = compat.decCoinRaw ? sum : truncateInt(sum)
  return amount === 0n ? [] : [{ denom, amount, precision: PRECISION }]
}

export const distributionQueries = implement({
  abi: parseAbi([
    DEC_COIN,
    ...SLASH_EVENT,
    PAGE_RESPONSE,
    'struct ValidatorDistributionInfo { string operatorAddress; DecCoin[] selfBondRewards; DecCoin[] commission; }',
    'struct DelegationDelegatorReward { string validatorAddress; DecCoin[] reward; }',
    'function validatorDistributionInfo(string validatorAddress) view returns (ValidatorDistributionInfo distributionInfo)',
    'function validatorOutstandingRewards(string validatorAddress) view returns (DecCoin[] rewards)',
    'function validatorCommission(string validatorAddress) view returns (DecCoin[] commission)',
    'function validatorSlashes(string validatorAddress, uint64 startingHeight, uint64 endingHeight) view returns (ValidatorSlashEvent[] slashes, PageResponse pageResponse)',
    'function delegationRewards(address delegatorAddress, string validatorAddress) view returns (DecCoin[] rewards)',
    'function delegationTotalRewards(address delegatorAddress) view returns (DelegationDelegatorReward[] rewards, DecCoin[] total)',
    'function delegatorValidators(address delegatorAddress) view returns (string[] validators)',
    'function delegatorWithdrawAddress(address delegatorAddress) view returns (string withdrawAddress)',
  ]),
  gas: {
    validatorDistributionInfo: 14_000n,
    validatorOutstandingRewards: 4_000n,
    validatorCommission: 4_000n,
    validatorSlashes: 4_000n,
    delegationRewards: 10_000n,
    delegationTotalRewards: 4_000n,
    delegatorValidators: 3_000n,
    delegatorWithdrawAddress: 2_600n,
  },
  functions: {
    validatorDistributionInfo(call, validatorAddress) {
      const { modules, spec } = call
      const operator = validatorNamed(call, validatorAddress)
      return [
        {
          operatorAddress: toBech32(spec.bech32Prefix, operator),
          selfBondRewards: decCoins(spec, rewardsOf(call, operator, operator) ?? 0n),
          commission: decCoins(spec, modules.distribution.commission(operator)),
        },
      ]
    },
    validatorOutstandingRewards({ modules, spec }, validatorAddress) {
      return [decCoins(spec, modules.distribution.outstanding(operatorNamed(spec, validatorAddress)))]
    },
    validatorCommission({ modules, spec }, validatorAddress) {
      return [decCoins(spec, modules.distribution.commission(operatorNamed(spec, validatorAddress)))]
    },
    validatorSlashes(call, validatorAddress, startingHeight, endingHeight) {
      return slashes(call, validatorAddress, startingHeight, endingHeight, FIRST_PAGE)
    },
    delegationRewards(call, delegatorAddress, validatorAddress) {
      requireDelegator(delegatorAddress)
      const rewards = rewardsOf(call, delegatorAddress, validatorNamed(call, validatorAddress))
      if (rewards === undefined) throw reverted('delegation does not exist')
      return [decCoins(call.spec, rewards)]
    },
    delegationTotalRewards(call, delegatorAddress) {
      const { modules, spec } = call
      requireDelegator(delegatorAddress)
      const delegations = modules.staking.delegationsOf(delegatorAddress)
      call.charge(DELEGATION_GAS * BigInt(delegations.length))
      const all = delegations.map(({ operator }) => ({
        validatorAddress: operatorName(spec, operator),
        sum: modules.distribution.rewards(delegatorAddress, operator) ?? 0n,
      }))
      const total = all.reduce((total, { sum }) => total + sum, 0n)
      return [
        all.map(({ validatorAddress, sum }) => ({ validatorAddress, reward: decCoins(spec, sum) })),
        decCoins(spec, total),
      ]
    },
    delegatorValidators(call, delegatorAddress) {
      requireDelegator(delegatorAddress)
      const delegations = call.modules.staking.delegationsOf(delegatorAddress)
      call.charge(ITEM_GAS * BigInt(delegations.length))
      return [delegations.map(({ operator }) => operatorName(call.spec, operator))]
    },
    delegatorWithdrawAddress({ modules, spec }, delegatorAddress) {
      requireDelegator(delegatorAddress)
      return [toBech32(spec.bech32Prefix, modules.distribution.withdrawAddress(delegatorAddress))]
    },
  },
})

/** `validatorSlashes` with pagination, with the same signature as in Evmos. */
export const slashesByPage = implement({
  abi: parseAbi([
    ...SLASH_EVENT,
    PAGE_REQUEST,
    PAGE_RESPONSE,
    'function validatorSlashes(string validatorAddress, uint64 startingHeight, uint64 endingHeight, PageRequest pageRequest) view returns (ValidatorSlashEvent[] slashes, PageResponse pageResponse)',
  ]),
  gas: { validatorSlashes: 4_000n },
  functions: { validatorSlashes: slashes },
})

const FIRST_PAGE: PaginationRequest = { key: '0x', offset: 0n, limit: 0n, countTotal: false, reverse: false }

/** Slashes from one height to another, both included; an end of zero means the current block. */
function slashes(call: ReadCall, validatorText: string, start: bigint, endGiven: bigint, request: PaginationRequest) {
  const end = endGiven === 0n ? call.block.number : endGiven
  const operator = operatorNamed(call.spec, validatorText)
  if (start > end) throw reverted(`starting height greater than ending height (${start} > ${end})`)
  const events = call.modules.distribution.slashes(operator, start, end)
  const { places, response } = page(request, byPlace(events.length))
  call.charge(ITEM_GAS * BigInt(places.length))
  const shown = places.map((place) => {
    const { period, fraction } = events.at(place)
    return { validatorPeriod: period, fraction: { value: fraction, precision: PRECISION } }
  })
  return [shown, response] as const
}

/** The rewards of a delegation, or undefined if there is no such delegation. */
function rewardsOf(call: ReadCall, delegator: Address, operator: Address): Dec | undefined {
  const { distribution } = call.modules
  call.charge(SLASH_GAS * BigInt(distribution.slashesOf(delegator, operator)))
  return distribution.rewards(delegator, operator)
}

/** The operator address of the named validator. Reverts if the validator does not exist. */
function validatorNamed({ modules, spec }: ReadCall, text: string): Address {
  const operator = operatorNamed(spec, text)
  if (!modules.staking.has(operator)) throw reverted('validator does not exist')
  return operator
}

function requireDelegator(delegator: Address): void {
  if (delegator === ZERO_ADDRESS) throw reverted(`invalid delegator address: ${delegator}`)
}
