// The compiler thread, which `npm run build` bundles to dist/compiler.cjs. Each request gets one answer, in the order of the
// requests; the answer for a code that cannot be compiled is undefined.
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
 * V8 translates a function to machine code at its first call, for all threads that share the module. That call is made here, so
 * that no block waits for it. The prologue reads the frame first, so with an empty memory the call traps at once.
 */
function warm(module: WebAssembly.Module): void {
  const functions = Object.fromEntries(Object.keys(ENGINE_FUNCTIONS).map((name) => [name, () => 0]))
  const memory = new WebAssembly.Memory({ initial: 0 })
  const { run } = new WebAssembly.Instance(module, { engine: { memory, ...functions } }).exports
  try {
    if (typeof run === 'function') run(0, 0n)
  } catch {
    // The expected trap.
  }
}
