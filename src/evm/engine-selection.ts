// The engines that can be chosen, and the one that runs contracts, given what was built: for the log, the banner and
// `kestrel --version --verbose`.
import { engineState } from './engine-file.ts'

/** `compiled`: our WebAssembly engine, which also compiles hot code; `wasm`: only its interpreter; `library`: ethereumjs. */
export const ENGINES = ['compiled', 'wasm', 'library'] as const
export type EngineChoice = (typeof ENGINES)[number]

/** Tests can choose the engine of their whole process. */
export const DEFAULT_ENGINE: EngineChoice = ENGINES.find((name) => name === process.env['KESTREL_ENGINE']) ?? 'compiled'

export type EngineReport = {
  /** The engine that runs: `compiled`, `wasm` or `library`. */
  readonly engine: EngineChoice
  /** Why it is not the chosen engine, or not built from the current sources, and what to do; undefined: no problem. */
  readonly warning: string | undefined
}

/** The engine that a choice selects, given what was built. */
export function reportEngine(choice: EngineChoice = DEFAULT_ENGINE): EngineReport {
  if (choice === 'library') return { engine: choice, warning: undefined }
  switch (engineState()) {
    case 'present':
      return { engine: choice, warning: undefined }
    case 'stale':
      return { engine: choice, warning: 'dist/engine.wasm was built from other sources: run `npm run build`' }
    case 'missing':
      return {
        engine: 'library',
        warning: `there is no dist/engine.wasm, so that contracts run on the library's interpreter: run \`npm run build\``,
      }
  }
}
