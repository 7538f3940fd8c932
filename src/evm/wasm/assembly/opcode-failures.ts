// The reason why an opcode fails before it runs. Several checks can fail at once; the reason is that of the first one: the stack,
// as in go-ethereum, then a static frame, then the gas.
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
import { isZero } from './word'

/** The required stack bytes in the table entry of an opcode that the fork does not have, or that the host runs. */
const NEVER: u32 = 65535

/** Opcodes that check for a static frame before their gas. */
function isChange(op: u32): bool {
  return op === 0x55 || (op >= 0xa0 && op <= 0xa4) || op === 0xf0 || op === 0xf5 || op === 0xff
}

/** The first failure of an opcode with too little gas or a wrong stack height. */
export function fault(frame: usize, op: u32, depth: usize, gas: i64): i32 {
  const entry = usize(OPCODES) + (usize(op) << 3)
  const least = u32(load<u16>(entry, 4))
  if (least === NEVER) return load<u16>(entry, 6) === 0 ? INVALID_OPCODE : BY_HOST
  if (depth < usize(least)) return STACK_UNDERFLOW
  if (depth > usize(load<u16>(entry, 6))) return STACK_OVERFLOW
  const isStatic = load<u32>(frame, F_STATIC) !== 0
  if (isStatic && isChange(op)) return STATIC_CHANGE
  // A call with value modifies the state too.
  if (isStatic && op === 0xf1 && !isZero(usize(load<u32>(frame, F_STACK)) + depth - 96)) return STATIC_CHANGE
  if (gas < 0) return i32(-lacking(gas))
  // TSTORE is paid before its frame is checked.
  return STATIC_CHANGE
}
