// EXP, KECCAK256 and LOG, whose price depends on their operands, on the stack in memory: the interpreter and compiled code
// run the same ones. `sp` is one past the top item. They return the gas left, or minus a reason of the layout. An opcode that
// fails has at most grown the memory, so it can be run again.

import { KECCAK_WORD, LOG_BYTE, LOG_TOPIC } from '../../gas/gas-rules'
import { F_MEMORY, F_STATIC, GAS_EXP_BYTE, PARAMETERS, STATIC_CHANGE, WORDS } from '../layout'
import { bitLength } from './bits'
import { exp } from './division'
import { lacking, NO_GAS } from './gas'
import * as host from './host'
import { keccak256 } from './keccak'
import { LIMIT, rangeEnd, touch, words } from './memory'
import { clamped, toBytes } from './word'

/** EXP */
export function power(sp: usize, gas: i64): i64 {
  gas -= i64((bitLength(sp - 64) + 7) >> 3) * load<i64>(PARAMETERS, GAS_EXP_BYTE)
  if (gas < 0) return lacking(gas)
  exp(sp - 64, sp - 32, sp - 64)
  return gas
}

/** KECCAK256 */
export function hash(frame: usize, sp: usize, gas: i64): i64 {
  const end = rangeEnd(sp - 32, sp - 64)
  const length = clamped(sp - 64)
  if (end > LIMIT) return NO_GAS
  gas = touch(frame, end, gas - i64(KECCAK_WORD) * i64(words(length)))
  if (gas < 0) return gas
  const mem = usize(load<u32>(frame, F_MEMORY))
  keccak256(sp - 64, length === 0 ? mem : mem + usize(load<u64>(sp - 32)), usize(length))
  return gas
}

/** LOG0 to LOG4 */
export function log(frame: usize, sp: usize, gas: i64, topics: i32): i64 {
  if (load<u32>(frame, F_STATIC) !== 0) return -i64(STATIC_CHANGE)
  const end = rangeEnd(sp - 32, sp - 64)
  if (end > LIMIT) return NO_GAS
  const length = clamped(sp - 64)
  gas = touch(frame, end, gas - i64(LOG_TOPIC) * i64(topics) - i64(LOG_BYTE) * i64(length))
  if (gas < 0) return gas
  const mem = usize(load<u32>(frame, F_MEMORY))
  const data = length === 0 ? mem : mem + usize(load<u64>(sp - 32))
  sp -= 64
  for (let topic = 0; topic < topics; topic++) {
    sp -= 32
    toBytes(usize(WORDS) + (usize(topic) << 5), sp)
  }
  host.log(topics, data, usize(length))
  return gas
}
