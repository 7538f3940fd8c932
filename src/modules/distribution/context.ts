// What every part of the distribution works on, and the coins it holds: all in one module account, owed to delegators and
// operators, the rest being the community pool.

import { type Dec, fromInt } from '../../lib/dec.ts'
import { type Address, ZERO_ADDRESS } from '../../lib/hex.ts'
import { MODULE_ACCOUNT } from '../../spec/addresses.ts'
import type { Bank } from '../bank.ts'
import type { BlockInfo } from '../module.ts'
import { reverted } from '../module.ts'
import type { Staking } from '../staking/staking.ts'
import type { Stake } from '../staking/validators.ts'
import type { Books, distributionLayout } from './layout.ts'

/** The inputs of a reward calculation. */
export type StakingReader = Pick<
  Staking,
  | 'has'
  | 'stake'
  | 'commissionRate'
  | 'operators'
  | 'bondedValidators'
  | 'delegation'
  | 'delegationsTo'
  | 'tokensFromShares'
>

export type DistributionContext = {
  readonly block: BlockInfo
  readonly bank: Bank
  readonly state: ReturnType<typeof distributionLayout.open>
  /** A function, because staking takes our hooks and so is opened later. */
  staking(): StakingReader
  /** In a network: the operator of a consensus address. */
  signers(address: Address): Address | undefined
}

export const booksOf = ({ state }: DistributionContext, operator: Address): Books => state.books.at(operator)

/** The validator that a hook or a delegation speaks of. */
export function validatorOf({ staking }: DistributionContext, operator: Address): Stake {
  const stake = staking().stake(operator)
  if (stake === undefined) throw new Error(`no validator ${operator}`)
  return stake
}

/** Where rewards and commission of an account go. */
export function withdrawAddressOf({ state }: DistributionContext, of: Address): Address {
  const chosen = state.withdrawAddresses.at(of).get()
  return chosen === ZERO_ADDRESS ? of : chosen
}

/** Pays out base units that were owed. */
export function pay(context: DistributionContext, to: Address, amount: bigint): void {
  if (amount > 0n) context.bank.transfer(MODULE_ACCOUNT.distribution, withdrawAddressOf(context, to), amount)
}

/** Leaves to the community pool what the account holds already. */
export function giveToPool({ state }: DistributionContext, amount: Dec): void {
  if (amount > 0n) state.communityPool.set(state.communityPool.get() + amount)
}

/** The pool never holds more; far above every supply, and far below what its slot holds. */
const LARGEST_POOL = 2n ** 250n

/** Takes base units of an account for the community pool. */
export function fundPool(context: DistributionContext, from: Address, amount: bigint): void {
  if (context.state.communityPool.get() + fromInt(amount) > LARGEST_POOL) {
    throw reverted('community pool overflow: invalid request')
  }
  context.bank.transfer(from, MODULE_ACCOUNT.distribution, amount)
  giveToPool(context, fromInt(amount))
}

/** Pays an account base units from the community pool. */
export function spendPool({ state, bank }: DistributionContext, to: Address, amount: bigint): void {
  const left = state.communityPool.get() - fromInt(amount)
  if (left < 0n) throw reverted('community pool does not have sufficient coins to distribute')
  state.communityPool.set(left)
  bank.transfer(MODULE_ACCOUNT.distribution, to, amount)
}
