// The compiled engine, if there is one: dist/engine.wasm, made by `npm run build`.
import { builtBytes } from '../built.ts'

function compile(): WebAssembly.Module | undefined {
  if (typeof WebAssembly === 'undefined') return undefined
  const bytes = builtBytes('engine.wasm')
  return bytes && new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>)
}

let compiled: { readonly module: WebAssembly.Module | undefined } | undefined

/** undefined: there is none here, and the library's interpreter has to do. */
export function engineModule(): WebAssembly.Module | undefined {
  compiled ??= { module: compile() }
  return compiled.module
}
