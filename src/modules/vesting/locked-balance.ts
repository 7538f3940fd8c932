// The locked balance: what a clawback account may not spend. The bank and the EVM read it before every debit.
// While a chain has no clawback account, that costs one read of one slot, the same for all accounts.
import type { Address } from '../../lib/hex.ts'
import { NATIVE_CONTRACT } from '../../spec/addresses.ts'
import type { StateView } from '../../state/types.ts'
import { type VestingAccount, type VestingState, vestingLayout } from './layout.ts'
import { freeAt, totalOf, unspendable, type VestingProgress } from './schedule.ts'

/** undefined: not a clawback account. */
export function vestingAccount({ funders, accounts }: VestingState, of: Address): VestingAccount | undefined {
  return funders.size > 0 && funders.has(of) ? accounts.at(of) : undefined
}

export function progressOf({ start, lockup, vesting }: VestingAccount, time: bigint): VestingProgress {
  const began = start.get()
  return {
    original: totalOf(vesting),
    unlocked: freeAt(began, lockup, time),
    vested: freeAt(began, vesting, time),
  }
}

/** Base units that an account may not spend at a time (unix seconds); zero for ordinary accounts. */
export function lockedBalance(state: VestingState, of: Address, time: () => bigint): bigint {
  const account = vestingAccount(state, of)
  return account === undefined ? 0n : unspendable(progressOf(account, time()), account.delegated.get())
}

/** Slot of the number of clawback accounts: the length of the layout's first member. */
const COUNT_SLOT = 0n

/** Reads `lockedBalance` on a view, whose layout it opens once, if there are clawback accounts. */
export function lockedBalances(view: StateView, time: () => bigint): (of: Address) => bigint {
  let state: VestingState | undefined
  return (of) => {
    if (view.storage(NATIVE_CONTRACT.vesting, COUNT_SLOT) === 0n) return 0n
    state ??= vestingLayout.open(view.slots(NATIVE_CONTRACT.vesting, 'read'))
    return lockedBalance(state, of, time)
  }
}
