// Opening a database as a chain: what it is, whether it is the one that was asked for, and block 0 if it is new.
import { ChainError } from '../lib/errors.ts'
import { bigToBytes, bytesToBig } from '../lib/hex.ts'
import type { SealedHeader } from '../primitives/types.ts'
import { executeGenesis } from '../runtime/genesis.ts'
import { contractReader } from '../runtime/read-contract.ts'
import { Runtime } from '../runtime/runtime.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { formatGenesis, parseGenesisText } from '../spec/genesis-file.ts'
import { KEY } from '../state/keyspace.ts'
import { StateStore } from '../state/state-store.ts'
import type { KvReader, KvStore, WriteOp } from '../state/types.ts'
import { blockRows } from './blocks.ts'
import type { Indexer } from './types.ts'

const ALL_KEYS = { gte: new Uint8Array(0), lt: new Uint8Array(256).fill(0xff) }
/** Layout of the database; a change that old rows do not survive raises it. */
const FORMAT = 'kestrel/3'

/** The chain that a database holds; undefined when it is empty. Throws ChainError `storage` when it is not ours. */
export function storedSpec(store: KvStore): ChainSpec | undefined {
  const format = store.get(KEY.meta('format'))
  const genesis = store.get(KEY.meta('genesis'))
  if (format === undefined || genesis === undefined) return undefined
  const found = Buffer.from(format).toString()
  if (found !== FORMAT)
    throw new ChainError('storage', `the database has format ${found}, this program needs ${FORMAT}`)
  return parseGenesisText(Buffer.from(genesis).toString())
}

/** Writes block 0 of a spec into an empty database, in one batch. Throws ChainError `storage` when it is not empty. */
export async function createChain(
  store: KvStore,
  spec: ChainSpec,
  indexer: Indexer,
  runtime: Runtime = new Runtime(spec),
): Promise<void> {
  // LevelDB has other users: a database of theirs is not a new one of ours.
  for await (const _ of store.scan({ ...ALL_KEYS, limit: 1 })) {
    throw new ChainError('storage', 'the database is not empty and holds no kestrel chain')
  }
  const state = new StateStore(store, -1)
  const view = state.at(-1)
  const executed = executeGenesis(runtime, view)
  const { rows, codes } = await view.changes()
  const staged = state.stage(rows, codes)
  const read = contractReader(runtime, view, executed.block.header, () => undefined)
  await store.write([
    ...staged.ops,
    ...blockRows(executed.block, executed.receipts),
    ...(await indexer.block(executed, staged.version, store, read)),
    ...totalDifficultyRow(0n, spec.genesis.difficulty),
    stateVersionRow(0n, staged.version),
    headRow(0n, staged.version),
    indexRow('complete', indexer),
    { type: 'put', key: KEY.meta('format'), value: Buffer.from(FORMAT) },
    specRow(spec),
  ])
}

/**
 * The specification as it is kept. Of a chain that exists only `kestrel.proposals` may grow, by entries whose first block
 * is still to come: whatever else changed would change what stored blocks do.
 */
export const specRow = (spec: ChainSpec): WriteOp => ({
  type: 'put',
  key: KEY.meta('genesis'),
  value: Buffer.from(JSON.stringify(formatGenesis(spec))),
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

export function readStateVersion(store: KvStore, number: bigint): number | undefined {
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
