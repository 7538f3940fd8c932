// Writes the struct logs of a frame (`debug_traceTransaction` of go-ethereum) as JSON text. A record has two parts: stack,
// memory and return data are written before the opcode runs; the head (pc, op, gas, gasCost, depth) is written after it, when
// the cost is known, into space reserved before them. `../step-log.ts` takes the text, and ends the records of opcodes that the
// host carries out. Packed records have pc, op, depth and gas only. `runToMarked` is for tracers of certain opcodes only: it
// runs the others without a record.

import {
  CURRENT,
  F_CODE,
  F_CODE_LENGTH,
  F_DEPTH,
  F_GAS,
  F_MEMORY,
  F_MEMORY_SIZE,
  F_PC,
  F_STACK,
  F_TOP,
  LOG_AT,
  LOG_COUNT,
  LOG_END,
  LOG_ERROR,
  LOG_FLAGS,
  LOG_FULL,
  LOG_GAS,
  LOG_HEAD,
  LOG_HEIGHT,
  LOG_KEY,
  LOG_MEMORY,
  LOG_NAME_BYTES,
  LOG_NAMES,
  LOG_OFFSETS,
  LOG_OP,
  LOG_PACKED,
  LOG_PC,
  LOG_REFUND,
  LOG_RETURN,
  LOG_SHOWN,
  LOG_SLOT,
  LOG_SPILLED,
  LOG_STACK,
  LOG_STACK_TEXT,
  LOG_STORAGE,
  LOG_TAIL_END,
  LOG_TOP,
  LOG_WORDS,
  MARKED,
  MARKS,
  MISSING,
  PAUSED,
  REFUND,
  RETURN,
  SPILLED,
} from '../layout'
import { copyReturn } from './host'
import { interpretPlainly } from './run'
import { copy, isSame, isSmall, toBytes } from './word'

/** More gas than any frame has, and small enough for sums with it not to overflow. */
const ENDLESS: i64 = i64(1) << 62
const SLOAD: u32 = 0x54
const SSTORE: u32 = 0x55

/** Bytes of a packed record: pc u32, op u8, depth u24, gas f64; with LOG_TOP the item on top of the stack follows. */
const PACKED: u32 = 16
const WIDE: u32 = 48

/** Most characters of a stack item with its quotation marks and comma. */
const ITEM: u32 = 70
/** Most characters of a record without head, stack, memory and return data, with the slack that `put` writes beyond a text. */
const REST: u32 = 256
/** Bytes of return data that the host hands over at a time. */
const PIECE: u32 = 1024

/**
 * Runs and logs up to `most` opcodes of the current frame. Returns PAUSED: they have run; LOG_FULL: there is no room for the next
 * record, and its opcode has not run; LOG_SLOT: an SLOAD or SSTORE has run, and the host has to add the storage to its record;
 * else a reason as `step` does, and the host has to end the record with the cost.
 */
export function logSteps(most: u32): i32 {
  const frame = usize(load<u32>(CURRENT))
  const showsStorage = (load<u32>(LOG_FLAGS) & LOG_STORAGE) !== 0
  for (; most !== 0; most--) {
    if (!beginRecord(frame)) return LOG_FULL
    store<i64>(MISSING, 0)
    const reason = interpretPlainly(frame, ENDLESS, 1)
    if (reason !== PAUSED) return reason
    const op = load<u32>(LOG_OP)
    if (showsStorage && (op === SLOAD || op === SSTORE)) return LOG_SLOT
    // As in go-ethereum, without state gas.
    writeHead(load<i64>(LOG_GAS) - load<i64>(frame, F_GAS) - (load<i64>(SPILLED) - load<i64>(LOG_SPILLED)), 0)
    endRecord(0)
  }
  return PAUSED
}

/** Runs up to `most` opcodes of the current frame. PAUSED: they have run. MARKED: the next one is marked in MARKS. Else as `step`. */
export function runToMarked(most: u32): i32 {
  const frame = usize(load<u32>(CURRENT))
  for (; most !== 0; most--) {
    if (load<u8>(MARKS + usize(opcodeAt(frame, load<u32>(frame, F_PC)))) !== 0) return MARKED
    const reason = interpretPlainly(frame, ENDLESS, 1)
    if (reason !== PAUSED) return reason
  }
  return PAUSED
}

/** The opcode at a place of the code; after its end there is a STOP. */
// @inline
function opcodeAt(frame: usize, pc: u32): u32 {
  return pc < load<u32>(frame, F_CODE_LENGTH) ? u32(load<u8>(usize(load<u32>(frame, F_CODE)) + usize(pc))) : 0
}

