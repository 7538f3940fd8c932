// Writes the body of a WebAssembly function, instruction by instruction, and allocates its locals. Opcode numbers are those of
// the WebAssembly core specification (2.0 with SIMD), chapter 5.4.

export const I32 = 0x7f
export const I64 = 0x7e
export const V128 = 0x7b
export type Type = typeof I32 | typeof I64 | typeof V128

/** Instructions without immediates, named as in the text format. */
export const OP = {
  unreachable: 0x00,
  else: 0x05,
  end: 0x0b,
  return: 0x0f,
  drop: 0x1a,
  select: 0x1b,
  i32Eqz: 0x45,
  i32LtU: 0x49,
  i32GtU: 0x4b,
  i32GeU: 0x4f,
  i64Eqz: 0x50,
  i64Eq: 0x51,
  i64Ne: 0x52,
  i64LtS: 0x53,
  i64LtU: 0x54,
  i64GtS: 0x55,
  i64GtU: 0x56,
  i32Add: 0x6a,
  i32Sub: 0x6b,
  i32And: 0x71,
  i32Or: 0x72,
  i32Shl: 0x74,
  i64Clz: 0x79,
  i64Add: 0x7c,
  i64Sub: 0x7d,
  i64Mul: 0x7e,
  i64DivU: 0x80,
  i64RemU: 0x82,
  i64And: 0x83,
  i64Or: 0x84,
  i64Xor: 0x85,
  i64Shl: 0x86,
  i64ShrS: 0x87,
  i64ShrU: 0x88,
  i32WrapI64: 0xa7,
  i64ExtendI32U: 0xad,
} as const
type Instruction = (typeof OP)[keyof typeof OP]

/** Loads and stores with an offset. */
export const ACCESS = {
  i32Load: 0x28,
  i64Load: 0x29,
  i64Load8U: 0x31,
  i32Load16U: 0x2f,
  i64Load32U: 0x35,
  i32Store: 0x36,
  i64Store: 0x37,
  i64Store8: 0x3c,
} as const

const SIMD = 0xfd
const NO_RESULT = 0x40

/** Unsigned LEB128 (chapter 5.2.2). */
export function unsigned(to: number[], value: number): void {
  let rest = value
  while (rest > 0x7f) {
    to.push((rest % 128) | 0x80)
    rest = Math.floor(rest / 128)
  }
  to.push(rest)
}

export function signed(to: number[], value: number): void {
  let rest = value
  for (;;) {
    const low = rest & 0x7f
    rest >>= 7
    if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) {
      to.push(low)
      return
    }
    to.push(low | 0x80)
  }
}

function signedBig(to: number[], value: bigint): void {
  let rest = BigInt.asIntN(64, value)
  for (;;) {
    const low = Number(rest & 0x7fn)
    rest >>= 7n
    if ((rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0)) {
      to.push(low)
      return
    }
    to.push(low | 0x80)
  }
}

export class Emitter {
  bytes: number[] = []
  /** Number of open blocks, which is the label of the function's body for `br`. */
  depth = 0
  /** Types of the locals, without the parameters. */
  readonly locals: Type[]
  readonly #parameters: number
  readonly #free = new Map<Type, number[]>()
  readonly #live = new Set<number>()

  constructor(parameters: number, locals: readonly Type[]) {
    this.#parameters = parameters
    this.locals = [...locals]
  }

  /** Allocates a local with an undefined value, which lives until it is released. */
  local(type: Type): number {
    const local = this.#free.get(type)?.pop() ?? this.#parameters + this.locals.push(type) - 1
    this.#live.add(local)
    return local
  }

  /** Number of locals that are allocated and not released. */
  get liveCount(): number {
    return this.#live.size
  }

  /** Releases all locals but these. */
  releaseExcept(locals: ReadonlySet<number>): void {
    for (const local of this.#live) if (!locals.has(local)) this.release(local)
  }

  release(local: number): void {
    const type = this.locals[local - this.#parameters]
    if (type === undefined) return
    this.#live.delete(local)
    const free = this.#free.get(type)
    if (free === undefined) this.#free.set(type, [local])
    else free.push(local)
  }

  op(...codes: Instruction[]): this {
    for (const code of codes) this.bytes.push(code)
    return this
  }

  get(local: number): this {
    this.bytes.push(0x20)
    unsigned(this.bytes, local)
    return this
  }

  set(local: number): this {
    this.bytes.push(0x21)
    unsigned(this.bytes, local)
    return this
  }

  tee(local: number): this {
    this.bytes.push(0x22)
    unsigned(this.bytes, local)
    return this
  }

  i32(value: number): this {
    this.bytes.push(0x41)
    signed(this.bytes, value | 0)
    return this
  }

  i64(value: bigint | number): this {
    this.bytes.push(0x42)
    if (typeof value === 'number' && Math.abs(value) < 0x4000_0000) signed(this.bytes, value)
    else signedBig(this.bytes, BigInt(value))
    return this
  }

  access(code: (typeof ACCESS)[keyof typeof ACCESS], offset: number): this {
    // The alignment immediate is a hint; 0 stands for one byte.
    this.bytes.push(code, 0)
    unsigned(this.bytes, offset)
    return this
  }

  call(index: number): this {
    this.bytes.push(0x10)
    unsigned(this.bytes, index)
    return this
  }

  if(result?: Type): this {
    this.bytes.push(0x04, result ?? NO_RESULT)
    this.depth++
    return this
  }

  else(): this {
    this.bytes.push(OP.else)
    return this
  }

  end(): this {
    this.bytes.push(OP.end)
    this.depth--
    return this
  }

  // --- vectors of two i64

  loadVector(offset: number): this {
    this.bytes.push(SIMD, 0x00, 0)
    unsigned(this.bytes, offset)
    return this
  }

  storeVector(offset: number): this {
    this.bytes.push(SIMD, 0x0b, 0)
    unsigned(this.bytes, offset)
    return this
  }

  vector(low: bigint, high: bigint): this {
    this.bytes.push(SIMD, 0x0c)
    for (const limb of [low, high])
      for (let bit = 0n; bit < 64n; bit += 8n) this.bytes.push(Number((limb >> bit) & 255n))
    return this
  }

  /** Reverses the order of the 16 bytes of a vector. */
  reverseBytes(): this {
    // `i8x16.shuffle` selects from two vectors: here twice the same.
    const local = this.local(V128)
    this.tee(local).get(local)
    this.release(local)
    this.bytes.push(SIMD, 0x0d, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
    return this
  }

  splat(): this {
    this.bytes.push(SIMD, 0x12)
    return this
  }

  lane(index: 0 | 1): this {
    this.bytes.push(SIMD, 0x1d, index)
    return this
  }

  setLane(index: 0 | 1): this {
    this.bytes.push(SIMD, 0x1e, index)
    return this
  }
}
