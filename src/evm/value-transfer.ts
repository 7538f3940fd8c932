// Moves the value of a message from sender to recipient (DELEGATECALL moves none), and checks locked balances.
import { type Address, bigToFixed, bigToWord, hexToHash } from '../lib/hex.ts'
import type { Log } from '../primitives/types.ts'
import { SYSTEM_ADDRESS } from '../spec/addresses.ts'
import type { ForkRules } from '../spec/fork-rules.ts'
import { EMPTY_CODE_HASH } from '../state/accounts.ts'
import type { StateView } from '../state/types.ts'
import type { FailureCode } from './failure.ts'
import type { Host } from './host.ts'
import type { CallKind, OuterMessage } from './message.ts'
import type { OpcodeTable } from './opcode-table.ts'
import { type Result, resultWithoutCode } from './result.ts'
import type { MessageTracer } from './tracer.ts'

/** Transfer(address,address,uint256) */
export const TRANSFER_TOPIC = hexToHash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')

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

/** Adds the log of a transfer (EIP-7708, from Amsterdam on): that of an ERC-20 token at SYSTEM_ADDRESS. */
export function logTransfer(
  forks: ForkRules,
  logs: Log[],
  tracer: MessageTracer | undefined,
  { from, to, value }: { readonly from: Address; readonly to: Address; readonly value: bigint },
): void {
  if (!forks.amsterdam || value === 0n || from === to) return
  const log = transferLog(from, to, value)
  logs.push(log)
  tracer?.log?.(log)
}

const transferLog = (from: Address, to: Address, value: bigint): Log => ({
  address: SYSTEM_ADDRESS,
  topics: [TRANSFER_TOPIC, bigToWord(BigInt(from)), bigToWord(BigInt(to))],
  data: bigToFixed(value, 32),
})

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
export function runPlainTransfer(
  host: Host & { readonly table: OpcodeTable },
  message: OuterMessage,
): Result | undefined {
  const { from, to, value, gasLimit, data, refund } = message
  if (to === null || host.nativeAt(to) !== undefined || host.precompileAt(to) !== undefined) return undefined
  const there = host.view.account(to)
  if (there !== undefined && there.codeHash !== EMPTY_CODE_HASH) return undefined
  if (transferFailure(host.view, from, to, value) !== undefined) return undefined
  host.messageBegan(() => ({ type: 'CALL', from, to, value, gas: gasLimit, input: data, depth: 0 }))
  transferValue(host, from, to, value)
  host.transient.clear()
  const logs: Log[] = []
  logTransfer(host.table.rules, logs, host.tracer, { from, to, value })
  const result = { ...resultWithoutCode(refund), logs }
  host.messageEnded(result, undefined)
  return result
}
