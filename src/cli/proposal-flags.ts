// `--proposal`: improvement proposals from files, for every command that opens a chain. A chain that has one active
// cannot be read without it.
import type { Command } from 'commander'
import { z } from 'zod'
import type { Proposal } from '../cip/define.ts'
import { loadProposals } from '../cip/load.ts'
import { ChainError } from '../lib/errors.ts'
import { refuseFlag } from './flags.ts'

export const proposalFlags = { proposal: z.array(z.string()).default([]) }

const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value]

export const withProposals = (command: Command): Command =>
  command.option('--proposal <file>', 'module with opcode proposals of your own; may be repeated', collect)

/** The proposals of all files. Throws ChainError `invalid-params` that names the flag and the file. */
export async function readProposals(files: readonly string[]): Promise<readonly Proposal[]> {
  const proposals: Proposal[] = []
  for (const file of files) {
    try {
      proposals.push(...(await loadProposals(file)))
    } catch (error) {
      throw error instanceof ChainError ? refuseFlag('proposal', error.message) : error
    }
  }
  return proposals
}
