// Opcodes whose price is found out as they run, and those that end a frame's turn, on the stack in memory: the interpreter
// and compiled code run the same ones. `sp` is one past the top item; the answer is what is left of the gas, or a reason
// of the layout below zero. Where nothing else is said, one that fails has at most grown the memory, and may be run again.
import {
  ADDRESS,
  ENV_NUMBER,
  ENVIRONMENT,
  F_CODE,
  F_CODE_LENGTH,
  F_DATA,
  F_DATA_LENGTH,
  F_GAS,
  F_MEMORY,
  F_OPCODE,
  F_OUTPUT,
  F_OUTPUT_LENGTH,
  F_PC,
  F_STACK,
  F_STATIC,
  F_TOP,
  GAS_EXP_BYTE,
  GAS_INIT_CODE_WORD,
  PARAMETERS,
  RETURN,
  RETURN_OUT_OF_BOUNDS,
  STACK_UNDERFLOW,
  STATIC_CHANGE,
  WORDS,
} from '../layout'
import { exp } from './divide'
import { lacking, NO_GAS } from './gas'
import * as host from './host'
import { keccak256 } from './keccak'
import { copyPadded, LIMIT, rangeEnd, touch, words } from './memory'
import { bitLength, clamped, fromBytes, isZero, setSmall, toAddress, toBytes } from './word'

const COPY_WORD: i64 = 3
const KECCAK_WORD: i64 = 6
const LOG_TOPIC: i64 = 375
const LOG_BYTE: i64 = 8
/** The second word of an answer. */
const ANSWER: usize = WORDS + 32

/** Ends a turn: the frame as it is, for whoever goes on with it. */
export function leave(frame: usize, pc: usize, sp: usize, gas: i64, op: u32, reason: i32): i32 {
  store<u32>(frame, u32(pc), F_PC)
  store<u32>(frame, u32(sp), F_TOP)
  store<i64>(frame, gas, F_GAS)
  store<u32>(frame, op, F_OPCODE)
  return reason
}

export function power(sp: usize, gas: i64): i64 {
  gas -= i64((bitLength(sp - 64) + 7) >> 3) * load<i64>(PARAMETERS, GAS_EXP_BYTE)
  if (gas < 0) return lacking(gas)
  exp(sp - 64, sp - 32, sp - 64)
  return gas
}

export function hash(frame: usize, sp: usize, gas: i64): i64 {
  const end = rangeEnd(sp - 32, sp - 64)
  const length = clamped(sp - 64)
  if (end > LIMIT) return NO_GAS
  gas = touch(frame, end, gas - KECCAK_WORD * i64(words(length)))
  if (gas < 0) return gas
  const mem = usize(load<u32>(frame, F_MEMORY))
  keccak256(sp - 64, length == 0 ? mem : mem + usize(load<u64>(sp - 32)), usize(length))
  return gas
}

/** Of copies into memory: pays for the range that begins at `to` and for its words. */
function touchCopy(frame: usize, to: usize, length: usize, gas: i64): i64 {
  const end = rangeEnd(to, length)
  return end > LIMIT ? NO_GAS : touch(frame, end, gas - COPY_WORD * i64(words(clamped(length))))
}

