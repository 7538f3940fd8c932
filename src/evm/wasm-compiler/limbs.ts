// 256-bit arithmetic from 64-bit instructions on limbs, with constant folding. Each limb has an upper bound of its value
// (`bits`), so that carries and products that cannot occur emit no code.
import { type Emitter, I64, OP } from './emitter.ts'
import { type Limb, type Limbs, MASK, popToLocal, push } from './word.ts'

const LOW = 0xffff_ffffn
const isZero = (limb: Limb): boolean => limb === 0n
const bitsOf = (limb: Limb): number => (typeof limb === 'bigint' ? limb.toString(2).length : limb.bits)

/** x + y + carry, and the carry out; `carry` is 0 or 1. `isLast`: the carry out is not needed. */
function addLimb(emit: Emitter, x: Limb, y: Limb, carry: Limb, isLast: boolean): readonly [Limb, Limb] {
  if (typeof x === 'bigint' && typeof y === 'bigint' && typeof carry === 'bigint') {
    const sum = x + y + carry
    return [sum & MASK, sum >> 64n]
  }
  const terms = [x, y, carry].filter((term) => !isZero(term))
  const [first = 0n, second, third] = terms
  if (second === undefined) return [first, 0n]
  const bits = Math.max(bitsOf(x), bitsOf(y)) + 1
  if (third === undefined) {
    push(push(emit, first), second).op(OP.i64Add)
    if (bits <= 64) return [popToLocal(emit, bits), 0n]
    const sum = popToLocal(emit)
    return [sum, isLast ? 0n : less(emit, sum, second)]
  }
  push(push(emit, x), y).op(OP.i64Add)
  const half = popToLocal(emit)
  push(push(emit, half), carry).op(OP.i64Add)
  const sum = popToLocal(emit)
  if (isLast) return [sum, 0n]
  push(push(emit, half), y).op(OP.i64LtU)
  push(push(emit, sum), carry).op(OP.i64LtU, OP.i32Or, OP.i64ExtendI32U)
  return [sum, popToLocal(emit, 1)]
}

function less(emit: Emitter, a: Limb, b: Limb): Limb {
  push(push(emit, a), b).op(OP.i64LtU, OP.i64ExtendI32U)
  return popToLocal(emit, 1)
}

export function add(emit: Emitter, a: Limbs, b: Limbs): Limbs {
  const [r0, c0] = addLimb(emit, a[0], b[0], 0n, false)
  const [r1, c1] = addLimb(emit, a[1], b[1], c0, false)
  const [r2, c2] = addLimb(emit, a[2], b[2], c1, false)
  const [r3] = addLimb(emit, a[3], b[3], c2, true)
  return [r0, r1, r2, r3]
}

/** x - y - borrow, and the borrow out. */
function subLimb(emit: Emitter, x: Limb, y: Limb, borrow: Limb, isLast: boolean): readonly [Limb, Limb] {
  if (typeof x === 'bigint' && typeof y === 'bigint' && typeof borrow === 'bigint') {
    const difference = x - y - borrow
    return [difference & MASK, difference < 0n ? 1n : 0n]
  }
  if (isZero(y) && isZero(borrow)) return [x, 0n]
  if (isZero(y) || isZero(borrow)) {
    const taken = isZero(y) ? borrow : y
    push(push(emit, x), taken).op(OP.i64Sub)
    const difference = popToLocal(emit)
    return [difference, isLast ? 0n : less(emit, x, taken)]
  }
  push(push(emit, x), y).op(OP.i64Sub)
  const half = popToLocal(emit)
  push(push(emit, half), borrow).op(OP.i64Sub)
  const difference = popToLocal(emit)
  if (isLast) return [difference, 0n]
  push(push(emit, x), y).op(OP.i64LtU)
  push(push(emit, half), borrow).op(OP.i64LtU, OP.i32Or, OP.i64ExtendI32U)
  return [difference, popToLocal(emit, 1)]
}

export function sub(emit: Emitter, a: Limbs, b: Limbs): Limbs {
  const [r0, c0] = subLimb(emit, a[0], b[0], 0n, false)
  const [r1, c1] = subLimb(emit, a[1], b[1], c0, false)
  const [r2, c2] = subLimb(emit, a[2], b[2], c1, false)
  const [r3] = subLimb(emit, a[3], b[3], c2, true)
  return [r0, r1, r2, r3]
}

