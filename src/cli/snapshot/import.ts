// `kestrel snapshot import`: begins a chain with the file of `kestrel snapshot export`. The file is read twice: once to find damage
// before anything is written, once for the state. A marker is in the data directory from the first write to the last, so what an
// interrupted run leaves is never started, and removed by the next run.
import { existsSync, readdirSync } from 'node:fs'
import { open, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import type { BlockChain } from '../../chain/block-chain.ts'
import { StoredAllocation } from '../../chain/genesis.ts'
import type { FirstBlockOptions } from '../../chain/state-sync/first-block.ts'
import { sha256, snapshotOf } from '../../chain/state-sync/format.ts'
import { StateRestore } from '../../chain/state-sync/restore.ts'
import { cometBftFiles, missingFile, requireSameChain, requireSignatures } from '../../consensus/cometbft/home.ts'
import { ENGINE_DATABASES, type EngineState, writeEngineState } from '../../consensus/cometbft/offline-state.ts'
import { appHashOf } from '../../ibc/ics23/prove.ts'
import { ChainError } from '../../lib/errors.ts'
import { makeFolder } from '../../lib/folder.ts'
import type { Hash } from '../../lib/hex.ts'
import { concatBytes } from '../../primitives/rlp.ts'
import type { ConsensusValidator } from '../../runtime/module-queries.ts'
import { requireNetwork } from '../../spec/chain-spec.ts'
import { readGenesis, sameChain } from '../choose-chain.ts'
import { chainFolder, openForWork, requireFolder, SET_ASIDE, SYNC_INTERVAL, unfinishedImport } from '../datadir.ts'
import { hash, path, readFlags, readOperand } from '../flags.ts'
import { makeNodeHome } from '../network/launch-cometbft.ts'
import { nodeFlags, nodeFolders, withNode } from '../network/node-flags.ts'
import { homeFiles } from '../network/node-home.ts'
import { readModules } from '../proposal-modules.ts'
import { schemasOf, withOptions } from '../start-flags.ts'
import { type Kind, readArchive } from './archive.ts'
import { decodeEngine, decodeHead, type SnapshotHead } from './contents.ts'

const shared = ['cometbft', 'enginePortBase', 'engineSigner', 'peers', 'proposal'] as const
const flags = z.object({
  ...nodeFlags,
  ...schemasOf(shared),
  genesis: path.optional(),
  trustHash: hash.optional(),
})
type Flags = z.output<typeof flags>

export function registerImport(snapshot: Command): void {
  const command = snapshot
    .command('import')
    .description('begin a chain in an empty data directory with the state in a file')
    .argument('<file>', 'file that `kestrel snapshot export` has written')
    .option('--trust-hash <hash>', 'the hash that the block of the snapshot must have, from somebody you trust')
    .option('--genesis <file>', 'the genesis that the chain must have (default: that of the home, if there is one)')
  withOptions(withNode(command), ...shared)
    .addHelpText(
      'after',
      `
The state is compared with the state root of the block, and the block is executed; whether it is a block of the chain, only its hash
tells: without --trust-hash you trust whoever gave you the file. In a network the validators that the file names are compared with
those of the state. The next start goes on after the block; a network's node fetches the blocks that came later from its peers.

Examples:
  kestrel snapshot import chain.snapshot --datadir copy
  kestrel snapshot import chain.snapshot --home net/node4 --trust-hash 0x…`,
    )
    .action(async (file: string, given) => {
      readOperand('file', path, file)
      const read = readFlags(flags, given)
      const folders = nodeFolders(read)
      await removeUnfinished(folders)
      requireEmpty(folders)
      const contents = await survey(file, read.trustHash)
      const { head } = contents
      makeFolder(folders.datadir)
      await writeFile(unfinishedImport(folders.datadir), resolve(folders.engine), { mode: 0o600, flush: true })
      try {
        await begin(file, contents, folders, read)
      } catch (error) {
        await removeUnfinished(folders)
        throw error
      }
      await removeMarker(folders.datadir)
      const trusted =
        read.trustHash === undefined
          ? 'nothing but this file says that it is a block of the chain: compare the hash with that of a node you trust'
          : 'its hash is the one that you trust'
      process.stdout.write(`the chain ${head.chain} begins at block ${head.block}, hash ${head.hash}\n${trusted}\n`)
    })
}

type Folders = ReturnType<typeof nodeFolders>

const stateOf = ({ engine }: Pick<Folders, 'engine'>): string[] =>
  ENGINE_DATABASES.map((name) => join(engine, 'data', name))
const genesisPart = (datadir: string): string => join(datadir, 'snapshot-import.genesis')

/** Removes what an interrupted run has left; its marker comes last. */
async function removeUnfinished(folders: Folders): Promise<void> {
  const { datadir } = folders
  if (!existsSync(unfinishedImport(datadir))) return
  for (const left of [chainFolder(datadir), ...stateOf(folders), genesisPart(datadir)])
    await rm(left, { recursive: true, force: true })
  await removeMarker(datadir)
}

async function removeMarker(datadir: string): Promise<void> {
  await rm(unfinishedImport(datadir))
  const folder = await open(datadir)
  await folder.sync().finally(() => folder.close())
}

/** What may be in a data directory without a chain. */
const OTHERS = ['keystore', 'engine', 'snapshots', 'lost+found']

/** Throws ChainError `storage` for a data directory with a chain or other files, and a home whose CometBFT has blocks. */
function requireEmpty(folders: Folders): void {
  const { datadir, engine } = folders
  if (existsSync(datadir)) {
    requireFolder(datadir)
    const found = readdirSync(datadir).find(
      (entry) => !entry.startsWith('.') && !entry.startsWith(SET_ASIDE) && !OTHERS.includes(entry),
    )
    if (found !== undefined) throw new ChainError('storage', `${datadir} is not empty: it has ${found}`)
  }
  const blocks = stateOf(folders).find((place) => existsSync(place))
  if (blocks !== undefined)
    throw new ChainError('storage', `${blocks} exists: \`kestrel resync\` sets aside what a node has`)
  // A home with a key has signed; without the state of its signatures it may sign twice.
  if (existsSync(cometBftFiles(engine).genesis)) requireSignatures(engine)
}

type Contents = {
  readonly head: SnapshotHead
  readonly engine: EngineState | undefined
  /** SHA-256 of each chunk. */
  readonly chunks: readonly Uint8Array[]
}

/** Kinds of sections in their order; the second of a pair may follow the first. */
const ORDER: readonly (readonly [Kind | undefined, Kind])[] = [
  [undefined, 'head'],
  ['head', 'genesis'],
  ['genesis', 'genesis'],
  ['genesis', 'engine'],
  ['genesis', 'chunk'],
  ['engine', 'chunk'],
  ['chunk', 'chunk'],
]

/** Reads the whole file without using it. Throws ChainError `storage` for a file that is not whole or of another block. */
async function survey(file: string, trusted: Hash | undefined): Promise<Contents> {
  let last: Kind | undefined
  let head: SnapshotHead | undefined
  let engine: EngineState | undefined
  const chunks: Uint8Array[] = []
  for await (const { kind, bytes } of readArchive(file)) {
    if (!ORDER.some(([before, after]) => before === last && after === kind))
      throw new ChainError('storage', `${file} has its parts in another order`)
    last = kind
    if (kind === 'head') head = decodeHead(bytes)
    if (kind === 'engine') engine = decodeEngine(bytes)
    if (kind === 'chunk') chunks.push(sha256(bytes))
    if (trusted !== undefined && head !== undefined && head.hash !== trusted)
      throw new ChainError('storage', `${file} has block ${head.block} with hash ${head.hash}, and not the trusted one`)
  }
  if (head === undefined || last !== 'chunk') throw new ChainError('storage', `${file} has no state`)
  return { head, engine, chunks }
}

async function begin(file: string, contents: Contents, folders: Folders, given: Flags): Promise<void> {
  const { datadir, engine: home } = folders
  const { head, engine } = contents
  const genesis = genesisPart(datadir)
  await writeGenesisPart(file, genesis)
  const spec = await readGenesis(genesis)
  if ((spec.native?.consensus === undefined) !== (engine === undefined))
    throw new ChainError(
      'storage',
      `${file} has no state of the consensus engine, which a network needs, or one without a network`,
    )
  const modules = await readModules(given.proposal)
  const chain = await openForWork(
    datadir,
    spec,
    modules,
    { durable: SYNC_INTERVAL, namesModules: false },
    {
      restore: (parts) => restore(parts, file, contents),
    },
  )
  try {
    await requireGenesis(chain, given)
    if (engine !== undefined) await requireValidators(chain, head, engine)
  } finally {
    await chain.close()
  }
  if (engine !== undefined) {
    if ((await missingFile(home)) !== undefined)
      await makeNodeHome({ ...given, datadir, engineHome: home, externalEngine: false }, spec)
    await requireSameChain(home, spec, 0n)
    await writeEngineState(home, engine.rows)
  }
  await rm(genesis)
}

async function writeGenesisPart(file: string, to: string): Promise<void> {
  const target = await open(to, 'w', 0o600)
  try {
    for await (const { kind, bytes } of readArchive(file)) {
      if (kind === 'genesis') await target.writeFile(bytes)
      if (kind === 'chunk') return
    }
  } finally {
    await target.close()
  }
}

/** Throws ChainError `invalid-block` for a state that is not that of the block. */
async function restore(parts: FirstBlockOptions, file: string, { head, chunks }: Contents): Promise<void> {
  let why = `${file} is not a state that this program can begin with`
  const onRefused = (reason: string) => {
    why = reason
  }
  const restoring = new StateRestore({ ...parts, onRefused })
  const offered = await restoring.offer(snapshotOf(head.block, concatBytes([...chunks])), { blockHash: head.hash })
  if (offered !== 'accept') throw new ChainError('storage', why)
  let index = 0
  for await (const { kind, bytes } of readArchive(file)) {
    if (kind !== 'chunk') continue
    const { result } = await restoring.apply(index++, bytes, '')
    if (result !== 'accept') throw new ChainError('invalid-block', why)
  }
}

/** Throws ChainError `storage` when the chain is not that of the genesis that the flags, or the node's home, name. */
async function requireGenesis({ spec, store }: BlockChain, { genesis, home }: Flags): Promise<void> {
  const ofHome = home === undefined ? undefined : homeFiles(home).genesis
  const file = genesis ?? (ofHome !== undefined && existsSync(ofHome) ? ofHome : undefined)
  if (file === undefined) return
  const stored = { ...spec, genesis: { ...spec.genesis, alloc: new StoredAllocation(store) } }
  if (await sameChain(await readGenesis(file), stored)) return
  throw new ChainError('storage', `the snapshot is of another chain than ${file}`)
}

/** Throws ChainError `storage` when the engine's state is not that of the chain's block. */
async function requireValidators(chain: BlockChain, head: SnapshotHead, engine: EngineState): Promise<void> {
  const { textChainId } = requireNetwork(chain.spec)
  const leaves = chain.stateQueries.appHashLeaves(head.block)
  const isSame =
    engine.chainId === textChainId &&
    engine.height === head.block &&
    leaves !== undefined &&
    engine.appHash === appHashOf(leaves) &&
    listed(engine.validators) === listed(await validatorsBefore(chain, head.block)) &&
    listed(engine.nextValidators) === listed(chain.validators())
  if (!isSame) throw new ChainError('storage', "the state of the consensus engine is not that of the snapshot's block")
}

/** The validators after the block before; the engine lets them sign the next block, because changes take effect two blocks later. */
async function validatorsBefore({ stateQueries }: BlockChain, block: bigint): Promise<ConsensusValidator[]> {
  const signers = await stateQueries.signers(block)
  const found = signers.map(async ({ operator, power }) => {
    const key = (await stateQueries.validator('latest', operator))?.consensusKey
    return key === undefined ? [] : [{ key, power }]
  })
  return (await Promise.all(found)).flat()
}

const listed = (validators: readonly ConsensusValidator[]): string =>
  validators
    .map(({ key, power }) => `${key} ${power}`)
    .sort()
    .join()
