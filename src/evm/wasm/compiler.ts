// The interface between the engine and a compiler of hot code. The engine imports nothing else of the compiler, and runs
// without one too.
import type { Hash } from '../../lib/hex.ts'

/** `entries` by `entryCount` of the code's length: the traces that begin at each byte; `size`: bytes of WebAssembly. */
export type Compiled = { readonly module: WebAssembly.Module; readonly entries: Uint16Array; readonly size: number }

export interface HotCodeCompiler {
  /** Gas after which a code is worth compiling; 0: all code is compiled when it is loaded. */
  readonly heat: number
  /** Names of the engine's exports that compiled code imports. */
  readonly functions: readonly string[]
  /** The compiled form of a code, if it is cached. `table`: the opcode table in the format of OPCODES. */
  compiledCode(table: Uint8Array, hash: Hash, code: Uint8Array): Compiled | undefined
  /**
   * Compiles the code unless that has been done; calls `done` with the result, at once or later, and never for code that
   * cannot be compiled. Returns false when too many codes are being compiled: `done` will not be called, ask again later.
   */
  compile(table: Uint8Array, hash: Hash, code: Uint8Array, done: (compiled: Compiled) => void): boolean
}
