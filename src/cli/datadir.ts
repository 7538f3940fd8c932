// A data directory: `chain/` holds the database, `keystore/` the encrypted keys. Only one process at a time may open it.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BlockChain } from '../chain/block-chain.ts'
import type { ForkStart } from '../chain/fork.ts'
import { readFork } from '../chain/fork-row.ts'
import { StoredAllocation } from '../chain/genesis.ts'
import { defaultLimits } from '../chain/limits.ts'
import { readHead, storedSpec } from '../chain/open.ts'
import type { ProposalModule } from '../cip/modules.ts'
import type { Beginning } from '../consensus/network/joining.ts'
import type { ForkBlock } from '../fork/forked-chain.ts'
import { ChainError } from '../lib/errors.ts'
import { createLogger } from '../lib/log.ts'
import { type ChainSettings, openChain } from '../node.ts'
import { type ChainSpec, type GenesisSpec, withoutAllocation } from '../spec/chain-spec.ts'
import { hasDatabase, openStore } from '../state/kv.ts'

export const chainFolder = (datadir: string): string => join(datadir, 'chain')
export const keystoreFolder = (datadir: string): string => join(datadir, 'keystore')
/** Folder of additional compilers. */
export const compilersFolder = (datadir: string): string => join(datadir, 'compilers')

/** A chain on disk with its genesis accounts, which can be read while its database is open. */
export type StoredChain = GenesisSpec<StoredAllocation>

/**
 * Calls `use` with the chain of a data directory, its newest block's number and the block of a fork, and returns the result;
 * undefined if there is no chain yet. Throws ChainError `storage` when the folder is no data directory or is in use.
 */
export async function withStoredChain<T>(
  datadir: string,
  use: (chain: StoredChain, head: bigint, fork: ForkBlock | undefined) => T | Promise<T>,
): Promise<T | undefined> {
  checkDatadir(datadir)
  const folder = chainFolder(datadir)
  if (!hasDatabase(folder)) return undefined
  const store = await openStore(folder)
  try {
    const spec = await storedSpec(store)
    if (spec === undefined) return undefined
    const chain = { ...spec, genesis: { ...spec.genesis, alloc: new StoredAllocation(store) } }
    return await use(chain, readHead(store).number, readFork(store))
  } finally {
    await store.close()
  }
}

/** The spec of a data directory's chain. Throws ChainError `storage` when it holds none. */
export async function requireChainSpec(datadir: string): Promise<ChainSpec> {
  const spec = await withStoredChain(datadir, withoutAllocation)
  if (spec === undefined) throw noChain(datadir)
  return spec
}

export const noChain = (datadir: string): ChainError =>
  new ChainError('storage', `${datadir} holds no chain; create one with init or start`)

/** Throws ChainError `storage` unless the path is a folder. */
export function requireFolder(path: string): void {
  if (!existsSync(path)) throw new ChainError('storage', `${path}: no such folder`)
  if (!statSync(path).isDirectory()) throw new ChainError('storage', `${path} is not a folder`)
}

/** Every data directory has one of these; CometBFT's home and state snapshots may exist without the chain. */
const OWN_FOLDERS = ['chain', 'keystore', 'engine', 'snapshots']

/** Name prefix of the folders into which `resync` moves data. */
export const SET_ASIDE = 'before-resync-'
/** Name suffix until `resync` has moved everything. */
export const UNFINISHED = '.unfinished'

/** This file is in a data directory, and names the CometBFT home, from the beginning of `snapshot import` to its end. */
export const unfinishedImport = (datadir: string): string => join(datadir, 'snapshot-import.unfinished')

/** Name of the folder of an interrupted resync; undefined if there is none. */
export const unfinishedResync = (datadir: string): string | undefined =>
  readdirSync(datadir).find((entry) => entry.startsWith(SET_ASIDE) && entry.endsWith(UNFINISHED))

/**
 * Refuses a folder that holds other files, or in which a `resync` was interrupted. Hidden files and a volume's `lost+found` are
 * ignored.
 */
function checkDatadir(datadir: string): void {
  if (!existsSync(datadir)) return
  requireFolder(datadir)
  const entries = readdirSync(datadir).filter((entry) => !entry.startsWith('.') && entry !== 'lost+found')
  if (existsSync(unfinishedImport(datadir)))
    throw new ChainError(
      'storage',
      `the import of a snapshot into ${datadir} has not come to its end: run \`kestrel snapshot import\` again`,
    )
  if (unfinishedResync(datadir) !== undefined)
    throw new ChainError('storage', `a resync of ${datadir} has not come to its end: run \`kestrel resync\` again`)
  if (entries.length > 0 && !entries.some((entry) => OWN_FOLDERS.includes(entry) || entry.startsWith(SET_ASIDE)))
    throw new ChainError('storage', `${datadir} is not empty and holds no kestrel chain; choose another with --datadir`)
}

/**
 * `durable` of commands that write much: most milliseconds from a write to its sync. The command syncs all writes before it ends. A
 * power cut loses the writes since the last sync; the user then runs the command again, which continues, or starts over.
 */
export const SYNC_INTERVAL = 2000

type WorkSettings = Pick<ChainSettings, 'namesModules' | 'durable' | 'blocksOnly' | 'fork'>

/**
 * As `openForWork`, for the chain that the data directory holds. A fork has only what was fetched. Throws ChainError `storage` when
 * there is no chain.
 */
export async function openStored(
  datadir: string,
  modules: readonly ProposalModule[],
  settings: Omit<WorkSettings, 'fork'> = {},
): Promise<BlockChain> {
  const stored = await withStoredChain(datadir, (chain, _, at) => ({ spec: withoutAllocation(chain), at }))
  if (stored === undefined) throw noChain(datadir)
  const { spec, at } = stored
  return openForWork(datadir, spec, modules, { ...settings, fork: at && (await withoutServer(at)) })
}

/** A fork whose forked chain is not asked. */
async function withoutServer(at: ForkBlock): Promise<ForkStart> {
  const { ForkedChain } = await import('../fork/forked-chain.ts')
  return { forked: new ForkedChain({ remote: undefined, at }), accounts: [], balance: 0n }
}

/**
 * Opens the chain of a data directory without a node, for commands that read or extend it; `beginning` begins a missing one. Throws as
 * `openChain`.
 */
export const openForWork = (
  datadir: string,
  spec: ChainSpec,
  modules: readonly ProposalModule[],
  settings: WorkSettings = {},
  beginning?: Beginning,
): Promise<BlockChain> =>
  openChain(
    {
      ...settings,
      datadir: chainFolder(datadir),
      spec,
      modules,
      limits: defaultLimits,
      pool: { minTip: 0n, allowUnprotected: true },
      log: createLogger({ level: 'info', json: false }),
    },
    beginning,
  )