function copyFrom(frame: usize, sp: usize, gas: i64, data: usize, there: u64): i64 {
  gas = touchCopy(frame, sp - 32, sp - 96, gas)
  const length = clamped(sp - 96)
  if (gas < 0 || length == 0) return gas
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

/** RETURNDATACOPY: paid for first, then compared with what there is, as go-ethereum does it. */
export function copyReturned(frame: usize, sp: usize, gas: i64): i64 {
  gas = touchCopy(frame, sp - 32, sp - 96, gas)
  if (gas < 0) return gas
  const offset = clamped(sp - 64)
  const length = clamped(sp - 96)
  const there = u64(load<u32>(RETURN, 4))
  // Beyond the end of the return data there is nothing, not zeros (EIP-211).
  if (offset > there || length > there - offset) return -i64(RETURN_OUT_OF_BOUNDS)
  if (length == 0) return gas
  const to = usize(load<u32>(frame, F_MEMORY)) + usize(load<u64>(sp - 32))
  const from = usize(load<u32>(RETURN))
  if (from == 0) host.copyReturn(to, u32(offset), usize(length))
  else memory.copy(to, from + usize(offset), usize(length))
  return gas
}

export function copyMemory(frame: usize, sp: usize, gas: i64): i64 {
  const to = rangeEnd(sp - 32, sp - 96)
  const from = rangeEnd(sp - 64, sp - 96)
  const end = to > from ? to : from
  const length = clamped(sp - 96)
  if (end > LIMIT || length > LIMIT) return NO_GAS
  gas = touch(frame, end, gas - COPY_WORD * i64(words(length)))
  if (gas < 0 || length == 0) return gas
  const mem = usize(load<u32>(frame, F_MEMORY))
  memory.copy(mem + usize(load<u64>(sp - 32)), mem + usize(load<u64>(sp - 64)), usize(length))
  return gas
}

/** CALLDATALOAD */
export function dataAt(frame: usize, sp: usize): void {
  const p = sp - 32
  const at = clamped(p)
  const length = u64(load<u32>(frame, F_DATA_LENGTH))
  const data = usize(load<u32>(frame, F_DATA))
  if (at < length && at + 32 <= length) fromBytes(p, data + usize(at))
  else {
    copyPadded(WORDS, data, length, at, 32)
    fromBytes(p, WORDS)
  }
}

export function hashOfBlock(sp: usize): void {
  const p = sp - 32
  const number = load<u64>(ENVIRONMENT + ENV_NUMBER)
  const asked = clamped(p)
  if (asked >= number || number - asked > 256) setSmall(p, 0)
  else {
    host.blockHash(f64(asked))
    fromBytes(p, ANSWER)
  }
}

export function hashOfBlob(sp: usize): void {
  const index = clamped(sp - 32)
  if (index > 0xffff) setSmall(sp - 32, 0)
  else {
    host.blobHash(u32(index))
    fromBytes(sp - 32, ANSWER)
  }
}

/** Onto the stack. */
export function ownBalance(sp: usize): void {
  host.selfBalance()
  fromBytes(sp, ANSWER)
}

// --- of the state: what they touch is warm even when they fail

/** Touches the account of a stack word; what is left of the gas, also below zero. */
function access(at: usize, gas: i64): i64 {
  toAddress(ADDRESS, at)
  return gas - i64(host.access())
}

export function balance(sp: usize, gas: i64): i64 {
  gas = access(sp - 32, gas)
  if (gas < 0) return lacking(gas)
  host.balance()
  fromBytes(sp - 32, ANSWER)
  return gas
}

export function sizeOfCode(sp: usize, gas: i64): i64 {
  gas = access(sp - 32, gas)
  if (gas < 0) return lacking(gas)
  setSmall(sp - 32, u64(host.codeSize()))
  return gas
}

export function hashOfCode(sp: usize, gas: i64): i64 {
  gas = access(sp - 32, gas)
  if (gas < 0) return lacking(gas)
  host.codeHash()
  fromBytes(sp - 32, ANSWER)
  return gas
}

export function copyCodeOf(frame: usize, sp: usize, gas: i64): i64 {
  gas = touchCopy(frame, sp - 64, sp - 128, access(sp - 32, gas))
  const length = clamped(sp - 128)
  if (gas < 0 || length == 0) return gas
  const offset = clamped(sp - 96)
  const to = usize(load<u32>(frame, F_MEMORY)) + usize(load<u64>(sp - 64))
  host.copyCode(to, offset > LIMIT ? u32(LIMIT) : u32(offset), usize(length))
  return gas
}

export function log(frame: usize, sp: usize, gas: i64, topics: i32): i64 {
  if (load<u32>(frame, F_STATIC) != 0) return -i64(STATIC_CHANGE)
  const end = rangeEnd(sp - 32, sp - 64)
  if (end > LIMIT) return NO_GAS
  const length = clamped(sp - 64)
  gas = touch(frame, end, gas - LOG_TOPIC * i64(topics) - LOG_BYTE * i64(length))
  if (gas < 0) return gas
  const mem = usize(load<u32>(frame, F_MEMORY))
  const data = length == 0 ? mem : mem + usize(load<u64>(sp - 32))
  sp -= 64
  // Topics are taken after the range, and only then missed.
  if (sp - usize(load<u32>(frame, F_STACK)) < usize(topics) << 5) return -i64(STACK_UNDERFLOW)
  for (let topic = 0; topic < topics; topic++) {
    sp -= 32
    toBytes(usize(WORDS) + (usize(topic) << 5), sp)
  }
  host.log(topics, data, usize(length))
  return gas
}

// --- those that end a turn: a reason, or the opcode for the host

export function creates(frame: usize, pc: usize, sp: usize, gas: i64, op: u32): i32 {
  if (load<u32>(frame, F_STATIC) != 0) return leave(frame, pc, sp, gas, op, STATIC_CHANGE)
  const count = i64(words(clamped(sp - 96)))
  const end = rangeEnd(sp - 64, sp - 96)
  gas -= load<i64>(PARAMETERS, GAS_INIT_CODE_WORD) * count
  if (op == 0xf5) gas -= KECCAK_WORD * count
  gas = touch(frame, end, gas)
  if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
  if (op == 0xf5) toBytes(WORDS, sp - 128)
  return leave(frame, pc + 1, sp, gas, op, i32(op))
}

export function calls(frame: usize, pc: usize, sp: usize, gas: i64, op: u32): i32 {
  // CALL and CALLCODE have the value between the address and the ranges.
  const ranges = op < 0xf4 ? sp - 128 : sp - 96
  if (op == 0xf1 && load<u32>(frame, F_STATIC) != 0 && !isZero(sp - 96)) {
    return leave(frame, pc, sp, gas, op, STATIC_CHANGE)
  }
  const input = rangeEnd(ranges, ranges - 32)
  const output = rangeEnd(ranges - 64, ranges - 96)
  const end = input > output ? input : output
  gas = touch(frame, end, gas)
  if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
  toAddress(ADDRESS, sp - 64)
  return leave(frame, pc + 1, sp, gas, op, i32(op))
}

export function returns(frame: usize, pc: usize, sp: usize, gas: i64, op: u32): i32 {
  const end = rangeEnd(sp - 32, sp - 64)
  gas = touch(frame, end, gas)
  if (gas < 0) return leave(frame, pc, sp, gas, op, i32(-gas))
  const mem = load<u32>(frame, F_MEMORY)
  store<u32>(frame, end == 0 ? mem : mem + load<u32>(sp - 32), F_OUTPUT)
  store<u32>(frame, load<u32>(sp - 64), F_OUTPUT_LENGTH)
  return leave(frame, pc, sp - 64, gas, op, i32(op))
}

export function destroys(frame: usize, pc: usize, sp: usize, gas: i64, op: u32): i32 {
  if (load<u32>(frame, F_STATIC) != 0) return leave(frame, pc, sp, gas, op, STATIC_CHANGE)
  toAddress(ADDRESS, sp - 32)
  return leave(frame, pc + 1, sp, gas, op, i32(op))
}
