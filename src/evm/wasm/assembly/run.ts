// The interpreter: one frame, opcode by opcode, until it ends, calls, or has had its turn. Constant gas and
// the stack's bounds come from the fork's table, so that the forks differ in the table only.
// When an opcode may not run, the reason is the one that the reference finds first; see `fault`.
import {
  DELAY,
  ENV_BASE_FEE,
  ENV_BLOB_BASE_FEE,
  ENV_CHAIN_ID,
  ENV_COINBASE,
  ENV_DIFFICULTY,
  ENV_GAS_LIMIT,
  ENV_GAS_PRICE,
  ENV_NUMBER,
  ENV_ORIGIN,
  ENV_TIMESTAMP,
  ENVIRONMENT,
  F_ADDRESS,
  F_CALLER,
  F_CODE,
  F_CODE_LENGTH,
  F_DATA_LENGTH,
  F_GAS,
  F_JUMPS,
  F_MEMORY,
  F_MEMORY_SIZE,
  F_PC,
  F_STACK,
  F_STATIC,
  F_TOP,
  F_VALUE,
  INVALID_JUMP,
  INVALID_OPCODE,
  OPCODES,
  OUT_OF_GAS,
  PAUSED,
  RETURN,
  STACK_OVERFLOW,
  STACK_UNDERFLOW,
  STATIC_CHANGE,
  STOPPED,
} from '../layout'
import { isJumpDestination, isMarked } from './code'
import { addMod, div, divSigned, mod, modSigned, mulMod } from './divide'
import { lacking } from './gas'
import { reach } from './memory'
import {
  balance,
  calls,
  copyCode,
  copyCodeOf,
  copyData,
  copyMemory,
  copyReturned,
  creates,
  dataAt,
  destroys,
  hash,
  hashOfBlob,
  hashOfBlock,
  hashOfCode,
  leave,
  log,
  ownBalance,
  power,
  returns,
  sizeOfCode,
} from './operations'
import { loadSlot, loadTransient, storeSlot, storeTransient } from './storage'
import {
  add,
  addSmall,
  bitLength,
  clamped,
  copy,
  fromBytes,
  isNegative,
  isSmall,
  isZero,
  less,
  lessSigned,
  mul,
  set,
  setSmall,
  shiftLeft,
  shiftRight,
  signExtend,
  sub,
  toBytes,
} from './word'

// What is charged here for an opcode that runs together with the one before; the same in all forks.
const ADD_GAS: i64 = 3
const POP_GAS: i64 = 2
const JUMP_GAS: i64 = 8
const JUMPI_GAS: i64 = 10
/** No opcode takes so many bytes of stack: this number means nothing. */
const NEVER: u32 = 65535

/** Gas is priced before it is charged where it is not constant; what it is priced by has to be on the stack. */
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

/** Refuses to run in a static frame before anything else is looked at. */
function isChange(op: u32): bool {
  return op == 0x55 || (op >= 0xa0 && op <= 0xa4) || op == 0xf0 || op == 0xf5 || op == 0xff
}

/** Why an opcode that lacks gas, or does not suit the stack, fails. */
function fault(frame: usize, op: u32, depth: usize, gas: i64): i32 {
  const least = u32(load<u16>(usize(OPCODES) + (usize(op) << 3), 4))
  if (least == NEVER) return INVALID_OPCODE
  const isShort = depth < usize(least)
  if (isPriced(op)) {
    if (load<u32>(frame, F_STATIC) != 0 && isChange(op)) return STATIC_CHANGE
    if (!isShort) {
      // A call that carries value is a change, too.
      const value = usize(load<u32>(frame, F_STACK)) + depth - 96
      if (op == 0xf1 && load<u32>(frame, F_STATIC) != 0 && !isZero(value)) return STATIC_CHANGE
      return i32(-lacking(gas))
    }
    // Stores are priced by their place alone; only then the value is missed.
    if ((op == 0x52 || op == 0x53) && depth == 32) {
      const left = reach(frame, usize(load<u32>(frame, F_STACK)), op == 0x52 ? 32 : 1, gas)
      return left < 0 ? i32(-left) : STACK_UNDERFLOW
    }
    return STACK_UNDERFLOW
  }
  if (gas < 0) return i32(-lacking(gas))
  // TSTORE
  if (op == 0x5d && load<u32>(frame, F_STATIC) != 0) return STATIC_CHANGE
  return isShort ? STACK_UNDERFLOW : STACK_OVERFLOW
}

/**
 * Runs the frame; a reason of the layout, or the opcode that is to be carried out. Gas is charged, items stay. `turn`: gas
 * after which it pauses. Common pairs of opcodes run as one.
 */
