// `kestrel genesis`: prints the genesis file of a preset, or of the chain in a data directory.
import type { Command } from 'commander'
import { z } from 'zod'
import { nameModules } from '../cip/modules.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { formatGenesis } from '../spec/genesis-file.ts'
import { type ChainFlags, newChain } from './choose-chain.ts'
import { requireChainSpec } from './datadir.ts'
import { path, readFlags } from './flags.ts'
import { proposalFlags, readModules, withProposals } from './proposal-flags.ts'
import { chainFlags, withChainFlags } from './start-flags.ts'

const flags = z.object({ ...chainFlags, ...proposalFlags, datadir: path.optional() })

export function register(program: Command): void {
  withProposals(
    withChainFlags(
      program
        .command('genesis')
        .description('print a genesis file: of a preset with the flags below, or of the chain in a data directory')
        .option('--datadir <dir>', 'print the genesis of the chain in this folder'),
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  kestrel genesis > genesis.json
  kestrel genesis --preset evmos --balance 5000
  kestrel genesis --proposal average.mjs
  kestrel genesis --datadir kestrel-data`,
    )
    .action(async (given) => {
      const { datadir, proposal, ...options } = readFlags(flags, given)
      const spec = datadir === undefined ? await newSpec(options, proposal) : await requireChainSpec(datadir)
      process.stdout.write(`${JSON.stringify(formatGenesis(spec), null, 2)}\n`)
    })
}

/** The specification of a new chain with the proposals of these files. */
async function newSpec(flags: ChainFlags, files: readonly string[]): Promise<ChainSpec> {
  return nameModules(await newChain(flags), await readModules(files), 0n)
}
