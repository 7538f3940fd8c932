// The virtual stack of a trace. While a trace is compiled, the EVM stack exists twice:
//
//   - the virtual stack, here, at compile time: for each position the `Word` that is there, which may be a constant, values in
//     WebAssembly locals, or a location in linear memory from which nothing has been loaded yet;
//   - the stack in linear memory, at run time: the frame's stack, in the layout of the interpreter.
//
// Positions are relative to the top of the stack at the start of the trace: the first item that the trace pushes is at 0, the
// item that was on top is at -1. Pushing, duplicating, swapping and popping change the virtual stack only and emit no code.
// Linear memory is written (a spill) at three points: at an exit from the trace, where all items must be in their slots; before
// a call of an engine function, which reads its operands from memory; and where an opcode leaves its result in memory.
//
//   virtual stack, after PUSH1 7, SWAP1, DUP1       linear memory
//     position  1   word at slot -1                   (not written yet)
//               0   word at slot -1                   (not written yet)
//              -1   constant 7                        slot -1: the old top
//
// A spill here stores the old top to the slots 0 and 1 and the constant to slot -1. The hazard is the order: slot -1 must be
// read before it is overwritten. `reloadMisplaced` therefore loads into locals each word that is read from a slot of which a
// spill would change the content, and `preserve` does so for one slot. A word that is in memory in its own slot is not
// written again; `#residents` remembers which word each slot holds.
//
// What must stay true: each word on the virtual stack can be read at any point of the emitted code, and code on a conditional
// branch (an exit) leaves no trace in this object that would be wrong on the other branch.
import type { Emitter } from './emitter.ts'
import { type Location, reload, Word, write } from './word.ts'

/**
 * The local BASE holds the address of the stack's top at the start of the trace minus this number of bytes: offsets of
 * WebAssembly's loads and stores are unsigned, and positions below the top need negative ones. 1024 items are 32,768 bytes.
 */
export const BIAS = 32_768
const WORD = 32

export class Stack {
  /** Items pushed minus items popped since the start of the trace. */
  height = 0
  /** Constants that have been spilled: later code may use them as jump targets, so traces are compiled for those. */
  readonly spilledConstants = new Set<bigint>()
  readonly #emit: Emitter
  readonly #base: number
  readonly #items = new Map<number, Word>()
  /** The word that a slot in memory holds, for slots written since the start of the trace. */
  readonly #residents = new Map<number, Word>()
  readonly #initial = new Map<number, Word>()
  readonly #locations = new Map<number, Location>()
  #lowest = 0

  constructor(emit: Emitter, base: number) {
    this.#emit = emit
    this.#base = base
  }

  /** The location in linear memory that belongs to a position. */
  slot(position: number): Location {
    const known = this.#locations.get(position)
    if (known !== undefined) return known
    const location = { base: this.#base, offset: this.offset(position) }
    this.#locations.set(position, location)
    return location
  }

  offset(position: number): number {
    return BIAS + WORD * position
  }

  /** The item at `below` positions under the top. */
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

  /** Exchanges the items at two positions under the top. */
  swap(below: number, above = 0): void {
    const [high, deep] = [this.peek(above), this.peek(below)]
    this.#set(this.height - 1 - above, deep)
    this.#set(this.height - 1 - below, high)
  }

  /** Pushes the result that an engine function has written to the slot of the new top. Call `preserve` before that function. */
  pushResult(): void {
    const position = this.height
    const word = Word.at(this.slot(position))
    this.#residents.set(position, word)
    this.push(word)
  }

  /** Emits code that writes the topmost `count` items to their slots. */
  spillTop(count: number): void {
    for (let position = this.height - count; position < this.height; position++) {
      const word = this.#at(position)
      const resident = this.#resident(position)
      if (resident === word) continue
      if (resident?.location === this.slot(position)) reload(this.#emit, resident)
      write(this.#emit, word, this.slot(position))
      this.#residents.set(position, word)
    }
  }

  /**
   * To be called before the slot at `below` positions under the top is overwritten by an opcode that pops `count` items. If an
   * item that stays on the stack is still to be read from that slot, it is loaded into locals.
   */
  preserve(below: number, count: number): void {
    const position = this.height - 1 - below
    const resident = this.#resident(position)
    if (resident?.location === this.slot(position) && this.#isBelow(resident, this.height - count)) {
      reload(this.#emit, resident)
    }
  }

  /** Marks the content of the slot at `below` positions under the top as unknown. */
  clobber(below: number): void {
    this.#residents.set(this.height - 1 - below, Word.constant(0n))
  }

  /** Whether the word is on the stack at a position below `height`. */
  #isBelow(word: Word, height: number): boolean {
    for (const [position, other] of this.#items) if (other === word && position < height) return true
    for (const [position, other] of this.#initial) {
      if (other === word) return position < height && !this.#items.has(position)
    }
    return false
  }

  /**
   * Loads into locals the words whose source slot a spill would overwrite. To be called before each conditional branch that may
   * spill, so that both branches can read these words.
   */
  reloadMisplaced(): void {
    for (let position = this.#lowest; position < this.height; position++) {
      const word = this.#at(position)
      const { location } = word
      if (location?.base !== this.#base) continue
      const home = (location.offset - BIAS) / WORD
      if (home !== position && home < this.height && this.#at(home) !== word) reload(this.#emit, word)
    }
  }

  /**
   * Emits code that writes each item to its slot, unless it is there already. Does not change this object, because the code
   * is on a branch that exits.
   */
  spill(): void {
    for (let position = this.#lowest; position < this.height; position++) {
      const word = this.#at(position)
      if (this.#resident(position) === word) continue
      write(this.#emit, word, this.slot(position))
      const [low, ...upper] = word.limbs
      if (typeof low === 'bigint' && upper.every((limb) => limb === 0n)) this.spilledConstants.add(low)
    }
  }

  /** The live locals: those that hold a part of an item. */
  locals(): Set<number> {
    const found = new Set<number>()
    for (const word of this.#items.values()) for (const local of word.locals()) found.add(local)
    for (const [position, word] of this.#initial) {
      if (position < this.height && !this.#items.has(position)) for (const local of word.locals()) found.add(local)
    }
    return found
  }

  #set(position: number, word: Word): void {
    this.#items.set(position, word)
    this.#lowest = Math.min(this.#lowest, position)
  }

  #at(position: number): Word {
    return this.#items.get(position) ?? this.#initialAt(position)
  }

  /** The word that was at this position at the start of the trace. */
  #initialAt(position: number): Word {
    const known = this.#initial.get(position)
    if (known !== undefined) return known
    const word = Word.at(this.slot(position))
    this.#initial.set(position, word)
    return word
  }

  /** The word that the position's slot holds in memory; undefined: unknown. */
  #resident(position: number): Word | undefined {
    return this.#residents.get(position) ?? (position < 0 ? this.#initialAt(position) : undefined)
  }
}
