// Opcodes that compute: on limbs in locals where that is short, by the engine's own functions where it is not.
import type { Op } from './blocks.ts'
import { ACCESS, OP } from './emitter.ts'
import type { Helper } from './helpers.ts'
import {
  add,
  assign,
  bitwise,
  multiply,
  newLimbs,
  pushAny,
  pushDifference,
  pushLess,
  shiftLeft,
  shiftRight,
  signOf,
  sub,
} from './limbs.ts'
import { BASE } from './locals.ts'
import type { Trace } from './trace.ts'
import { constantOf, type Limb, type Limbs, limbOf, limbsOf, MASK, push, Word, write } from './word.ts'

export type Emit = (trace: Trace, op: Op) => void

const FULL = (1n << 256n) - 1n
const cut = (value: bigint): bigint => value & FULL
const signed = (value: bigint): bigint => BigInt.asIntN(256, value)

/** An opcode of two words; `known`: what it makes of constants. */
const binary =
  (known: (a: bigint, b: bigint) => bigint, emit: (trace: Trace, a: Word, b: Word) => Word): Emit =>
  (trace) => {
    const { stack } = trace
    const [a, b] = [constantOf(stack.peek(0)), constantOf(stack.peek(1))]
    const [x, y] = [stack.pop(), stack.pop()]
    stack.push(a !== undefined && b !== undefined ? Word.constant(known(a, b)) : emit(trace, x, y))
  }

const onLimbs =
  (work: (emit: Trace['emit'], a: Limbs, b: Limbs) => Limbs) =>
  ({ emit }: Trace, a: Word, b: Word): Word =>
    Word.of(...work(emit, limbsOf(emit, a), limbsOf(emit, b)))

const compare = (isSigned: boolean, isTurned: boolean) => (trace: Trace, a: Word, b: Word) => {
  const { emit } = trace
  const [x, y] = [limbsOf(emit, a), limbsOf(emit, b)]
  if (isTurned) pushLess(emit, y, x, isSigned)
  else pushLess(emit, x, y, isSigned)
  return Word.flag(trace.newFlag())
}

function equal(trace: Trace, a: Word, b: Word): Word {
  const { emit } = trace
  if (constantOf(b) === 0n) return not(trace, a)
  if (constantOf(a) === 0n) return not(trace, b)
  pushDifference(emit, limbsOf(emit, a), limbsOf(emit, b))
  emit.op(OP.i64Eqz)
  return Word.flag(trace.newFlag())
}

function not(trace: Trace, a: Word): Word {
  const { emit } = trace
  if (a.flag !== undefined) emit.get(a.flag).op(OP.i32Eqz)
  else {
    pushAny(emit, limbsOf(emit, a))
    emit.op(OP.i64Eqz)
  }
  return Word.flag(trace.newFlag())
}

const limbwise =
  (kind: 'and' | 'or' | 'xor') =>
  ({ emit }: Trace, a: Word, b: Word): Word => {
    const at = (i: number): Limb => {
      // What a mask leaves nothing of need not be loaded.
      if (kind === 'and' && (a.limbs[i] === 0n || b.limbs[i] === 0n)) return 0n
      return bitwise(emit, limbOf(emit, a, i), limbOf(emit, b, i), kind)
    }
    return Word.of(at(0), at(1), at(2), at(3))
  }

/** The engine's function on words in memory: the answer goes where the lowest of them is. */
export function inMemory(trace: Trace, helper: Helper, items: 2 | 3): void {
  const { emit, stack } = trace
  stack.writeTop(items)
  stack.protect(items - 1, items)
  const address = (below: number): void => {
    emit
      .get(BASE)
      .i32(stack.offset(stack.height - 1 - below))
      .op(OP.i32Add)
  }
  address(items - 1)
  for (let i = 0; i < items; i++) address(i)
  trace.call(helper)
  for (let i = 0; i < items; i++) stack.pop()
  stack.pushWritten()
}

/** DIV and MOD: at once where both are below 2^64, in memory where not. */
const divide =
  (helper: 'div' | 'mod'): Emit =>
  (trace) => {
    const { emit, stack } = trace
    const [left, right] = [stack.peek(0), stack.peek(1)]
    const [a, b] = [constantOf(left), constantOf(right)]
    if (b !== undefined && (a !== undefined || (b & (b - 1n)) === 0n)) {
      stack.pop()
      stack.pop()
      stack.push(byPower(trace, left, a, b, helper))
      return
    }
    const [x, y] = [limbsOf(emit, left), limbsOf(emit, right)]
    const result = newLimbs(emit)
    stack.protect(0, 2)
    stack.protect(1, 2)
    pushAny(emit, [...x.slice(1), ...y.slice(1)])
    emit.op(OP.i64Eqz)
    push(emit, y[0]).i64(0).op(OP.i64Ne, OP.i32And).if()
    push(push(emit, x[0]), y[0]).op(helper === 'div' ? OP.i64DivU : OP.i64RemU)
    emit.set(result[0])
    for (const local of result.slice(1)) emit.i64(0).set(local)
    emit.else()
    const [from, to] = [stack.place(stack.height - 1), stack.place(stack.height - 2)]
    write(emit, Word.of(...x), from)
    write(emit, Word.of(...y), to)
    for (const { offset } of [to, from, to]) emit.get(BASE).i32(offset).op(OP.i32Add)
    trace.call(helper)
    const answer = Word.at(to)
    assign(emit, result, limbsOf(emit, answer))
    emit.end()
    stack.forget(0)
    stack.forget(1)
    stack.pop()
    stack.pop()
    const [r0, r1, r2, r3] = result
    const limb = (local: number): Limb => ({ local, bits: 64 })
    stack.push(Word.of(limb(r0), limb(r1), limb(r2), limb(r3)))
  }

