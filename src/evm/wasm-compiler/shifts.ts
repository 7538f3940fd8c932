// SHL, SHR, SAR, BYTE, SIGNEXTEND and CLZ: inline where the distance is a constant, else by the engine's functions.
import type { Emit } from './arithmetic.ts'
import { callOnMemory } from './arithmetic.ts'
import { ACCESS, OP } from './emitter.ts'
import { bitwise, pushAny, shiftLeft, shiftRight, signOf } from './limbs.ts'
import { BASE } from './locals.ts'
import type { CompiledTrace } from './trace.ts'
import { constantOf, limbOf, limbsOf, MASK, push, Word } from './word.ts'

/** Pushes a shift distance onto WebAssembly's stack (i64), with 2^64 - 1 for greater ones. */
function pushClamped(trace: CompiledTrace, word: Word): void {
  const { emit } = trace
  const limbs = limbsOf(emit, word)
  emit.i64(MASK)
  push(emit, limbs[0])
  pushAny(emit, limbs.slice(1))
  emit.i64(0).op(OP.i64Ne, OP.select)
}

const shift =
  (kind: 'left' | 'right' | 'signed'): Emit =>
  (trace) => {
    const { emit, stack } = trace
    const bits = constantOf(stack.peek(0))
    if (bits === undefined) {
      shiftOnMemory(trace, kind)
      return
    }
    stack.pop()
    const word = stack.pop()
    const fill = kind === 'signed' ? signOf(emit, limbOf(emit, word, 3)) : 0n
    if (bits > 255n) stack.push(Word.of(fill, fill, fill, fill))
    else if (bits === 0n) stack.push(word)
    else {
      const limbs = limbsOf(emit, word)
      const by = Number(bits)
      stack.push(Word.of(...(kind === 'left' ? shiftLeft(emit, limbs, by) : shiftRight(emit, limbs, by, fill))))
    }
  }

function shiftOnMemory(trace: CompiledTrace, kind: 'left' | 'right' | 'signed'): void {
  const { emit, stack } = trace
  const [bits, word] = [stack.peek(0), stack.peek(1)]
  const fill = kind === 'signed' ? signOf(emit, limbOf(emit, word, 3)) : 0n
  limbsOf(emit, bits)
  stack.spillTop(2)
  stack.preserve(1, 2)
  for (let i = 0; i < 2; i++)
    emit
      .get(BASE)
      .i32(stack.offset(stack.height - 2))
      .op(OP.i32Add)
  pushClamped(trace, bits)
  if (kind !== 'left') push(emit, fill)
  trace.call(kind === 'left' ? 'shiftLeft' : 'shiftRight')
  stack.pop()
  stack.pop()
  stack.pushResult()
}

/** BYTE: index 0 is the most significant byte. */
const byte: Emit = (trace) => {
  const { emit, stack } = trace
  const index = constantOf(stack.peek(0))
  if (index !== undefined) {
    stack.pop()
    const word = stack.pop()
    if (index > 31n) stack.push(Word.constant(0n))
    else {
      const limb = limbOf(emit, word, 3 - Number(index >> 3n))
      const [shifted] = shiftRight(emit, [limb, 0n, 0n, 0n], Number(7n - (index & 7n)) * 8)
      stack.push(Word.small(bitwise(emit, shifted, 255n, 'and')))
    }
    return
  }
  const limbs = limbsOf(emit, stack.peek(0))
  stack.spillTop(2)
  stack.pop()
  // Load the byte at the index modulo 32, then select 0 if the index is 32 or greater.
  emit.get(BASE).i64(31n)
  push(emit, limbs[0]).i64(31n).op(OP.i64And, OP.i64Sub, OP.i32WrapI64, OP.i32Add)
  emit.access(ACCESS.i64Load8U, stack.offset(stack.height - 1)).i64(0)
  push(emit, limbs[0]).i64(32).op(OP.i64LtU)
  pushAny(emit, limbs.slice(1))
  emit.op(OP.i64Eqz, OP.i32And, OP.select)
  stack.pop()
  stack.push(Word.small(trace.newLimb(8)))
}

const signExtend: Emit = (trace) => {
  const { emit, stack } = trace
  const index = constantOf(stack.peek(0))
  if (index === undefined) {
    callOnMemory(trace, 'signExtend', 2)
    return
  }
  stack.pop()
  if (index >= 31n) return
  const limbs = limbsOf(emit, stack.pop())
  const unused = 248 - Number(index) * 8
  const left = shiftLeft(emit, limbs, unused)
  stack.push(Word.of(...shiftRight(emit, left, unused, signOf(emit, left[3]))))
}

const leadingZeros: Emit = (trace) => {
  const { emit, stack } = trace
  const limbs = limbsOf(emit, stack.pop())
  // From the lowest limb up, so that the highest limb that is not zero decides.
  push(emit, limbs[0]).op(OP.i64Clz).i64(192).op(OP.i64Add)
  for (const [i, limb] of limbs.entries()) {
    if (i === 0) continue
    const below = trace.newLimb()
    push(emit, limb)
      .op(OP.i64Clz)
      .i64(192 - 64 * i)
      .op(OP.i64Add)
    push(emit, below)
    push(emit, limb).i64(0).op(OP.i64Ne, OP.select)
  }
  stack.push(Word.small(trace.newLimb(9)))
}

export const SHIFTS: Readonly<Record<number, Emit>> = {
  11: signExtend,
  26: byte,
  27: shift('left'),
  28: shift('right'),
  29: shift('signed'),
  30: leadingZeros,
}
