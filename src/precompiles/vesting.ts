// Vesting: clawback accounts, created by their holders, funded and clawed back by their funders. Transactions act for the
// funder in their arguments, if `authority.ts` allows the caller; only the account itself can become a vesting account.

import { ZERO_ADDRESS } from '../lib/hex.ts'
import { UNLIMITED } from '../modules/authz/authz.ts'
import { type GenericMessage, MESSAGE, messageNamed } from '../modules/authz/messages.ts'
import { reverted } from '../modules/module.ts'
import type { Period } from '../modules/vesting/schedule.ts'
import { checkGrant } from '../modules/vesting/schedule.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import { authorize, granterOf, requireOwnerOrSigner } from './authority.ts'
import { type CoinStruct, coinsOf, requireCoins } from './coins.ts'
import { definePrecompile, implement } from './define.ts'
import { vestingAbi } from './generated/abi.ts'

/** Gas of each period in a grant, and of each stored step that is read or rewritten. */
const PERIOD_GAS = 1_000n
const STEP_GAS = 200n
const READ_GAS = 100n

type GivenPeriod = { readonly length: bigint; readonly amount: readonly CoinStruct[] }

const main = implement(vestingAbi, {
  gas: {
    createClawbackVestingAccount: 30_000n,
    fundVestingAccount: 45_000n,
    clawback: 45_000n,
    updateVestingFunder: 12_000n,
    convertVestingAccount: 15_000n,
    balances: 5_000n,
  },
  functions: {
    createClawbackVestingAccount(call, funderAddress, vestingAddress, enableGovClawback) {
      requireOwnerOrSigner(call, vestingAddress, 'from')
      call.modules.vesting.create(funderAddress, vestingAddress, enableGovClawback)
      call.emit('CreateClawbackVestingAccount', { funderAddress, vestingAddress })
      return [true]
    },
    fundVestingAccount(call, funderAddress, vestingAddress, startTime, lockupPeriods, vestingPeriods) {
      const { vesting } = call.modules
      call.charge(PERIOD_GAS * BigInt(lockupPeriods.length + vestingPeriods.length))
      // A new grant is merged with earlier ones, which rewrites their steps.
      call.charge(STEP_GAS * BigInt(vesting.steps(vestingAddress)))
      const periods = (given: readonly GivenPeriod[]) => given.map((period) => readPeriod(call.spec.denom, period))
      const grant = { start: startTime, lockup: periods(lockupPeriods), vesting: periods(vestingPeriods) }
      checkGrant(grant)
      authorize(call, funderAddress, { message: MESSAGE.fundVesting }, () =>
        vesting.fund(funderAddress, vestingAddress, grant),
      )
      call.emit('FundVestingAccount', { funderAddress, vestingAddress, startTime, lockupPeriods, vestingPeriods })
      return [true]
    },
    clawback(call, funderAddress, accountAddress, destination) {
      const { modules, spec } = call
      call.charge(STEP_GAS * BigInt(modules.vesting.steps(accountAddress)))
      const destAddress = destination === ZERO_ADDRESS ? funderAddress : destination
      const amount = authorize(call, funderAddress, { message: MESSAGE.clawback }, () =>
        modules.vesting.clawback(funderAddress, accountAddress, destAddress),
      )
      call.emit('Clawback', { funderAddress, accountAddress, destAddress })
      return [coinsOf(spec.denom, amount)]
    },
    updateVestingFunder(call, funderAddress, newFunderAddress, vestingAddress) {
      authorize(call, funderAddress, { message: MESSAGE.updateVestingFunder }, () =>
        call.modules.vesting.updateFunder(funderAddress, newFunderAddress, vestingAddress),
      )
      call.emit('UpdateVestingFunder', { funderAddress, vestingAddress, newFunderAddress })
      return [true]
    },
    convertVestingAccount(call, vestingAddress) {
      call.charge(STEP_GAS * BigInt(call.modules.vesting.steps(vestingAddress)))
      call.modules.vesting.convert(vestingAddress)
      call.emit('ConvertVestingAccount', { vestingAddress })
      return [true]
    },
    balances({ charge, modules, spec }, vestingAddress) {
      charge(READ_GAS * BigInt(modules.vesting.steps(vestingAddress)))
      const { locked, unvested, vested } = modules.vesting.balances(vestingAddress)
      return [coinsOf(spec.denom, locked), coinsOf(spec.denom, unvested), coinsOf(spec.denom, vested)]
    },
  },
})

const MESSAGES: readonly string[] = [MESSAGE.fundVesting, MESSAGE.clawback, MESSAGE.updateVestingFunder]
const isVestingMessage = (message: string | undefined): message is GenericMessage =>
  message !== undefined && MESSAGES.includes(message)

/** Functions of later Evmos versions: grants, as in the Authorization contract. */
const grants = implement(vestingAbi, {
  gas: { approve: 25_000n },
  functions: {
    approve(call, grantee, method) {
      const granter = granterOf(call)
      if (grantee === ZERO_ADDRESS) throw reverted(`invalid grantee address: ${grantee}`)
      const message = messageNamed(method)
      if (!isVestingMessage(message)) throw reverted(`invalid vesting transaction type: ${method}`)
      call.modules.authz.approve(granter, grantee, message, UNLIMITED, [])
      call.emit('Approval', { grantee, granter, method })
      return [true]
    },
  },
})

export const vesting = definePrecompile({
  name: 'vesting',
  address: NATIVE_CONTRACT.vesting,
  since: 0n,
  abi: vestingAbi,
  functions: { ...main, ...grants },
})

/** A period of base coins. Throws ChainError for malformed coins and other denominations. */
function readPeriod(base: string, { length, amount }: GivenPeriod): Period {
  requireCoins(amount)
  const other = amount.find(({ denom }) => denom !== base)
  if (other !== undefined) throw reverted(`${other.denom} cannot vest, only ${base} can: invalid coins`)
  return { length, amount: amount[0]?.amount ?? 0n }
}
