// Codes that have been compiled, and those under way: in the background, by code and by the fork's prices; what has not
// been used for longest goes first. A module is the same for all engines, each of which makes an instance of it.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Hash } from '../../lib/hex.ts'
import { generate } from './compile.ts'

export type Compiled = { readonly module: WebAssembly.Module; readonly entries: Uint16Array; readonly size: number }

/** Bytes of WebAssembly that are kept; the processor's code is some times as long. */
const KEPT = 8_000_000
/** Code that is longer than a contract may be is not compiled. */
const LONGEST = 24_576
/** Gas after which a code is worth compiling: some ten milliseconds of the interpreter's time. */
const WORTH = 10_000_000

/** With a heat of 0, for tests, everything is compiled before it runs for the first time. */
export const compilation = { heat: process.env['KESTREL_COMPILE'] === 'eagerly' ? 0 : WORTH }

type Entry = { compiled: Compiled | undefined; readonly waiting: ((compiled: Compiled) => void)[] }

/** Without `compiled`: it is under way, or cannot be compiled. */
const known = new LRUCache<string, Entry>({
  maxSize: KEPT,
  sizeCalculation: ({ compiled }) => (compiled?.size ?? 0) + 100,
})

const tables = new WeakMap<Uint8Array, string>()

function nameOf(table: Uint8Array, hash: Hash): string {
  let name = tables.get(table)
  if (name === undefined) {
    name = createHash('sha256').update(table).digest('base64')
    tables.set(table, name)
  }
  return name + hash
}

/** What there is of a code under a table of opcodes. */
export function compiledCode(table: Uint8Array, hash: Hash, code: Uint8Array): Compiled | undefined {
  const name = nameOf(table, hash)
  const found = known.get(name)
  if (found !== undefined || compilation.heat > 0 || code.length > LONGEST) return found?.compiled
  const { bytes, entries } = generate(code, table)
  const compiled = { module: new WebAssembly.Module(bytes), entries, size: bytes.length }
  known.set(name, { compiled, waiting: [] })
  return compiled
}

/** Compiles it if nobody has; `done` is called when it is there: at once, later, or never. */
export function compile(table: Uint8Array, hash: Hash, code: Uint8Array, done: (compiled: Compiled) => void): void {
  if (code.length > LONGEST) return
  const name = nameOf(table, hash)
  const found = known.get(name)
  if (found?.compiled !== undefined) done(found.compiled)
  else if (found !== undefined) found.waiting.push(done)
  if (found !== undefined) return
  const waiting = [done]
  known.set(name, { compiled: undefined, waiting })
  const { bytes, entries } = generate(code, table)
  WebAssembly.compile(bytes).then(
    (module) => {
      const compiled = { module, entries, size: bytes.length }
      known.set(name, { compiled, waiting: [] })
      for (const done of waiting) done(compiled)
    },
    // The interpreter does as well.
    () => undefined,
  )
}
