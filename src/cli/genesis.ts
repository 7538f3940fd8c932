// `kestrel genesis`: the genesis file of a preset, or of the chain in a data directory, to read, change and share.
import type { Command } from 'commander'
import { z } from 'zod'
import { formatGenesis } from '../spec/genesis-file.ts'
import { type ChainFlags, newChain } from './choose-chain.ts'
import { requireChainSpec } from './datadir.ts'
import { readFlags } from './flags.ts'
import { chainFlags, withChainFlags } from './start-flags.ts'

const flags = z.object({ ...chainFlags, datadir: z.string().optional() })

export function register(program: Command): void {
  withChainFlags(
    program
      .command('genesis')
      .description('print a genesis file: of a preset with the flags below, or of the chain in a data directory')
      .option('--datadir <dir>', 'print the genesis of the chain in this folder'),
  )
    .addHelpText(
      'after',
      `
Examples:
  kestrel genesis > genesis.json
  kestrel genesis --preset evmos --balance 5000
  kestrel genesis --datadir kestrel-data`,
    )
    .action(async (given) => {
      const { datadir, ...options }: ChainFlags & { datadir?: string | undefined } = readFlags(flags, given)
      const spec = datadir === undefined ? await newChain(options) : await requireChainSpec(datadir)
      process.stdout.write(`${JSON.stringify(formatGenesis(spec), null, 2)}\n`)
    })
}
