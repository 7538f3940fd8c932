// The thread that compiles, as `npm run build` bundles it to dist/compiler.cjs. Every request has one answer, in the
// order of the requests; the answer for a code that cannot be compiled is undefined.
import { parentPort } from 'node:worker_threads'
import type { Compiled } from '../wasm/compiler.ts'
import { generate } from './compile.ts'
import { ENGINE_FUNCTIONS } from './engine-functions.ts'
import type { CompileRequest } from './thread.ts'

parentPort?.on('message', (question: CompileRequest) => parentPort?.postMessage(answer(question)))

function answer({ code, table }: CompileRequest): Compiled | undefined {
  try {
    const { bytes, entries } = generate(code, table)
    const module = new WebAssembly.Module(bytes)
    warm(module)
    return { module, entries, size: bytes.length }
  } catch {
    return undefined
  }
}

/**
 * V8 makes machine code of a function when it is first called, for all threads that have the module: that call is made
 * here. The first thing a function does is to read its frame, so without memory it does nothing but trap.
 */
function warm(module: WebAssembly.Module): void {
  const functions = Object.fromEntries(Object.keys(ENGINE_FUNCTIONS).map((name) => [name, () => 0]))
  const memory = new WebAssembly.Memory({ initial: 0 })
  const { run } = new WebAssembly.Instance(module, { engine: { memory, ...functions } }).exports
  try {
    if (typeof run === 'function') run(0, 0n)
  } catch {
    // As it should be.
  }
}
