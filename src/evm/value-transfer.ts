// Moves the value of a message from sender to recipient (DELEGATECALL moves none), and checks locked balances.
import type { Address } from '../lib/hex.ts'
import { EMPTY_CODE_HASH } from '../state/accounts.ts'
import type { StateView } from '../state/types.ts'
import type { FailureCode } from './failure.ts'
import type { Host } from './host.ts'
import type { CallKind, OuterMessage } from './message.ts'
import { type Result, resultWithoutCode } from './result.ts'

export const MAX_BALANCE = (1n << 256n) - 1n

/** Why the value cannot be moved; undefined: it can. */
export function transferFailure(view: StateView, from: Address, to: Address, value: bigint): FailureCode | undefined {
  if (value === 0n) return undefined
  if (view.balance(from) < value) return 'insufficient balance'
  if (from !== to && view.balance(to) + value > MAX_BALANCE) return 'value overflow'
  return undefined
}

/**
 * Moves value after `transferFailure` has allowed it. Touches both accounts even for zero, and creates missing ones (EIP-161).
 */
export function transferValue(
  { view, accessJournal: warmth }: Pick<Host, 'view' | 'accessJournal'>,
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

/** Whether a message with value would spend its sender's locked balance. `to`: undefined for a creation. */
export function spendsLockedBalance(
  host: Pick<Host, 'view' | 'lockedBalance'>,
  kind: CallKind,
  from: Address,
  to: Address | undefined,
  value: bigint,
): boolean {
  if (value === 0n || kind === 'DELEGATECALL' || to === from) return false
  const held = host.lockedBalance(from)
  return held > 0n && host.view.balance(from) - value < held
}

/** Runs a message to an account without code. undefined: the message needs an engine, and nothing has changed. */
export function runPlainTransfer(host: Host, message: OuterMessage): Result | undefined {
  const { from, to, value, gasLimit, data, refund } = message
  if (to === null || host.nativeAt(to) !== undefined || host.precompileAt(to) !== undefined) return undefined
  const there = host.view.account(to)
  if (there !== undefined && there.codeHash !== EMPTY_CODE_HASH) return undefined
  if (transferFailure(host.view, from, to, value) !== undefined) return undefined
  host.messageBegan(() => ({ type: 'CALL', from, to, value, gas: gasLimit, input: data, depth: 0 }))
  transferValue(host, from, to, value)
  host.transient.clear()
  const result = resultWithoutCode(refund)
  host.messageEnded(result, undefined)
  return result
}