/** Writes stack, memory and return data before the opcode; false, and nothing written, if there is no room. */
function beginRecord(frame: usize): bool {
  const flags = load<u32>(LOG_FLAGS)
  const stack = usize(load<u32>(frame, F_STACK))
  const top = usize(load<u32>(frame, F_TOP))
  const height = u32((top - stack) >> 5)
  const memory = (flags & LOG_MEMORY) !== 0 ? load<u32>(frame, F_MEMORY_SIZE) : 0
  const returned = (flags & LOG_RETURN) !== 0 ? load<u32>(RETURN, 4) : 0
  const items = (flags & LOG_STACK) !== 0 ? height : 0
  const tail = usize(load<u32>(LOG_AT)) + LOG_HEAD
  const length = u64(items + (memory >> 5)) * ITEM + (u64(returned) << 1) + u64(REST + PIECE)
  if (u64(tail) + length > u64(LOG_END)) return false

  const pc = load<u32>(frame, F_PC)
  const op = opcodeAt(frame, pc)
  store<u32>(LOG_PC, pc)
  store<u32>(LOG_OP, op)
  store<i64>(LOG_GAS, load<i64>(frame, F_GAS))
  store<i64>(LOG_SPILLED, load<i64>(SPILLED))
  store<u32>(LOG_HEIGHT, height)
  if (op === SLOAD || op === SSTORE) {
    toBytes(LOG_KEY, top - 32)
    toBytes(LOG_KEY + 32, top - 64)
  }
  if ((flags & LOG_PACKED) !== 0) {
    const packed = tail - LOG_HEAD
    store<u32>(packed, pc)
    store<u32>(packed, op | (load<u32>(frame, F_DEPTH) << 8), 4)
    store<f64>(packed, f64(load<i64>(frame, F_GAS)), 8)
    if ((flags & LOG_TOP) !== 0) {
      if (height !== 0) toBytes(packed + PACKED, top - 32)
      else {
        v128.store(packed + PACKED, i64x2.splat(0))
        v128.store(packed + PACKED + 16, i64x2.splat(0))
      }
    }
    return true
  }
  let at = tail
  if ((flags & LOG_STACK) !== 0) at = writeStack(at, stack, height)
  if (memory !== 0) at = writeMemory(at, usize(load<u32>(frame, F_MEMORY)), memory)
  if (returned !== 0) at = writeReturned(at, returned)
  store<u32>(LOG_TAIL_END, u32(at))
  return true
}

/** Writes the head and moves the rest of the record up to it. `errorLength`: of the JSON text at LOG_ERROR, or 0. */
export function writeHead(cost: i64, errorLength: u32): void {
  if ((load<u32>(LOG_FLAGS) & LOG_PACKED) !== 0) return
  const start = usize(load<u32>(LOG_AT))
  const name = usize(LOG_NAMES) + usize(load<u32>(LOG_OP)) * LOG_NAME_BYTES
  let at = number(put(start, ',{"pc":'), u64(load<u32>(LOG_PC)))
  at = put(at, ',"op":"')
  copy(at, name + 1)
  at = put(at + usize(load<u8>(name)), '","gas":')
  at = number(at, u64(load<i64>(LOG_GAS)))
  at = number(put(at, ',"gasCost":'), u64(cost))
  at = number(put(at, ',"depth":'), u64(load<u32>(usize(load<u32>(CURRENT)), F_DEPTH)) + 1)
  if (errorLength !== 0) {
    at = put(at, ',"error":')
    memory.copy(at, LOG_ERROR, usize(errorLength))
    at += usize(errorLength)
  }
  const tail = start + LOG_HEAD
  const length = usize(load<u32>(LOG_TAIL_END)) - tail
  memory.copy(at, tail, length)
  store<u32>(LOG_AT, u32(at + length))
}

/** Ends the record with the refund, grown by `more`. */
export function endRecord(more: i64): void {
  let at = usize(load<u32>(LOG_AT))
  const flags = load<u32>(LOG_FLAGS)
  if ((flags & LOG_PACKED) !== 0) {
    store<u32>(LOG_AT, u32(at) + ((flags & LOG_TOP) !== 0 ? WIDE : PACKED))
    store<u32>(LOG_COUNT, load<u32>(LOG_COUNT) + 1)
    return
  }
  const refund = load<i64>(LOG_REFUND) + load<i64>(REFUND) + more
  if (refund > 0) at = number(put(at, ',"refund":'), u64(refund))
  store<u8>(at, 0x7d)
  store<u32>(LOG_AT, u32(at) + 1)
  store<u32>(LOG_COUNT, load<u32>(LOG_COUNT) + 1)
}

