// Encodes a WebAssembly module with one function and its imports (core specification, chapter 5.5).
import { I32, I64, type Type, unsigned } from './emitter.ts'

export type FunctionSignature = { readonly parameters: readonly Type[]; readonly result?: Type }

const text = (to: number[], value: string): void => {
  const bytes = Buffer.from(value)
  unsigned(to, bytes.length)
  for (const byte of bytes) to.push(byte)
}

/** One section; `body` follows `content`. */
function section(id: number, content: readonly number[], body: Uint8Array = new Uint8Array(0)): Uint8Array {
  const head = [id]
  unsigned(head, content.length + body.length)
  return Buffer.concat([Uint8Array.from(head), Uint8Array.from(content), body])
}

/** `run: (i32, i64) -> i32`, exported, with the memory and the functions that it calls imported from `engine`. */
export function assemble(
  imports: readonly (readonly [string, FunctionSignature])[],
  locals: readonly Type[],
  body: Uint8Array,
): Uint8Array {
  const run: FunctionSignature = { parameters: [I32, I64], result: I32 }
  const types: number[] = []
  unsigned(types, imports.length + 1)
  for (const { parameters, result } of [...imports.map(([, signature]) => signature), run]) {
    types.push(0x60, parameters.length, ...parameters)
    if (result === undefined) types.push(0)
    else types.push(1, result)
  }
  const imported: number[] = []
  unsigned(imported, imports.length + 1)
  text(imported, 'engine')
  text(imported, 'memory')
  imported.push(0x02, 0x00, 0x00)
  for (const [index, [name]] of imports.entries()) {
    text(imported, 'engine')
    text(imported, name)
    imported.push(0x00)
    unsigned(imported, index)
  }
  const functions = [1]
  unsigned(functions, imports.length)
  const exported = [1]
  text(exported, 'run')
  exported.push(0x00)
  unsigned(exported, imports.length)
  const declared = groups(locals)
  const code = [1]
  unsigned(code, declared.length + body.length)
  return Buffer.concat([
    Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00),
    section(1, types),
    section(2, imported),
    section(3, functions),
    section(7, exported),
    section(10, code.concat(declared), body),
  ])
}

/** The declaration of locals, which is run-length encoded by type. */
function groups(locals: readonly Type[]): number[] {
  const runs: { type: Type; count: number }[] = []
  for (const type of locals) {
    const last = runs.at(-1)
    if (last?.type === type) last.count++
    else runs.push({ type, count: 1 })
  }
  const bytes: number[] = []
  unsigned(bytes, runs.length)
  for (const { type, count } of runs) {
    unsigned(bytes, count)
    bytes.push(type)
  }
  return bytes
}
