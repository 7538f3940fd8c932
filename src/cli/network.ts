// What a node of a network is started with: the engine's home, completed where something is missing, its program and its RPC.
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { EngineClient } from '../consensus/engine/client.ts'
import { engineGenesis, readAppState, readConfig, writeConfig, writeGenesis } from '../consensus/engine/home.ts'
import { makeKeys } from '../consensus/engine/keys.ts'
import { EngineProcess } from '../consensus/engine/process.ts'
import { findEngine } from '../consensus/engine/program.ts'
import type { NetworkOptions } from '../consensus/network/network.ts'
import { ChainError } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import { readStakingGenesis } from '../modules/staking/genesis.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { snapshotsFolder } from './datadir.ts'
import { refuseFlag } from './flags.ts'
import type { StartFlags } from './start-flags.ts'

/** Bytes of the longest path of a Unix socket, on Linux and less on other systems. */
const LONGEST_SOCKET = 100

export const engineHomeOf = ({ engineHome, datadir }: Pick<StartFlags, 'engineHome' | 'datadir'>): string =>
  resolve(engineHome ?? join(datadir, 'engine'))

/** The genesis that the engine's home carries, where no file was named; undefined: none. */
export const appStateOf = async (flags: StartFlags): Promise<string | undefined> =>
  flags.consensus === undefined || flags.genesis !== undefined ? undefined : readAppState(engineHomeOf(flags))

/**
 * The network's part of a node; undefined for a chain of one node. A home without keys, configuration or genesis gets them:
 * a new node needs no other preparation. Throws ChainError in one line that says what is wrong with engine or home.
 * @param genesisText - our genesis file, for an engine that has none yet
 */
export async function networkOptions(
  flags: StartFlags,
  spec: ChainSpec,
  genesisText: () => Promise<string>,
  log: Logger,
): Promise<NetworkOptions | undefined> {
  if (flags.consensus === undefined) return undefined
  if (spec.native?.consensus === undefined)
    throw refuseFlag('consensus', `${spec.name} is a chain of one node: its genesis has no kestrel.consensus`)
  const home = engineHomeOf(flags)
  const program = flags.externalEngine ? undefined : await findEngine(flags.cometbft)
  await completeHome(home, flags, spec, program?.hasAppMempool ?? true, genesisText)
  const { mempool, rpcUrl, proposeTimeout, stateSync } = await readConfig(home)
  if (mempool === 'app' && program?.hasAppMempool === false)
    throw new ChainError(
      'invalid-params',
      `CometBFT ${program.version} has no mempool "app": set mempool.type = "flood" in ${home}/config/config.toml, or use 0.40.x`,
    )
  const socket = socketPath(flags.datadir)
  const line = (text: string) => log.info({ room: 'consensus' }, text)
  const engineFlags = flags.peers === undefined ? [] : ['--p2p.persistent_peers', flags.peers.join(',')]
  return {
    socket,
    engine: program && new EngineProcess({ program: program.path, home, socket, flags: engineFlags, log: line }),
    client: new EngineClient(rpcUrl),
    mempool,
    proposeTimeout,
    stateSync,
    snapshots:
      flags.snapshotInterval === 0
        ? undefined
        : { folder: snapshotsFolder(flags.datadir), interval: BigInt(flags.snapshotInterval) },
    retainBlocks: flags.retainBlocks === undefined ? undefined : BigInt(flags.retainBlocks),
  }
}

/** Seconds from block to block of a home that was not made by `testnet`: as Evmos. */
const BLOCK_TIME = 3

async function completeHome(
  home: string,
  flags: StartFlags,
  spec: ChainSpec,
  hasAppMempool: boolean,
  genesisText: () => Promise<string>,
): Promise<void> {
  const { unbondingTime } = readStakingGenesis([], spec.native?.modules.staking).params
  await makeKeys(home)
  await writeConfig(home, {
    moniker: hostname(),
    p2p: '0.0.0.0:26656',
    rpc: '127.0.0.1:26657',
    metrics: '127.0.0.1:26660',
    peers: flags.peers ?? [],
    blockTime: BLOCK_TIME,
    mempool: hasAppMempool ? 'app' : 'flood',
    isLocal: false,
  })
  if ((await readAppState(home)) === undefined)
    await writeGenesis(home, engineGenesis(spec, JSON.parse(await genesisText()), unbondingTime))
}

/** In the data directory; in the system's folder for temporary files where the path would be too long for a socket. */
function socketPath(datadir: string): string {
  const path = resolve(datadir, 'abci.sock')
  mkdirSync(resolve(datadir), { recursive: true })
  if (Buffer.byteLength(path) <= LONGEST_SOCKET) return path
  return join(tmpdir(), `kestrel-${createHash('sha256').update(path).digest('hex').slice(0, 16)}.sock`)
}
