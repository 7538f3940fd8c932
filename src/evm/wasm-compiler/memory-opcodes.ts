// MLOAD, MSTORE, MSTORE8, MSIZE and CALLDATALOAD. An access within the present memory size is a load or store; for any other one
// the engine's `touch` charges the expansion and grows the memory first.
import { F_DATA, F_DATA_LENGTH, OUT_OF_GAS } from '../wasm/layout.ts'
import type { Emit } from './arithmetic.ts'
import type { Op } from './blocks.ts'
import { ACCESS, type Emitter, I64, OP, V128 } from './emitter.ts'
import { pushAny } from './limbs.ts'
import { BASE, FRAME, GAS, MEMORY, MEMORY_SIZE, RESULT } from './locals.ts'
import type { CompiledTrace } from './trace.ts'
import { type Limb, limbOf, limbsOf, push, pushVector, Word } from './word.ts'

/** No gas limit pays for memory at this offset; an access there is left to the interpreter, which fails it. */
const UNREACHABLE = 1n << 31n
const UPPER_HALF = 32n

/** An address in the frame's memory: MEMORY plus `local`, if there is one, plus a constant offset. */
type MemoryAddress = { readonly local: number | undefined; readonly offset: number }

function pushBase(emit: Emitter, address: MemoryAddress): void {
  emit.get(MEMORY)
  if (address.local !== undefined) emit.get(address.local).op(OP.i32WrapI64, OP.i32Add)
}

/**
 * Emits code that makes sure that the memory has `length` bytes from the offset on, and charges for growing it. Returns
 * undefined if the constant offset is beyond any gas; the trace has ended then.
 */
function ensureMemory(trace: CompiledTrace, op: Op, word: Word, length: number): MemoryAddress | undefined {
  const { emit, stack } = trace
  const limbs = limbsOf(emit, word)
  const isKnown = limbs.every((limb) => typeof limb === 'bigint')
  if (isKnown) {
    const offset = limbs.slice(1).every((limb) => limb === 0n) ? (limbs[0] as bigint) : UNREACHABLE
    if (offset >= UNREACHABLE) return trace.endInInterpreter(op)
    const end = Number(offset) + length
    if (end > trace.knownMemory) {
      stack.reloadMisplaced()
      emit.get(MEMORY_SIZE).i64(end).op(OP.i64LtU).if()
      emit.get(FRAME).i64(end).get(GAS)
      trace.call('touch')
      chargeResult(trace, op)
      trace.reloadMemorySize()
      emit.end()
      trace.knownMemory = Math.ceil(end / 32) * 32
    }
    return { local: undefined, offset: Number(offset) }
  }
  const [at] = limbs
  if (typeof at === 'bigint' && at >= UNREACHABLE) return trace.endInInterpreter(op)
  stack.reloadMisplaced()
  // The offset must be below 2^32 before its last byte is compared with the size, so that the sum cannot wrap.
  pushFitsU32(emit, limbs)
  push(emit, at)
    .i64(length - 1)
    .op(OP.i64Add)
    .get(MEMORY_SIZE)
    .op(OP.i64LtU, OP.i32And, OP.i32Eqz)
    .if()
  pushFitsU32(emit, limbs)
  emit.if(I64).get(FRAME)
  push(emit, at).i64(length).op(OP.i64Add).get(GAS)
  trace.call('touch')
  emit.else().i64(-OUT_OF_GAS).end()
  chargeResult(trace, op)
  trace.reloadMemorySize()
  emit.end()
  return { local: typeof at === 'bigint' ? undefined : at.local, offset: typeof at === 'bigint' ? Number(at) : 0 }
}

/** Pushes onto WebAssembly's stack (i32) whether an offset is below 2^32. */
function pushFitsU32(emit: Emitter, limbs: readonly Limb[]): void {
  const [low = 0n, ...upper] = limbs
  const isShort = typeof low === 'bigint' || low.bits <= 32
  if (isShort && upper.every((limb) => limb === 0n)) {
    emit.i32(1)
    return
  }
  pushAny(emit, upper)
  if (!isShort) push(emit, low).i64(UPPER_HALF).op(OP.i64ShrU, OP.i64Or)
  emit.op(OP.i64Eqz)
}

