// The compiled engine, if there is one: dist/engine.wasm, made by `npm run build`. Beside the program when it runs from
// dist, and found there as well when it runs from its sources.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
/** From a bundle's own folder, from its folder of chunks, and from src/evm/engine. */
const PLACES = ['engine.wasm', '../engine.wasm', '../../../dist/engine.wasm']

function compile(): WebAssembly.Module | undefined {
  if (typeof WebAssembly === 'undefined') return undefined
  const path = PLACES.map((place) => join(here, place)).find((place) => existsSync(place))
  return path && new WebAssembly.Module(readFileSync(path))
}

let compiled: { readonly module: WebAssembly.Module | undefined } | undefined

/** undefined: there is none here, and the library's interpreter has to do. */
export function engineModule(): WebAssembly.Module | undefined {
  compiled ??= { module: compile() }
  return compiled.module
}
