// Flags of `start` that choose the engine of a network, and the flags that contradict it: what makes a block is decided by all
// nodes together, so a flag of one node must not.
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { SNAPSHOT_INTERVAL } from '../../chain/state-snapshot/snapshots.ts'
import { oneOf, path, peers, wholeNumber, wrongFlag } from '../flags.ts'

export const engineFlags = {
  consensus: oneOf('cometbft').optional(),
  home: path.optional(),
  cometbft: path.optional(),
  engineHome: path.optional(),
  externalEngine: z.boolean().default(false),
  peers: peers.optional(),
  retainBlocks: wholeNumber(1, 1_000_000_000).optional(),
  snapshotInterval: wholeNumber(0, 1_000_000_000).optional(),
}

export const withEngineFlags = (command: Command): Command =>
  command
    .optionsGroup('Network (docs/networks.md):')
    .option('--home <dir>', 'home of a network node, as `kestrel testnet` writes it: flags, genesis, data and engine')
    .option('--consensus <engine>', 'the engine that decides blocks with other nodes: cometbft; implies --production')
    .addOption(
      new Option('--cometbft <file>', "the engine's program (default: the variable COMETBFT, or cometbft on PATH)"),
    )
    .option('--engine-home <dir>', "the engine's home (default: engine/ in the data directory)")
    .addOption(
      new Option('--external-engine', 'the operator starts the engine, not kestrel').conflicts(['cometbft', 'peers']),
    )
    .option('--peers <list>', "ID@HOST:PORT of other nodes, separated by commas (default: those of the engine's home)")
    .option('--retain-blocks <number>', 'number of blocks that the engine keeps for its peers (default: all)')
    .option(
      '--snapshot-interval <number>',
      `number of blocks from one snapshot of the state to the next, for nodes that join; 0 for none (default: ${SNAPSHOT_INTERVAL})`,
    )

type Given = Readonly<Record<string, unknown>> & { readonly consensus?: string | undefined }

/** Flags that a network refuses, each with the reason. */
const REFUSED: readonly (readonly [string, string])[] = [
  ['inMemory', 'the engine keeps its blocks on disk, so the chain has to'],
  ['gasLimit', 'the gas limit of a network is in its genesis'],
  ['blockTime', 'the time between blocks of a network is in its genesis (kestrel.consensus.blockTimeMs)'],
  ['testingApi', 'a network has no development methods'],
  ...['preset', 'chainId', 'accounts', 'mnemonic', 'balance', 'timestamp', 'activate'].map(
    (name) => [name, 'a network begins with a genesis file: --genesis'] as const,
  ),
]

/** Throws WrongCommandLine for a flag that contradicts the engine of a network, and for flags of the engine without one. */
export function refuseAgainstEngine(flags: Given): void {
  if (flags.consensus === undefined) {
    const own = ['cometbft', 'engineHome', 'externalEngine', 'peers', 'retainBlocks', 'snapshotInterval']
    const name = own.find((name) => isGiven(flags[name]))
    if (name !== undefined) throw wrongFlag(name, 'only with --consensus cometbft, or --home')
    return
  }
  const refused = REFUSED.find(([name]) => isGiven(flags[name]))
  if (refused !== undefined) throw wrongFlag(refused[0], `not with --consensus: ${refused[1]}`)
  if (flags.mining === false) throw wrongFlag('noMining', 'not with --consensus: the validators make the blocks')
  if (flags.preinstalls === false)
    throw wrongFlag('noPreinstalls', 'not with --consensus: a network begins with a genesis file: --genesis')
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== false
