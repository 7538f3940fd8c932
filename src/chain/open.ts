// Opens a database as a chain: checks its format, compares it with the given chain, and writes block 0 if it is new.
import { withNewNames } from '../cip/modules.ts'
import { ChainError } from '../lib/errors.ts'
import { bigToBytes, bytesToBig } from '../lib/hex.ts'
import type { SealedHeader } from '../primitives/types.ts'
import { Runtime } from '../runtime/runtime.ts'
import {
  type ChainSpec,
  type GenesisAllocation,
  type GenesisSpec,
  hasAllocation,
  withoutAllocation,
} from '../spec/chain-spec.ts'
import { formatSpec, parseExactly, parseGenesisText, parseSpec } from '../spec/genesis-file.ts'
import { KEY } from '../state/keyspace.ts'
import type { KvReader, KvStore, WriteOp } from '../state/types.ts'
import { baseRow } from './base.ts'
import { blockRows } from './blocks.ts'
import { withForkRules } from './fork-row.ts'
import { allocationRows, type FirstBlock, writeGenesis } from './genesis.ts'
import type { Indexer } from './types.ts'

/** All keys except the store's own rows, which begin with the last byte. */
const ALL_KEYS = { gte: new Uint8Array(0), lt: Uint8Array.of(0xff) }
/** Keys of metadata, which come first. */
const FACTS = { ...ALL_KEYS, lt: Uint8Array.of(0x01) }
const AFTER_FACTS = { ...ALL_KEYS, gte: Uint8Array.of(0x01) }
/** Database format. A change that existing rows do not survive raises the number. */
const FORMAT = 'kestrel/5'
/** As `kestrel/5`, but every version stores its trie nodes (`state/unstored-nodes.ts`). */
const FORMAT_WITH_NODES = 'kestrel/4'
/** As `kestrel/4`, with the accounts of block 0 in the row of the specification. */
const FORMAT_WITH_ALLOCATION = 'kestrel/3'

/**
 * The specification of the stored chain; undefined if the database is empty or its creation was interrupted. A database of
 * `kestrel/3` is converted to the next format. Throws ChainError `storage` if the database is not kestrel's.
 */
export async function storedSpec(store: KvStore): Promise<ChainSpec | undefined> {
  const format = store.get(KEY.meta('format'))
  const genesis = store.get(KEY.meta('genesis'))
  if (format === undefined || genesis === undefined) return undefined
  // A fork whose accounts have no coins yet.
  if (store.get(KEY.meta('unfinished')) !== undefined) return undefined
  const found = Buffer.from(format).toString()
  const text = Buffer.from(genesis).toString()
  if (found === FORMAT || found === FORMAT_WITH_NODES) return withForkRules(parseSpec(parseExactly(text)), store)
  if (found !== FORMAT_WITH_ALLOCATION)
    throw new ChainError('storage', `the database has format ${found}, this program needs ${FORMAT}`)
  const spec = parseGenesisText(text)
  await store.write([...allocationRows(spec.genesis.alloc), formatRow(FORMAT_WITH_NODES), specRow(spec)])
  return withoutAllocation(spec)
}

/**
 * Gives a database the present format, which earlier programs refuse: before the first write that they cannot read, and after
 * everything that this program may refuse.
 */
export async function upgradeFormat(store: KvStore): Promise<void> {
  const found = store.get(KEY.meta('format'))
  if (found !== undefined && Buffer.from(found).toString() !== FORMAT) await store.write([formatRow()])
}

/**
 * The chain to open: the stored one, with new proposal names from the given genesis file; for an empty database the given one.
 * `head`: undefined for an empty database. `place`: the folder, for error messages. Throws ChainError `storage` for an empty
 * database without a genesis, and for a stored chain that differs from the given one.
 */
export function specToOpen(
  stored: ChainSpec | undefined,
  head: bigint | undefined,
  given: ChainSpec | undefined,
  place: string | undefined,
): ChainSpec {
  if (stored === undefined || head === undefined) {
    if (given === undefined || !hasAllocation(given)) throw new ChainError('storage', `${place} holds no chain`)
    return given
  }
  if (given === undefined) return stored
  if (given.chainId !== stored.chainId || given.name !== stored.name)
    throw new ChainError(
      'storage',
      `${place} holds the chain ${stored.name} (${stored.chainId}), not ${given.name} (${given.chainId})`,
    )
  return withNewNames(stored, given, head)
}

const formatRow = (format = FORMAT): WriteOp => ({ type: 'put', key: KEY.meta('format'), value: Buffer.from(format) })

/**
 * Writes the genesis block of a spec into an empty database. `first`: takes its place, with a state that is not here; the chain is complete
 * only after `beginAtHead`. A large genesis takes many batches; the last one has the format row, so an
 * interrupted creation leaves no chain and is started again. Throws ChainError `storage` if the database is not empty.
 */
export async function createChain(
  store: KvStore,
  spec: GenesisSpec<GenesisAllocation>,
  indexer: Indexer,
  runtime: Runtime = new Runtime(withoutAllocation(spec)),
  first?: FirstBlock,
): Promise<void> {
  await beginChain(store)
  const { block, receipts } = await writeGenesis(store, spec.genesis.alloc, runtime, indexer, first)
  const { number } = block.header
  await store.write([
    ...blockRows(block, receipts),
    ...totalDifficultyRow(number, spec.genesis.difficulty),
    stateVersionRow(number, 0),
    headRow(number, 0),
    ...(number === 0n ? [] : [baseRow(number)]),
    indexRow('complete', indexer),
    ...chainRows(spec),
    ...(first === undefined ? [] : [unfinishedRow()]),
  ])
}

