// `--proposal`: improvement proposals from files, for every command that opens a chain. A chain opens only with all
// modules that its specification names.
import type { Command } from 'commander'
import { z } from 'zod'
import { loadModule } from '../cip/load.ts'
import type { ProposalModule } from '../cip/modules.ts'
import { ChainError } from '../lib/errors.ts'
import { path, refuseFlag } from './flags.ts'

export const proposalFlags = { proposal: z.array(path).default([]) }

const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value]

export const withProposals = (command: Command): Command =>
  command.option('--proposal <file>', 'module with your own opcode proposals; may be repeated', collect)

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
