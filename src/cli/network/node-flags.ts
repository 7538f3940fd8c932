// Flags of commands other than `start` that name a network's node.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { z } from 'zod'
import { hasKeys } from '../../consensus/cometbft/home.ts'
import { path, refuseFlag } from '../flags.ts'
import { schemasOf, withOptions } from '../start-flags.ts'
import { homeFiles } from './node-home.ts'

export const nodeFlags = { home: path.optional(), ...schemasOf(['engineHome', 'datadir']) }

export const withNode = (command: Command): Command =>
  withOptions(
    command.addOption(
      new Option('--home <dir>', 'home of the node, as `kestrel testnet` writes it').conflicts('engineHome'),
    ),
    ...(['engineHome', 'datadir'] as const),
  )

type NodeFlags = z.output<z.ZodObject<typeof nodeFlags>>

/**
 * Data directory and CometBFT home of the node that flags name. Throws ChainError if `--datadir` is the data directory of a
 * home, whose CometBFT home is the folder next to it: keys made in the data directory would belong to no node.
 */
export function nodeFolders({ home, engineHome, datadir }: NodeFlags): {
  readonly datadir: string
  readonly engine: string
} {
  if (home !== undefined) return { datadir: homeFiles(home).data, engine: homeFiles(home).engine }
  if (engineHome !== undefined) return { datadir, engine: engineHome }
  const files = homeFiles(dirname(resolve(datadir)))
  if (files.data === resolve(datadir) && existsSync(files.flags) && hasKeys(files.engine))
    throw refuseFlag(
      'datadir',
      `${datadir} belongs to the home of a node, which has its keys; use --home ${dirname(datadir)}`,
    )
  return { datadir, engine: join(datadir, 'engine') }
}
