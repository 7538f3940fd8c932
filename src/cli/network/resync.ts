// `kestrel resync`: moves away the chain of a network's node and the blocks of its CometBFT, so that the next start fetches
// them from the peers. Keys, configuration and CometBFT's signing state are never touched: a validator without that state may
// sign a block twice. Data are only renamed, which needs no disk space. After an interrupted run the node does not start until
// `resync` has run again.
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import type { CometBftConfig } from '../../consensus/cometbft/config.ts'
import {
  cometBftFiles,
  readAppState,
  readConsensusKey,
  readHomeConfig,
  requireSignatures,
} from '../../consensus/cometbft/home.ts'
import { requirePorts, snapshotsIn } from '../../consensus/cometbft/options.ts'
import { endOrphan } from '../../consensus/cometbft/orphan.ts'
import { ChainError } from '../../lib/errors.ts'
import { requireNetwork } from '../../spec/chain-spec.ts'
import { parseExactly, parseSpec } from '../../spec/genesis-file.ts'
import { requireUnlocked } from '../../state/kv.ts'
import { chainFolder, requireFolder, SET_ASIDE, UNFINISHED, unfinishedResync } from '../datadir.ts'
import { readFlags } from '../flags.ts'
import { nodeFlags, nodeFolders, withNode } from './node-flags.ts'

const flags = z.object({ ...nodeFlags, discard: z.boolean().default(false) })

export function register(command: Command): void {
  withNode(command)
    .option('--discard', 'delete the old data instead of setting them aside')
    .addHelpText(
      'after',
      `
Sets aside the chain, its snapshots and CometBFT's blocks in folders before-resync-TIME of the data directory and of CometBFT's
data/. Keys, configuration and the state of the signatures stay as they are. Transactions that wait in this node's pool alone are set
aside too. The next start fetches all blocks from the peers, or a snapshot where [statesync] in config.toml says so. An interrupted
run is continued by the next one.

Examples:
  kestrel resync --home net/node3
  kestrel resync --datadir /var/lib/kestrel --discard`,
    )
    .action(async (given) => {
      const { discard, ...node } = readFlags(flags, given)
      const { datadir, engine: engineHome } = nodeFolders(node)
      // The absolute path, as in CometBFT's command line.
      const engine = resolve(engineHome)
      requireFolder(datadir)
      const config = await requireNode(engine)
      await requireStopped(datadir, engine, config)
      const places = await setAside(datadir, engine)
      if (discard) for (const place of places) await rm(place, { recursive: true, force: true })
      process.stdout.write(`${report(places, discard, config)}\n`)
    })
}

function report(places: readonly string[], discard: boolean, { stateSync }: CometBftConfig): string {
  const done = discard ? 'chain and blocks are deleted' : `chain and blocks are set aside in ${places.join(' and ')}`
  const next = stateSync ? 'fetches a snapshot of the state' : 'fetches all blocks'
  return `${done}; keys and signatures are as they were; the next start ${next} from the peers`
}

/** The configuration of a node that can fetch its blocks from peers. Throws ChainError with the reason if it cannot. */
async function requireNode(engine: string): Promise<CometBftConfig> {
  const appState = await readAppState(engine)
  if (appState === undefined)
    throw new ChainError(
      'not-allowed',
      `${engine} is not the home of a consensus engine: only a network's node can fetch its blocks again`,
    )
  const config = await readHomeConfig(engine)
  if (config.signer === undefined) requireSignatures(engine)
  const spec = parseSpec(parseExactly(appState))
  const { consensus } = requireNetwork(spec)
  if (consensus.initialHeight > 1n && !config.stateSync)
    throw new ChainError(
      'not-allowed',
      `one node made the blocks before ${consensus.initialHeight}, so no peer gives them: enable [statesync] in ${cometBftFiles(engine).config}, or copy data/ of a node that is stopped`,
    )
  const validators = spec.native?.validators ?? []
  // The key at a signer is not known while the node is stopped.
  const own = config.signer === undefined ? await readConsensusKey(engine) : undefined
  if (!config.hasPeers && validators.every(({ consensusKey }) => own === undefined || consensusKey === own))
    throw new ChainError(
      'not-allowed',
      `${cometBftFiles(engine).config} names no peer: nobody else may have the blocks`,
    )
  return config
}

/** Throws ChainError when the node or its CometBFT runs; ends a CometBFT that has outlived its node. */
async function requireStopped(datadir: string, engine: string, config: CometBftConfig): Promise<void> {
  await requireUnlocked(chainFolder(datadir))
  await endOrphan(cometBftFiles(engine).processId, engine)
  await requirePorts(config, cometBftFiles(engine).config)
}

/** Moves the data away; returns the folders where they are now. */
async function setAside(datadir: string, engine: string): Promise<readonly string[]> {
  const time = new Date().toISOString().replaceAll(':', '-').slice(0, 19)
  const unfinished = join(datadir, unfinishedResync(datadir) ?? `${SET_ASIDE}${time}${UNFINISHED}`)
  const name = basename(unfinished).slice(0, -UNFINISHED.length)
  const { signatures } = cometBftFiles(engine)
  const engineData = dirname(signatures)
  const ofEngine = join(engineData, name)
  await mkdir(unfinished, { recursive: true, mode: 0o700 })
  await flush(datadir)
  await mkdir(ofEngine, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(engineData))
    if (entry !== basename(signatures) && !entry.startsWith(SET_ASIDE))
      await moveInto(ofEngine, join(engineData, entry))
  for (const path of [chainFolder(datadir), snapshotsIn(datadir)])
    if (existsSync(path)) await moveInto(unfinished, path)
  for (const folder of [ofEngine, engineData, unfinished, datadir]) await flush(folder)
  const finished = join(datadir, name)
  await rename(unfinished, finished)
  await flush(datadir)
  return [finished, ofEngine]
}

/** Finds a free name: a CometBFT started between two attempts may have created files whose names exist in the folder. */
async function moveInto(folder: string, path: string): Promise<void> {
  const name = join(folder, basename(path))
  let free = name
  for (let number = 2; existsSync(free); number++) free = `${name}-${number}`
  await rename(path, free)
}

/** Syncs a folder's entries to disk, so that a power cut keeps the order of the changes. */
async function flush(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