/** Pushes the OR of the limbs onto WebAssembly's stack: not zero if any of them is not. */
export function pushAny(emit: Emitter, limbs: readonly Limb[]): void {
  const [first, ...others] = limbs.filter((limb) => !isZero(limb))
  push(emit, first ?? 0n)
  for (const limb of others) push(emit, limb).op(OP.i64Or)
}

/** Pushes a < b onto WebAssembly's stack (i32). */
export function pushLess(emit: Emitter, a: Limbs, b: Limbs, isSigned = false): void {
  const top = isSigned ? 3 : 4
  // Number of limbs up to the highest that may be set. Limbs that only one operand has decide the comparison.
  const used = (limbs: Limbs): number => {
    let count = top
    while (count > 1 && isZero(limbs[count - 1] ?? 0n)) count--
    return count
  }
  const common = isSigned ? 3 : Math.min(used(a), used(b))
  push(push(emit, a[0]), b[0]).op(OP.i64LtU)
  for (let i = 1; i < common; i++) {
    const [x = 0n, y = 0n] = [a[i], b[i]]
    push(push(emit, x), y).op(OP.i64Eq, OP.i32And)
    push(push(emit, x), y).op(OP.i64LtU, OP.i32Or)
  }
  if (isSigned) {
    push(push(emit, a[3]), b[3]).op(OP.i64Eq, OP.i32And)
    push(push(emit, a[3]), b[3]).op(OP.i64LtS, OP.i32Or)
    return
  }
  if (used(a) > common) {
    pushAny(emit, a.slice(common))
    emit.op(OP.i64Eqz, OP.i32And)
  } else if (used(b) > common) {
    pushAny(emit, b.slice(common))
    emit.i64(0).op(OP.i64Ne, OP.i32Or)
  }
}

/** Pushes the OR of the limbs' differences onto WebAssembly's stack: zero if a = b. */
export function pushDifference(emit: Emitter, a: Limbs, b: Limbs): void {
  let count = 0
  for (const [i, x] of a.entries()) {
    const y = b[i] ?? 0n
    if (typeof x === 'bigint' && x === y) continue
    if (isZero(y)) push(emit, x)
    else if (isZero(x)) push(emit, y)
    else push(push(emit, x), y).op(OP.i64Xor)
    if (count++ > 0) emit.op(OP.i64Or)
  }
  if (count === 0) emit.i64(0)
}

export function bitwise(emit: Emitter, x: Limb, y: Limb, kind: 'and' | 'or' | 'xor'): Limb {
  if (typeof x === 'bigint') return typeof y === 'bigint' ? folded(x, y, kind) : bitwise(emit, y, x, kind)
  const [left, right] = [x.bits, bitsOf(y)]
  if (kind === 'and') {
    if (isZero(y)) return 0n
    if (typeof y === 'bigint' && (y & ((1n << BigInt(left)) - 1n)) === (1n << BigInt(left)) - 1n) return x
    push(push(emit, x), y).op(OP.i64And)
    return popToLocal(emit, Math.min(left, right))
  }
  if (isZero(y)) return x
  if (kind === 'or' && y === MASK) return MASK
  push(push(emit, x), y).op(kind === 'or' ? OP.i64Or : OP.i64Xor)
  return popToLocal(emit, Math.max(left, right))
}

const folded = (x: bigint, y: bigint, kind: 'and' | 'or' | 'xor'): bigint =>
  kind === 'and' ? x & y : kind === 'or' ? x | y : x ^ y

/** (x << left) | (y >> (64 - left)), 0 < left < 64. */
function joined(emit: Emitter, x: Limb, y: Limb, left: number): Limb {
  const upper = shiftedLeft(emit, x, left)
  const lower = shiftedRight(emit, y, 64 - left)
  return bitwise(emit, upper, lower, 'or')
}

function shiftedLeft(emit: Emitter, x: Limb, bits: number): Limb {
  if (typeof x === 'bigint') return (x << BigInt(bits)) & MASK
  push(emit, x).i64(bits).op(OP.i64Shl)
  return popToLocal(emit, Math.min(64, x.bits + bits))
}

function shiftedRight(emit: Emitter, x: Limb, bits: number): Limb {
  if (typeof x === 'bigint') return x >> BigInt(bits)
  if (bits >= x.bits) return 0n
  push(emit, x).i64(bits).op(OP.i64ShrU)
  return popToLocal(emit, x.bits - bits)
}

/** Shifts left by a constant number of bits below 256. */
export function shiftLeft(emit: Emitter, a: Limbs, bits: number): Limbs {
  const [limbs, rest] = [bits >> 6, bits & 63]
  const at = (i: number): Limb => {
    const [x, y] = [a[i - limbs] ?? 0n, a[i - limbs - 1] ?? 0n]
    return rest === 0 ? x : joined(emit, x, y, rest)
  }
  return [at(0), at(1), at(2), at(3)]
}

