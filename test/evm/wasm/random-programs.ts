// Random programs: opcodes with mostly meaningful arguments, calls among a few accounts, creations, loops, and sometimes random
// bytes. The same seed gives the same programs.

/** Pseudo-random numbers from a seed (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  /** An integer from 0 to `end` - 1. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  /** True in one of `cases` cases. */
  oneIn(cases: number): boolean {
    return this.below(cases) === 0
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }
}

const BINARY = [1, 2, 3, 4, 5, 6, 7, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a, 0x1b, 0x1c, 0x1d]
const TERNARY = [8, 9]
const UNARY = [0x15, 0x19, 0x1e]
const CONTEXT = [
  ...[0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a],
  ...[0x58, 0x59, 0x5a],
]
const OF_ACCOUNT = [0x31, 0x3b, 0x3f]
const EDGES = [
  ...[0n, 1n, 2n, 3n, 31n, 32n, 33n, 64n, 255n, 256n, 257n, 0xffffn, (1n << 32n) - 1n, 1n << 32n, (1n << 63n) - 1n],
  ...[1n << 63n, (1n << 64n) - 1n, 1n << 64n, (1n << 64n) + 1n, 1n << 127n, (1n << 128n) - 1n, 1n << 128n, 1n << 160n],
  ...[
    (1n << 192n) - 1n,
    1n << 192n,
    (1n << 255n) - 1n,
    1n << 255n,
    (1n << 255n) + 1n,
    (1n << 256n) - 2n,
    (1n << 256n) - 1n,
  ],
]

/** Whether the fork has an opcode; others occur only in random bytes. */
export type Has = (opcode: number) => boolean

export class Program {
  readonly #bytes: number[] = []
  readonly #jumpdests: number[] = []
  readonly #random: Random
  readonly #targets: readonly bigint[]
  readonly #has: Has
  readonly #depth: number

  /** `targets`: addresses that it may call or query. */
  constructor(random: Random, targets: readonly bigint[], has: Has, depth = 0) {
    this.#random = random
    this.#targets = targets
    this.#has = has
    this.#depth = depth
  }

  /** Code of a few dozen statements. */
  build(statements = 4 + this.#random.below(24)): Uint8Array {
    // Items for DUP and SWAP.
    for (let i = this.#random.below(20); i > 0; i--) this.#push(BigInt(this.#random.below(1000)))
    for (let i = 0; i < statements; i++) this.#statement()
    this.#ending()
    const bytes = Uint8Array.from(this.#bytes)
    const random = this.#random
    if (random.oneIn(8))
      for (let i = random.below(4); i >= 0; i--) bytes[random.below(bytes.length)] = random.below(256)
    if (random.oneIn(40)) return bytes.subarray(0, random.below(bytes.length))
    return bytes
  }

  /** A random one of the opcodes that the fork has. */
  #known(codes: readonly number[]): number {
    const code = this.#random.pick(codes)
    return this.#has(code) || this.#random.oneIn(100) ? code : 0x34
  }

  #op(...codes: number[]): this {
    this.#bytes.push(...codes)
    return this
  }

