// The compiled codes of one engine instance. Installing one means: make an instance of its WebAssembly module, put its function
// into the engine's function table, write a record (table index and entries) into the engine's memory, and the record's
// address into the header of the code (C_COMPILED). All are removed when the loaded codes are cleared.

import type { Hash } from '../../lib/hex.ts'
import type { Compiled, HotCodeCompiler } from './compiler.ts'
import { C_COMPILED, C_HEAT, COMPILED_ENTRIES, COMPILES, HOT } from './layout.ts'
import type { EngineExports } from './module-interface.ts'

/** The engine's memory and its allocator. */
type Room = {
  readonly words: Uint32Array
  readonly bytes: Uint8Array
  /** Allocates bytes that live until the loaded codes are cleared. Returns the address; undefined: the area is full. */
  allocate(length: number): number | undefined
}

/** Bytes of WebAssembly that one engine installs until its codes are cleared. */
const MAX_BYTES = 8_000_000

type Known = { readonly hash: Hash; readonly code: Uint8Array }

export class CompiledCodes {
  readonly #exports: EngineExports
  readonly #room: Room
  /** The first compiler that a message came with. */
  #compiler: HotCodeCompiler | undefined
  #imports: Record<string, Record<string, unknown>> = {}
  /** Loaded codes by address. */
  readonly #codes = new Map<number, Known>()
  /** Indices in the function table of the installed codes, by the address of the code. */
  readonly #installed = new Map<number, number>()
  readonly #free: number[] = []
  #table: Uint8Array = new Uint8Array(0)
  #size = 0
  /** Number of clears. A compilation that was requested before a clear is dropped after it. */
  #generation = 0

  constructor(exports: EngineExports, room: Room) {
    this.#exports = exports
    this.#room = room
  }

  /** To be called at the start of a transaction. Without a compiler no compiled code runs in it. */
  begin(compiler: HotCodeCompiler | undefined): void {
    const { words } = this.#room
    words[COMPILES >>> 2] = compiler === undefined ? 0 : 1
    if (compiler === undefined) return
    words[HOT >>> 2] = compiler.heat
    if (this.#compiler === undefined) this.#use(compiler)
  }

  #use(compiler: HotCodeCompiler): void {
    this.#compiler = compiler
    const functions = compiler.functions.map((name) => [name, this.#exports[name]])
    this.#imports = { engine: { memory: this.#exports.memory, ...Object.fromEntries(functions) } }
    for (const [at, { hash, code }] of this.#codes) this.#installKnown(at, hash, code)
  }

  /** To be called when the loaded codes have been cleared. `table`: the opcode table of the codes loaded from now on. */
  clear(table: Uint8Array): void {
    this.#table = table
    this.#generation++
    this.#size = 0
    this.#codes.clear()
    for (const at of [...this.#installed.keys()]) this.#remove(at)
  }

  /** For the stress build: installs and removes compiled codes at random. `pick(n)` is true once in n times. */
  stress(pick: (outOf: number) => boolean): void {
    for (const [at, { hash, code }] of this.#codes) {
      if (!pick(4)) continue
      if (this.#installed.has(at)) {
        this.#room.words[(at - C_COMPILED) >>> 2] = 0
        this.#remove(at)
      } else {
        this.#installKnown(at, hash, code)
      }
    }
  }

  #installKnown(at: number, hash: Hash, code: Uint8Array): void {
    const compiled = this.#compiler?.compiledCode(this.#table, hash, code)
    if (compiled !== undefined) this.#install(at, compiled)
  }

  #remove(at: number): void {
    const place = this.#installed.get(at)
    if (place === undefined) return
    this.#installed.delete(at)
    this.#exports.table.set(place, null)
    this.#free.push(place)
  }

  /** To be called for a code that is placed for one frame, such as init code: its gas counter is set so that it never gets hot. */
  onPlaced(at: number): void {
    this.#room.words[(at - C_COMPILED) >>> 2] = 0
    this.#room.words[(at - C_HEAT) >>> 2] = 0xffff_ffff
  }

  /** To be called for a code that stays loaded. */
  onLoaded(at: number, hash: Hash, code: Uint8Array): void {
    this.#room.words[(at - C_HEAT) >>> 2] = 0
    this.#codes.set(at, { hash, code })
    this.#installKnown(at, hash, code)
  }

  /** Requests the compilation of a hot code. If too many codes are waiting, its gas counter starts again from 0. */
  compileHot(at: number): void {
    const known = this.#codes.get(at)
    if (known === undefined) return
    const generation = this.#generation
    const isTaken = this.#compiler?.compile(this.#table, known.hash, known.code, (compiled) => {
      if (generation === this.#generation) this.#install(at, compiled)
    })
    if (isTaken !== true) this.#room.words[(at - C_HEAT) >>> 2] = 0
  }

  #install(at: number, { module, entries, size }: Compiled): void {
    if (this.#installed.has(at) || this.#size + size > MAX_BYTES) return
    const record = this.#room.allocate(COMPILED_ENTRIES + entries.byteLength)
    if (record === undefined) return
    this.#size += size
    const { run } = new WebAssembly.Instance(module, this.#imports as Record<string, never>).exports
    const place = this.#free.pop() ?? this.#exports.table.grow(1)
    this.#installed.set(at, place)
    this.#exports.table.set(place, run)
    const { words, bytes } = this.#room
    words[record >>> 2] = place
    bytes.set(new Uint8Array(entries.buffer, entries.byteOffset, entries.byteLength), record + COMPILED_ENTRIES)
    words[(at - C_COMPILED) >>> 2] = record
  }
}
