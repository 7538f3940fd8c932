// The pool of engine instances. A machine acquires one for a message and releases it; the next machine reuses it with its
// loaded code. The pool belongs to the process because the module is the same for every chain, and an instance is reset for
// each transaction. Bound: 8 idle instances of at most 128 MiB each.

import { readBuiltFile } from '../engine-file.ts'
import { Instance } from './instance.ts'

/** Idle instances that the pool keeps; further ones are dropped at their release. */
const MAX_IDLE = 8
/** An instance whose memory exceeds this many bytes is dropped at its release, which frees the memory. */
const MAX_IDLE_BYTES = 128 << 20

const idle: Instance[] = []

/** undefined: the engine was not built. */
export function acquireInstance(): Instance | undefined {
  const module = engineModule()
  return module && (idle.pop() ?? new Instance(module))
}

export function releaseInstance(engine: Instance): void {
  if (idle.length < MAX_IDLE && engine.size <= MAX_IDLE_BYTES) idle.push(engine)
}

export const isEngineBuilt = (): boolean => engineModule() !== undefined

function compile(): WebAssembly.Module | undefined {
  if (typeof WebAssembly === 'undefined') return undefined
  const bytes = readBuiltFile('engine.wasm')
  return bytes && new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>)
}

let compiled: { readonly module: WebAssembly.Module | undefined } | undefined

/** undefined: the engine was not built, and the library's interpreter runs instead. */
export function engineModule(): WebAssembly.Module | undefined {
  compiled ??= { module: compile() }
  return compiled.module
}
