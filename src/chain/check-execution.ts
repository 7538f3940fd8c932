// Executes stored blocks again, each on the stored state before it, and compares receipts, requests and state with the stored
// ones. The runtime may use another engine than the one that made the blocks. Nothing is written, except to the store of a fork: what
// that engine reads and no other has read before is taken for empty, and named with a difference.
import { ChainError, describeError } from '../lib/errors.ts'
import { EMPTY_BYTES, toHex } from '../lib/hex.ts'
import { upgradesAfter } from '../runtime/module-queries.ts'
import { requireKnown } from '../runtime/program-upgrades.ts'
import { rerunBlock } from '../runtime/rerun-block.ts'
import type { BlockHashes, Runtime } from '../runtime/runtime.ts'
import { firstBlock } from '../spec/forks.ts'
import { KEY } from '../state/keyspace.ts'
import { type Found, type StateSource, untilComplete, wordsOf } from '../state/partial-state.ts'
import { ReplayedRows } from '../state/replayed-rows.ts'
import { StateStore } from '../state/state-store.ts'
import type { KvStore } from '../state/types.ts'
import { readBase } from './base.ts'
import { firstDifference } from './block-difference.ts'
import { BlockStore } from './blocks.ts'
import { readFork } from './fork-row.ts'
import { readHead, readStateVersion } from './open.ts'
import { readHorizon } from './pruning.ts'

export type ExecutionCheck = {
  readonly runtime: Runtime
  /** Name of the runtime's engine, for messages. */
  readonly engine: string
  /** First block to execute; left out: the first whose parent's state is stored. */
  readonly from?: bigint | undefined
  /** Last block to execute; left out: the head. */
  readonly to?: bigint | undefined
  readonly onBlock: (number: bigint) => void
}

/**
 * Returns a line with the first difference: block, transaction, field and both values; undefined if there is none. Throws
 * ChainError `state-not-available` or `header-not-found` for a range that cannot be executed, `storage` for missing rows, and
 * the registry's error if an opcode proposal of the chain is missing.
 */
export async function checkExecution(store: KvStore, check: ExecutionCheck): Promise<string | undefined> {
  const { runtime, engine, onBlock } = check
  const head = readHead(store)
  const { from, to } = rangeOf(store, firstBlock(runtime.spec), check)
  const fork = readFork(store)
  const blocks = new BlockStore(store, head.number, fork)
  const unread: string[] = []
  const state = new StateStore(store, head.version, fork && emptySource(unread))
  const replayed = new ReplayedRows(state)
  const blockHash: BlockHashes = (number) => blocks.hash(number)
  const headHeader = blocks.header(head.number) ?? missing(`block ${head.number}`)
  runtime.requireProposals(state.at(head.version), runtime.env(headHeader))
  requireKnown(upgradesAfter(runtime, state.at(head.version)).last)
  for (let number = from; number <= to; number++) {
    const block = blocks.block(number) ?? missing(`block ${number}`)
    const receipts = blocks.receipts(number) ?? missing(`receipts of block ${number}`)
    const version = readStateVersion(store, number - 1n) ?? missing(`the version of the state before block ${number}`)
    const changes = changesOf(store, version + 1)
    const place = `block ${number} (${block.header.hash}): `
    let view = replayed.at(version)
    unread.length = 0
    try {
      const rerun = await untilComplete(state.missing, () => {
        view = replayed.at(version)
        return rerunBlock(runtime, view, block, blockHash)
      })
      const found = await firstDifference({ block, receipts, view: state.at(version + 1), changes }, rerun, view)
      if (found !== undefined) {
        const { place: within, field, stored, rerun: again } = found
        const taken = unread.length === 0 ? '' : `; not fetched and taken for empty: ${unread.join(', ')}`
        return `${place}${within}${field} is ${text(stored)} in the database, ${text(again)} on ${engine}${taken}`
      }
    } catch (error) {
      if (error instanceof ChainError) throw error
      return `${place}${engine} failed: ${describeError(error)}`
    }
    await replayed.advance(view)
    // Development methods have changed the state after this block; the next block is executed on the changed state.
    const after = readStateVersion(store, number) ?? missing(`the version of the state after block ${number}`)
    for (let edit = version + 2; edit <= after; edit++) replayed.skip(edit)
    onBlock(number)
  }
  return undefined
}

/** Takes every part for empty, and names it. */
const emptySource = (names: string[]): StateSource => ({
  fetch: async (wanted) =>
    wanted.map((part): Found => {
      names.push(wordsOf(part))
      if ('block' in part) throw new ChainError('storage', `${wordsOf(part)} is missing`)
      const { account, slot } = part
      return slot === undefined ? { account, state: undefined } : { account, slot, word: EMPTY_BYTES }
    }),
  foresee: async () => [],
  isFar: () => false,
})

/** The first and the last block to execute. */
function rangeOf(
  store: KvStore,
  genesis: bigint,
  { from, to }: Pick<ExecutionCheck, 'from' | 'to'>,
): { from: bigint; to: bigint } {
  const head = readHead(store)
  const base = readBase(store)
  const horizon = readHorizon(store)
  const fork = readFork(store)
  const first = fork !== undefined ? fork.number + 1n : base > genesis ? base : genesis + 1n
  const oldest = horizon.version > 0 && horizon.number + 1n > first ? horizon.number + 1n : first
  const range = { from: from ?? oldest, to: to ?? head.number }
  if (range.to > head.number)
    throw new ChainError('header-not-found', `the chain ends with block ${head.number}, before block ${range.to}`)
  if (range.from === genesis)
    throw new ChainError('state-not-available', `block ${genesis} has no state before it: begin with block ${first}`)
  if (range.from < first && fork !== undefined)
    throw new ChainError(
      'state-not-available',
      `the chain is a fork of block ${fork.number}: begin with block ${first}`,
    )
  if (range.from < first)
    throw new ChainError('state-not-available', `the chain began with a state snapshot at block ${base}: begin with it`)
  if (range.from < oldest)
    throw new ChainError(
      'state-not-available',
      `states before block ${horizon.number} were pruned: begin with block ${oldest}`,
    )
  if (range.from > range.to && (from !== undefined || to !== undefined))
    throw new ChainError('invalid-params', `no block is from ${range.from} to ${range.to}`)
  return range
}

const changesOf = (store: KvStore, version: number): Uint8Array =>
  store.get(KEY.changes(version)) ?? missing(`the list of changes of version ${version}`)

const text = (value: unknown): string =>
  value === undefined || value === null ? 'none' : value instanceof Uint8Array ? toHex(value) : String(value)

function missing(what: string): never {
  throw new ChainError('storage', `${what} is missing`)
}
