// Arithmetic and comparison opcodes. Additions, products, comparisons and bitwise operations are compiled inline on limbs in
// locals, and folded where both operands are constants. Signed division, ADDMOD and MULMOD call the engine's functions with
// operands in memory; DIV and MOD do so where an operand is 2^64 or greater.
import type { Op } from './blocks.ts'
import { OP } from './emitter.ts'
import type { EngineFunction } from './engine-functions.ts'
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
  sub,
} from './limbs.ts'
import { BASE } from './locals.ts'
import type { CompiledTrace } from './trace.ts'
import { constantOf, type Limb, type Limbs, limbOf, limbsOf, push, Word, write } from './word.ts'

export type Emit = (trace: CompiledTrace, op: Op) => void

const FULL = (1n << 256n) - 1n
const truncate = (value: bigint): bigint => value & FULL
const signed = (value: bigint): bigint => BigInt.asIntN(256, value)

/** An opcode with two operands. `known` computes the result of constants. */
const binary =
  (known: (a: bigint, b: bigint) => bigint, emit: (trace: CompiledTrace, a: Word, b: Word) => Word): Emit =>
  (trace) => {
    const { stack } = trace
    const [a, b] = [constantOf(stack.peek(0)), constantOf(stack.peek(1))]
    const [x, y] = [stack.pop(), stack.pop()]
    stack.push(a !== undefined && b !== undefined ? Word.constant(known(a, b)) : emit(trace, x, y))
  }

const onLimbs =
  (work: (emit: CompiledTrace['emit'], a: Limbs, b: Limbs) => Limbs) =>
  ({ emit }: CompiledTrace, a: Word, b: Word): Word =>
    Word.of(...work(emit, limbsOf(emit, a), limbsOf(emit, b)))

const compare = (isSigned: boolean, isSwapped: boolean) => (trace: CompiledTrace, a: Word, b: Word) => {
  const { emit } = trace
  const [x, y] = [limbsOf(emit, a), limbsOf(emit, b)]
  if (isSwapped) pushLess(emit, y, x, isSigned)
  else pushLess(emit, x, y, isSigned)
  return Word.flag(trace.newFlag())
}

function equal(trace: CompiledTrace, a: Word, b: Word): Word {
  const { emit } = trace
  if (constantOf(b) === 0n) return not(trace, a)
  if (constantOf(a) === 0n) return not(trace, b)
  pushDifference(emit, limbsOf(emit, a), limbsOf(emit, b))
  emit.op(OP.i64Eqz)
  return Word.flag(trace.newFlag())
}

function not(trace: CompiledTrace, a: Word): Word {
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
  ({ emit }: CompiledTrace, a: Word, b: Word): Word => {
    const at = (i: number): Limb => {
      // A limb that the mask makes zero need not be loaded.
      if (kind === 'and' && (a.limbs[i] === 0n || b.limbs[i] === 0n)) return 0n
      return bitwise(emit, limbOf(emit, a, i), limbOf(emit, b, i), kind)
    }
    return Word.of(at(0), at(1), at(2), at(3))
  }

/** Calls an engine function on operands in memory. The result overwrites the lowest operand, which is the new top. */
export function callOnMemory(trace: CompiledTrace, name: EngineFunction, items: 2 | 3): void {
  const { emit, stack } = trace
  stack.spillTop(items)
  stack.preserve(items - 1, items)
  const address = (below: number): void => {
    emit
      .get(BASE)
      .i32(stack.offset(stack.height - 1 - below))
      .op(OP.i32Add)
  }
  address(items - 1)
  for (let i = 0; i < items; i++) address(i)
  trace.call(name)
  for (let i = 0; i < items; i++) stack.pop()
  stack.pushResult()
}

/** DIV and MOD: one instruction if both operands are below 2^64, else the engine's function on memory. */
const divide =
  (name: 'div' | 'mod'): Emit =>
  (trace) => {
    const { emit, stack } = trace
    const [left, right] = [stack.peek(0), stack.peek(1)]
    const [a, b] = [constantOf(left), constantOf(right)]
    if (b !== undefined && (a !== undefined || (b & (b - 1n)) === 0n)) {
      stack.pop()
      stack.pop()
      stack.push(divideByConstant(trace, left, a, b, name))
      return
    }
    const [x, y] = [limbsOf(emit, left), limbsOf(emit, right)]
    const result = newLimbs(emit)
    stack.preserve(0, 2)
    stack.preserve(1, 2)
    pushAny(emit, [...x.slice(1), ...y.slice(1)])
    emit.op(OP.i64Eqz)
    push(emit, y[0]).i64(0).op(OP.i64Ne, OP.i32And).if()
    push(push(emit, x[0]), y[0]).op(name === 'div' ? OP.i64DivU : OP.i64RemU)
    emit.set(result[0])
    for (const local of result.slice(1)) emit.i64(0).set(local)
    emit.else()
    const [from, to] = [stack.slot(stack.height - 1), stack.slot(stack.height - 2)]
    write(emit, Word.of(...x), from)
    write(emit, Word.of(...y), to)
    for (const { offset } of [to, from, to]) emit.get(BASE).i32(offset).op(OP.i32Add)
    trace.call(name)
    const answer = Word.at(to)
    assign(emit, result, limbsOf(emit, answer))
    emit.end()
    stack.clobber(0)
    stack.clobber(1)
    stack.pop()
    stack.pop()
    const [r0, r1, r2, r3] = result
    const limb = (local: number): Limb => ({ local, bits: 64 })
    stack.push(Word.of(limb(r0), limb(r1), limb(r2), limb(r3)))
  }

/** DIV and MOD with the constant divisor `b`: zero, a power of two, or any if the dividend `a` is constant too. */
function divideByConstant(
  trace: CompiledTrace,
  left: Word,
  a: bigint | undefined,
  b: bigint,
  name: 'div' | 'mod',
): Word {
  const { emit } = trace
  if (b === 0n) return Word.constant(0n)
  if (a !== undefined) return Word.constant(name === 'div' ? a / b : a % b)
  if (name === 'mod') return limbwise('and')(trace, left, Word.constant(b - 1n))
  return Word.of(...shiftRight(emit, limbsOf(emit, left), b.toString(2).length - 1))
}

function multiplyWords(trace: CompiledTrace, a: Word, b: Word): Word {
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
  // If the upper limbs are known to be zero, or known not to be, no check at run time is needed.
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

export const ARITHMETIC: Readonly<Record<number, Emit>> = {
  1: binary((a, b) => truncate(a + b), onLimbs(add)),
  2: binary((a, b) => truncate(a * b), multiplyWords),
  3: binary((a, b) => truncate(a - b), onLimbs(sub)),
  4: divide('div'),
  5: (trace) => callOnMemory(trace, 'divSigned', 2),
  6: divide('mod'),
  7: (trace) => callOnMemory(trace, 'modSigned', 2),
  8: (trace) => callOnMemory(trace, 'addMod', 3),
  9: (trace) => callOnMemory(trace, 'mulMod', 3),
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
  25: (trace, op) => {
    trace.stack.push(Word.constant(FULL))
    binary((a, b) => a ^ b, limbwise('xor'))(trace, op)
  },
}