/** Shifts right by a constant number of bits below 256. `fill`: the limb shifted in on the left, 0 or all ones. */
export function shiftRight(emit: Emitter, a: Limbs, bits: number, fill: Limb = 0n): Limbs {
  const [limbs, rest] = [bits >> 6, bits & 63]
  const at = (i: number): Limb => {
    const [x, y] = [a[i + limbs] ?? fill, a[i + limbs + 1] ?? fill]
    return rest === 0 ? x : joined(emit, y, x, 64 - rest)
  }
  return [at(0), at(1), at(2), at(3)]
}

/** All ones if the limb's highest bit is set, else zero. */
export function signOf(emit: Emitter, x: Limb): Limb {
  if (typeof x === 'bigint') return x >> 63n === 1n ? MASK : 0n
  if (x.bits < 64) return 0n
  push(emit, x).i64(63).op(OP.i64ShrS)
  return popToLocal(emit)
}

// --- products

type Halves = readonly [Limb, Limb]

/** The upper 64 bits of a 64 x 64 bit product, from 32-bit halves: WebAssembly has no instruction for it. */
function highOf(emit: Emitter, [x0, x1]: Halves, [y0, y1]: Halves): Limb {
  const times = (x: Limb, y: Limb): Limb => {
    if (isZero(x) || isZero(y)) return 0n
    if (typeof x === 'bigint' && typeof y === 'bigint') return x * y
    push(push(emit, x), y).op(OP.i64Mul)
    return popToLocal(emit, Math.min(64, bitsOf(x) + bitsOf(y)))
  }
  const plus = (x: Limb, y: Limb): Limb => addLimb(emit, x, y, 0n, true)[0]
  const left = plus(times(x1, y0), shiftedRight(emit, times(x0, y0), 32))
  const right = plus(times(x0, y1), bitwise(emit, left, LOW, 'and'))
  return plus(plus(times(x1, y1), shiftedRight(emit, left, 32)), shiftedRight(emit, right, 32))
}

const halvesOf = (emit: Emitter, x: Limb): Halves => [bitwise(emit, x, LOW, 'and'), shiftedRight(emit, x, 32)]

function lowOf(emit: Emitter, x: Limb, y: Limb): Limb {
  if (isZero(x) || isZero(y)) return 0n
  if (x === 1n) return y
  if (y === 1n) return x
  if (typeof x === 'bigint' && typeof y === 'bigint') return (x * y) & MASK
  push(push(emit, x), y).op(OP.i64Mul)
  return popToLocal(emit, Math.min(64, bitsOf(x) + bitsOf(y)))
}

/** The product modulo 2^256 by columns (schoolbook multiplication). */
export function multiply(emit: Emitter, a: Limbs, b: Limbs): Limbs {
  const halves = new Map<Limb, Halves>()
  const half = (x: Limb): Halves => {
    const known = halves.get(x) ?? halvesOf(emit, x)
    halves.set(x, known)
    return known
  }
  const columns: [Limb[], Limb[], Limb[], Limb[]] = [[], [], [], []]
  for (const [i, x] of a.entries()) {
    for (const [j, y] of b.entries()) {
      if (isZero(x) || isZero(y)) continue
      columns[i + j]?.push(lowOf(emit, x, y))
      if (i + j < 3 && bitsOf(x) + bitsOf(y) > 64) columns[i + j + 1]?.push(highOf(emit, half(x), half(y)))
    }
  }
  const sums = columns.map((terms, column) => {
    const next = columns[column + 1]
    return terms.reduce<Limb>((sum, term) => {
      const [result, carry] = addLimb(emit, sum, term, 0n, next === undefined)
      if (!isZero(carry)) next?.push(carry)
      return result
    }, 0n)
  })
  const [r0 = 0n, r1 = 0n, r2 = 0n, r3 = 0n] = sums
  return [r0, r1, r2, r3]
}

/** Sets the result locals at the end of one of two branches. */
export function assign(emit: Emitter, to: readonly number[], from: readonly Limb[]): void {
  for (const [i, local] of to.entries()) push(emit, from[i] ?? 0n).set(local)
}

export const newLimbs = (emit: Emitter): [number, number, number, number] => [
  emit.local(I64),
  emit.local(I64),
  emit.local(I64),
  emit.local(I64),
]