/** By zero, a power of two, or of two constants. */
function byPower(trace: Trace, left: Word, a: bigint | undefined, b: bigint, helper: 'div' | 'mod'): Word {
  const { emit } = trace
  if (b === 0n) return Word.constant(0n)
  if (a !== undefined) return Word.constant(helper === 'div' ? a / b : a % b)
  if (helper === 'mod') return limbwise('and')(trace, left, Word.constant(b - 1n))
  return Word.of(...shiftRight(emit, limbsOf(emit, left), b.toString(2).length - 1))
}

function times(trace: Trace, a: Word, b: Word): Word {
  const { emit } = trace
  for (const [known, other] of [
    [constantOf(a), b],
    [constantOf(b), a],
  ] as const) {
    if (known === undefined) continue
    if (known === 0n) return Word.constant(0n)
    if ((known & (known - 1n)) === 0n)
      return Word.of(...shiftLeft(emit, limbsOf(emit, other), known.toString(2).length - 1))
  }
  const [x, y] = [limbsOf(emit, a), limbsOf(emit, b)]
  const upper = [...x.slice(1), ...y.slice(1)]
  // Wide for sure, or small for sure.
  if (upper.some((limb) => typeof limb === 'bigint' && limb !== 0n) || upper.every((limb) => limb === 0n))
    return Word.of(...multiply(emit, x, y))
  const result = newLimbs(emit)
  pushAny(emit, upper)
  emit.op(OP.i64Eqz).if()
  assign(emit, result, multiply(emit, [x[0], 0n, 0n, 0n], [y[0], 0n, 0n, 0n]))
  emit.else()
  assign(emit, result, multiply(emit, x, y))
  emit.end()
  const [r0, r1, r2, r3] = result
  const limb = (local: number): Limb => ({ local, bits: 64 })
  return Word.of(limb(r0), limb(r1), limb(r2), limb(r3))
}

/** A number of bits that counts up to 2^64 - 1, onto the stack. */
function pushClamped(trace: Trace, word: Word): void {
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
      shiftInMemory(trace, kind)
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

function shiftInMemory(trace: Trace, kind: 'left' | 'right' | 'signed'): void {
  const { emit, stack } = trace
  const [bits, word] = [stack.peek(0), stack.peek(1)]
  const fill = kind === 'signed' ? signOf(emit, limbOf(emit, word, 3)) : 0n
  limbsOf(emit, bits)
  stack.writeTop(2)
  stack.protect(1, 2)
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
  stack.pushWritten()
}

/** The byte of a word that counts from the left. */
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
  stack.writeTop(2)
  stack.pop()
  // Its address, or anywhere within the word where it is not to count.
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
    inMemory(trace, 'signExtend', 2)
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
  // From the lowest limb up: the highest that is not zero decides.
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

export const ARITHMETIC: Readonly<Record<number, Emit>> = {
  1: binary((a, b) => cut(a + b), onLimbs(add)),
  2: binary((a, b) => cut(a * b), times),
  3: binary((a, b) => cut(a - b), onLimbs(sub)),
  4: divide('div'),
  5: (trace) => inMemory(trace, 'divSigned', 2),
  6: divide('mod'),
  7: (trace) => inMemory(trace, 'modSigned', 2),
  8: (trace) => inMemory(trace, 'addMod', 3),
  9: (trace) => inMemory(trace, 'mulMod', 3),
  11: signExtend,
  16: binary((a, b) => BigInt(a < b), compare(false, false)),
  17: binary((a, b) => BigInt(a > b), compare(false, true)),
  18: binary((a, b) => BigInt(signed(a) < signed(b)), compare(true, false)),
  19: binary((a, b) => BigInt(signed(a) > signed(b)), compare(true, true)),
  20: binary((a, b) => BigInt(a === b), equal),
  21: (trace) => {
    const a = constantOf(trace.stack.peek())
    const word = trace.stack.pop()
    trace.stack.push(a !== undefined ? Word.constant(BigInt(a === 0n)) : not(trace, word))
  },
  22: binary((a, b) => a & b, limbwise('and')),
  23: binary((a, b) => a | b, limbwise('or')),
  24: binary((a, b) => a ^ b, limbwise('xor')),
  25: (trace) => {
    trace.stack.push(Word.constant(FULL))
    binary((a, b) => a ^ b, limbwise('xor'))(trace, { pc: 0, code: 0, value: 0n, rest: 0 })
  },
  26: byte,
  27: shift('left'),
  28: shift('right'),
  29: shift('signed'),
  30: leadingZeros,
}
