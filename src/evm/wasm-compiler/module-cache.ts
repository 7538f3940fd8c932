// The cache of compiled codes, by code hash and the fork's opcode prices, and the queue of those being compiled on a thread.
// Both belong to the process: a module follows from its key alone, so that all chains and engines share it. Bounds: an LRU
// of 8 MB of WebAssembly, and 16 codes being compiled at a time.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Hash } from '../../lib/hex.ts'
import { readBuiltFile } from '../engine-file.ts'
import type { Compiled, HotCodeCompiler } from '../wasm/compiler.ts'
import { stress } from '../wasm/stress.ts'
import { generate } from './compile.ts'
import { ENGINE_FUNCTIONS } from './engine-functions.ts'
import { CompilerThread } from './thread.ts'

/** Bytes of WebAssembly in the cache; the machine code that V8 generates from it is several times larger. */
const MAX_BYTES = 8_000_000
/** Longer code than a contract may have (EIP-170, EIP-7954) is not compiled. */
const MAX_CODE_LENGTH = 65_536
/** Gas after which a code is worth compiling: some ten milliseconds of the interpreter's time. */
const HOT_GAS = 10_000_000
/** Codes that wait for the compiler at a time: the slowest take a third of a second each. */
const MAX_PENDING = 16

/** Read at start, so that a later build of dist/ cannot bring in another version. */
const program = readBuiltFile('compiler.cjs')?.toString()

/**
 * With a heat of 0, for tests, each code is compiled synchronously when it is loaded. Without a compiler thread the calling
 * thread compiles.
 */
export const compilation = {
  heat: process.env['KESTREL_COMPILE'] === 'eagerly' || stress !== undefined ? 0 : HOT_GAS,
  thread: program === undefined ? undefined : new CompilerThread(program),
}

/** `never`: the code cannot be compiled; the interpreter runs it. */
const modules = new LRUCache<string, Compiled | 'never'>({
  maxSize: MAX_BYTES,
  sizeCalculation: (of) => (of === 'never' ? 0 : of.size) + 100,
})

/** The callbacks of the codes that are being compiled. */
const pending = new Map<string, ((compiled: Compiled) => void)[]>()

const tables = new WeakMap<Uint8Array, string>()

function nameOf(table: Uint8Array, hash: Hash): string {
  let name = tables.get(table)
  if (name === undefined) {
    name = createHash('sha256').update(table).digest('base64')
    tables.set(table, name)
  }
  return name + hash
}

/** The compiled form of a code under a table of opcodes, if it is in the cache. With a heat of 0, compiles it at once. */
export function compiledCode(table: Uint8Array, hash: Hash, code: Uint8Array): Compiled | undefined {
  const name = nameOf(table, hash)
  const found = modules.get(name)
  if (found !== undefined) return found === 'never' ? undefined : found
  if (compilation.heat > 0 || code.length > MAX_CODE_LENGTH) return undefined
  const { bytes, entries } = generate(code, table)
  const compiled = { module: new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>), entries, size: bytes.length }
  modules.set(name, compiled)
  return compiled
}

/** See `HotCodeCompiler.compile`. */
export function compile(table: Uint8Array, hash: Hash, code: Uint8Array, done: (compiled: Compiled) => void): boolean {
  if (code.length > MAX_CODE_LENGTH) return true
  const name = nameOf(table, hash)
  const found = modules.get(name)
  if (found !== undefined) {
    if (found !== 'never') done(found)
    return true
  }
  const others = pending.get(name)
  if (others !== undefined) {
    others.push(done)
    return true
  }
  if (pending.size >= MAX_PENDING) return false
  const waiting = [done]
  pending.set(name, waiting)
  void make(table, code).then((compiled) => {
    pending.delete(name)
    modules.set(name, compiled ?? 'never')
    if (compiled !== undefined) for (const done of waiting) done(compiled)
  })
  return true
}

/** Compiles a code, on the thread if there is one. Resolves to undefined if it cannot be compiled; never rejects. */
async function make(table: Uint8Array, code: Uint8Array): Promise<Compiled | undefined> {
  if (compilation.thread !== undefined) return compilation.thread.compile({ code, table })
  try {
    const { bytes, entries } = generate(code, table)
    return { module: await WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>), entries, size: bytes.length }
  } catch {
    return undefined
  }
}

/** The compiler as engines use it. */
export const compiler: HotCodeCompiler = {
  get heat() {
    return compilation.heat
  },
  functions: Object.keys(ENGINE_FUNCTIONS),
  compiledCode,
  compile,
}
