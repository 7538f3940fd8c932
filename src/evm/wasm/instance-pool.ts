// The engines of this process. A machine takes one for a message and gives it back: the next machine finds it warm, with
// the code loaded that ran last.

import { readBuiltFile } from '../engine-file.ts'
import { Instance } from './instance.ts'

/** More are made if so many messages are under way; they are not kept. */
const MAX_IDLE = 8
/** One that has grown beyond, in bytes, gives its memory back by being forgotten. */
const MAX_IDLE_BYTES = 128 << 20

const idle: Instance[] = []

/** Undefined where there is no engine. */
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

/** undefined: there is none here, and the library's interpreter has to do. */
export function engineModule(): WebAssembly.Module | undefined {
  compiled ??= { module: compile() }
  return compiled.module
}
