// SLOAD, SSTORE, TLOAD and TSTORE on the stack in memory, and what SSTORE costs in every fork: its numbers are PARAMETERS.
// Slots that are remembered need no host; the host hears of their new values before anything of its own depends on them.
import {
  F_ACCOUNT,
  F_KNOWN,
  F_STATIC,
  GAS_COLD_SLOT,
  GAS_STORE_CLEAN,
  GAS_STORE_DIRTY,
  GAS_STORE_INIT,
  GAS_STORE_NOOP,
  GAS_STORE_SENTRY,
  GAS_WARM,
  MISSING_REFUND,
  PARAMETERS,
  REFUND,
  REFUND_CLEAN,
  REFUND_CLEAR,
  REFUND_INIT,
  S_HAS_ORIGINAL,
  S_ORIGINAL,
  S_VALUE,
  STATIC_CHANGE,
  STORE_IS_NET,
  WORDS,
} from '../layout'
import { lacking, NO_GAS } from './gas'
import * as host from './host'
import { isDirty, isRemembered, rememberSlot, slotAt, writeSlot } from './remembered'
import { fromBytes, isSame, isZero, toBytes } from './word'

/** The second word of what the host is asked. */
const SECOND: usize = WORDS + 32

// @inline
function parameter(offset: i32): i64 {
  return load<i64>(usize(PARAMETERS) + usize(offset))
}

/** SLOAD */
export function loadSlot(frame: usize, sp: usize, gas: i64): i64 {
  toBytes(WORDS, sp - 32)
  const account = load<u32>(frame, F_ACCOUNT)
  const slot = slotAt(account)
  if (isRemembered(slot, account)) {
    gas -= parameter(GAS_WARM)
    if (gas < 0) return lacking(gas)
    fromBytes(sp - 32, slot + S_VALUE)
    return gas
  }
  gas -= parameter(host.accessSlot(0) !== 0 ? GAS_COLD_SLOT : GAS_WARM)
  if (gas < 0) return lacking(gas)
  rememberSlot(slot, account, 0)
  fromBytes(sp - 32, SECOND)
  return gas
}

/** SSTORE */
export function storeSlot(frame: usize, sp: usize, gas: i64): i64 {
  if (load<u32>(frame, F_STATIC) !== 0) return -i64(STATIC_CHANGE)
  // EIP-2200 compares the gas before it works out a price: there is none to report.
  const sentry = parameter(GAS_STORE_SENTRY)
  if (sentry !== 0 && gas <= sentry) return NO_GAS
  toBytes(WORDS, sp - 32)
  const account = load<u32>(frame, F_ACCOUNT)
  const slot = slotAt(account)
  // A frame's writes belong to its own checkpoint. The host opens that when it takes the frame over, which it does before it
  // answers anything.
  const isKnown =
    load<u32>(frame, F_KNOWN) !== 0 && isRemembered(slot, account) && load<u32>(slot, S_HAS_ORIGINAL) !== 0
  if (!isKnown) {
    if (isDirty(slot, account)) host.tell()
    if (host.accessSlot(1) !== 0) gas -= parameter(GAS_COLD_SLOT)
    rememberSlot(slot, account, 1)
  }
  toBytes(SECOND, sp - 64)
  return storeWord(slot, SECOND, gas)
}

/**
 * Writes a big-endian word to a remembered slot, pays for it, and counts the refund; what is left of the gas, or a reason below
 * zero. EIP-2200, with EIP-2929 and EIP-3529 in the numbers; EIP-1283 is the same with others. Before these, and in
 * Petersburg, the price follows from the current and the new value (Yellow Paper, appendix G): that is the same rule if the
 * current value counts as the one in the beginning.
 */
// @inline
function storeWord(slot: usize, value: usize, gas: i64): i64 {
  const current = slot + S_VALUE
  if (isSame(current, value)) {
    gas -= parameter(GAS_STORE_NOOP)
    if (gas >= 0) return gas
    store<i64>(MISSING_REFUND, 0)
    return lacking(gas)
  }
  const original = parameter(STORE_IS_NET) !== 0 ? slot + S_ORIGINAL : current
  const first = isZero(original) ? GAS_STORE_INIT : GAS_STORE_CLEAN
  gas -= parameter(isSame(original, current) ? first : GAS_STORE_DIRTY)
  const refund = refundOf(original, current, value)
  if (gas < 0) {
    store<i64>(MISSING_REFUND, refund)
    return lacking(gas)
  }
  if (refund !== 0) store<i64>(REFUND, load<i64>(REFUND) + refund)
  writeSlot(slot, value)
  return gas
}

/**
 * By how much the refund grows, for a new value that differs from the current one. The sum of a transaction never sinks below
 * zero: what is taken back here was added when this slot became zero, earlier in the transaction, and in a frame that has
 * not failed, or else the slot would not be zero now.
 */
// @inline
function refundOf(original: usize, current: usize, value: usize): i64 {
  let refund: i64 = 0
  if (!isZero(original)) {
    if (isZero(value)) refund = parameter(REFUND_CLEAR)
    else if (isZero(current)) refund = -parameter(REFUND_CLEAR)
  }
  return isSame(original, value) ? refund + parameter(isZero(original) ? REFUND_INIT : REFUND_CLEAN) : refund
}

/** TLOAD */
export function loadTransient(sp: usize): void {
  toBytes(WORDS, sp - 32)
  host.tload()
  fromBytes(sp - 32, SECOND)
}

/** TSTORE; its price is constant. */
export function storeTransient(frame: usize, sp: usize, gas: i64): i64 {
  if (load<u32>(frame, F_STATIC) !== 0) return -i64(STATIC_CHANGE)
  toBytes(WORDS, sp - 32)
  toBytes(SECOND, sp - 64)
  host.tstore()
  return gas
}
