// `kestrel snapshot export`: the state of a chain as one file. It reads copies of the databases that share their tables, so a node
// that runs goes on undisturbed.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { decodeStoredHeader } from '../../chain/blocks.ts'
import { readFork } from '../../chain/fork-row.ts'
import { StoredAllocation } from '../../chain/genesis.ts'
import { readHead, readStateVersion, requireIndex, storedSpec } from '../../chain/open.ts'
import { readHorizon } from '../../chain/pruning.ts'
import { CHUNK_SIZE } from '../../chain/state-sync/format.ts'
import { snapshotChunks } from '../../chain/state-sync/making.ts'
import { genesisText } from '../../consensus/cometbft/genesis.ts'
import { ENGINE_DATABASES, type EngineState, readEngineState } from '../../consensus/cometbft/offline-state.ts'
import { indexer } from '../../indexer/indexer.ts'
import { ChainError } from '../../lib/errors.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import type { SealedHeader } from '../../primitives/types.ts'
import type { ChainSpec } from '../../spec/chain-spec.ts'
import { copyDatabaseInUse } from '../../state/disk-check.ts'
import { KEY } from '../../state/keyspace.ts'
import { hasDatabase, openUnchecked, requireUnlocked } from '../../state/kv.ts'
import { StateStore } from '../../state/state-store.ts'
import type { KvReader, KvStore } from '../../state/types.ts'
import { chainFolder, noChain } from '../datadir.ts'
import { path, readFlags } from '../flags.ts'
import { nodeFlags, nodeFolders, withNode } from '../network/node-flags.ts'
import { type Section, writeArchive } from './archive.ts'
import { encodeEngine, encodeHead, type SnapshotHead } from './contents.ts'

const flags = z.object({ ...nodeFlags, output: path })

export function registerExport(snapshot: Command): void {
  withNode(
    snapshot
      .command('export')
      .description('write the state at the newest block to a file; the node may run')
      .requiredOption('--output <file>', 'file to create; it must not exist'),
  )
    .addHelpText(
      'after',
      `
The file has the state with its codes, the newest block, the 256 headers before it and the genesis; of a network also the engine's
validators and the commit of that block. Earlier blocks, receipts and logs are not in it, nor are keys and transactions that wait.

Examples:
  kestrel snapshot export --datadir kestrel-data --output chain.snapshot
  kestrel snapshot export --home net/node4 --output chain.snapshot`,
    )
    .action(async (given) => {
      const { output, ...node } = readFlags(flags, given)
      const { datadir, engine } = nodeFolders(node)
      const folder = chainFolder(datadir)
      if (!hasDatabase(folder)) throw noChain(datadir)
      const scratch = join(datadir, 'snapshot-export')
      const copy = join(scratch, 'chain')
      if (hasDatabase(copy)) await requireUnlocked(copy)
      try {
        // CometBFT's state before the chain, which is at its block or further.
        for (const name of hasDatabase(join(engine, 'data', 'state.db')) ? ENGINE_DATABASES : [])
          copyDatabaseInUse(join(engine, 'data', name), join(scratch, name))
        copyDatabaseInUse(folder, copy)
        const { block, hash, size } = await exportTo(output, scratch)
        process.stdout.write(`block ${block}, hash ${hash}: ${Math.ceil(size / 1000)} KB in ${output}\n`)
      } finally {
        await rm(scratch, { recursive: true, force: true })
      }
    })
}

async function exportTo(file: string, scratch: string): Promise<SnapshotHead & { readonly size: number }> {
  const store = await openUnchecked(join(scratch, 'chain'))
  try {
    const spec = await storedSpec(store)
    if (spec === undefined) throw new ChainError('storage', 'the database holds no chain')
    if (readFork(store) !== undefined)
      throw new ChainError('not-allowed', 'the state of a fork is that of the forked chain: it has no snapshot')
    const engine = spec.native?.consensus === undefined ? undefined : await readEngineState(scratch)
    const block = engine?.height ?? readHead(store).number
    requireState(store, block)
    const { hash } = headerOf(store, block)
    const head = { chain: spec.name, chainId: String(spec.chainId), block, hash }
    return { ...head, size: await writeArchive(file, sections(store, spec, head, engine)) }
  } finally {
    await store.close()
  }
}

/**
 * Throws ChainError unless the states before and after a block are stored, and are those of the headers: development methods may
 * have changed them.
 */
function requireState(store: KvStore, block: bigint): void {
  if (block === 0n) throw new ChainError('not-allowed', 'the chain has no block yet: its genesis is its state')
  requireIndex(store, indexer)
  const states = new StateStore(store, readHead(store).version)
  for (const number of [block - 1n, block]) {
    const version = readStateVersion(store, number)
    if (version === undefined || version < readHorizon(store).version)
      throw new ChainError('state-not-available', `the state after block ${number} was pruned`)
    if (states.at(version).root() === headerOf(store, number).stateRoot) continue
    throw new ChainError(
      'not-allowed',
      `development methods have changed the state after block ${number}, which no block explains: let the node make two blocks first`,
    )
  }
}

function headerOf(store: KvStore, number: bigint): SealedHeader {
  const row = store.get(KEY.header(number))
  if (row === undefined) throw new ChainError('storage', `block ${number} is missing`)
  return decodeStoredHeader(row)
}

async function* sections(
  store: KvReader,
  spec: ChainSpec,
  head: SnapshotHead,
  engine: EngineState | undefined,
): AsyncGenerator<Section> {
  yield { kind: 'head', bytes: encodeHead(head) }
  const whole = { ...spec, genesis: { ...spec.genesis, alloc: new StoredAllocation(store) } }
  for await (const text of pieces(genesisText(whole))) yield { kind: 'genesis', bytes: Buffer.from(text) }
  if (engine !== undefined) yield { kind: 'engine', bytes: encodeEngine(engine.rows) }
  const chunks = snapshotChunks(store, { spec, indexer }, head.block, CHUNK_SIZE, yieldToEventLoop('light'))
  for await (const bytes of chunks) yield { kind: 'chunk', bytes }
}

/** Texts joined until they have the size of a chunk. */
async function* pieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let gathered = ''
  for await (const text of texts) {
    gathered += text
    if (gathered.length < CHUNK_SIZE) continue
    yield gathered
    gathered = ''
  }
  if (gathered !== '') yield gathered
}