  #push(value: bigint): this {
    const digits = value.toString(16)
    const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
    return this.#op(0x5f + bytes.length, ...bytes)
  }

  #value(): bigint {
    const random = this.#random
    if (random.oneIn(3)) return BigInt(random.below(300))
    if (random.oneIn(2)) return random.pick(EDGES)
    let value = 0n
    for (let bytes = 1 + random.below(32); bytes > 0; bytes--) value = (value << 8n) | BigInt(random.below(256))
    return value
  }

  #operand(): this {
    const random = this.#random
    if (random.oneIn(6)) return this.#op(this.#known(CONTEXT))
    if (random.oneIn(8)) return this.#push(BigInt(random.below(8) * 32)).#op(0x51)
    if (random.oneIn(12)) return this.#push(BigInt(random.below(4))).#op(0x54)
    if (random.oneIn(12)) return this.#push(BigInt(random.below(80))).#op(0x35)
    return this.#push(this.#value())
  }

  #offset(): bigint {
    const random = this.#random
    if (random.oneIn(150)) return random.pick(EDGES)
    if (random.oneIn(12)) return BigInt(random.below(20_000))
    return BigInt(random.below(300))
  }

  #length(): bigint {
    const random = this.#random
    if (random.oneIn(200)) return random.pick(EDGES)
    if (random.oneIn(6)) return 0n
    return BigInt(random.below(random.oneIn(10) ? 3000 : 150))
  }

  #target(): bigint {
    const target = this.#random.pick(this.#targets)
    // Only the lower 160 bits are the address.
    return this.#random.oneIn(20) ? target | (0xabcn << 200n) : target
  }

  /** Uses items of the stack with an observable effect. */
  #use(): void {
    const random = this.#random
    switch (random.below(6)) {
      case 0:
        this.#push(BigInt(random.below(4))).#op(0x55)
        break
      case 1:
      case 2:
        this.#push(BigInt(random.below(8) * 32)).#op(0x52)
        break
      case 3:
        this.#op(0x50)
        break
      case 4:
        this.#push(BigInt(random.below(400))).#op(0x53)
        break
    }
  }

  #statement(): void {
    const random = this.#random
    const choice = random.below(100)
    if (choice < 22) this.#arithmetic()
    else if (choice < 34) this.#memory()
    else if (choice < 44) this.#storage()
    else if (choice < 48) this.#accounts()
    else if (choice < 64) this.#call()
    else if (choice < 69) this.#create()
    else if (choice < 74) this.#log()
    else if (choice < 82) this.#jump()
    else if (choice < 88) this.#op(random.oneIn(2) ? 0x80 + random.below(10) : 0x90 + random.below(7))
    else if (choice < 93 && this.#has(0x3d)) this.#returned()
    else if (choice < 97) this.#op(this.#known(CONTEXT)).#use()
    else if (choice < 98) this.#op(random.oneIn(3) ? random.below(256) : 0x5b)
    else if (choice < 99) this.#blocks()
    else if (random.oneIn(3)) this.#push(this.#target()).#op(0xff)
  }

  #arithmetic(): void {
    const random = this.#random
    const choice = random.below(8)
    const operands = choice < 6 ? 2 : choice === 6 ? 3 : 1
    for (let i = 0; i < operands; i++) this.#operand()
    this.#op(this.#known(operands === 2 ? BINARY : operands === 3 ? TERNARY : UNARY)).#use()
  }

  #memory(): void {
    const random = this.#random
    switch (random.below(7)) {
      case 0:
        this.#push(this.#offset()).#op(0x51).#use()
        break
      case 1:
        this.#operand().#push(this.#offset()).#op(0x52)
        break
      case 2:
        this.#operand().#push(this.#offset()).#op(0x53)
        break
      case 3:
        this.#push(this.#length()).#push(this.#offset()).#op(0x20).#use()
        break
      case 4:
        this.#push(this.#length())
          .#push(this.#offset())
          .#push(this.#offset())
          .#op(random.pick([0x37, 0x39]))
        break
      case 5:
        if (this.#has(0x5e)) this.#push(this.#length()).#push(this.#offset()).#push(this.#offset()).#op(0x5e)
        break
      default:
        this.#push(this.#length()).#push(this.#offset()).#push(this.#offset()).#push(this.#target()).#op(0x3c)
    }
  }

  #storage(): void {
    const random = this.#random
    const isTransient = random.oneIn(4) && this.#has(0x5c)
    const key = BigInt(random.below(4))
    if (random.oneIn(3)) {
      this.#push(key)
        .#op(isTransient ? 0x5c : 0x54)
        .#use()
      return
    }
    if (random.oneIn(2)) this.#push(BigInt(random.below(3)))
    else this.#operand()
    this.#push(key).#op(isTransient ? 0x5d : 0x55)
  }

  #accounts(): void {
    this.#push(this.#target()).#op(this.#known(OF_ACCOUNT)).#use()
  }

  #call(): void {
    const random = this.#random
    const kinds = [0xf1, 0xf1, 0xf1, 0xf2, 0xf4, 0xf4, 0xfa].filter((code) => this.#has(code) || random.oneIn(100))
    const kind = random.pick([0xf1, ...kinds])
    this.#push(this.#length()).#push(this.#offset()).#push(this.#length()).#push(this.#offset())
    if (kind < 0xf4) this.#push(random.oneIn(2) ? 0n : random.oneIn(10) ? this.#value() : BigInt(random.below(20)))
    this.#push(this.#target())
    const gas = random.below(6)
    // Rarely all gas: a contract that calls itself would have none left.
    if (gas < 2) this.#push(BigInt(3 + random.below(6))).#op(0x5a, 0x04)
    else if (gas === 2 && random.oneIn(4)) this.#op(0x5a)
    else this.#push(random.oneIn(20) ? this.#value() : BigInt(random.below(100_000)))
    this.#op(kind).#use()
  }

  #create(): void {
    const random = this.#random
    const isSalted = random.oneIn(2) && this.#has(0xf5)
    let length = BigInt(random.below(300))
    let offset = 0n
    if (this.#depth === 0 && random.below(4) > 0) {
      const init = new Program(random, this.#targets, this.#has, 1).#initCode()
      for (let at = 0; at < init.length; at += 32) {
        const word = Buffer.alloc(32)
        word.set(init.subarray(at, at + 32))
        this.#push(BigInt(`0x${word.toString('hex')}`))
          .#push(BigInt(at))
          .#op(0x52)
      }
      length = BigInt(init.length)
    } else offset = this.#offset()
    if (isSalted) this.#push(BigInt(random.below(3)))
    this.#push(length).#push(offset)
    this.#push(random.oneIn(2) ? 0n : BigInt(random.below(10))).#op(isSalted ? 0xf5 : 0xf0)
    if (random.oneIn(3)) {
      // Call the created contract.
      for (let i = 0; i < 4; i++)
        this.#op(0x80 + 0)
          .#op(0x50)
          .#push(0n)
      this.#push(0n).#op(0x85).#op(0x5a, 0xf1, 0x50)
    }
    this.#use()
  }

  #initCode(): Uint8Array {
    const random = this.#random
    for (let i = random.below(4); i > 0; i--) this.#statement()
    if (random.oneIn(6)) return Uint8Array.from(this.#bytes)
    const runtime = new Program(random, this.#targets, this.#has, 1).build(1 + random.below(4))
    if (random.oneIn(20)) runtime[0] = 0xef
    const header = 11
    const at = this.#bytes.length + header
    const length = Math.min(runtime.length, 255)
    // PUSH1 length, PUSH2 at, PUSH0 or its like, CODECOPY, PUSH1 length, PUSH1 0, RETURN
    this.#op(
      0x60,
      length,
      0x61,
      at >> 8,
      at & 255,
      0x60,
      0,
      0x39,
      0x60,
      length,
      0x60,
      0,
      random.oneIn(8) && this.#has(0xfd) ? 0xfd : 0xf3,
    )
    return Uint8Array.from([...this.#bytes, 0, 0, ...runtime.subarray(0, length)])
  }

  #log(): void {
    const topics = this.#random.below(5)
    for (let i = 0; i < topics; i++) this.#operand()
    this.#push(this.#length())
      .#push(this.#offset())
      .#op(0xa0 + topics)
  }

  #jump(): void {
    const random = this.#random
    if (random.oneIn(2)) {
      this.#jumpdests.push(this.#bytes.length)
      this.#op(0x5b)
      return
    }
    if (random.oneIn(3) || this.#jumpdests.length === 0) {
      // Forwards over some bytes, to a JUMPDEST or into the data of a PUSH.
      const skipped = random.below(6)
      const to = this.#bytes.length + 4 + skipped
      this.#op(0x61, to >> 8, to & 255, 0x56)
      for (let i = 0; i < skipped; i++) this.#op(random.oneIn(30) ? 0x60 : random.below(0x60))
      this.#op(0x5b)
      return
    }
    const to = random.pick(this.#jumpdests)
    if (random.oneIn(30)) this.#push(BigInt(to + 1)).#op(0x56)
    // Backwards, depending on the remaining gas, or on a value that is not zero.
    else if (random.oneIn(2))
      this.#push(BigInt(20_000 + random.below(200_000))).#op(0x5a, 0x11, 0x61, to >> 8, to & 255, 0x57)
    else this.#operand().#op(0x61, to >> 8, to & 255, 0x57)
  }

  #returned(): void {
    const random = this.#random
    this.#op(0x3d)
    if (random.oneIn(2)) this.#push(0n).#push(this.#offset()).#op(0x3e)
    else
      this.#push(BigInt(random.below(40)))
        .#push(this.#offset())
        .#op(0x3e)
  }

  #blocks(): void {
    const random = this.#random
    if (random.oneIn(2))
      this.#push(BigInt(random.below(1100)))
        .#op(0x40)
        .#use()
    else
      this.#push(BigInt(random.below(4)))
        .#op(0x49)
        .#use()
  }

  #ending(): void {
    const random = this.#random
    switch (random.below(9)) {
      case 0:
        this.#op(0x00)
        break
      case 1:
        this.#push(this.#length())
          .#push(this.#offset())
          .#op(this.#has(0xfd) ? 0xfd : 0xfe)
        break
      case 2:
        break
      default:
        this.#push(BigInt(random.below(256)))
          .#push(BigInt(random.below(64)))
          .#op(0xf3)
    }
  }
}
