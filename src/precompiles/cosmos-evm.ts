// The contracts of chains with cosmos/evm's interfaces, as far as their ABIs are others than Evmos'. Functions whose inputs and
// results are the same are those of Evmos' contracts; only the owner may act on such chains (`authority.ts`).
import type { Address } from '../lib/hex.ts'
import { reverted } from '../modules/module.ts'
import type { DenomTrace } from '../modules/transfer/denoms.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import { requireOwner } from './authority.ts'
import { operatorNamed } from './bech32.ts'
import { type CoinStruct, requireCoins } from './coins.ts'
import { definePrecompile, implement, type ReadCall, underAbi } from './define.ts'
import {
  DISTRIBUTION_GAS,
  decCoins,
  rewardQueries,
  slashQueries,
  withdrawals,
  withdrawRewards,
} from './distribution.ts'
import { distributionAbi, ics20Abi, stakingAbi } from './generated/cosmos-evm.ts'
import { TRACE_PRICES, traceNamed, tracesOf, transfers } from './ics20.ts'
import { delegating, operating } from './staking.ts'
import { describedValidatorQueries, stakingQueries, wrappedEntryQueries } from './staking-queries.ts'

const FOLDER = 'cosmos-evm'

export const staking = definePrecompile({
  name: 'staking',
  address: NATIVE_CONTRACT.staking,
  since: 0n,
  abi: stakingAbi,
  folder: FOLDER,
  functions: {
    ...underAbi(stakingAbi, { ...delegating, ...operating, ...stakingQueries }),
    ...describedValidatorQueries,
    ...wrappedEntryQueries,
  },
})

/** Gas of a bonded validator whose part of the pending fees the community pool does not get. */
const PAYEE_GAS = 1_000n

export const distribution = definePrecompile({
  name: 'distribution',
  address: NATIVE_CONTRACT.distribution,
  since: 0n,
  abi: distributionAbi,
  folder: FOLDER,
  functions: {
    ...underAbi(distributionAbi, { ...withdrawals, ...rewardQueries }),
    ...slashQueries,
    ...implement(distributionAbi, {
      gas: { ...DISTRIBUTION_GAS, depositValidatorRewardsPool: 60_000n, communityPool: 4_000n },
      functions: {
        withdrawDelegatorRewards(call, delegatorAddress, validatorText) {
          const { operator, amount } = withdrawRewards(call, delegatorAddress, validatorText)
          call.emit('WithdrawDelegatorReward', { delegatorAddress, validatorAddress: operator, amount })
          return [[{ denom: call.spec.denom, amount }]]
        },
        fundCommunityPool(call, depositor, coins) {
          const amount = paid(call, depositor, coins)
          call.modules.distribution.fundCommunityPool(depositor, amount)
          call.emit('FundCommunityPool', { depositor, denom: call.spec.denom, amount })
          return [true]
        },
        depositValidatorRewardsPool(call, depositor, validatorText, coins) {
          const validatorAddress = operatorNamed(call.spec, validatorText)
          const amount = paid(call, depositor, coins)
          call.modules.distribution.depositRewards(depositor, validatorAddress, amount)
          const { denom } = call.spec
          call.emit('DepositValidatorRewardsPool', { depositor, validatorAddress, denom, amount })
          return [true]
        },
        communityPool(call) {
          const { staking, distribution } = call.modules
          call.charge(PAYEE_GAS * BigInt(staking.bondedValidators().length))
          return [decCoins(call.spec, distribution.communityPool())]
        },
      },
    }),
  },
})

/** Base units that an account pays. Throws ChainError for others than the caller, and unless they are one coin of this chain. */
function paid(call: ReadCall, depositor: Address, coins: readonly CoinStruct[]): bigint {
  requireOwner(call, depositor, 'depositor')
  requireCoins(coins)
  const { denom } = call.spec
  const [coin, ...more] = coins
  if (coin?.denom === denom && more.length === 0) return coin.amount
  const given = coins.map((of) => `${of.amount}${of.denom}`).join()
  throw reverted(`${given}: this chain's rewards and pools are in ${denom}: invalid coins`)
}

export const ics20 = definePrecompile({
  name: 'ics20',
  address: NATIVE_CONTRACT.ics20,
  since: 0n,
  abi: ics20Abi,
  folder: FOLDER,
  functions: {
    ...underAbi(ics20Abi, transfers),
    ...implement(ics20Abi, {
      gas: { denom: TRACE_PRICES.one, denoms: TRACE_PRICES.list },
      functions: {
        denom: (call, text) => [denomOf(traceNamed(call, text) ?? { path: '', baseDenom: '' })],
        denoms(call, pageRequest) {
          const [traces, response] = tracesOf(call, pageRequest)
          return [traces.map(denomOf), response]
        },
      },
    }),
  },
})

/** A voucher in the form of ibc-go's version 10: base denomination, and the channels that it came through. */
function denomOf({ path, baseDenom }: DenomTrace) {
  const parts = path === '' ? [] : path.split('/')
  const trace = parts.flatMap((portId, at) => (at % 2 === 0 ? [{ portId, channelId: parts[at + 1] ?? '' }] : []))
  return { base: baseDenom, trace }
}
