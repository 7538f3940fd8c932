// Distribution: rewards, commission and the community pool. Transactions act for the delegator or operator in their arguments,
// if `authority.ts` allows the caller; validators are bech32 text, in events its hash.

import { readAddress, toBech32 } from '../lib/bech32.ts'
import { type Dec, truncateInt } from '../lib/dec.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import { ZERO_ADDRESS } from '../lib/hex.ts'
import { MESSAGE } from '../modules/authz/messages.ts'
import { reverted } from '../modules/module.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import { authorize, requireOwner } from './authority.ts'
import { distributionAuthorization } from './authorization.ts'
import { operatorName, operatorNamed } from './bech32.ts'
import { definePrecompile, implement, type ReadCall } from './define.ts'
import { distributionAbi } from './generated/abi.ts'
import { distributionAbi as cosmosDistributionAbi } from './generated/cosmos-evm.ts'
import { byPlace, type PaginationRequest, page } from './paging.ts'

export const DISTRIBUTION_GAS = { withdrawDelegatorRewards: 60_000n, fundCommunityPool: 30_000n }

/** Pays the rewards of a delegation, if the caller may ask for it. Returns the validator's operator and the paid base units. */
export function withdrawRewards(call: ReadCall, delegator: Address, validatorText: string) {
  const operator = operatorNamed(call.spec, validatorText)
  const amount = authorize(call, delegator, { message: MESSAGE.withdrawReward }, () =>
    call.modules.distribution.withdrawDelegationRewards(delegator, operator),
  )
  return { operator, amount }
}

export const withdrawals = implement(distributionAbi, {
  gas: { setWithdrawAddress: 12_000n, withdrawValidatorCommission: 35_000n, claimRewards: 10_000n },
  functions: {
    setWithdrawAddress(call, delegatorAddress, withdrawerText) {
      const { modules, spec } = call
      const withdrawer = accountNamed(spec, withdrawerText)
      authorize(call, delegatorAddress, { message: MESSAGE.setWithdrawAddress }, () =>
        modules.distribution.setWithdrawAddress(delegatorAddress, withdrawer),
      )
      const withdrawerAddress = toBech32(spec.bech32Prefix, withdrawer)
      call.emit('SetWithdrawerAddress', { caller: delegatorAddress, withdrawerAddress })
      return [true]
    },
    withdrawValidatorCommission(call, validatorText) {
      const { modules, spec } = call
      const operator = operatorNamed(spec, validatorText)
      const commission = authorize(call, operator, { message: MESSAGE.withdrawCommission }, () =>
        modules.distribution.withdrawValidatorCommission(operator),
      )
      call.emit('WithdrawValidatorCommission', { validatorAddress: operatorName(spec, operator), commission })
      return [[{ denom: spec.denom, amount: commission }]]
    },
    claimRewards(call, delegatorAddress, maxRetrieve) {
      const { staking, distribution } = call.modules
      const { maxValidators } = staking.params()
      if (maxRetrieve > maxValidators) {
        const why = 'parameter exceeds the maximum number of validators'
        throw reverted(`maxRetrieve (${maxRetrieve}) ${why} (${maxValidators})`)
      }
      const amount = authorize(call, delegatorAddress, { message: MESSAGE.withdrawReward }, () => {
        let claimed = 0n
        for (const { operator } of staking.delegationsOf(delegatorAddress).slice(0, Number(maxRetrieve))) {
          call.charge(CLAIM_GAS)
          claimed += distribution.withdrawDelegationRewards(delegatorAddress, operator)
        }
        return claimed
      })
      call.emit('ClaimRewards', { delegatorAddress, amount })
      return [true]
    },
  },
})

/** Gas of each validator whose rewards are claimed. */
const CLAIM_GAS = 60_000n

const transactions = implement(distributionAbi, {
  gas: DISTRIBUTION_GAS,
  functions: {
    withdrawDelegatorRewards(call, delegatorAddress, validatorText) {
      const { spec } = call
      const { operator, amount } = withdrawRewards(call, delegatorAddress, validatorText)
      const validatorAddress = operatorName(spec, operator)
      call.emit('WithdrawDelegatorRewards', { delegatorAddress, validatorAddress, amount })
      // Returns one coin even if it is zero: callers read the first item.
      return [[{ denom: spec.denom, amount }]]
    },
    fundCommunityPool(call, depositor, amount) {
      if (amount === 0n) throw reverted(`0${call.spec.denom}: invalid coins`)
      requireOwner(call, depositor, 'spender')
      call.modules.distribution.fundCommunityPool(depositor, amount)
      call.emit('FundCommunityPool', { depositor, amount })
      return [true]
    },
  },
})

