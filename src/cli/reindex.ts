// `kestrel reindex`: rebuilds the explorer's index by running all blocks again.
import type { Command } from 'commander'
import { z } from 'zod'
import { reindex } from '../chain/reindex.ts'
import { registryOf, requireNamed } from '../cip/modules.ts'
import { indexer } from '../indexer/indexer.ts'
import { Runtime } from '../runtime/runtime.ts'
import { openStore } from '../state/kv.ts'
import { chainFolder, requireChainSpec } from './datadir.ts'
import { readFlags } from './flags.ts'
import { showProgress } from './progress.ts'
import { readModules } from './proposal-modules.ts'
import { schemasOf, withOptions } from './start-flags.ts'

const shared = ['datadir', 'proposal'] as const
const flags = z.object(schemasOf(shared))

export function register(command: Command): void {
  withOptions(command, ...shared)
    .addHelpText(
      'after',
      `
Blocks and state are not changed. The chain cannot be started before the command has finished; if it was interrupted, run
it again.

Example:
  kestrel reindex --datadir DIR`,
    )
    .action(async (given) => {
      const { datadir, proposal } = readFlags(flags, given)
      const spec = await requireChainSpec(datadir)
      const modules = await readModules(proposal)
      requireNamed(spec, modules)
      const registry = registryOf(spec, modules)
      const store = await openStore(chainFolder(datadir))
      try {
        const progress = showProgress('indexed')
        await reindex(store, new Runtime(spec, registry), indexer, progress.step)
        progress.done('')
      } finally {
        await store.close()
      }
    })
}
