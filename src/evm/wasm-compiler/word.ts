// The compiler's description of a 256-bit word: which limbs are constants, which are in locals, and the memory location of
// the rest. Four limbs of 64 bits, least significant first. Each limb is loaded once, when it is first used.
import { ACCESS, type Emitter, I64, OP, V128 } from './emitter.ts'
import { ZERO } from './locals.ts'

export const MASK = (1n << 64n) - 1n

/** 64 bits: a constant, or a local whose value is below 2^`bits`. */
export type Limb = bigint | { readonly local: number; readonly bits: number }
export type Limbs = readonly [Limb, Limb, Limb, Limb]

/** A location in linear memory: `offset` bytes from the address in the local `base`, or from 0. Limbs are little-endian. */
export type Location = { readonly base: number | undefined; readonly offset: number }

export class Word {
  readonly limbs: (Limb | undefined)[]
  /** A local (i32) that is 1 or 0 and is the word's value: the result of a comparison. */
  flag: number | undefined
  /** Locals (v128) with the lower and the upper two limbs. */
  vector: readonly [number, number] | undefined
  location: Location | undefined

  private constructor(limbs: (Limb | undefined)[]) {
    this.limbs = limbs
  }

  static constant(value: bigint): Word {
    return new Word([value & MASK, (value >> 64n) & MASK, (value >> 128n) & MASK, value >> 192n])
  }

  static of(...limbs: Limbs): Word {
    return new Word([...limbs])
  }

  /** A word below 2^64. */
  static small(limb: Limb): Word {
    return new Word([limb, 0n, 0n, 0n])
  }

  static flag(local: number): Word {
    const word = new Word([undefined, 0n, 0n, 0n])
    word.flag = local
    return word
  }

  static vector(low: number, high: number): Word {
    const word = new Word([undefined, undefined, undefined, undefined])
    word.vector = [low, high]
    return word
  }

  /** A word in memory. `limbs`: those that are known already. */
  static at(location: Location, limbs: (Limb | undefined)[] = []): Word {
    const word = new Word([limbs[0], limbs[1], limbs[2], limbs[3]])
    word.location = location
    return word
  }

  /** Whether all limbs are constants or in locals, so that memory need not be read. */
  get isInLocals(): boolean {
    return this.vector !== undefined || this.flag !== undefined || this.limbs.every((limb) => limb !== undefined)
  }

  /** All locals that hold a part of it. */
  *locals(): Iterable<number> {
    for (const limb of this.limbs) if (typeof limb === 'object') yield limb.local
    if (this.flag !== undefined) yield this.flag
    if (this.vector !== undefined) yield* this.vector
  }
}

/** The value, if it is a constant. */
export function constantOf({ limbs }: Word): bigint | undefined {
  const [a, b, c, d] = limbs
  if (typeof a !== 'bigint' || typeof b !== 'bigint' || typeof c !== 'bigint' || typeof d !== 'bigint') return undefined
  return a | (b << 64n) | (c << 128n) | (d << 192n)
}

const at = (emit: Emitter, { base }: Location): Emitter => (base === undefined ? emit.i32(0) : emit.get(base))

/** One limb of a word. If it has to be loaded, the word remembers the local, so that it is loaded once. */
export function limbOf(emit: Emitter, word: Word, index: number): Limb {
  const known = word.limbs[index]
  if (known !== undefined) return known
  const local = emit.local(I64)
  let bits = 64
  if (word.flag !== undefined) {
    emit.get(word.flag).op(OP.i64ExtendI32U)
    bits = 1
  } else if (word.vector !== undefined) emit.get(word.vector[index >> 1] ?? 0).lane(index & 1 ? 1 : 0)
  else if (word.location !== undefined) at(emit, word.location).access(ACCESS.i64Load, word.location.offset + 8 * index)
  else throw new Error('a word without a value')
  emit.set(local)
  const limb = { local, bits }
  word.limbs[index] = limb
  return limb
}

export const limbsOf = (emit: Emitter, word: Word): Limbs => [
  limbOf(emit, word, 0),
  limbOf(emit, word, 1),
  limbOf(emit, word, 2),
  limbOf(emit, word, 3),
]

export const push = (emit: Emitter, limb: Limb): Emitter =>
  typeof limb === 'bigint' ? emit.i64(limb) : emit.get(limb.local)

/** Pops the top of WebAssembly's stack into a new local. */
export function popToLocal(emit: Emitter, bits = 64): Limb {
  const local = emit.local(I64)
  emit.set(local)
  return { local, bits }
}

/** Loads a word into locals, because its location is about to be overwritten. */
export function reload(emit: Emitter, word: Word): void {
  const { location } = word
  if (location === undefined) return
  word.location = undefined
  if (word.isInLocals) return
  if (word.limbs.some((limb) => limb !== undefined)) {
    word.location = location
    limbsOf(emit, word)
    word.location = undefined
    return
  }
  const [low, high] = [emit.local(V128), emit.local(V128)]
  at(emit, location).loadVector(location.offset).set(low)
  at(emit, location)
    .loadVector(location.offset + 16)
    .set(high)
  word.vector = [low, high]
}

/** Pushes the lower (0) or upper (1) two limbs onto WebAssembly's stack as a vector. The word remembers no new locals. */
export function pushVector(emit: Emitter, word: Word, half: 0 | 1): void {
  const [low, high] = [word.limbs[2 * half], word.limbs[2 * half + 1]]
  if (low === 0n && high === 0n) emit.get(ZERO)
  else if (typeof low === 'bigint' && typeof high === 'bigint') emit.vector(low, high)
  else if (word.vector !== undefined) emit.get(word.vector[half])
  else if (low !== undefined && high !== undefined) {
    if (high === 0n) push(emit.get(ZERO), low).setLane(0)
    else push(push(emit, low).splat(), high).setLane(1)
  } else if (word.flag !== undefined) {
    emit.get(ZERO).get(word.flag).op(OP.i64ExtendI32U).setLane(0)
  } else if (word.location !== undefined) at(emit, word.location).loadVector(word.location.offset + 16 * half)
  else throw new Error('a word without a value')
}

/** Emits code that stores a word at a location. The word remembers no new locals. */
export function write(emit: Emitter, word: Word, to: Location): void {
  for (const half of [0, 1] as const) {
    const [low, high] = [word.limbs[2 * half], word.limbs[2 * half + 1]]
    const offset = to.offset + 16 * half
    const isSplit = low !== undefined && high !== undefined && word.vector === undefined
    const isZero = low === 0n && high === 0n
    if (isSplit && !isZero) {
      push(at(emit, to), low).access(ACCESS.i64Store, offset)
      push(at(emit, to), high).access(ACCESS.i64Store, offset + 8)
    } else {
      at(emit, to)
      pushVector(emit, word, half)
      emit.storeVector(offset)
    }
  }
}
