// The reason why an opcode fails before it runs. Several checks can fail at once; the reason is that of the check which
// @ethereumjs/evm makes first, so that both engines report the same failure.
import {
  BY_HOST,
  F_STACK,
  F_STATIC,
  INVALID_OPCODE,
  OPCODES,
  STACK_OVERFLOW,
  STACK_UNDERFLOW,
  STATIC_CHANGE,
} from '../layout'
import { lacking } from './gas'
import { ensureMemory } from './memory'
import { isZero } from './word'

/** The required stack bytes in the table entry of an opcode that the fork does not have, or that the host runs. */
const NEVER: u32 = 65535

/** Opcodes with dynamic gas. It is computed from operands on the stack, so the stack is checked before the gas. */
function isPriced(op: u32): bool {
  switch (op) {
    case 0x0a:
    case 0x20:
    case 0x31:
    case 0x37:
    case 0x39:
    case 0x3b:
    case 0x3c:
    case 0x3e:
    case 0x3f:
    case 0x51:
    case 0x52:
    case 0x53:
    case 0x54:
    case 0x55:
    case 0x5e:
    case 0xf0:
    case 0xf1:
    case 0xf2:
    case 0xf3:
    case 0xf4:
    case 0xf5:
    case 0xfa:
    case 0xfd:
    case 0xff:
      return true
    default:
      return op >= 0xa0 && op <= 0xa4
  }
}

/** Opcodes that check for a static frame before anything else. */
function isChange(op: u32): bool {
  return op === 0x55 || (op >= 0xa0 && op <= 0xa4) || op === 0xf0 || op === 0xf5 || op === 0xff
}

/** The first failure of an opcode with too little gas or a wrong stack height. */
export function fault(frame: usize, op: u32, depth: usize, gas: i64): i32 {
  const entry = usize(OPCODES) + (usize(op) << 3)
  const least = u32(load<u16>(entry, 4))
  if (least === NEVER) return load<u16>(entry, 6) === 0 ? INVALID_OPCODE : BY_HOST
  const isShort = depth < usize(least)
  if (isPriced(op)) {
    if (load<u32>(frame, F_STATIC) !== 0 && isChange(op)) return STATIC_CHANGE
    if (!isShort) {
      // A call with value modifies the state too.
      const value = usize(load<u32>(frame, F_STACK)) + depth - 96
      if (op === 0xf1 && load<u32>(frame, F_STATIC) !== 0 && !isZero(value)) return STATIC_CHANGE
      return i32(-lacking(gas))
    }
    // MSTORE and MSTORE8 are charged by the offset alone, before the missing value is found.
    if ((op === 0x52 || op === 0x53) && depth === 32) {
      const left = ensureMemory(frame, usize(load<u32>(frame, F_STACK)), op === 0x52 ? 32 : 1, gas)
      return left < 0 ? i32(-left) : STACK_UNDERFLOW
    }
    return STACK_UNDERFLOW
  }
  if (gas < 0) return i32(-lacking(gas))
  // TSTORE
  if (op === 0x5d && load<u32>(frame, F_STATIC) !== 0) return STATIC_CHANGE
  return isShort ? STACK_UNDERFLOW : STACK_OVERFLOW
}
