// The gas and the refund of SSTORE in every fork. The rules are those of EIP-2200 with the prices of EIP-2929 and EIP-3529; the
// numbers are in PARAMETERS, which `gas/sstore-gas.ts` chooses by fork, so that all forks share this code. Numbers in brackets
// are of Osaka, for a warm slot; a cold one costs 2,100 more (GAS_COLD_STORE), charged in `storage.ts`.
//
//   original: the value at the start of the transaction; current: now in the slot; new: to be written.
//
//   1. If gas left <= sentry (2,300), fail with out of gas. Checked in `storage.ts`.
//   2. If current == new (no-op): charge NOOP (100).
//   3. If current != new:
//      3.1. If original == current (first write of the slot in this transaction):
//           3.1.1. If original == 0 (create): charge INIT (20,000).
//           3.1.2. Otherwise: charge CLEAN (2,900). If new == 0 (delete): refund CLEAR (4,800).
//      3.2. If original != current (the slot is dirty): charge DIRTY (100). Both of the following apply:
//           3.2.1. If original != 0:
//                  3.2.1.1. If current == 0 (recreate): take back the refund CLEAR (4,800).
//                  3.2.1.2. If new == 0 (delete): refund CLEAR (4,800).
//           3.2.2. If original == new (reset to the original value):
//                  3.2.2.1. If original == 0: refund REFUND_INIT (19,900).
//                  3.2.2.2. Otherwise: refund REFUND_CLEAN (2,800).
//
// From Amsterdam on (EIP-8037) case 3.1.1 also charges the state gas of a slot (STATE_GAS_SLOT), and case 3.2.2.1 gives it back.
//
// Before Constantinople, and in Petersburg, the price depends on current and new only (Yellow Paper, appendix G): a write of a
// value other than zero to a zero slot costs 20,000, any other write 5,000, and a deletion refunds 15,000. That is case 3.1 with
// original := current (STORE_IS_NET is 0).
import {
  GAS_STORE_CLEAN,
  GAS_STORE_DIRTY,
  GAS_STORE_INIT,
  GAS_STORE_NOOP,
  MISSING_REFUND,
  PARAMETERS,
  REFUND,
  REFUND_CLEAN,
  REFUND_CLEAR,
  REFUND_INIT,
  S_ORIGINAL,
  S_VALUE,
  STATE_GAS_SLOT,
  STORE_IS_NET,
} from '../layout'
import { chargeState, lacking, refundState } from './gas'
import { writeSlot } from './state-cache'
import { isSame, isZero } from './word'

/** A gas parameter of the fork: see `GAS_*` and `REFUND_*` in the layout. */
// @inline
export function parameter(offset: i32): i64 {
  return load<i64>(usize(PARAMETERS) + usize(offset))
}

/**
 * Charges for the write of a big-endian word to a cached slot, adds the refund and writes the slot: cases 2 and 3. Returns the
 * gas left, or minus a reason; nothing is written then.
 */
// @inline
export function storeWord(frame: usize, slot: usize, value: usize, gas: i64): i64 {
  const current = slot + S_VALUE
  if (isSame(current, value)) {
    gas -= parameter(GAS_STORE_NOOP)
    if (gas >= 0) return gas
    store<i64>(MISSING_REFUND, 0)
    return lacking(gas)
  }
  const original = parameter(STORE_IS_NET) !== 0 ? slot + S_ORIGINAL : current
  const wasZero = isZero(original)
  const isFirst = isSame(original, current)
  gas -= parameter(isFirst ? (wasZero ? GAS_STORE_INIT : GAS_STORE_CLEAN) : GAS_STORE_DIRTY)
  const refund = refundOf(original, current, value)
  const state = wasZero ? parameter(STATE_GAS_SLOT) : 0
  if (state !== 0 && gas >= 0) {
    if (isFirst) {
      const left = chargeState(gas, state)
      // Tracers get the price without the state gas.
      if (left < 0) return lacking(gas)
      gas = left
    } else if (isZero(value)) gas = refundState(frame, gas, state)
  }
  if (gas < 0) {
    store<i64>(MISSING_REFUND, refund)
    return lacking(gas)
  }
  if (refund !== 0) store<i64>(REFUND, load<i64>(REFUND) + refund)
  writeSlot(slot, value)
  return gas
}

/**
 * The change of the refund in case 3; below zero in case 3.2.1.1. The refund of a transaction never gets below zero: a slot
 * that is zero now and was not zero in the beginning was deleted in this transaction, in a frame that did not fail, and its
 * deletion added the refund that is taken back here.
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
