// Chooses the engine that runs contracts, from the options, what was built, and which messages only the library's interpreter
// can run. Also describes the choice for the log, the banner and `kestrel --version --verbose`.
import { engineState } from './engine-file.ts'
import type { OuterMessage } from './message.ts'
import { fitsWasm } from './wasm/engine.ts'

/** `compiled`: our WebAssembly engine, which also compiles hot code; `wasm`: only its interpreter; `library`: ethereumjs. */
export const ENGINES = ['compiled', 'wasm', 'library'] as const
export type EngineChoice = (typeof ENGINES)[number]

/** Tests can choose the engine of their whole process. */
export const DEFAULT_ENGINE: EngineChoice = ENGINES.find((name) => name === process.env['KESTREL_ENGINE']) ?? 'compiled'

/**
 * Whether the library's interpreter runs a message: it was chosen, or our engine cannot run it because it was not built, the
 * block is unknown, or the gas exceeds 2^40.
 */
export const needsLibrary = (choice: EngineChoice, { block, gasLimit }: OuterMessage): boolean =>
  choice === 'library' || block === undefined || !fitsWasm(gasLimit)

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
