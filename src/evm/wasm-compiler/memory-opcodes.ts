// Opcodes on memory and on the input: words at once where they lie within what there is, else by way of the engine.
import { F_DATA, F_DATA_LENGTH, OUT_OF_GAS } from '../wasm/layout.ts'
import type { Emit } from './arithmetic.ts'
import type { Op } from './blocks.ts'
import { ACCESS, type Emitter, I64, OP, V128 } from './emitter.ts'
import { pushAny } from './limbs.ts'
import { BASE, FRAME, GAS, LEFT, MEMORY, SIZE } from './locals.ts'
import type { CompiledTrace } from './trace.ts'
import { type Limb, limbOf, limbsOf, push, pushVector, Word } from './word.ts'

/** Offsets beyond are left to the interpreter: no gas pays for memory there. */
const FAR = 1n << 31n
const UPPER_HALF = 32n

/** An address within memory: a constant offset from MEMORY, or one in a local. */
type Spot = { readonly local: number | undefined; readonly offset: number }

function pushSpot(emit: Emitter, spot: Spot): void {
  emit.get(MEMORY)
  if (spot.local !== undefined) emit.get(spot.local).op(OP.i32WrapI64, OP.i32Add)
}

/** Makes sure that there are so many bytes from the offset on; undefined: nothing can pay for them, and the trace is over. */
function reach(trace: CompiledTrace, op: Op, word: Word, length: number): Spot | undefined {
  const { emit, stack } = trace
  const limbs = limbsOf(emit, word)
  const isKnown = limbs.every((limb) => typeof limb === 'bigint')
  if (isKnown) {
    const offset = limbs.slice(1).every((limb) => limb === 0n) ? (limbs[0] as bigint) : FAR
    if (offset >= FAR) return trace.give(op)
    const end = Number(offset) + length
    if (end > trace.known) {
      stack.settle()
      emit.get(SIZE).i64(end).op(OP.i64LtU).if()
      emit.get(FRAME).i64(end).get(GAS)
      trace.call('touch')
      pay(trace, op)
      trace.look()
      emit.end()
      trace.known = Math.ceil(end / 32) * 32
    }
    return { local: undefined, offset: Number(offset) }
  }
  const [at] = limbs
  if (typeof at === 'bigint' && at >= FAR) return trace.give(op)
  stack.settle()
  // Within, also for what would wrap around.
  pushNear(emit, limbs)
  push(emit, at)
    .i64(length - 1)
    .op(OP.i64Add)
    .get(SIZE)
    .op(OP.i64LtU, OP.i32And, OP.i32Eqz)
    .if()
  pushNear(emit, limbs)
  emit.if(I64).get(FRAME)
  push(emit, at).i64(length).op(OP.i64Add).get(GAS)
  trace.call('touch')
  emit.else().i64(-OUT_OF_GAS).end()
  pay(trace, op)
  trace.look()
  emit.end()
  return { local: typeof at === 'bigint' ? undefined : at.local, offset: typeof at === 'bigint' ? Number(at) : 0 }
}

/** Whether an offset is below 2^32, onto the stack (i32). */
function pushNear(emit: Emitter, limbs: readonly Limb[]): void {
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
 * Takes the answer of an engine's function as the gas that is left. Below zero it is the reason, if the block could not fail
 * otherwise; else the interpreter runs the opcode, to find out which failure comes first.
 */
export function pay(trace: CompiledTrace, op: Op): void {
  const { emit } = trace
  emit.tee(LEFT).i64(0).op(OP.i64LtS).if()
  if (op.isSure) emit.i64(0).get(LEFT).op(OP.i64Sub, OP.i32WrapI64, OP.return)
  else trace.fall(op)
  emit.end()
  emit.get(LEFT).set(GAS)
}

const loadWord: Emit = (trace, op) => {
  const { emit, stack } = trace
  const spot = reach(trace, op, stack.peek(), 32)
  stack.pop()
  if (spot !== undefined) stack.push(readBytes(emit, () => pushSpot(emit, spot), spot.offset))
}

/** A word of 32 bytes, most significant first. */
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
  const spot = reach(trace, op, stack.peek(), 32)
  stack.pop()
  const word = stack.pop()
  if (spot === undefined) return
  for (const half of [1, 0] as const) {
    pushSpot(emit, spot)
    pushVector(emit, word, half)
    emit.reverseBytes().storeVector(spot.offset + (half === 1 ? 0 : 16))
  }
}

const storeByte: Emit = (trace, op) => {
  const { emit, stack } = trace
  const spot = reach(trace, op, stack.peek(), 1)
  stack.pop()
  const word = stack.pop()
  if (spot === undefined) return
  const limb = limbOf(emit, word, 0)
  pushSpot(emit, spot)
  push(emit, limb).access(ACCESS.i64Store8, spot.offset)
}

/** CALLDATALOAD: within the input at once. */
const loadInput: Emit = (trace) => {
  const { emit, stack } = trace
  const limbs = limbsOf(emit, stack.peek())
  const [at] = limbs
  const [low, high] = [emit.local(V128), emit.local(V128)]
  stack.protect(0, 1)
  pushNear(emit, limbs)
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
  const place = stack.place(stack.height - 1)
  for (const [i, limb] of limbs.entries()) push(emit.get(BASE), limb).access(ACCESS.i64Store, place.offset + 8 * i)
  emit.get(FRAME)
  trace.top()
  trace.call('dataAt')
  emit.get(BASE).loadVector(place.offset).set(low)
  emit
    .get(BASE)
    .loadVector(place.offset + 16)
    .set(high)
  emit.end()
  stack.forget(0)
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
    emit.get(SIZE).set(local)
    stack.push(Word.small({ local, bits: 33 }))
  },
}
