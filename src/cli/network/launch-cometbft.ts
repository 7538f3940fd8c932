// Prepares CometBFT for `start --consensus`: finds the program, creates the home, checks that both fit the chain.
import { hostname } from 'node:os'
import { join } from 'node:path'
import { SNAPSHOT_INTERVAL } from '../../chain/limits.ts'
import {
  cometBftFiles,
  makeHome,
  missingFile,
  readAppState,
  readHomeConfig,
  readNodeId,
  requireSameChain,
} from '../../consensus/cometbft/home.ts'
import { cometBftOptions, socketIn } from '../../consensus/cometbft/options.ts'
import { cometBftVersion, findCometBft } from '../../consensus/cometbft/program.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { NodeOptions } from '../../node.ts'
import { type ChainSpec, type GenesisAllocation, type GenesisSpec, requireNetwork } from '../../spec/chain-spec.ts'
import { refuseFlag } from '../flags.ts'
import type { StartFlags } from '../start-flags.ts'

/** CometBFT's default ports: peers, RPC, metrics. */
const PORTS = [26656, 26657, 26660] as const
/** Milliseconds between blocks, as on Evmos. */
export const BLOCK_TIME_MS = 3_000

export const engineHomeOf = ({ engineHome, datadir }: Pick<StartFlags, 'engineHome' | 'datadir'>): string =>
  engineHome ?? join(datadir, 'engine')

/** The genesis in the CometBFT home, for a node started without a genesis file; undefined if there is none. */
export const appStateOf = async (flags: StartFlags): Promise<string | undefined> =>
  flags.genesis === undefined ? readAppState(engineHomeOf(flags)) : undefined

/**
 * Creates the CometBFT home if there is none, and checks that it fits the chain. `head`: the chain's newest block, undefined
 * for a new chain. Throws ChainError, which says what to do.
 */
export async function prepareCometBft(
  flags: StartFlags,
  spec: GenesisSpec<GenesisAllocation>,
  head: bigint = 0n,
): Promise<void> {
  const { consensus } = requireNetwork(spec)
  const home = engineHomeOf(flags)
  const joins = head === 0n && (await missingFile(home)) === undefined && (await readHomeConfig(home)).stateSync
  if (head < consensus.initialHeight - 1n && !joins)
    throw new ChainError(
      'not-allowed',
      `this network begins with block ${consensus.initialHeight} of a chain that one node made: begin with a copy of its data directory, which is at block ${head}, or with a snapshot ([statesync] in config.toml)`,
    )
  const missing = await missingFile(home)
  if (missing !== undefined) {
    if (head >= consensus.initialHeight)
      throw new ChainError(
        'not-allowed',
        `the chain is at block ${head}, and ${missing} is gone: restore it, or begin with an empty data directory`,
      )
    await makeNodeHome(flags, spec)
  }
  await requireAsGiven(home, flags)
  await requireSameChain(home, spec, head)
}

type PlaceFlags = Pick<StartFlags, 'enginePortBase' | 'engineSigner'>
type HomeFlags = Pick<StartFlags, 'engineHome' | 'datadir' | 'externalEngine' | 'cometbft' | 'peers'> &
  Partial<PlaceFlags>

/** Creates the missing files of the CometBFT home with the flags' ports. Throws ChainError, which says what to do. */
export async function makeNodeHome(flags: HomeFlags, spec: GenesisSpec<GenesisAllocation>): Promise<void> {
  const { consensus } = requireNetwork(spec)
  const mempool = flags.externalEngine || (await usesAppMempool(flags)) ? 'app' : 'flood'
  const blockTime = Number(consensus.blockTimeMs ?? BLOCK_TIME_MS)
  const [p2p, rpc, metrics] = portsOf(flags) ?? PORTS
  await makeHome(engineHomeOf(flags), spec, {
    moniker: hostname(),
    socket: socketIn(flags.datadir),
    p2p: `0.0.0.0:${p2p}`,
    rpc: `127.0.0.1:${rpc}`,
    prometheus: `127.0.0.1:${metrics}`,
    peers: flags.peers ?? [],
    mempool,
    blockTime,
    isLocal: flags.enginePortBase !== undefined,
    signer: flags.engineSigner,
  })
}

/** Ports of --engine-port-base; undefined without it. */
function portsOf({ enginePortBase }: Partial<PlaceFlags>): readonly [number, number, number] | undefined {
  if (enginePortBase === undefined) return undefined
  const base = Number(enginePortBase)
  return [base, base + 1, base + 2]
}

/** Throws WrongCommandLine when a home that exists has other ports or another signer than the flags say. */
async function requireAsGiven(home: string, flags: PlaceFlags): Promise<void> {
  const { p2p, rpc, signer } = await readHomeConfig(home)
  const { config } = cometBftFiles(home)
  const [peers, requests] = portsOf(flags) ?? []
  if (peers !== undefined && (p2p.port !== peers || rpc.port !== requests))
    throw refuseFlag('enginePortBase', `${config} has the ports ${p2p.port} and ${rpc.port}; change laddr there`)
  if (flags.engineSigner !== undefined && flags.engineSigner !== signer)
    throw refuseFlag(
      'engineSigner',
      `${config} names ${signer ?? 'no signer'}; write priv_validator_laddr = "${flags.engineSigner}" at its top`,
    )
}

const usesAppMempool = async ({ cometbft }: Pick<StartFlags, 'cometbft'>): Promise<boolean> =>
  (await cometBftVersion(findCometBft(cometbft))).hasAppMempool

/**
 * Options of CometBFT and a line about it for the log. Throws ChainError, which says what to do.
 */
export async function networkOptions(
  flags: StartFlags,
  { native }: Pick<ChainSpec, 'native'>,
  log: Logger,
): Promise<{ readonly options: NonNullable<NodeOptions['network']>; readonly line: string }> {
  const home = engineHomeOf(flags)
  const { options, version } = await cometBftOptions({
    home,
    datadir: flags.datadir,
    program: flags.cometbft,
    isExternal: flags.externalEngine,
    peers: flags.peers,
    blockTime: native?.consensus?.blockTimeMs === undefined ? undefined : Number(native.consensus.blockTimeMs),
    retainBlocks: flags.retainBlocks === undefined ? undefined : BigInt(flags.retainBlocks),
    snapshotInterval: flags.snapshotInterval === undefined ? SNAPSHOT_INTERVAL : BigInt(flags.snapshotInterval),
    log: (line) => log.info({ room: 'consensus' }, line),
  })
  const nodeId = await readNodeId(home)
  const program = options.cometBft === undefined ? `of the operator, expected at ${options.socket}` : version
  return { options, line: `engine: cometbft ${program}; node id ${nodeId}; mempool ${options.mempool}` }
}
