// The interpreter loop. It runs one frame, opcode by opcode, until the frame ends, makes a call, needs the host, or its turn is
// over, and returns the reason.
//
// For each opcode:
//   1. charge the constant gas and check the stack height, both from the table at OPCODES, in one branch. On failure `fault`
//      finds which of several failures comes first;
//   2. the switch: operate on the stack in memory. An opcode with dynamic gas calls a function that returns the gas left, or
//      minus the reason of its failure;
//   3. advance the program counter.
//
// Forks differ in the numbers of the table only, so that one loop serves all of them. Everything that the loop needs in each
// round (program counter, stack pointer, gas, memory address and size) is in WebAssembly locals. The frame's header in memory
// is stale while the loop runs and is written by `leave`; functions that change it in between (memory growth) make the loop
// read the field again (`size = sizeOf(frame)`).
//
// Turns end at a JUMPDEST, because each loop has one and compiled code can be entered there, or at a KECCAK256.
//
// The switch must stay one dense table in one function: V8 compiles it to one indirect jump.

import { GAS_BASE, GAS_HIGH, GAS_JUMPDEST, GAS_MID, GAS_VERY_LOW } from '../../gas/gas-rules'
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
  ENV_SLOT_NUMBER,
  ENV_TIMESTAMP,
  F_ADDRESS,
  F_CALLER,
  F_CODE,
  F_CODE_LENGTH,
  F_DATA_LENGTH,
  F_GAS,
  F_JUMPS,
  F_MEMORY,
  F_PC,
  F_STACK,
  F_TOP,
  F_VALUE,
  INVALID_JUMP,
  INVALID_OPCODE,
  OPCODES,
  OUT_OF_GAS,
  PAUSED,
  RETURN,
  STACK_UNDERFLOW,
  STOPPED,
  UNPAID,
  WORK,
} from '../layout'
import { balance, hashOfCode, sizeOfCode } from './accounts'
import { add, addSmall, mul, sub } from './arithmetic'
import {
  and,
  bitLength,
  byteAt,
  less,
  lessSigned,
  not,
  or,
  shiftLeft,
  shiftRight,
  shiftRightSigned,
  signExtend,
  xor,
} from './bits'
import { copyCode, copyCodeOf, copyData, copyMemory, copyReturned } from './copy-opcodes'
import { addMod, div, divSigned, mod, modSigned, mulMod } from './division'
import { hash, log, power } from './dynamic-gas'
import { dataAt, environmentWord, hashOfBlob, hashOfBlock, ownBalance } from './environment'
import { calls, creates, destroys, fail, isOver, leave, priceAt, returns } from './frame-exit'
import { isJumpDestination, isMarked } from './jump-destinations'
import { ensureMemory, isInMemory, sizeOf } from './memory'
import { fault } from './opcode-failures'
import { depthOf, dup, pairOf, pushLong, pushShort, swap } from './stack'
import { loadSlot, loadTransient, storeSlot, storeTransient } from './storage'
import { clamped, copy, fromBytes, isSame, isZero, setSmall, toBytes } from './word'

/**
 * Runs the frame until it stops. Returns a reason of the layout, or the opcode that the host has to carry out: its constant gas
 * has been charged then, and its operands are still on the stack. `turn`: gas after which it pauses. Frequent pairs of
 * opcodes (PUSH2 JUMPI, SWAP POP, …) run as one, at prices that are the same in all forks.
 */
export function interpret(frame: usize, turn: i64): i32 {
  return runFrame(frame, turn, 0, false)
}

/**
 * The same without pairs, at the prices of the table, and for at most `most` opcodes. Where a proposal charges less than the
 * fork, the difference is counted as unpaid work, which shortens the turn as gas does.
 */
export function interpretPlainly(frame: usize, turn: i64, most: u32): i32 {
  return runFrame(frame, turn, most, true)
}

/** Whether a turn that is over ends before this opcode: a JUMPDEST, or a KECCAK256 that is late enough. */
// @inline
function mayPause(op: u32, gas: i64, floor: i64): bool {
  return op === 0x5b || (op === 0x20 && gas < floor - load<i64>(DELAY))
}

