// SLOAD, SSTORE, TLOAD and TSTORE on the stack in memory; the price of SSTORE is in `sstore-gas.ts`. A cached slot needs no
// call of the host: its new value is flushed to the host before the host reads or changes anything that depends on it.
import {
  F_ACCOUNT,
  F_KNOWN,
  F_STATIC,
  GAS_COLD_SLOT,
  GAS_STORE_SENTRY,
  GAS_WARM,
  S_HAS_ORIGINAL,
  S_VALUE,
  STATIC_CHANGE,
  WORDS,
} from '../layout'
import { lacking, NO_GAS } from './gas'
import * as host from './host'
import { parameter, storeWord } from './sstore-gas'
import { cacheSlot, isCached, isDirty, slotAt } from './state-cache'
import { fromBytes, toBytes } from './word'

/** The second word exchanged with the host: a value. */
const SECOND: usize = WORDS + 32

/** SLOAD */
export function loadSlot(frame: usize, sp: usize, gas: i64): i64 {
  toBytes(WORDS, sp - 32)
  const account = load<u32>(frame, F_ACCOUNT)
  const slot = slotAt(account)
  if (isCached(slot, account)) {
    gas -= parameter(GAS_WARM)
    if (gas < 0) return lacking(gas)
    fromBytes(sp - 32, slot + S_VALUE)
    return gas
  }
  gas -= parameter(host.accessSlot(0) !== 0 ? GAS_COLD_SLOT : GAS_WARM)
  if (gas < 0) return lacking(gas)
  cacheSlot(slot, account, 0)
  fromBytes(sp - 32, SECOND)
  return gas
}

/** SSTORE */
export function storeSlot(frame: usize, sp: usize, gas: i64): i64 {
  if (load<u32>(frame, F_STATIC) !== 0) return -i64(STATIC_CHANGE)
  // EIP-2200 checks the gas left before it computes a price, so tracers get no price.
  const sentry = parameter(GAS_STORE_SENTRY)
  if (sentry !== 0 && gas <= sentry) return NO_GAS
  toBytes(WORDS, sp - 32)
  const account = load<u32>(frame, F_ACCOUNT)
  const slot = slotAt(account)
  // A write needs the frame's checkpoint, which the host makes when it adopts the frame: at the latest when it is called. So a
  // write may stay in the cache only in a frame that the host knows.
  const isKnown = load<u32>(frame, F_KNOWN) !== 0 && isCached(slot, account) && load<u32>(slot, S_HAS_ORIGINAL) !== 0
  if (!isKnown) {
    if (isDirty(slot, account)) host.flushStores()
    if (host.accessSlot(1) !== 0) gas -= parameter(GAS_COLD_SLOT)
    cacheSlot(slot, account, 1)
  }
  toBytes(SECOND, sp - 64)
  return storeWord(slot, SECOND, gas)
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
