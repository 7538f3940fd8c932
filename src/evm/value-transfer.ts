// Value on its way from one account to another, as every message but a delegated one moves it; and what an account must
// keep of its balance.
import type { Address } from '../lib/hex.ts'
import type { StateView } from '../state/types.ts'
import type { FailureCode } from './failure.ts'
import type { Host } from './host.ts'
import type { CallKind } from './message.ts'

export const MAX_BALANCE = (1n << 256n) - 1n

/** Why the value cannot be moved; undefined: it can. */
export function faultOfTransfer(view: StateView, from: Address, to: Address, value: bigint): FailureCode | undefined {
  if (value === 0n) return undefined
  if (view.balance(from) < value) return 'insufficient balance'
  if (from !== to && view.balance(to) + value > MAX_BALANCE) return 'value overflow'
  return undefined
}

/** Moves value that can be moved. Touches both accounts even if there is none, and makes those that are not there (EIP-161). */
export function transferValue(
  { view, warmth }: Pick<Host, 'view' | 'warmth'>,
  from: Address,
  to: Address,
  value: bigint,
): void {
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

/** Whether a message that carries value would spend what its sender must keep. `to`: undefined for a creation. */
export function overspends(
  host: Pick<Host, 'view' | 'held'>,
  kind: CallKind,
  from: Address,
  to: Address | undefined,
  value: bigint,
): boolean {
  if (value === 0n || kind === 'DELEGATECALL' || to === from) return false
  const held = host.held(from)
  return held > 0n && host.view.balance(from) - value < held
}