/**
 * Takes the result of an engine function as the gas left. Below zero it is minus a reason: the function returns the reason if
 * the rest of the block can fail for gas only; otherwise a side exit lets the interpreter find the first failure.
 */
export function chargeResult(trace: CompiledTrace, op: Op): void {
  const { emit } = trace
  emit.tee(RESULT).i64(0).op(OP.i64LtS).if()
  if (op.failsOnlyForGas) emit.i64(0).get(RESULT).op(OP.i64Sub, OP.i32WrapI64, OP.return)
  else trace.sideExit(op)
  emit.end()
  emit.get(RESULT).set(GAS)
}

const loadWord: Emit = (trace, op) => {
  const { emit, stack } = trace
  const address = ensureMemory(trace, op, stack.peek(), 32)
  stack.pop()
  if (address !== undefined) stack.push(readBytes(emit, () => pushBase(emit, address), address.offset))
}

/** Reads 32 big-endian bytes as a word. */
function readBytes(emit: Emitter, address: () => void, offset: number): Word {
  const [low, high] = [emit.local(V128), emit.local(V128)]
  address()
  emit.loadVector(offset).reverseBytes().set(high)
  address()
  emit
    .loadVector(offset + 16)
    .reverseBytes()
    .set(low)
  return Word.vector(low, high)
}

const storeWord: Emit = (trace, op) => {
  const { emit, stack } = trace
  const address = ensureMemory(trace, op, stack.peek(), 32)
  stack.pop()
  const word = stack.pop()
  if (address === undefined) return
  for (const half of [1, 0] as const) {
    pushBase(emit, address)
    pushVector(emit, word, half)
    emit.reverseBytes().storeVector(address.offset + (half === 1 ? 0 : 16))
  }
}

const storeByte: Emit = (trace, op) => {
  const { emit, stack } = trace
  const address = ensureMemory(trace, op, stack.peek(), 1)
  stack.pop()
  const word = stack.pop()
  if (address === undefined) return
  const limb = limbOf(emit, word, 0)
  pushBase(emit, address)
  push(emit, limb).access(ACCESS.i64Store8, address.offset)
}

/** CALLDATALOAD: two loads if all 32 bytes are within the input, else the engine's function. */
const loadInput: Emit = (trace) => {
  const { emit, stack } = trace
  const limbs = limbsOf(emit, stack.peek())
  const [at] = limbs
  const [low, high] = [emit.local(V128), emit.local(V128)]
  stack.preserve(0, 1)
  pushFitsU32(emit, limbs)
  push(emit, at).i64(31).op(OP.i64Add).get(FRAME).access(ACCESS.i64Load32U, F_DATA_LENGTH).op(OP.i64LtU, OP.i32And).if()
  const address = (): void => {
    emit.get(FRAME).access(ACCESS.i32Load, F_DATA)
    push(emit, at).op(OP.i32WrapI64, OP.i32Add)
  }
  address()
  emit.loadVector(0).reverseBytes().set(high)
  address()
  emit.loadVector(16).reverseBytes().set(low)
  emit.else()
  const { offset } = stack.slot(stack.height - 1)
  for (const [i, limb] of limbs.entries()) push(emit.get(BASE), limb).access(ACCESS.i64Store, offset + 8 * i)
  emit.get(FRAME)
  trace.pushStackTop()
  trace.call('dataAt')
  emit.get(BASE).loadVector(offset).set(low)
  emit
    .get(BASE)
    .loadVector(offset + 16)
    .set(high)
  emit.end()
  stack.clobber(0)
  stack.pop()
  stack.push(Word.vector(low, high))
}

export const MEMORY_OPCODES: Readonly<Record<number, Emit>> = {
  53: loadInput,
  81: loadWord,
  82: storeWord,
  83: storeByte,
  89: ({ emit, stack }) => {
    const local = emit.local(I64)
    emit.get(MEMORY_SIZE).set(local)
    stack.push(Word.small({ local, bits: 33 }))
  },
}
