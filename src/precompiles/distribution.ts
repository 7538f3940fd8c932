// Distribution: rewards, commission and the community pool, and the contract as a whole. Transactions act for the
// delegator or operator they name, if `authority.ts` lets the caller; validators are bech32 text, in events its hash.

import { parseAbi } from 'viem'
import { readAddress, toBech32 } from '../lib/bech32.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import { MESSAGE } from '../modules/authz/messages.ts'
import { reverted } from '../modules/revert.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import { COIN } from './abi.ts'
import { authorize, requireOwner } from './authority.ts'
import { distributionAuthorization } from './authorization.ts'
import { operatorName, operatorNamed } from './bech32.ts'
import { definePrecompile, implement } from './define.ts'
import { distributionQueries, slashesByPage } from './distribution-queries.ts'

const transactions = implement({
  abi: parseAbi([
    COIN,
    'function setWithdrawAddress(address delegatorAddress, string withdrawerAddress) returns (bool success)',
    'function withdrawDelegatorRewards(address delegatorAddress, string validatorAddress) returns (Coin[] amount)',
    'function withdrawValidatorCommission(string validatorAddress) returns (Coin[] amount)',
    'event SetWithdrawerAddress(address indexed caller, string withdrawerAddress)',
    'event WithdrawDelegatorRewards(address indexed delegatorAddress, string indexed validatorAddress, uint256 amount)',
    'event WithdrawValidatorCommission(string indexed validatorAddress, uint256 commission)',
  ]),
  gas: { setWithdrawAddress: 12_000n, withdrawDelegatorRewards: 60_000n, withdrawValidatorCommission: 35_000n },
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
    withdrawDelegatorRewards(call, delegatorAddress, validatorText) {
      const { modules, spec } = call
      const operator = operatorNamed(spec, validatorText)
      const amount = authorize(call, delegatorAddress, { message: MESSAGE.withdrawReward }, () =>
        modules.distribution.withdrawRewards(delegatorAddress, operator),
      )
      const validatorAddress = operatorName(spec, operator)
      call.emit('WithdrawDelegatorRewards', { delegatorAddress, validatorAddress, amount })
      // One coin even when it is zero: callers look at the first.
      return [[{ denom: spec.denom, amount }]]
    },
    withdrawValidatorCommission(call, validatorText) {
      const { modules, spec } = call
      const operator = operatorNamed(spec, validatorText)
      const commission = authorize(call, operator, { message: MESSAGE.withdrawCommission }, () =>
        modules.distribution.withdrawCommission(operator),
      )
      call.emit('WithdrawValidatorCommission', { validatorAddress: operatorName(spec, operator), commission })
      return [[{ denom: spec.denom, amount: commission }]]
    },
  },
})

/** Gas of each validator that rewards are claimed from. */
const CLAIM_GAS = 60_000n

/** What Evmos has added later. */
const lateTransactions = implement({
  abi: parseAbi([
    'function claimRewards(address delegatorAddress, uint32 maxRetrieve) returns (bool success)',
    'function fundCommunityPool(address depositor, uint256 amount) returns (bool success)',
    'event ClaimRewards(address indexed delegatorAddress, uint256 amount)',
    'event FundCommunityPool(address indexed depositor, uint256 amount)',
  ]),
  gas: { claimRewards: 10_000n, fundCommunityPool: 30_000n },
  functions: {
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
          claimed += distribution.withdrawRewards(delegatorAddress, operator)
        }
        return claimed
      })
      call.emit('ClaimRewards', { delegatorAddress, amount })
      return [true]
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

export const distribution = definePrecompile({
  name: 'distribution',
  address: NATIVE_CONTRACT.distribution,
  since: 0n,
  interfaces: [transactions, lateTransactions, distributionQueries, slashesByPage, distributionAuthorization],
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