/** An account as bech32 text or 0x hex. Throws ChainError `invalid withdraw address: <text>: <why>`. */
function accountNamed({ bech32Prefix }: NativeSpec, text: string): Address {
  try {
    return readAddress(bech32Prefix, text)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw reverted(`invalid withdraw address: ${text}: ${error.message}`)
  }
}

const PRECISION = 18n

/** Gas of each slash event that a reward calculation reads, of each listed item, and of each delegation in a total. */
const SLASH_GAS = 1_000n
const ITEM_GAS = 1_000n
const DELEGATION_GAS = 10_000n

/**
 * A sum of the base coin as a list; empty for zero. Evmos returns the whole part but documents 18 decimals; with `decCoinRaw`
 * the number has them.
 */
export function decCoins({ denom, compat }: NativeSpec, sum: Dec) {
  const amount = compat.decCoinRaw ? sum : truncateInt(sum)
  return amount === 0n ? [] : [{ denom, amount, precision: PRECISION }]
}

const SLASHES_GAS = 4_000n

/** Slash events, in an ABI without overloads. */
export const slashQueries = implement(cosmosDistributionAbi, {
  gas: { validatorSlashes: SLASHES_GAS },
  functions: { validatorSlashes: slashes },
})

const overloadedSlashQueries = implement(distributionAbi, {
  gas: {
    'validatorSlashes(string,uint64,uint64)': SLASHES_GAS,
    'validatorSlashes(string,uint64,uint64,PageRequest)': SLASHES_GAS,
  },
  functions: {
    'validatorSlashes(string,uint64,uint64)'(call, validatorAddress, startingHeight, endingHeight) {
      return slashes(call, validatorAddress, startingHeight, endingHeight, FIRST_PAGE)
    },
    'validatorSlashes(string,uint64,uint64,PageRequest)': slashes,
  },
})

export const rewardQueries = implement(distributionAbi, {
  gas: {
    validatorDistributionInfo: 14_000n,
    validatorOutstandingRewards: 4_000n,
    validatorCommission: 4_000n,
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
          commission: decCoins(spec, modules.distribution.accumulatedCommission(operator)),
        },
      ]
    },
    validatorOutstandingRewards({ modules, spec }, validatorAddress) {
      return [decCoins(spec, modules.distribution.outstandingRewards(operatorNamed(spec, validatorAddress)))]
    },
    validatorCommission({ modules, spec }, validatorAddress) {
      return [decCoins(spec, modules.distribution.accumulatedCommission(operatorNamed(spec, validatorAddress)))]
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
        sum: modules.distribution.delegationRewards(delegatorAddress, operator) ?? 0n,
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

const FIRST_PAGE: PaginationRequest = { key: '0x', offset: 0n, limit: 0n, countTotal: false, reverse: false }

/** Slash events between two heights, both included; an end of 0 means the current block. */
function slashes(call: ReadCall, validatorText: string, start: bigint, endGiven: bigint, request: PaginationRequest) {
  const end = endGiven === 0n ? call.block.number : endGiven
  const operator = operatorNamed(call.spec, validatorText)
  if (start > end) throw reverted(`starting height greater than ending height (${start} > ${end})`)
  const events = call.modules.distribution.slashEvents(operator, start, end)
  const { places, response } = page(request, byPlace(events.length))
  call.charge(ITEM_GAS * BigInt(places.length))
  const shown = places.map((place) => {
    const { period, fraction } = events.at(place)
    return { validatorPeriod: period, fraction: { value: fraction, precision: PRECISION } }
  })
  return [shown, response] as const
}

/** The rewards of a delegation; undefined: no such delegation. */
function rewardsOf(call: ReadCall, delegator: Address, operator: Address): Dec | undefined {
  const { distribution } = call.modules
  call.charge(SLASH_GAS * BigInt(distribution.slashEventCount(delegator, operator)))
  return distribution.delegationRewards(delegator, operator)
}

/** The operator of an existing validator. */
function validatorNamed({ modules, spec }: ReadCall, text: string): Address {
  const operator = operatorNamed(spec, text)
  if (!modules.staking.has(operator)) throw reverted('validator does not exist')
  return operator
}

function requireDelegator(delegator: Address): void {
  if (delegator === ZERO_ADDRESS) throw reverted(`invalid delegator address: ${delegator}`)
}

export const distribution = definePrecompile({
  name: 'distribution',
  address: NATIVE_CONTRACT.distribution,
  since: 0n,
  abi: distributionAbi,
  functions: {
    ...{ ...transactions, ...withdrawals, ...rewardQueries, ...overloadedSlashQueries },
    ...distributionAuthorization,
  },
})