/** Writes the stack. Most items are those of the last record: their text is copied, and only changed items are formatted. */
function writeStack(at: usize, stack: usize, height: u32): usize {
  const shown = load<u32>(LOG_SHOWN)
  const common = shown < height ? shown : height
  let i: u32 = 0
  while (i < common && isSame(stack + (usize(i) << 5), LOG_WORDS + (usize(i) << 5))) i++
  let end = usize(LOG_STACK_TEXT) + usize(load<u32>(LOG_OFFSETS + (usize(i) << 2)))
  for (; i < height; i++) {
    const word = stack + (usize(i) << 5)
    copy(LOG_WORDS + (usize(i) << 5), word)
    end = writeItem(end, word)
    store<u32>(LOG_OFFSETS + (usize(i) << 2), u32(end) - LOG_STACK_TEXT, 4)
  }
  store<u32>(LOG_SHOWN, height)
  at = put(at, ',"stack":[')
  const length = end - LOG_STACK_TEXT
  // Without the comma after the last item.
  const taken = length === 0 ? 0 : length - 1
  memory.copy(at, LOG_STACK_TEXT, taken)
  store<u8>(at + taken, 0x5d)
  return at + taken + 1
}

/** `"0x2a",` */
function writeItem(at: usize, word: usize): usize {
  at = put(at, '"0x')
  if (isSmall(word)) {
    const value = load<u64>(word)
    const digits = value === 0 ? 1 : (67 - usize(clz(value))) >> 2
    v128.store(at, hex(value << ((16 - digits) << 2)))
    at += digits
  } else {
    let limb = usize(24)
    while (load<u64>(word + limb) === 0) limb -= 8
    const value = load<u64>(word + limb)
    const digits = (67 - usize(clz(value))) >> 2
    v128.store(at, hex(value << ((16 - digits) << 2)))
    at += digits
    while (limb !== 0) {
      limb -= 8
      v128.store(at, hex(load<u64>(word + limb)))
      at += 16
    }
  }
  store<u16>(at, 0x2c22)
  return at + 2
}

function writeMemory(at: usize, from: usize, size: u32): usize {
  at = put(at, ',"memory":[')
  for (const end = from + usize(size); from < end; from += 32) {
    at = put(at, '"0x')
    at = writeBytes(at, from, 32)
    store<u16>(at, 0x2c22)
    at += 2
  }
  store<u8>(at - 1, 0x5d)
  return at
}

/** Writes the return data, which are at RETURN, or with the host if they exceed RETURN_LIMIT. */
function writeReturned(at: usize, length: u32): usize {
  at = put(at, ',"returnData":"0x')
  const place = usize(load<u32>(RETURN))
  if (place !== 0) at = writeBytes(at, place, length)
  else {
    for (let offset: u32 = 0; offset < length; offset += PIECE) {
      const taken = length - offset < PIECE ? length - offset : PIECE
      // The end of the space for text serves as a buffer.
      const piece = usize(LOG_END) - PIECE
      copyReturn(piece, offset, usize(taken))
      at = writeBytes(at, piece, taken)
    }
  }
  store<u8>(at, 0x22)
  return at + 1
}

/** Bytes as hexadecimal digits. */
function writeBytes(at: usize, from: usize, length: u32): usize {
  let i: u32 = 0
  for (; i + 8 <= length; i += 8) {
    v128.store(at, hex(bswap(load<u64>(from + usize(i)))))
    at += 16
  }
  if (i < length) {
    v128.store(at, hex(bswap(load<u64>(from + usize(i)))))
    at += usize(length - i) << 1
  }
  return at
}

/** The 16 hexadecimal digits of a number. */
// @inline
function hex(value: u64): v128 {
  const bytes = i64x2.splat(bswap(value))
  const high = v128.shr<u8>(bytes, 4)
  const low = v128.and(bytes, i8x16.splat(15))
  const digits = v128.shuffle<u8>(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
  // 0 to 9, a to f
  const letters = i8x16(48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 97, 98, 99, 100, 101, 102)
  return v128.swizzle(letters, digits)
}

/** Writes a number in decimal digits. */
function number(at: usize, value: u64): usize {
  let end = at + 1
  for (let rest = value; rest >= 10; rest /= 10) end++
  for (let to = end - 1; to >= at; to--) {
    store<u8>(to, u8(48 + (value % 10)))
    value /= 10
  }
  return end
}

/** Writes a text of ASCII, and up to 15 bytes more that the next text replaces. */
function put(at: usize, text: string): usize {
  const from = changetype<usize>(text)
  const length = usize(text.length)
  for (let i: usize = 0; i < length; i += 16) {
    const first = v128.load(from + (i << 1))
    v128.store(at + i, v128.narrow<i16>(first, v128.load(from + (i << 1), 16)))
  }
  return at + length
}
