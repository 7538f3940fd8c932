// `kestrel init`: creates a chain in a data directory from a genesis file. Repeating it with the same genesis changes nothing.
import type { Command } from 'commander'
import { z } from 'zod'
import { ChainError } from '../lib/errors.ts'
import { withoutAllocation } from '../spec/chain-spec.ts'
import { firstBlock } from '../spec/forks.ts'
import { readGenesis, sameChain, withActivated } from './choose-chain.ts'
import { openForWork, SYNC_INTERVAL, withStoredChain } from './datadir.ts'
import { path, readFlags } from './flags.ts'
import { readModules } from './proposal-modules.ts'
import { schemasOf, withOptions } from './start-flags.ts'

const shared = ['datadir', 'activate', 'proposal'] as const
const flags = z.object({ genesis: path, ...schemasOf(shared) })

export function register(command: Command): void {
  command.requiredOption('--genesis <file>', "genesis file, kestrel's or geth's")
  withOptions(command, ...shared)
    .addHelpText(
      'after',
      `
A file in geth's format creates a plain Ethereum chain. With a section "kestrel" the chain has the native modules too;
\`kestrel genesis\` prints such a file.

Examples:
  kestrel init --genesis genesis.json
  kestrel genesis --chain-id 777 > mine.json && kestrel init --genesis mine.json --datadir mine`,
    )
    .action(async (given) => {
      const { datadir, genesis, activate, proposal } = readFlags(flags, given)
      const spec = withActivated(await readGenesis(genesis), activate)
      const modules = await readModules(proposal)
      const stored = await withStoredChain(datadir, async (stored, _, fork) => {
        if (fork === undefined && (await sameChain(spec, stored))) return withoutAllocation(stored)
        throw new ChainError(
          'storage',
          `${datadir} holds another chain, ${stored.name} (id ${stored.chainId}); choose another with --datadir`,
        )
      })
      const chain = await openForWork(datadir, spec, modules, {
        durable: SYNC_INTERVAL,
        namesModules: stored === undefined,
      })
      try {
        process.stdout.write(`${chain.canonicalHash(firstBlock(spec))}\n`)
      } finally {
        await chain.close()
      }
    })
}
