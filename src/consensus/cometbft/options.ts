// Derives the options of CometBFT from its home: the socket, who starts the program, and the RPC client.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { ChainError } from '../../lib/errors.ts'
import type { NetworkOptions } from '../network/options.ts'
import { CometBftClient } from './client.ts'
import type { CometBftConfig } from './config.ts'
import { cometBftFiles, readHomeConfig } from './home.ts'
import { requireFree } from './ports.ts'
import { CometBftProcess } from './process.ts'
import { cometBftVersion, findCometBft } from './program.ts'

export type EngineChoice = {
  /** The CometBFT home. */
  readonly home: string
  readonly datadir: string
  /** Path of the program; undefined: search for it. */
  readonly program: string | undefined
  /** Whether the operator starts CometBFT. */
  readonly isExternal: boolean
  /** `ID@HOST:PORT` of each; undefined: those of the configuration. */
  readonly peers: readonly string[] | undefined
  /** Milliseconds between blocks in the chain's genesis; undefined if it does not say. */
  readonly blockTime: number | undefined
  /** Number of blocks before the head that CometBFT keeps; undefined: all. */
  readonly retainBlocks: bigint | undefined
  /** Blocks from one state snapshot to the next; 0 for none. */
  readonly snapshotInterval: bigint
  readonly log: (line: string) => void
}

/** Longest path of a Unix socket on all systems; Linux has 107. */
const LONGEST_SOCKET = 103

/** Path of the application's socket in a data directory, or in the system's temporary folder if that path is too long. */
export function socketIn(datadir: string): string {
  const path = join(resolve(datadir), 'abci.sock')
  if (Buffer.byteLength(path) <= LONGEST_SOCKET) return path
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16)
  return join(tmpdir(), `kestrel-${name}.sock`)
}

/** Folder of the state snapshots in a data directory. */
export const snapshotsIn = (datadir: string): string => join(datadir, 'snapshots')

/** Version and options of CometBFT. Throws ChainError, which says what to do, when these options cannot work. */
export async function cometBftOptions(choice: EngineChoice): Promise<{ options: NetworkOptions; version: string }> {
  const home = resolve(choice.home)
  const config = await readHomeConfig(home)
  const client = new CometBftClient(config.rpcUrl, config.batch)
  const { mempool, proposeTimeout, stateSync } = config
  const { snapshotInterval: interval, retainBlocks, blockTime, log, isExternal } = choice
  if (blockTime !== undefined && blockTime !== config.commitTimeout)
    log(differentBlockTime(config.commitTimeout, blockTime, isExternal, cometBftFiles(home).config))
  const snapshots = interval === 0n ? undefined : { folder: snapshotsIn(choice.datadir), interval }
  const commitTimeout = isExternal ? config.commitTimeout : (blockTime ?? config.commitTimeout)
  const common = { client, mempool, proposeTimeout, commitTimeout, retainBlocks, stateSync, snapshots }
  if (isExternal) {
    const socket = requireSocket(config, home)
    return { options: { ...common, socket, cometBft: undefined }, version: 'external' }
  }
  const program = findCometBft(choice.program)
  const { version, hasAppMempool } = await cometBftVersion(program)
  if (mempool === 'app' && !hasAppMempool)
    throw new ChainError(
      'not-allowed',
      `cometbft ${version} has no mempool "app": use 0.40, or set type = "flood" below [mempool] in ${cometBftFiles(home).config}`,
    )
  const socket = socketIn(choice.datadir)
  const checkPorts = () => requirePorts(config, cometBftFiles(home).config)
  const { peers } = choice
  const { signer } = config
  const answers = () => client.answers()
  const cometBft = new CometBftProcess({ program, home, socket, peers, blockTime, signer, checkPorts, answers, log })
  return { options: { ...common, socket, cometBft }, version }
}

/** The warning about differing block times: the node passes the genesis' value to a CometBFT that it starts, not to others. */
function differentBlockTime(own: number, agreed: number, isExternal: boolean, config: string): string {
  const what = isExternal ? `write timeout_commit = "${agreed}ms"` : 'the genesis wins'
  return `timeout_commit is ${own} ms in ${config}, and blockTimeMs ${agreed} in the genesis: ${what}`
}

/** Throws ChainError `not-allowed` when another program listens on a port of CometBFT. */
export async function requirePorts({ p2p, rpc }: CometBftConfig, config: string): Promise<void> {
  await requireFree('port for peers', p2p, `laddr below [p2p] in ${config}`)
  await requireFree('RPC', rpc, `laddr below [rpc] in ${config}`)
}

/** The application's socket in the configuration of a CometBFT that the operator starts. */
function requireSocket({ socket }: CometBftConfig, home: string): string {
  const { config } = cometBftFiles(home)
  if (socket === undefined || !isAbsolute(socket))
    throw new ChainError('invalid-params', `${config}: proxy_app: expected "unix://" and the whole path of a socket`)
  if (!existsSync(dirname(socket)))
    throw new ChainError('invalid-params', `${config}: proxy_app: ${dirname(socket)}: no such folder`)
  return socket
}
