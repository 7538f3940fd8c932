// Random code that computes: few constants, so that the compiler cannot fold them, loops, functions that are called by jumps,
// and an end that returns the whole stack.
import type { Random } from '../wasm/random-programs.ts'

const BINARY = [1, 2, 3, 4, 5, 6, 7, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a, 0x1b, 0x1c, 0x1d]
const UNARY = [0x15, 0x19, 0x1e]
const TERNARY = [8, 9]
const CONTEXT = [
  ...[0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a],
  ...[0x58, 0x59, 0x5a],
]
/** Words of input, and bytes of scratch memory; the stack is written after it. */
const WORDS = 16
const MEMORY = 512

const edges = [0n, 1n, 2n, 31n, 32n, 255n, 256n, (1n << 32n) - 1n, 1n << 32n, (1n << 64n) - 1n, 1n << 64n]
const wide = [(1n << 128n) - 1n, 1n << 128n, (1n << 192n) - 1n, 1n << 255n, (1n << 255n) - 1n, (1n << 256n) - 1n]

export function wordOf(random: Random): bigint {
  if (random.oneIn(3)) return random.pick([...edges, ...wide])
  let value = 0n
  for (let bytes = 1 + random.below(32); bytes > 0; bytes--) {
    value = (value << 8n) | BigInt(random.oneIn(4) ? random.pick([0, 255]) : random.below(256))
  }
  return value
}

/** Random input for the code. */
export function inputOf(random: Random): Uint8Array {
  const hex = Array.from({ length: WORDS }, () => wordOf(random).toString(16).padStart(64, '0')).join('')
  return Buffer.from(hex, 'hex').subarray(0, random.oneIn(4) ? random.below(32 * WORDS) : undefined)
}

export class ArithmeticCode {
  readonly #random: Random
  readonly #bytes: number[] = []
  /** Minimum height of the stack here. */
  #height = 0
  /** Positions of function addresses to fill in. */
  readonly #functions: { readonly at: number; readonly number: number }[] = []

  constructor(random: Random) {
    this.#random = random
  }

  build(): Uint8Array {
    const random = this.#random
    for (let i = 0; i < 6; i++) this.#input()
    for (let i = 3 + random.below(12); i > 0; i--) this.#statement(2)
    this.#show()
    const places = [0, 1, 2].map(() => this.#function())
    for (const { at, number } of this.#functions) this.#fill(at, places[number] ?? 0)
    const bytes = Uint8Array.from(this.#bytes)
    if (random.oneIn(12)) bytes[random.below(bytes.length)] = random.below(256)
    return bytes
  }

  #op(...codes: number[]): this {
    this.#bytes.push(...codes)
    return this
  }

  #push(value: number | bigint): this {
    const digits = value.toString(16)
    const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
    this.#height++
    return this.#op(0x5f + bytes.length, ...bytes)
  }

  #input(): void {
    this.#push(32 * this.#random.below(WORDS)).#op(0x35)
  }

