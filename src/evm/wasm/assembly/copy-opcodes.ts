// Opcodes that copy into memory, on the stack in memory: the interpreter and compiled code run the same ones. `sp` is one past
// the top item. They return the gas left, or minus a reason of the layout. An opcode that fails has at most grown the memory,
// so it can be run again.

import { COPY_WORD } from '../../gas/gas-rules'
import {
  F_CODE,
  F_CODE_LENGTH,
  F_DATA,
  F_DATA_LENGTH,
  F_MEMORY,
  MISSING,
  RECORDS,
  RETURN,
  RETURN_OUT_OF_BOUNDS,
} from '../layout'
import { accessCode } from './accounts'
import { NO_GAS } from './gas'
import * as host from './host'
import { copyPadded, LIMIT, rangeEnd, touch, words } from './memory'
import { clamped } from './word'

/** Charges a copy into memory: for growing the memory up to its end, and for each word copied. */
function touchCopy(frame: usize, to: usize, length: usize, gas: i64): i64 {
  const end = rangeEnd(to, length)
  return end > LIMIT ? NO_GAS : touch(frame, end, gas - i64(COPY_WORD) * i64(words(clamped(length))))
}

function copyFrom(frame: usize, sp: usize, gas: i64, data: usize, there: u64): i64 {
  gas = touchCopy(frame, sp - 32, sp - 96, gas)
  const length = clamped(sp - 96)
  if (gas < 0 || length === 0) return gas
  const to = usize(load<u32>(frame, F_MEMORY)) + usize(load<u64>(sp - 32))
  copyPadded(to, data, there, clamped(sp - 64), usize(length))
  return gas
}

export function copyData(frame: usize, sp: usize, gas: i64): i64 {
  return copyFrom(frame, sp, gas, usize(load<u32>(frame, F_DATA)), u64(load<u32>(frame, F_DATA_LENGTH)))
}

export function copyCode(frame: usize, sp: usize, gas: i64): i64 {
  return copyFrom(frame, sp, gas, usize(load<u32>(frame, F_CODE)), u64(load<u32>(frame, F_CODE_LENGTH)))
}

/** RETURNDATACOPY. Charged before the bounds are checked, as in go-ethereum. */
export function copyReturned(frame: usize, sp: usize, gas: i64): i64 {
  gas = touchCopy(frame, sp - 32, sp - 96, gas)
  if (gas < 0) return gas
  const offset = clamped(sp - 64)
  const length = clamped(sp - 96)
  const there = u64(load<u32>(RETURN, 4))
  // Reading beyond the end of the return data fails, instead of giving zeros (EIP-211).
  if (offset > there || length > there - offset) {
    store<i64>(MISSING, -gas)
    return -i64(RETURN_OUT_OF_BOUNDS)
  }
  if (length === 0) return gas
  const to = usize(load<u32>(frame, F_MEMORY)) + usize(load<u64>(sp - 32))
  const from = usize(load<u32>(RETURN))
  if (from === 0) host.copyReturn(to, u32(offset), usize(length))
  else memory.copy(to, from + usize(offset), usize(length))
  return gas
}

export function copyMemory(frame: usize, sp: usize, gas: i64): i64 {
  const to = rangeEnd(sp - 32, sp - 96)
  const from = rangeEnd(sp - 64, sp - 96)
  const end = to > from ? to : from
  const length = clamped(sp - 96)
  if (end > LIMIT || length > LIMIT) return NO_GAS
  gas = touch(frame, end, gas - i64(COPY_WORD) * i64(words(length)))
  if (gas < 0 || length === 0) return gas
  const mem = usize(load<u32>(frame, F_MEMORY))
  memory.copy(mem + usize(load<u64>(sp - 32)), mem + usize(load<u64>(sp - 64)), usize(length))
  return gas
}

/** EXTCODECOPY. The account gets warm even if the opcode fails. */
export function copyCodeOf(frame: usize, sp: usize, gas: i64): i64 {
  gas = touchCopy(frame, sp - 64, sp - 128, accessCode(sp - 32, gas))
  const length = clamped(sp - 128)
  // A copy of no bytes reads the account too, which matters if accesses are recorded; its address in memory may be any number.
  if (gas < 0 || (length === 0 && load<u32>(RECORDS) === 0)) return gas
  const offset = clamped(sp - 96)
  const to = length === 0 ? 0 : usize(load<u32>(frame, F_MEMORY)) + usize(load<u64>(sp - 64))
  host.copyCode(to, offset > LIMIT ? u32(LIMIT) : u32(offset), usize(length))
  return gas
}
