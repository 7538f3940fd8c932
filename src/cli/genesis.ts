// `kestrel genesis`: prints the genesis file of a preset, or of the chain in a data directory.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { z } from 'zod'
import { nameModules } from '../cip/modules.ts'
import { genesisText } from '../consensus/cometbft/genesis.ts'
import { ChainError } from '../lib/errors.ts'
import type { GenesisAllocation, GenesisSpec } from '../spec/chain-spec.ts'
import { chainOptions } from './chain-options.ts'
import { type ChainFlags, newChain } from './choose-chain.ts'
import { noChain, withStoredChain } from './datadir.ts'
import { path, readFlags } from './flags.ts'
import { readModules } from './proposal-modules.ts'
import { schemasOf, withOptions } from './start-flags.ts'

const flags = z.object({ ...schemasOf(chainOptions), datadir: path.optional() })

export function register(command: Command): void {
  command.option('--datadir <dir>', 'print the genesis of the chain in this folder')
  withOptions(command, ...chainOptions)
    .addHelpText(
      'after',
      `
Examples:
  kestrel genesis > genesis.json
  kestrel genesis --preset evmos --balance 5000
  kestrel genesis --hardfork amsterdam
  kestrel genesis --proposal average.mjs
  kestrel genesis --datadir kestrel-data`,
    )
    .action(async (given) => {
      const { datadir, proposal, ...options } = readFlags(flags, given)
      if (datadir === undefined) return print(await newSpec(options, proposal))
      const found = await withStoredChain(datadir, async (chain, _, fork) => {
        if (fork !== undefined)
          throw new ChainError(
            'not-allowed',
            `${datadir} holds a fork of chain ${fork.chainId} at block ${fork.number}: it has no genesis file`,
          )
        await print(chain)
        return true
      })
      if (found === undefined) throw noChain(datadir)
    })
}

/** The specification of a new chain with the proposals of these files. */
async function newSpec(flags: ChainFlags, files: readonly string[]): Promise<GenesisSpec<GenesisAllocation>> {
  return nameModules(await newChain(flags), await readModules(files), 0n)
}

/** Prints a genesis file account by account: it may be larger than memory. */
const print = (spec: GenesisSpec<GenesisAllocation>): Promise<void> =>
  pipeline(Readable.from(genesisText(spec)), process.stdout, { end: false })
