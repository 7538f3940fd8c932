// `kestrel rewind`: removes the newest blocks of a stopped chain.
import type { Command } from 'commander'
import { z } from 'zod'
import type { BlockChain } from '../chain/block-chain.ts'
import { ChainError } from '../lib/errors.ts'
import { openStored } from './datadir.ts'
import { readFlags, wholeNumber } from './flags.ts'
import { showProgress } from './progress.ts'
import { readModules } from './proposal-modules.ts'
import { schemasOf, withOptions } from './start-flags.ts'

const shared = ['datadir', 'proposal'] as const
const flags = z.object({ ...schemasOf(shared), to: wholeNumber(0, Number.MAX_SAFE_INTEGER) })

/** Blocks removed per write: removed blocks are read into memory. */
const STEP = 256n

export function register(command: Command): void {
  command.requiredOption('--to <block>', 'number of the block that is the newest afterwards')
  withOptions(command, ...shared)
    .addHelpText(
      'after',
      `
Removed blocks and their transactions are gone: export them first. State and index become what they were after the block; the
transactions that wait stay. An interrupted run leaves a whole chain with fewer blocks; run it again.

In a network the consensus engine gives a node the blocks again that it has and the chain has not. Rewind to the engine's block
when its data are older than the chain. Never let a validator sign with an old data/priv_validator_state.json.

Example:
  kestrel rewind --to 1200 --datadir DIR`,
    )
    .action(async (given) => {
      const { datadir, to, proposal } = readFlags(flags, given)
      const modules = await readModules(proposal)
      const chain = await openStored(datadir, modules)
      try {
        await rewind(chain, BigInt(to))
      } finally {
        await chain.close()
      }
    })
}

/** Throws ChainError `invalid-params` for a block that the chain does not have or cannot end with. */
async function rewind(chain: BlockChain, to: bigint): Promise<void> {
  const { head, base, spec, forked } = chain
  if (to > head.number)
    throw new ChainError('invalid-params', `--to: the chain ends with block ${head.number}: ${to} is after it`)
  const first = forked?.at.number ?? base
  const beginning = forked === undefined ? 'begins with the snapshot' : 'is a fork'
  if (to < first)
    throw new ChainError(
      'invalid-params',
      `--to: the chain ${beginning} of block ${first}; for another beginning empty the data directory`,
    )
  // CometBFT decides a network's blocks from `initialHeight` on, so the chain cannot end before the block below it.
  const initialHeight = spec.native?.consensus?.initialHeight ?? 1n
  if (to < initialHeight - 1n)
    throw new ChainError('invalid-params', `--to: the chain is a network since block ${initialHeight}`)
  const progress = showProgress('removed')
  while (chain.head.number > to) {
    const from = chain.head.number
    const next = from - STEP > to ? from - STEP : to
    await chain.rewind(next, 'kept')
    for (let number = from; number > next; number--) progress.step(number)
  }
  progress.done(`; the head is block ${chain.head.number} ${chain.head.hash}`)
}
