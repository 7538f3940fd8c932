// Opening a database as a chain: what it is, whether it is the one that was asked for, and block 0 if it is new.
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
import { blockRows } from './blocks.ts'
import { allocationRows, writeGenesis } from './genesis.ts'
import type { Indexer } from './types.ts'

/** All keys; only a row of the store itself begins with the last byte. */
const ALL_KEYS = { gte: new Uint8Array(0), lt: Uint8Array.of(0xff) }
/** Facts about the database, which come first, and all other rows. */
const FACTS = { ...ALL_KEYS, lt: Uint8Array.of(0x01) }
const AFTER_FACTS = { ...ALL_KEYS, gte: Uint8Array.of(0x01) }
/** Layout of the database; a change that old rows do not survive raises it. */
const FORMAT = 'kestrel/4'
/** As `kestrel/4`, but with the accounts of block 0 in the row of the specification. */
const FORMAT_WITH_ALLOCATION = 'kestrel/3'

/**
 * The chain that a database holds; undefined when it is empty or its creation was interrupted. A database of the former
 * format is brought to this one. Throws ChainError `storage` when it is not ours.
 */
export async function storedSpec(store: KvStore): Promise<ChainSpec | undefined> {
  const format = store.get(KEY.meta('format'))
  const genesis = store.get(KEY.meta('genesis'))
  if (format === undefined || genesis === undefined) return undefined
  const found = Buffer.from(format).toString()
  const text = Buffer.from(genesis).toString()
  if (found === FORMAT) return parseSpec(parseExactly(text))
  if (found !== FORMAT_WITH_ALLOCATION)
    throw new ChainError('storage', `the database has format ${found}, this program needs ${FORMAT}`)
  const spec = parseGenesisText(text)
  await store.write([...allocationRows(spec.genesis.alloc), formatRow(), specRow(spec)])
  return withoutAllocation(spec)
}

/**
 * The chain to open: the stored one, with the new names of a genesis file that was given again; or, in an empty database, the one
 * that was given. `head`: undefined in an empty database. `place`: the folder, for the words of the refusals. Throws ChainError
 * `storage` for an empty database without a genesis, and for one that holds another chain than the one given.
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

const formatRow = (): WriteOp => ({ type: 'put', key: KEY.meta('format'), value: Buffer.from(FORMAT) })

/**
 * Writes block 0 of a spec into an empty database. A large genesis takes many batches; the format comes with the last one, so
 * a chain whose creation was interrupted is none, and is begun anew. Throws ChainError `storage` when the database is not
 * empty.
 */
export async function createChain(
  store: KvStore,
  spec: GenesisSpec<GenesisAllocation>,
  indexer: Indexer,
  runtime: Runtime = new Runtime(withoutAllocation(spec)),
): Promise<void> {
  await beginChain(store)
  const { block, receipts } = await writeGenesis(store, spec.genesis.alloc, runtime, indexer)
  await store.write([
    ...blockRows(block, receipts),
    ...totalDifficultyRow(0n, spec.genesis.difficulty),
    stateVersionRow(0n, 0),
    headRow(0n, 0),
    indexRow('complete', indexer),
    ...chainRows(spec),
  ])
}

/**
 * Prepares an empty database for rows that will be a chain when `chainRows` are there too; removes what an interrupted
 * creation has left. Throws ChainError `storage` when the database is not empty.
 */
export async function beginChain(store: KvStore): Promise<void> {
  await requireNew(store)
  await store.write([unfinishedRow()])
}

/** The row of a database in which the rows of a chain are not all there. */
const unfinishedRow = (): WriteOp => ({ type: 'put', key: KEY.meta('unfinished'), value: Buffer.from(FORMAT) })

/** The rows of the last batch, which make the others a chain. */
export const chainRows = (spec: ChainSpec): WriteOp[] => [
  formatRow(),
  specRow(spec),
  { type: 'del', key: KEY.meta('unfinished') },
]

/** Removes what an interrupted creation has left. LevelDB has other users: a database of theirs is not a new one of ours. */
async function requireNew(store: KvStore): Promise<void> {
  if (store.get(KEY.meta('unfinished')) !== undefined) return deleteRows(store, AFTER_FACTS)
  for await (const _ of store.scan({ ...ALL_KEYS, limit: 1, values: false })) {
    throw new ChainError('storage', 'the database is not empty and holds no kestrel chain')
  }
}

/** Makes a chain one whose creation was interrupted, in one write: the next creation removes its rows. */
export async function abandonChain(store: KvStore): Promise<void> {
  const facts: WriteOp[] = []
  for await (const [key] of store.scan({ ...FACTS, values: false })) facts.push({ type: 'del', key })
  await store.write([...facts, unfinishedRow()])
}

/** Rows that are deleted in one batch. */
const BATCH = 10_000

/** Deletes all rows of a range, in order of key and in batches. */
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
 * The specification as it is kept, without the accounts of block 0. Of a chain that exists only `kestrel.proposals` may grow, by entries whose first block
 * is still to come: whatever else changed would change what stored blocks do.
 */
export const specRow = (spec: ChainSpec): WriteOp => ({
  type: 'put',
  key: KEY.meta('genesis'),
  value: Buffer.from(JSON.stringify(formatSpec(spec))),
})

/** The row with the format of a complete index; it is absent while the index is being made. */
export const indexRow = (state: 'complete' | 'incomplete', { format }: Indexer): WriteOp =>
  state === 'complete'
    ? { type: 'put', key: KEY.meta('index'), value: Buffer.from(format) }
    : { type: 'del', key: KEY.meta('index') }

/** Writes no index and reads none: for chains that nobody browses. */
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

/** Number of the head and version of the state at it. */
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

/** Kept only while there is work to prove: after the merge it does not grow. */
export const totalDifficultyRow = (number: bigint, total: bigint): WriteOp[] =>
  total === 0n ? [] : [{ type: 'put', key: KEY.totalDifficulty(number), value: bigToBytes(total) }]

export function readTotalDifficulty(store: KvReader, number: bigint): bigint | undefined {
  const row = store.get(KEY.totalDifficulty(number))
  return row && bytesToBig(row)
}

/** The row of a new block's total difficulty; none after the merge. */
export const totalDifficultyAfter = (store: KvReader, { number, difficulty }: SealedHeader): WriteOp[] =>
  difficulty === 0n ? [] : totalDifficultyRow(number, (readTotalDifficulty(store, number - 1n) ?? 0n) + difficulty)
