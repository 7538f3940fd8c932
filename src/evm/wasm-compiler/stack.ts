// The stack as a trace sees it: positions count from the top at its beginning, the first push is at 0. Items are words
// wherever they are; memory keeps what it held until a trace is left.
import type { Emitter } from './emitter.ts'
import { holdInLocals, type StackLocation, Word, write } from './word.ts'

/** The local that holds the address of the stack's top at the beginning, so many bytes too low. */
export const BIAS = 32_768
const WORD = 32

export class Stack {
  /** Items above the ones that were there; negative when some of those are gone. */
  height = 0
  /** Constants that have been written to memory, where a jump may find them. */
  readonly written = new Set<bigint>()
  readonly #emit: Emitter
  readonly #base: number
  readonly #items = new Map<number, Word>()
  /** What memory holds there now, where it is no longer what it was. */
  readonly #slots = new Map<number, Word>()
  readonly #originals = new Map<number, Word>()
  readonly #places = new Map<number, StackLocation>()
  #lowest = 0

  constructor(emit: Emitter, base: number) {
    this.#emit = emit
    this.#base = base
  }

  /** Where an item lies in memory. */
  place(position: number): StackLocation {
    const known = this.#places.get(position)
    if (known !== undefined) return known
    const place = { base: this.#base, offset: this.offset(position) }
    this.#places.set(position, place)
    return place
  }

  offset(position: number): number {
    return BIAS + WORD * position
  }

  /** The item `below` positions under the top. */
  peek(below = 0): Word {
    return this.#at(this.height - 1 - below)
  }

  pop(): Word {
    const word = this.peek()
    this.height--
    this.#items.delete(this.height)
    this.#lowest = Math.min(this.#lowest, this.height)
    return word
  }

  push(word: Word): void {
    this.#items.set(this.height++, word)
  }

  swap(below: number): void {
    const [top, other] = [this.peek(), this.peek(below)]
    this.#set(this.height - 1, other)
    this.#set(this.height - 1 - below, top)
  }

  /** An opcode has left its answer in memory where the new top is, which was protected. */
  pushWritten(): void {
    const position = this.height
    const word = Word.at(this.place(position))
    this.#slots.set(position, word)
    this.push(word)
  }

  /** Writes the topmost `count` items to memory. */
  writeTop(count: number): void {
    for (let position = this.height - count; position < this.height; position++) {
      const word = this.#at(position)
      const resident = this.#resident(position)
      if (resident === word) continue
      if (resident?.place === this.place(position)) holdInLocals(this.#emit, resident)
      write(this.#emit, word, this.place(position))
      this.#slots.set(position, word)
    }
  }

  /**
   * Memory of the item so many below the top, or that many above it, is about to change: what stays on the stack when
   * `count` items have been taken, and is read from there, is loaded.
   */
  protect(below: number, count: number): void {
    const position = this.height - 1 - below
    const resident = this.#resident(position)
    if (resident?.place === this.place(position) && this.#isBelow(resident, this.height - count)) {
      holdInLocals(this.#emit, resident)
    }
  }

  /** Nothing is known any more of memory there. */
  forget(below: number): void {
    this.#slots.set(this.height - 1 - below, Word.constant(0n))
  }

  #isBelow(word: Word, height: number): boolean {
    for (const [position, other] of this.#items) if (other === word && position < height) return true
    for (const [position, other] of this.#originals) {
      if (other === word) return position < height && !this.#items.has(position)
    }
    return false
  }

  /** Loads what could not be found any more if the stack were written at once: before a branch that may do so. */
  settle(): void {
    for (let position = this.#lowest; position < this.height; position++) {
      const word = this.#at(position)
      const { place } = word
      if (place?.base !== this.#base) continue
      const home = (place.offset - BIAS) / WORD
      if (home !== position && home < this.height && this.#at(home) !== word) holdInLocals(this.#emit, word)
    }
  }

  /** Writes all items that are not where they belong; changes nothing that is known, for a branch that leaves. */
  spill(): void {
    for (let position = this.#lowest; position < this.height; position++) {
      const word = this.#at(position)
      if (this.#resident(position) === word) continue
      write(this.#emit, word, this.place(position))
      const [low, ...upper] = word.limbs
      if (typeof low === 'bigint' && upper.every((limb) => limb === 0n)) this.written.add(low)
    }
  }

  /** Locals that items lie in. */
  locals(): Set<number> {
    const found = new Set<number>()
    for (const word of this.#items.values()) for (const local of word.locals()) found.add(local)
    for (const [position, word] of this.#originals) {
      if (position < this.height && !this.#items.has(position)) for (const local of word.locals()) found.add(local)
    }
    return found
  }

  #set(position: number, word: Word): void {
    this.#items.set(position, word)
    this.#lowest = Math.min(this.#lowest, position)
  }

  #at(position: number): Word {
    return this.#items.get(position) ?? this.#original(position)
  }

  #original(position: number): Word {
    const known = this.#originals.get(position)
    if (known !== undefined) return known
    const word = Word.at(this.place(position))
    this.#originals.set(position, word)
    return word
  }

  #resident(position: number): Word | undefined {
    return this.#slots.get(position) ?? (position < 0 ? this.#original(position) : undefined)
  }
}
