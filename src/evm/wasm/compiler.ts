// What the engine asks of a compiler of hot code. It runs without one as well: this page is all that it knows of it.
import type { Hash } from '../../lib/hex.ts'

/** `entries` by `entryCount` of the code's length: the traces that begin at each byte; `size`: bytes of WebAssembly. */
export type Compiled = { readonly module: WebAssembly.Module; readonly entries: Uint16Array; readonly size: number }

export interface Compiler {
  /** Gas after which a code is worth compiling; 0: all code is compiled when it is loaded. */
  readonly heat: number
  /** The engine's functions that compiled code calls, by the names that they are exported by. */
  readonly functions: readonly string[]
  /** What there is of a code under a table of opcodes, as it lies at OPCODES. */
  compiledCode(table: Uint8Array, hash: Hash, code: Uint8Array): Compiled | undefined
  /**
   * Compiles it if nobody has; `done` is called when it is there: at once, later, or never. Returns false when too many
   * others are under way: `done` is forgotten, and it may be asked for again.
   */
  compile(table: Uint8Array, hash: Hash, code: Uint8Array, done: (compiled: Compiled) => void): boolean
}