  /** Emits PUSH2 of an unknown address; returns the position to fill in. */
  #address(): number {
    this.#op(0x61, 0, 0)
    return this.#bytes.length - 2
  }

  #fill(at: number, address = this.#bytes.length): void {
    this.#bytes[at] = address >> 8
    this.#bytes[at + 1] = address & 255
  }

  #statement(depth: number): void {
    const random = this.#random
    while (this.#height < 5) this.#input()
    const choice = random.below(100)
    if (choice < 32) this.#binary()
    else if (choice < 38) this.#op(random.pick(UNARY))
    else if (choice < 43) {
      this.#op(random.pick(TERNARY))
      this.#height -= 2
    } else if (choice < 53) this.#shuffle()
    else if (choice < 60) this.#push(wordOf(random))
    else if (choice < 66) this.#input()
    else if (choice < 70) {
      this.#op(random.pick(CONTEXT))
      this.#height++
    } else if (choice < 82) this.#memory()
    else if (choice < 86) this.#state()
    else if (choice < 92 && depth > 0) this.#branch(depth)
    else if (choice < 95 && depth > 0) this.#loop(depth)
    else if (choice < 99) this.#call()
    else this.#op(0x50) && this.#height--
    if (this.#height > 40) for (; this.#height > 10; this.#height--) this.#op(0x50)
  }

  #binary(): void {
    const random = this.#random
    const code = random.pick(BINARY)
    if (random.oneIn(3)) this.#push(random.oneIn(2) ? random.below(300) : wordOf(random))
    // Shifts and byte indices are mostly small.
    else if (code >= 0x1a && random.below(3) > 0) {
      this.#push(255).#op(0x16)
      this.#height--
    }
    this.#op(code)
    this.#height--
  }

  #shuffle(): void {
    const random = this.#random
    const reach = Math.min(this.#height, 16)
    if (random.oneIn(2)) {
      this.#op(0x80 + random.below(reach))
      this.#height++
    } else this.#op(0x90 + random.below(Math.min(this.#height - 1, 16)))
  }

  /** Mostly reduces the offset on top to scratch memory. */
  #offset(): void {
    if (this.#random.oneIn(3)) this.#push(this.#random.below(MEMORY))
    else {
      this.#push(this.#random.oneIn(30) ? 0xffff : MEMORY - 1).#op(0x16)
      this.#height--
    }
  }

  #memory(): void {
    const random = this.#random
    this.#offset()
    switch (random.below(5)) {
      case 0:
        this.#op(0x52)
        this.#height -= 2
        break
      case 1:
        this.#op(0x53)
        this.#height -= 2
        break
      case 2:
        // KECCAK256 of up to 255 bytes
        this.#push(random.below(256)).#op(0x90, 0x20)
        this.#height--
        break
      case 3: {
        this.#push(random.below(100)).#op(0x90)
        this.#push(random.below(MEMORY)).#op(0x90)
        this.#op(random.pick([0x37, 0x39, 0x5e]))
        this.#height -= 3
        break
      }
      default:
        this.#op(0x51)
    }
  }

  #state(): void {
    const random = this.#random
    this.#push(random.below(4))
    const choice = random.below(6)
    if (choice < 2) this.#op(choice === 0 ? 0x54 : 0x5c)
    else if (choice < 4) {
      this.#op(choice === 2 ? 0x55 : 0x5d)
      this.#height -= 2
    } else if (choice === 4) {
      // LOG1 with the item below as its topic
      this.#push(random.below(64)).#op(0x90, 0xa1)
      this.#height -= 3
    } else this.#op(random.pick([0x31, 0x3b, 0x3f, 0x40, 0x49]))
  }

  /** Skips some statements, which do not change the height, if the item on top is not zero. */
  #branch(depth: number): void {
    if (this.#random.oneIn(2)) this.#op(0x15)
    const at = this.#address()
    this.#op(0x57)
    this.#height--
    this.#level(depth)
    this.#fill(at)
    this.#op(0x5b)
  }

  #loop(depth: number): void {
    const random = this.#random
    this.#push(1 + (random.oneIn(20) ? random.below(20_000) : random.below(6)))
    const start = this.#bytes.length
    this.#op(0x5b)
    this.#level(depth)
    // Subtract 1 by adding 2^256 - 1, and jump back while not zero.
    this.#push((1n << 256n) - 1n).#op(0x01, 0x80)
    this.#height--
    this.#op(0x61, start >> 8, start & 255, 0x57, 0x50)
    this.#height--
  }

  /** Statements that do not read below the present stack and keep its height. */
  #level(depth: number): void {
    const before = this.#height
    this.#height = 0
    for (let i = 1 + this.#random.below(4); i > 0; i--) this.#statement(depth - 1)
    for (; this.#height > 0; this.#height--) this.#op(0x50)
    this.#height = before
  }

  /** Calls a function that pops an item and pushes one. */
  #call(): void {
    const at = this.#address()
    this.#op(0x90)
    this.#functions.push({ at: this.#address(), number: this.#random.below(3) })
    this.#op(0x56)
    this.#fill(at)
    this.#op(0x5b)
  }

  /** A function that takes the return address and an item above it. */
  #function(): number {
    const start = this.#bytes.length
    this.#op(0x5b)
    this.#height = 1
    for (let i = this.#random.below(4); i > 0; i--) {
      this.#push(wordOf(this.#random)).#op(this.#random.pick([1, 2, 3, 0x16, 0x18]))
      this.#height--
    }
    this.#op(0x90, 0x56)
    return start
  }

  /** Writes the whole stack to memory and returns the memory. */
  #show(): void {
    const items = this.#height
    for (let i = 0; i < items; i++) this.#push(MEMORY + 32 * i).#op(0x52)
    this.#push(MEMORY + 32 * items).#push(0)
    this.#op(0xf3)
  }
}