/** The body of both. `isPlain` is known when this is compiled: each of the two contains its own branches only. */
// @inline
function runFrame(frame: usize, turn: i64, most: u32, isPlain: bool): i32 {
  const code = usize(load<u32>(frame, F_CODE))
  const codeLength = u64(load<u32>(frame, F_CODE_LENGTH))
  const jumps = usize(load<u32>(frame, F_JUMPS))
  const stack = usize(load<u32>(frame, F_STACK))
  const mem = usize(load<u32>(frame, F_MEMORY))
  let size = sizeOf(frame)
  let sp = usize(load<u32>(frame, F_TOP))
  let pc = usize(load<u32>(frame, F_PC))
  let gas = load<i64>(frame, F_GAS)
  let floor = gas - turn
  let left = most

  while (true) {
    const op = u32(load<u8>(code + pc))
    if (isPlain) {
      if (left === 0) return leave(frame, pc, sp, gas, op, PAUSED)
      left--
      // Before anything is charged, so that an opcode that waits for the next turn is counted once.
      if (gas < floor && mayPause(op, gas, floor)) return leave(frame, pc, sp, gas, op, PAUSED)
    }
    const entry = usize(OPCODES) + (usize(op) << 3)
    const depth = sp - stack
    gas -= priceAt(entry)
    if (i32(gas < 0) | i32(depth < usize(load<u16>(entry, 4))) | i32(depth > usize(load<u16>(entry, 6)))) {
      return leave(frame, pc, sp, gas, op, fault(frame, op, depth, gas))
    }
    if (isPlain) {
      const unpaid = i64(load<u16>(usize(UNPAID) + (usize(op) << 1)))
      if (unpaid !== 0) {
        const rest = load<i64>(WORK) - unpaid
        if (rest < 0) return leave(frame, pc, sp, gas, op, OUT_OF_GAS)
        store<i64>(WORK, rest)
        floor += unpaid
      }
    }
    // `sp` is one past the top item: an opcode that takes two items and leaves one finds them at sp - 32 and sp - 64.
    // biome-ignore format: one opcode a line
    switch (op) {
      case 0x00: return leave(frame, pc, sp, gas, op, STOPPED) // STOP
      case 0x01: sp -= 32; add(sp - 32, sp, sp - 32); break // ADD
      case 0x02: sp -= 32; mul(sp - 32, sp, sp - 32); break // MUL
      case 0x03: sp -= 32; sub(sp - 32, sp, sp - 32); break // SUB
      case 0x04: sp -= 32; div(sp - 32, sp, sp - 32); break // DIV
      case 0x05: sp -= 32; divSigned(sp - 32, sp, sp - 32); break // SDIV
      case 0x06: sp -= 32; mod(sp - 32, sp, sp - 32); break // MOD
      case 0x07: sp -= 32; modSigned(sp - 32, sp, sp - 32); break // SMOD
      case 0x08: sp -= 64; addMod(sp - 32, sp + 32, sp, sp - 32); break // ADDMOD
      case 0x09: sp -= 64; mulMod(sp - 32, sp + 32, sp, sp - 32); break // MULMOD
      case 0x0a: gas = power(sp, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); sp -= 32; break // EXP
      case 0x0b: sp -= 32; signExtend(sp - 32, sp, sp - 32); break // SIGNEXTEND

      case 0x10: sp -= 32; setSmall(sp - 32, u64(less(sp, sp - 32))); break // LT
      case 0x11: sp -= 32; setSmall(sp - 32, u64(less(sp - 32, sp))); break // GT
      case 0x12: sp -= 32; setSmall(sp - 32, u64(lessSigned(sp, sp - 32))); break // SLT
      case 0x13: sp -= 32; setSmall(sp - 32, u64(lessSigned(sp - 32, sp))); break // SGT
      case 0x14: sp -= 32; setSmall(sp - 32, u64(isSame(sp - 32, sp))); break // EQ
      case 0x15: setSmall(sp - 32, u64(isZero(sp - 32))); break // ISZERO
      case 0x16: sp -= 32; and(sp - 32, sp - 32, sp); break // AND
      case 0x17: sp -= 32; or(sp - 32, sp - 32, sp); break // OR
      case 0x18: sp -= 32; xor(sp - 32, sp - 32, sp); break // XOR
      case 0x19: not(sp - 32, sp - 32); break // NOT
      case 0x1a: sp -= 32; byteAt(sp - 32, sp, sp - 32); break // BYTE
      case 0x1b: sp -= 32; shiftLeft(sp - 32, sp - 32, clamped(sp)); break // SHL
      case 0x1c: sp -= 32; shiftRight(sp - 32, sp - 32, clamped(sp), 0); break // SHR
      case 0x1d: sp -= 32; shiftRightSigned(sp - 32, sp - 32, clamped(sp)); break // SAR
      case 0x1e: setSmall(sp - 32, u64(256 - bitLength(sp - 32))); break // CLZ

      case 0x20: // KECCAK256. A turn may end here too: many hashes take long, and there may be no JUMPDEST between them.
        if (!isPlain && isOver(gas, entry, floor - load<i64>(DELAY))) return leave(frame, pc, sp, gas + priceAt(entry), op, PAUSED)
        gas = hash(frame, sp, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); size = sizeOf(frame); sp -= 32; break

      case 0x30: copy(sp, frame + F_ADDRESS); sp += 32; break // ADDRESS
      case 0x31: gas = balance(sp, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); break // BALANCE
      case 0x32: environmentWord(sp, ENV_ORIGIN); sp += 32; break // ORIGIN
      case 0x33: copy(sp, frame + F_CALLER); sp += 32; break // CALLER
      case 0x34: copy(sp, frame + F_VALUE); sp += 32; break // CALLVALUE
      case 0x35: dataAt(frame, sp); break // CALLDATALOAD
      case 0x36: setSmall(sp, u64(load<u32>(frame, F_DATA_LENGTH))); sp += 32; break // CALLDATASIZE
      case 0x37: // CALLDATACOPY
        gas = copyData(frame, sp, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); size = sizeOf(frame); sp -= 96; break
      case 0x38: setSmall(sp, codeLength); sp += 32; break // CODESIZE
      case 0x39: // CODECOPY
        gas = copyCode(frame, sp, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); size = sizeOf(frame); sp -= 96; break
      case 0x3a: environmentWord(sp, ENV_GAS_PRICE); sp += 32; break // GASPRICE
      case 0x3b: gas = sizeOfCode(sp, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); break // EXTCODESIZE
      case 0x3c: // EXTCODECOPY
        gas = copyCodeOf(frame, sp, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); size = sizeOf(frame); sp -= 128; break
      case 0x3d: setSmall(sp, u64(load<u32>(RETURN, 4))); sp += 32; break // RETURNDATASIZE
      case 0x3e: // RETURNDATACOPY
        gas = copyReturned(frame, sp, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); size = sizeOf(frame); sp -= 96; break
      case 0x3f: gas = hashOfCode(sp, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); break // EXTCODEHASH

      case 0x40: hashOfBlock(sp); break // BLOCKHASH
      case 0x41: environmentWord(sp, ENV_COINBASE); sp += 32; break // COINBASE
      case 0x42: environmentWord(sp, ENV_TIMESTAMP); sp += 32; break // TIMESTAMP
      case 0x43: environmentWord(sp, ENV_NUMBER); sp += 32; break // NUMBER
      case 0x44: environmentWord(sp, ENV_DIFFICULTY); sp += 32; break // PREVRANDAO, once DIFFICULTY
      case 0x45: environmentWord(sp, ENV_GAS_LIMIT); sp += 32; break // GASLIMIT
      case 0x46: environmentWord(sp, ENV_CHAIN_ID); sp += 32; break // CHAINID
      case 0x47: ownBalance(sp); sp += 32; break // SELFBALANCE
      case 0x48: environmentWord(sp, ENV_BASE_FEE); sp += 32; break // BASEFEE
      case 0x49: hashOfBlob(sp); break // BLOBHASH
      case 0x4a: environmentWord(sp, ENV_BLOB_BASE_FEE); sp += 32; break // BLOBBASEFEE
      case 0x4b: environmentWord(sp, ENV_SLOT_NUMBER); sp += 32; break // SLOTNUM

      case 0x50: sp -= 32; break // POP
      case 0x51: // MLOAD
        if (!isInMemory(size, sp - 32, 32)) { gas = ensureMemory(frame, sp - 32, 32, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); size = sizeOf(frame) }
        fromBytes(sp - 32, mem + usize(load<u64>(sp - 32))); break
      case 0x52: // MSTORE
        if (!isInMemory(size, sp - 32, 32)) { gas = ensureMemory(frame, sp - 32, 32, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); size = sizeOf(frame) }
        toBytes(mem + usize(load<u64>(sp - 32)), sp - 64); sp -= 64; break
      case 0x53: // MSTORE8
        if (!isInMemory(size, sp - 32, 1)) { gas = ensureMemory(frame, sp - 32, 1, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); size = sizeOf(frame) }
        store<u8>(mem + usize(load<u64>(sp - 32)), load<u8>(sp - 64)); sp -= 64; break
      case 0x54: gas = loadSlot(frame, sp, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); break // SLOAD
      case 0x55: gas = storeSlot(frame, sp, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); sp -= 64; break // SSTORE
      case 0x56: // JUMP, together with the JUMPDEST at its target, unless the gas or the turn ends there.
        sp -= 32
        if (!isJumpDestination(jumps, codeLength, sp)) return leave(frame, pc, sp, gas, op, INVALID_JUMP)
        pc = usize(load<u64>(sp))
        if (!isPlain && gas >= GAS_JUMPDEST && gas > floor) { gas -= GAS_JUMPDEST; pc++ }
        continue
      case 0x57: // JUMPI, the same
        sp -= 64
        if (isZero(sp)) break
        if (!isJumpDestination(jumps, codeLength, sp + 32)) return leave(frame, pc, sp, gas, op, INVALID_JUMP)
        pc = usize(load<u64>(sp + 32))
        if (!isPlain && gas >= GAS_JUMPDEST && gas > floor) { gas -= GAS_JUMPDEST; pc++ }
        continue
      case 0x58: setSmall(sp, u64(pc)); sp += 32; break // PC
      case 0x59: setSmall(sp, size); sp += 32; break // MSIZE
      case 0x5a: setSmall(sp, u64(gas)); sp += 32; break // GAS
      case 0x5b: // JUMPDEST. Every loop has one, so the turn ends here.
        if (!isPlain && isOver(gas, entry, floor)) return leave(frame, pc, sp, gas + priceAt(entry), op, PAUSED)
        break
      case 0x5c: loadTransient(sp); break // TLOAD
      case 0x5d: gas = storeTransient(frame, sp, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); sp -= 64; break // TSTORE
      case 0x5e: // MCOPY
        gas = copyMemory(frame, sp, gas); if (gas < 0) return fail(frame, pc, sp, gas, op); size = sizeOf(frame); sp -= 96; break

      case 0x5f: setSmall(sp, 0); sp += 32; break // PUSH0
      case 0x60: { // PUSH1, together with a following ADD that cannot fail
        const value = u64(load<u8>(code + pc, 1))
        if (!isPlain && load<u8>(code + pc, 2) === 0x01 && gas >= GAS_VERY_LOW && depth >= 32) {
          gas -= GAS_VERY_LOW
          addSmall(sp - 32, value)
          pc += 3
          continue
        }
        setSmall(sp, value)
        sp += 32
        pc += 2
        continue
      }
      case 0x61: { // PUSH2, together with a following JUMP or JUMPI that cannot fail, and the JUMPDEST at its target
        const value = u64(bswap(load<u16>(code + pc, 1)))
        const next = load<u8>(code + pc, 3)
        if (!isPlain && next === 0x57) {
          if (gas >= GAS_HIGH && depth >= 32) {
            if (isZero(sp - 32)) {
              gas -= GAS_HIGH
              sp -= 32
              pc += 4
              continue
            }
            if (gas > GAS_HIGH + GAS_JUMPDEST && gas - GAS_HIGH > floor && isMarked(jumps, codeLength, value)) {
              gas -= GAS_HIGH + GAS_JUMPDEST
              sp -= 32
              pc = usize(value) + 1
              continue
            }
          }
        } else if (!isPlain && next === 0x56 && gas > GAS_MID + GAS_JUMPDEST && gas - GAS_MID > floor && isMarked(jumps, codeLength, value)) {
          gas -= GAS_MID + GAS_JUMPDEST
          pc = usize(value) + 1
          continue
        }
        setSmall(sp, value)
        sp += 32
        pc += 3
        continue
      }
      case 0x62: case 0x63: case 0x64: case 0x65: case 0x66: case 0x67: // PUSH3 to PUSH8
        pc += pushShort(sp, code + pc, op); sp += 32; continue
      case 0x68: case 0x69: case 0x6a: case 0x6b: case 0x6c: case 0x6d: case 0x6e: case 0x6f:
      case 0x70: case 0x71: case 0x72: case 0x73: case 0x74: case 0x75: case 0x76: case 0x77:
      case 0x78: case 0x79: case 0x7a: case 0x7b: case 0x7c: case 0x7d: case 0x7e: case 0x7f: // PUSH9 to PUSH32
        pc += pushLong(sp, code + pc, op); sp += 32; continue
      case 0x80: case 0x81: case 0x82: case 0x83: case 0x84: case 0x85: case 0x86: case 0x87:
      case 0x88: case 0x89: case 0x8a: case 0x8b: case 0x8c: case 0x8d: case 0x8e: case 0x8f: // DUP1 to DUP16
        dup(sp, op); sp += 32; break
      case 0x90: case 0x91: case 0x92: case 0x93: case 0x94: case 0x95: case 0x96: case 0x97:
      case 0x98: case 0x99: case 0x9a: case 0x9b: case 0x9c: case 0x9d: case 0x9e: case 0x9f: { // SWAP1 to SWAP16
        const p = sp - 32
        const q = p - (usize(op - 0x8f) << 5)
        // Together with a following POP that cannot fail.
        if (!isPlain && load<u8>(code + pc, 1) === 0x50 && gas >= GAS_BASE) {
          gas -= GAS_BASE
          copy(q, p)
          sp = p
          pc += 2
          continue
        }
        swap(p, q)
        break
      }
      case 0xa0: case 0xa1: case 0xa2: case 0xa3: case 0xa4: // LOG0 to LOG4
        gas = log(frame, sp, gas, i32(op - 0xa0))
        if (gas < 0) return fail(frame, pc, sp, gas, op)
        size = sizeOf(frame); sp -= 64 + (usize(op - 0xa0) << 5); break

      case 0xe6: case 0xe7: { // DUPN, SWAPN
        const n = usize(depthOf(load<u8>(code + pc, 1))) << 5
        if (n === 0) return leave(frame, pc, sp, gas, op, INVALID_OPCODE)
        if (depth < (op === 0xe6 ? n : n + 32)) return leave(frame, pc, sp, gas, op, STACK_UNDERFLOW)
        if (op === 0xe6) { copy(sp, sp - n); sp += 32 } else swap(sp - 32, sp - 32 - n)
        pc++
        break
      }
      case 0xe8: { // EXCHANGE
        const pair = usize(pairOf(load<u8>(code + pc, 1)))
        if (pair === 0) return leave(frame, pc, sp, gas, op, INVALID_OPCODE)
        const deeper = (pair >> 5) << 5
        if (depth < deeper + 32) return leave(frame, pc, sp, gas, op, STACK_UNDERFLOW)
        swap(sp - 32 - deeper, sp - 32 - ((pair & 31) << 5))
        pc++
        break
      }

      case 0xf0: case 0xf5: return creates(frame, pc, sp, gas, op) // CREATE, CREATE2
      case 0xf1: case 0xf2: case 0xf4: case 0xfa: return calls(frame, pc, sp, gas, op) // CALL, CALLCODE, DELEGATECALL, STATICCALL
      case 0xf3: case 0xfd: return returns(frame, pc, sp, gas, op) // RETURN, REVERT
      case 0xff: return destroys(frame, pc, sp, gas, op) // SELFDESTRUCT
      default: return leave(frame, pc, sp, gas, op, INVALID_OPCODE)
    }
    pc++
  }
}