export function interpret(frame: usize, turn: i64): i32 {
  return runFrame(frame, turn, 0, false)
}

/**
 * The same with each opcode by itself, at the price that the table gives it; it pauses after `most` opcodes at the latest.
 */
export function interpretPlainly(frame: usize, turn: i64, most: u32): i32 {
  return runFrame(frame, turn, most, true)
}

/** The body of both. `isPlain` is known when this is compiled: each of the two contains its own branches only. */
// @ts-expect-error: decorator
@inline
function runFrame(frame: usize, turn: i64, most: u32, isPlain: bool): i32 {
  const code = usize(load<u32>(frame, F_CODE))
  const codeLength = u64(load<u32>(frame, F_CODE_LENGTH))
  const jumps = usize(load<u32>(frame, F_JUMPS))
  const stack = usize(load<u32>(frame, F_STACK))
  const mem = usize(load<u32>(frame, F_MEMORY))
  let size = u64(load<u32>(frame, F_MEMORY_SIZE))
  let sp = usize(load<u32>(frame, F_TOP))
  let pc = usize(load<u32>(frame, F_PC))
  let gas = load<i64>(frame, F_GAS)
  const floor = gas - turn
  let left = most

  while (true) {
    const op = u32(load<u8>(code + pc))
    if (isPlain) {
      if (left == 0) return leave(frame, pc, sp, gas, op, PAUSED)
      left--
    }
    const entry = usize(OPCODES) + (usize(op) << 3)
    const depth = sp - stack
    gas -= i64(load<u32>(entry))
    if (i32(gas < 0) | i32(depth < usize(load<u16>(entry, 4))) | i32(depth > usize(load<u16>(entry, 6)))) {
      return leave(frame, pc, sp, gas, op, fault(frame, op, depth, gas))
    }
    switch (op) {
      case 0x00:
        return leave(frame, pc, sp, gas, op, STOPPED)
      case 0x01: {
        sp -= 32
        add(sp - 32, sp, sp - 32)
        break
      }
      case 0x02: {
        sp -= 32
        mul(sp - 32, sp, sp - 32)
        break
      }
      case 0x03: {
        sp -= 32
        sub(sp - 32, sp, sp - 32)
        break
      }
      case 0x04: {
        sp -= 32
        div(sp - 32, sp, sp - 32)
        break
      }
      case 0x05: {
        sp -= 32
        divSigned(sp - 32, sp, sp - 32)
        break
      }
      case 0x06: {
        sp -= 32
        mod(sp - 32, sp, sp - 32)
        break
      }
      case 0x07: {
        sp -= 32
        modSigned(sp - 32, sp, sp - 32)
        break
      }
      case 0x08: {
        sp -= 64
        addMod(sp - 32, sp + 32, sp, sp - 32)
        break
      }
      case 0x09: {
        sp -= 64
        mulMod(sp - 32, sp + 32, sp, sp - 32)
        break
      }
      case 0x0a: {
        gas = power(sp, gas)
        if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
        sp -= 32
        break
      }
      case 0x0b: {
        sp -= 32
        signExtend(sp - 32, sp, sp - 32)
        break
      }
      case 0x10: {
        sp -= 32
        setSmall(sp - 32, u64(less(sp, sp - 32)))
        break
      }
      case 0x11: {
        sp -= 32
        setSmall(sp - 32, u64(less(sp - 32, sp)))
        break
      }
      case 0x12: {
        sp -= 32
        setSmall(sp - 32, u64(lessSigned(sp, sp - 32)))
        break
      }
      case 0x13: {
        sp -= 32
        setSmall(sp - 32, u64(lessSigned(sp - 32, sp)))
        break
      }
      case 0x14: {
        sp -= 32
        const difference =
          (load<u64>(sp) ^ load<u64>(sp - 32)) |
          (load<u64>(sp, 8) ^ load<u64>(sp - 32, 8)) |
          (load<u64>(sp, 16) ^ load<u64>(sp - 32, 16)) |
          (load<u64>(sp, 24) ^ load<u64>(sp - 32, 24))
        setSmall(sp - 32, u64(difference == 0))
        break
      }
      case 0x15: {
        setSmall(sp - 32, u64(isZero(sp - 32)))
        break
      }
      case 0x16: {
        sp -= 32
        const p = sp - 32
        set(
          p,
          load<u64>(p) & load<u64>(sp),
          load<u64>(p, 8) & load<u64>(sp, 8),
          load<u64>(p, 16) & load<u64>(sp, 16),
          load<u64>(p, 24) & load<u64>(sp, 24),
        )
        break
      }
      case 0x17: {
        sp -= 32
        const p = sp - 32
        set(
          p,
          load<u64>(p) | load<u64>(sp),
          load<u64>(p, 8) | load<u64>(sp, 8),
          load<u64>(p, 16) | load<u64>(sp, 16),
          load<u64>(p, 24) | load<u64>(sp, 24),
        )
        break
      }
      case 0x18: {
        sp -= 32
        const p = sp - 32
        set(
          p,
          load<u64>(p) ^ load<u64>(sp),
          load<u64>(p, 8) ^ load<u64>(sp, 8),
          load<u64>(p, 16) ^ load<u64>(sp, 16),
          load<u64>(p, 24) ^ load<u64>(sp, 24),
        )
        break
      }
      case 0x19: {
        const p = sp - 32
        set(p, ~load<u64>(p), ~load<u64>(p, 8), ~load<u64>(p, 16), ~load<u64>(p, 24))
        break
      }
      case 0x1a: {
        sp -= 32
        const p = sp - 32
        const index = clamped(sp)
        // Byte 0 is the most significant one, which stands last.
        setSmall(p, index < 32 ? u64(load<u8>(p + usize(31 - index))) : 0)
        break
      }
      case 0x1b: {
        sp -= 32
        shiftLeft(sp - 32, sp - 32, clamped(sp))
        break
      }
      case 0x1c: {
        sp -= 32
        shiftRight(sp - 32, sp - 32, clamped(sp), 0)
        break
      }
      case 0x1d: {
        sp -= 32
        shiftRight(sp - 32, sp - 32, clamped(sp), isNegative(sp - 32) ? u64.MAX_VALUE : 0)
        break
      }
      case 0x1e: {
        setSmall(sp - 32, u64(256 - bitLength(sp - 32)))
        break
      }
      case 0x20: {
        if (gas < floor - load<i64>(DELAY)) return leave(frame, pc, sp, gas + i64(load<u32>(entry)), op, PAUSED)
        gas = hash(frame, sp, gas)
        if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
        size = u64(load<u32>(frame, F_MEMORY_SIZE))
        sp -= 32
        break
      }
      case 0x30: {
        copy(sp, frame + F_ADDRESS)
        sp += 32
        break
      }
      case 0x31: {
        gas = balance(sp, gas)
        if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
        break
      }
      case 0x32: {
        copy(sp, ENVIRONMENT + ENV_ORIGIN)
        sp += 32
        break
      }
      case 0x33: {
        copy(sp, frame + F_CALLER)
        sp += 32
        break
      }
      case 0x34: {
        copy(sp, frame + F_VALUE)
        sp += 32
        break
      }
      case 0x35: {
        dataAt(frame, sp)
        break
      }
      case 0x36: {
        setSmall(sp, u64(load<u32>(frame, F_DATA_LENGTH)))
        sp += 32
        break
      }
      case 0x37: {
        gas = copyData(frame, sp, gas)
        if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
        size = u64(load<u32>(frame, F_MEMORY_SIZE))
        sp -= 96
        break
      }
      case 0x39: {
        gas = copyCode(frame, sp, gas)
        if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
        size = u64(load<u32>(frame, F_MEMORY_SIZE))
        sp -= 96
        break
      }
      case 0x38: {
        setSmall(sp, codeLength)
        sp += 32
        break
      }
      case 0x3a: {
        copy(sp, ENVIRONMENT + ENV_GAS_PRICE)
        sp += 32
        break
      }
      case 0x3b: {
        gas = sizeOfCode(sp, gas)
        if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
        break
      }
      case 0x3c: {
        gas = copyCodeOf(frame, sp, gas)
        if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
        size = u64(load<u32>(frame, F_MEMORY_SIZE))
        sp -= 128
        break
      }
      case 0x3d: {
        setSmall(sp, u64(load<u32>(RETURN, 4)))
        sp += 32
        break
      }
      case 0x3e: {
        gas = copyReturned(frame, sp, gas)
        if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
        size = u64(load<u32>(frame, F_MEMORY_SIZE))
        sp -= 96
        break
      }
      case 0x3f: {
        gas = hashOfCode(sp, gas)
        if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
        break
      }
      case 0x40: {
        hashOfBlock(sp)
        break
      }
      case 0x41: {
        copy(sp, ENVIRONMENT + ENV_COINBASE)
        sp += 32
        break
      }
      case 0x42: {
        copy(sp, ENVIRONMENT + ENV_TIMESTAMP)
        sp += 32
        break
      }
      case 0x43: {
        copy(sp, ENVIRONMENT + ENV_NUMBER)
        sp += 32
        break
      }
      case 0x44: {
        copy(sp, ENVIRONMENT + ENV_DIFFICULTY)
        sp += 32
        break
      }
      case 0x45: {
        copy(sp, ENVIRONMENT + ENV_GAS_LIMIT)
        sp += 32
        break
      }
      case 0x46: {
        copy(sp, ENVIRONMENT + ENV_CHAIN_ID)
        sp += 32
        break
      }
      case 0x47: {
        ownBalance(sp)
        sp += 32
        break
      }
      case 0x48: {
        copy(sp, ENVIRONMENT + ENV_BASE_FEE)
        sp += 32
        break
      }
      case 0x49: {
        hashOfBlob(sp)
        break
      }
      case 0x4a: {
        copy(sp, ENVIRONMENT + ENV_BLOB_BASE_FEE)
        sp += 32
        break
      }
      case 0x50: {
        sp -= 32
        break
      }
      case 0x51: {
        const p = sp - 32
        const at = load<u64>(p)
        if (!isSmall(p) || at >= size || at + 32 > size) {
          gas = reach(frame, p, 32, gas)
          if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
          size = u64(load<u32>(frame, F_MEMORY_SIZE))
        }
        fromBytes(p, mem + usize(at))
        break
      }
      case 0x52: {
        const p = sp - 32
        const at = load<u64>(p)
        if (!isSmall(p) || at >= size || at + 32 > size) {
          gas = reach(frame, p, 32, gas)
          if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
          size = u64(load<u32>(frame, F_MEMORY_SIZE))
        }
        toBytes(mem + usize(at), sp - 64)
        sp -= 64
        break
      }
      case 0x53: {
        const p = sp - 32
        const at = load<u64>(p)
        if (!isSmall(p) || at >= size) {
          gas = reach(frame, p, 1, gas)
          if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
          size = u64(load<u32>(frame, F_MEMORY_SIZE))
        }
        store<u8>(mem + usize(at), load<u8>(sp - 64))
        sp -= 64
        break
      }
      case 0x54: {
        gas = loadSlot(frame, sp, gas)
        if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
        break
      }
      case 0x55: {
        gas = storeSlot(frame, sp, gas)
        if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
        sp -= 64
        break
      }
      case 0x56: {
        sp -= 32
        if (!isJumpDestination(jumps, codeLength, sp)) return leave(frame, pc, sp, gas, op, INVALID_JUMP)
        pc = usize(load<u64>(sp))
        // The JUMPDEST where it lands, unless that ends something.
        if (!isPlain && gas > 0 && gas > floor) {
          gas--
          pc++
        }
        continue
      }
      case 0x57: {
        sp -= 64
        if (isZero(sp)) break
        if (!isJumpDestination(jumps, codeLength, sp + 32)) return leave(frame, pc, sp, gas, op, INVALID_JUMP)
        pc = usize(load<u64>(sp + 32))
        if (!isPlain && gas > 0 && gas > floor) {
          gas--
          pc++
        }
        continue
      }
      case 0x58: {
        setSmall(sp, u64(pc))
        sp += 32
        break
      }
      case 0x59: {
        setSmall(sp, size)
        sp += 32
        break
      }
      case 0x5a: {
        setSmall(sp, u64(gas))
        sp += 32
        break
      }
      case 0x5b: {
        // No loop is without one.
        if (gas < floor) return leave(frame, pc, sp, gas + i64(load<u32>(entry)), op, PAUSED)
        break
      }
      case 0x5c: {
        loadTransient(sp)
        break
      }
      case 0x5d: {
        gas = storeTransient(frame, sp, gas)
        if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
        sp -= 64
        break
      }
      case 0x5e: {
        gas = copyMemory(frame, sp, gas)
        if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
        size = u64(load<u32>(frame, F_MEMORY_SIZE))
        sp -= 96
        break
      }
      case 0x5f: {
        setSmall(sp, 0)
        sp += 32
        break
      }
      case 0x60: {
        const value = u64(load<u8>(code + pc, 1))
        // Together with an ADD that may run.
        if (!isPlain && load<u8>(code + pc, 2) == 0x01 && gas >= ADD_GAS && depth >= 32) {
          gas -= ADD_GAS
          addSmall(sp - 32, value)
          pc += 3
          continue
        }
        setSmall(sp, value)
        sp += 32
        pc += 2
        continue
      }
      case 0x61: {
        const value = u64(bswap(load<u16>(code + pc, 1)))
        const next = load<u8>(code + pc, 3)
        // Together with a jump that may run, and with the JUMPDEST where it lands.
        if (!isPlain && next == 0x57) {
          if (gas >= JUMPI_GAS && depth >= 32) {
            if (isZero(sp - 32)) {
              gas -= JUMPI_GAS
              sp -= 32
              pc += 4
              continue
            }
            if (gas > JUMPI_GAS + 1 && gas - JUMPI_GAS > floor && isMarked(jumps, codeLength, value)) {
              gas -= JUMPI_GAS + 1
              sp -= 32
              pc = usize(value) + 1
              continue
            }
          }
        } else if (!isPlain && next == 0x56 && gas > JUMP_GAS + 1 && gas - JUMP_GAS > floor && isMarked(jumps, codeLength, value)) {
          gas -= JUMP_GAS + 1
          pc = usize(value) + 1
          continue
        }
        setSmall(sp, value)
        sp += 32
        pc += 3
        continue
      }
      case 0x62:
      case 0x63:
      case 0x64:
      case 0x65:
      case 0x66:
      case 0x67: {
        const bytes = op - 0x5f
        setSmall(sp, bswap(load<u64>(code + pc, 1)) >> u64((8 - bytes) << 3))
        sp += 32
        pc += usize(bytes) + 1
        continue
      }
      case 0x68:
      case 0x69:
      case 0x6a:
      case 0x6b:
      case 0x6c:
      case 0x6d:
      case 0x6e:
      case 0x6f:
      case 0x70:
      case 0x71:
      case 0x72:
      case 0x73:
      case 0x74:
      case 0x75:
      case 0x76:
      case 0x77:
      case 0x78:
      case 0x79:
      case 0x7a:
      case 0x7b:
      case 0x7c:
      case 0x7d:
      case 0x7e:
      case 0x7f: {
        const bytes = op - 0x5f
        fromBytes(sp, code + pc + 1)
        if (bytes != 32) shiftRight(sp, sp, u64((32 - bytes) << 3), 0)
        sp += 32
        pc += usize(bytes) + 1
        continue
      }
      case 0x80:
      case 0x81:
      case 0x82:
      case 0x83:
      case 0x84:
      case 0x85:
      case 0x86:
      case 0x87:
      case 0x88:
      case 0x89:
      case 0x8a:
      case 0x8b:
      case 0x8c:
      case 0x8d:
      case 0x8e:
      case 0x8f: {
        copy(sp, sp - (usize(op - 0x7f) << 5))
        sp += 32
        break
      }
      case 0x90:
      case 0x91:
      case 0x92:
      case 0x93:
      case 0x94:
      case 0x95:
      case 0x96:
      case 0x97:
      case 0x98:
      case 0x99:
      case 0x9a:
      case 0x9b:
      case 0x9c:
      case 0x9d:
      case 0x9e:
      case 0x9f: {
        const p = sp - 32
        const q = p - (usize(op - 0x8f) << 5)
        // Together with a POP that may run.
        if (!isPlain && load<u8>(code + pc, 1) == 0x50 && gas >= POP_GAS) {
          gas -= POP_GAS
          copy(q, p)
          sp = p
          pc += 2
          continue
        }
        const w0 = load<u64>(p)
        const w1 = load<u64>(p, 8)
        const w2 = load<u64>(p, 16)
        const w3 = load<u64>(p, 24)
        copy(p, q)
        set(q, w0, w1, w2, w3)
        break
      }
      case 0xa0:
      case 0xa1:
      case 0xa2:
      case 0xa3:
      case 0xa4: {
        const topics = i32(op - 0xa0)
        gas = log(frame, sp, gas, topics)
        // What is told of a topic that is missed counts what was left when it was.
        if (gas < 0) return leave(frame, pc, gas == -i64(STACK_UNDERFLOW) ? sp - 64 : sp, gas, op, i32(-gas))
        size = u64(load<u32>(frame, F_MEMORY_SIZE))
        sp -= 64 + (usize(topics) << 5)
        break
      }
      case 0xf0:
      case 0xf5:
        return creates(frame, pc, sp, gas, op)
      case 0xf1:
      case 0xf2:
      case 0xf4:
      case 0xfa:
        return calls(frame, pc, sp, gas, op)
      case 0xf3:
      case 0xfd:
        return returns(frame, pc, sp, gas, op)
      case 0xff:
        return destroys(frame, pc, sp, gas, op)
      default:
        return leave(frame, pc, sp, gas, op, INVALID_OPCODE)
    }
    pc++
  }
}
