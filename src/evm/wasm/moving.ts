// Value on its way from one account to another, as every message but a delegated one moves it.
import { EVMError } from '@ethereumjs/evm'
import type { Address } from '../../lib/hex.ts'
import type { StateView } from '../../state/types.ts'
import type { Surroundings } from './surroundings.ts'

const { errorMessages } = EVMError
export const MAX_BALANCE = (1n << 256n) - 1n

/** Why the value cannot be moved, in the library's words; undefined: it can. */
export function faultOfMoving(view: StateView, from: Address, to: Address, value: bigint): string | undefined {
  if (value === 0n) return undefined
  if (view.balance(from) < value) return errorMessages.INSUFFICIENT_BALANCE
  if (from !== to && view.balance(to) + value > MAX_BALANCE) return errorMessages.VALUE_OVERFLOW
  return undefined
}

/** Moves value that can be moved. Touches both accounts even if there is none, and makes those that are not there (EIP-161). */
export function moveValue({ view, warmth }: Surroundings, from: Address, to: Address, value: bigint): void {
  if (value > 0n) {
    view.setBalance(from, view.balance(from) - value)
    view.setBalance(to, view.balance(to) + value)
  } else {
    if (view.account(from) === undefined) view.setBalance(from, 0n)
    if (view.account(to) === undefined) view.setBalance(to, 0n)
  }
  warmth.touch(from)
  warmth.touch(to)
}
