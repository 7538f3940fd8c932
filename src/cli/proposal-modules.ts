// The modules of `--proposal`: opcode proposals from files, for every command that opens a chain. A chain opens only if all
// modules that its specification names are loaded.
import { loadModule } from '../cip/load.ts'
import type { ProposalModule } from '../cip/modules.ts'
import { ChainError } from '../lib/errors.ts'
import { refuseFlag } from './flags.ts'

/** Loads the modules of all files. Throws ChainError `invalid-params` that names the flag and the file. */
export async function readModules(files: readonly string[]): Promise<readonly ProposalModule[]> {
  const modules: ProposalModule[] = []
  for (const file of files) {
    try {
      modules.push(await loadModule(file))
    } catch (error) {
      throw error instanceof ChainError ? refuseFlag('proposal', error.message) : error
    }
  }
  return modules
}