/**
 * Prepares an empty database for the rows of a chain, which is complete only with `chainRows`; removes the rows of an
 * interrupted creation. Throws ChainError `storage` if the database is not empty.
 */
export async function beginChain(store: KvStore): Promise<void> {
  await requireNew(store)
  await store.write([unfinishedRow()])
}

/** Marks a database whose chain is not complete. */
export const unfinishedRow = (): WriteOp => ({ type: 'put', key: KEY.meta('unfinished'), value: Buffer.from(FORMAT) })

/** The rows of the last batch, which complete the chain. */
export const chainRows = (spec: ChainSpec): WriteOp[] => [
  formatRow(),
  specRow(spec),
  { type: 'del', key: KEY.meta('unfinished') },
]

/** Removes the rows of an interrupted creation. Refuses a LevelDB database of another program. */
async function requireNew(store: KvStore): Promise<void> {
  if (store.get(KEY.meta('unfinished')) !== undefined) return deleteRows(store, AFTER_FACTS)
  for await (const _ of store.scan({ ...ALL_KEYS, limit: 1, values: false })) {
    throw new ChainError('storage', 'the database is not empty and holds no kestrel chain')
  }
}

/** Marks a chain as interrupted in one write: the next creation removes its rows. */
export async function abandonChain(store: KvStore): Promise<void> {
  const facts: WriteOp[] = []
  for await (const [key] of store.scan({ ...FACTS, values: false })) facts.push({ type: 'del', key })
  await store.write([...facts, unfinishedRow()])
}

/** Rows deleted per batch. */
const BATCH = 10_000

export async function deleteRows(store: KvStore, range: { gte: Uint8Array; lt: Uint8Array }): Promise<void> {
  let ops: WriteOp[] = []
  for await (const [key] of store.scan({ ...range, values: false })) {
    ops.push({ type: 'del', key })
    if (ops.length < BATCH) continue
    await store.write(ops)
    ops = []
  }
  await store.write(ops)
}

/**
 * The specification as stored, without the accounts of block 0. In an existing chain only `kestrel.proposals` may grow, by
 * entries whose first block is still in the future: any other change would change the effect of stored blocks.
 */
export const specRow = (spec: ChainSpec): WriteOp => ({
  type: 'put',
  key: KEY.meta('genesis'),
  value: Buffer.from(JSON.stringify(formatSpec(spec))),
})

/** The row with the format of a complete index; it is absent while the index is built. */
export const indexRow = (state: 'complete' | 'incomplete', { format }: Indexer): WriteOp =>
  state === 'complete'
    ? { type: 'put', key: KEY.meta('index'), value: Buffer.from(format) }
    : { type: 'del', key: KEY.meta('index') }

/** For chains without an explorer: writes and reads no index. */
export const NO_INDEX: Indexer = {
  format: 'none',
  reads: () => true,
  block: async () => [],
  genesisAccounts: async () => [],
  addresses: async function* () {},
  firstHolders: async () => [],
  edit: async () => [],
  undo: () => [],
}

/** Throws ChainError `storage` unless the index is complete and of a format that the indexer reads. */
export function requireIndex(store: Pick<KvReader, 'get'>, indexer: Indexer): void {
  const row = store.get(KEY.meta('index'))
  if (row !== undefined && indexer.reads(Buffer.from(row).toString())) return
  const what = row === undefined ? 'is not complete' : 'has another layout'
  throw new ChainError('storage', `the index of this database ${what}; make it again with \`kestrel reindex\``)
}

/** Block number of the head and the state version at it. */
export type HeadRow = { readonly number: bigint; readonly version: number }

export const headRow = (number: bigint, version: number): WriteOp => ({
  type: 'put',
  key: KEY.meta('head'),
  value: Buffer.from(JSON.stringify([number.toString(), version])),
})

export function readHead(store: Pick<KvReader, 'get'>): HeadRow {
  const row = store.get(KEY.meta('head'))
  const head: unknown = row && JSON.parse(Buffer.from(row).toString())
  if (!Array.isArray(head) || typeof head[0] !== 'string' || typeof head[1] !== 'number') {
    throw new ChainError('storage', 'the database has no head')
  }
  return { number: BigInt(head[0]), version: head[1] }
}

export const stateVersionRow = (number: bigint, version: number): WriteOp => ({
  type: 'put',
  key: KEY.stateVersion(number),
  value: bigToBytes(BigInt(version)),
})

export function readStateVersion(store: Pick<KvReader, 'get'>, number: bigint): number | undefined {
  const row = store.get(KEY.stateVersion(number))
  return row && Number(bytesToBig(row))
}

/** Stored only while blocks have a difficulty: it does not grow after the merge. */
export const totalDifficultyRow = (number: bigint, total: bigint): WriteOp[] =>
  total === 0n ? [] : [{ type: 'put', key: KEY.totalDifficulty(number), value: bigToBytes(total) }]

export function readTotalDifficulty(store: KvReader, number: bigint): bigint | undefined {
  const row = store.get(KEY.totalDifficulty(number))
  return row && bytesToBig(row)
}

/** The row of a new block's total difficulty; none after the merge. */
export const totalDifficultyAfter = (store: KvReader, { number, difficulty }: SealedHeader): WriteOp[] =>
  difficulty === 0n ? [] : totalDifficultyRow(number, (readTotalDifficulty(store, number - 1n) ?? 0n) + difficulty)
