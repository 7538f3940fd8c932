// How the interpreter and compiled code leave a frame: at the end of a turn, at a failure, and at the opcodes that the host or
// `calls.ts` carries out (calls, creations, RETURN, REVERT, SELFDESTRUCT). Each function writes program counter, stack pointer
// and gas to the frame's header and returns a reason of the layout, or the opcode.

import { KECCAK_WORD } from '../../gas/gas-rules'
import {
  ADDRESS,
  F_GAS,
  F_MEMORY,
  F_OPCODE,
  F_OUTPUT,
  F_OUTPUT_LENGTH,
  F_PC,
  F_STATIC,
  F_TOP,
  GAS_INIT_CODE_WORD,
  PARAMETERS,
  STATIC_CHANGE,
  WORDS,
} from '../layout'
import { rangeEnd, touch, words } from './memory'
import { clamped, isZero, toAddress, toBytes } from './word'

/** Constant gas of an opcode, from its entry in the fork's table. */
// @inline
export function priceAt(entry: usize): i64 {
  return i64(load<u32>(entry))
}

/**
 * Whether the turn was over before the opcode was charged. `gas`: after the charge. Thus the first opcode of a turn always
 * runs; otherwise an opcode that costs more than a turn would pause forever.
 */
// @inline
export function isOver(gas: i64, entry: usize, floor: i64): bool {
  return gas < floor && gas + priceAt(entry) < floor
}

/** Writes the frame's header and returns the reason. */
export function leave(frame: usize, pc: usize, sp: usize, gas: i64, op: u32, reason: i32): i32 {
  store<u32>(frame, u32(pc), F_PC)
  store<u32>(frame, u32(sp), F_TOP)
  store<i64>(frame, gas, F_GAS)
  store<u32>(frame, op, F_OPCODE)
  return reason
}

/** The same for a failure. `failure`: minus a reason, as opcode functions return it in place of the gas left. */
// @inline
export function fail(frame: usize, pc: usize, sp: usize, failure: i64, op: u32): i32 {
  return leave(frame, pc, sp, failure, op, i32(-failure))
}

/** CREATE and CREATE2 */
export function creates(frame: usize, pc: usize, sp: usize, gas: i64, op: u32): i32 {
  if (load<u32>(frame, F_STATIC) !== 0) return leave(frame, pc, sp, gas, op, STATIC_CHANGE)
  const count = i64(words(clamped(sp - 96)))
  const end = rangeEnd(sp - 64, sp - 96)
  gas -= load<i64>(PARAMETERS, GAS_INIT_CODE_WORD) * count
  if (op === 0xf5) gas -= i64(KECCAK_WORD) * count
  gas = touch(frame, end, gas)
  if (gas < 0) return fail(frame, pc, sp, gas, op)
  if (op === 0xf5) toBytes(WORDS, sp - 128)
  return leave(frame, pc + 1, sp, gas, op, i32(op))
}

/** CALL, CALLCODE, DELEGATECALL and STATICCALL */
export function calls(frame: usize, pc: usize, sp: usize, gas: i64, op: u32): i32 {
  // CALL and CALLCODE have the value between the address and the ranges.
  const ranges = op < 0xf4 ? sp - 128 : sp - 96
  if (op === 0xf1 && load<u32>(frame, F_STATIC) !== 0 && !isZero(sp - 96)) {
    return leave(frame, pc, sp, gas, op, STATIC_CHANGE)
  }
  const input = rangeEnd(ranges, ranges - 32)
  const output = rangeEnd(ranges - 64, ranges - 96)
  const end = input > output ? input : output
  gas = touch(frame, end, gas)
  if (gas < 0) return fail(frame, pc, sp, gas, op)
  toAddress(ADDRESS, sp - 64)
  return leave(frame, pc + 1, sp, gas, op, i32(op))
}

/** RETURN and REVERT */
export function returns(frame: usize, pc: usize, sp: usize, gas: i64, op: u32): i32 {
  const end = rangeEnd(sp - 32, sp - 64)
  gas = touch(frame, end, gas)
  if (gas < 0) return fail(frame, pc, sp, gas, op)
  const mem = load<u32>(frame, F_MEMORY)
  store<u32>(frame, end === 0 ? mem : mem + load<u32>(sp - 32), F_OUTPUT)
  store<u32>(frame, load<u32>(sp - 64), F_OUTPUT_LENGTH)
  return leave(frame, pc, sp - 64, gas, op, i32(op))
}

/** SELFDESTRUCT */
export function destroys(frame: usize, pc: usize, sp: usize, gas: i64, op: u32): i32 {
  if (load<u32>(frame, F_STATIC) !== 0) return leave(frame, pc, sp, gas, op, STATIC_CHANGE)
  toAddress(ADDRESS, sp - 32)
  return leave(frame, pc + 1, sp, gas, op, i32(op))
}
