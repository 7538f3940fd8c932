// Which engine runs contracts here, in words: for the log, the banner and `kestrel --version --verbose`.
import { engineState } from './built.ts'
import { DEFAULT_ENGINE, type EngineChoice } from './machine-options.ts'

export type EngineReport = {
  /** The engine that runs: `compiled`, `wasm` or `library`. */
  readonly engine: EngineChoice
  /** Why that is not what was chosen, or not what the sources say, and what to do; undefined: all is as it should be. */
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
