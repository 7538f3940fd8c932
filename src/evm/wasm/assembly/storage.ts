// SLOAD, SSTORE, TLOAD and TSTORE on the stack in memory; the price of SSTORE is in `sstore-gas.ts`. A slot with a value in the
// table needs no call of the host: its new value is flushed to the host before the host reads or changes anything that depends on it.
import {
  F_ACCOUNT,
  F_KNOWN,
  F_STATIC,
  GAS_COLD_SLOT,
  GAS_COLD_STORE,
  GAS_STORE_NOOP,
  GAS_STORE_SENTRY,
  GAS_WARM,
  RECORDS,
  S_VALUE,
  STATE_GAS_SLOT,
  STATIC_CHANGE,
  WORDS,
} from '../layout'
import { lacking, NO_GAS } from './gas'
import * as host from './host'
import { parameter, storeWord } from './sstore-gas'
import { accessSlot, readSlot, slotAt } from './state-cache'
import { fromBytes, toBytes } from './word'

/** The second word exchanged with the host: a value. */
const SECOND: usize = WORDS + 32

/** SLOAD */
export function loadSlot(frame: usize, sp: usize, gas: i64): i64 {
  toBytes(WORDS, sp - 32)
  const slot = slotAt(load<u32>(frame, F_ACCOUNT))
  gas -= parameter(accessSlot(slot) ? GAS_COLD_SLOT : GAS_WARM)
  if (gas < 0) return lacking(gas)
  if (load<u32>(RECORDS) !== 0) readSlot(slot)
  fromBytes(sp - 32, slot + S_VALUE)
  return gas
}

/** SSTORE */
export function storeSlot(frame: usize, sp: usize, gas: i64): i64 {
  if (load<u32>(frame, F_STATIC) !== 0) return -i64(STATIC_CHANGE)
  // EIP-2200 checks the gas left before it computes a price, so tracers get no price.
  const sentry = parameter(GAS_STORE_SENTRY)
  if (sentry !== 0 && gas <= sentry) return NO_GAS
  toBytes(WORDS, sp - 32)
  const slot = slotAt(load<u32>(frame, F_ACCOUNT))
  if (accessSlot(slot)) gas -= parameter(GAS_COLD_STORE)
  // EIP-8038: the access has to be paid before the slot is read and a price is known.
  if (parameter(STATE_GAS_SLOT) !== 0 && gas < parameter(GAS_STORE_NOOP)) return NO_GAS
  if (load<u32>(RECORDS) !== 0) readSlot(slot)
  // A write needs the frame's checkpoint, which the host makes when it adopts the frame.
  if (load<u32>(frame, F_KNOWN) === 0) host.adoptFrames()
  toBytes(SECOND, sp - 64)
  return storeWord(frame, slot, SECOND, gas)
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
