// The flags of a network's node, and `--home`, a folder with all of them that `kestrel testnet` has made.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { Option } from 'commander'
import { z } from 'zod'
import { SNAPSHOT_INTERVAL } from '../chain/state-snapshot/snapshots.ts'
import { ChainError } from '../lib/errors.ts'
import { list, oneOf, path, wholeNumber, wrongFlag } from './flags.ts'

/** The parts of a node's home. */
export const homeParts = (home: string) => ({
  flags: join(home, 'node.json'),
  genesis: join(home, 'genesis.json'),
  datadir: join(home, 'data'),
  engine: join(home, 'engine'),
})

export const networkFlags = {
  home: path.optional(),
  consensus: oneOf('cometbft').optional(),
  cometbft: path.optional(),
  engineHome: path.optional(),
  externalEngine: z.boolean().default(false),
  peers: list.optional(),
  retainBlocks: wholeNumber(1, 1_000_000_000).optional(),
  snapshotInterval: wholeNumber(0, 1_000_000_000),
}

export const withNetworkFlags = (command: Command): Command =>
  command
    .optionsGroup('Network:')
    .option('--home <dir>', 'home of a node that `kestrel testnet` has made: its data, engine and flags')
    .addOption(new Option('--consensus <engine>', 'take part in a network: cometbft').conflicts(['inMemory', 'dev']))
    .option('--cometbft <file>', 'program of the engine (default: $COMETBFT, or cometbft in the path)')
    .option('--engine-home <dir>', "the engine's configuration, keys and data (default: engine/ in the data directory)")
    .addOption(new Option('--external-engine', 'somebody else starts the engine').conflicts('cometbft'))
    .option('--peers <list>', 'nodes to stay connected with: ID@HOST:PORT,ID@HOST:PORT')
    .option('--retain-blocks <number>', 'number of blocks that the engine keeps for its peers (default: all)')
    .addOption(
      new Option(
        '--snapshot-interval <blocks>',
        'make a snapshot of the state every so many blocks; 0 for none',
      ).default(String(SNAPSHOT_INTERVAL), String(SNAPSHOT_INTERVAL)),
    )

/** Flags that say what one node alone would decide; in a network all nodes must agree on it. */
const SOLO_FLAGS = [
  'gasLimit',
  'blockTime',
  'preset',
  'chainId',
  'accounts',
  'mnemonic',
  'balance',
  'activate',
] as const

const homeFlags = z.record(z.string(), z.union([z.string(), z.boolean(), z.array(z.string())]))

/**
 * The flags as given, with those of `--home` where none was given on the command line, and what `--consensus` implies. Throws
 * WrongCommandLine for flags that a network does not have, ChainError `storage` for a home that is none.
 */
export function withHome(command: Command): unknown {
  const given: Record<string, unknown> = { ...command.opts() }
  const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli'
  if (typeof given.home === 'string') {
    const { flags, genesis, datadir, engine } = homeParts(given.home)
    const stored = { ...readHomeFlags(given.home, flags), genesis, datadir, engineHome: engine, consensus: 'cometbft' }
    for (const [name, value] of Object.entries(stored)) if (!isGiven(name)) given[name] = value
  }
  if (given.consensus === undefined) return given
  for (const name of SOLO_FLAGS) {
    if (isGiven(name)) throw wrongFlag(name, 'the nodes of a network agree on it: it follows from genesis and engine')
  }
  if (isGiven('mining')) throw wrongFlag('no-mining', 'the validators of a network make its blocks')
  return { ...given, production: true }
}

function readHomeFlags(home: string, file: string): Record<string, unknown> {
  try {
    return homeFlags.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    throw new ChainError(
      'storage',
      `${home} is no home of a node: it has no readable node.json; \`kestrel testnet\` makes them`,
    )
  }
}
