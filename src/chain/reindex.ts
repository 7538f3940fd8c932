// Rebuilds the index from the stored chain: every state version is indexed again. Blocks are executed on their parents' state;
// an edit by a development method is the difference of two states.
import type { ForkBlock } from '../fork/forked-chain.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import type { Header } from '../primitives/types.ts'
import { executeTransactions } from '../runtime/import-block.ts'
import { contractReader } from '../runtime/read-contract.ts'
import type { BlockHashes, Runtime } from '../runtime/runtime.ts'
import type { ExecutedBlock } from '../runtime/types.ts'
import { firstBlock } from '../spec/forks.ts'
import { decodeChanges } from '../state/history.ts'
import { accountOfRow, KEY, RANGE } from '../state/keyspace.ts'
import { ONLY_STORED } from '../state/partial-state.ts'
import { ReplayedRows } from '../state/replayed-rows.ts'
import { changedAccounts } from '../state/state-diff.ts'
import { StateStore } from '../state/state-store.ts'
import type { ChangedAccount, KvStore, StateView } from '../state/types.ts'
import type { View } from '../state/view.ts'
import { readBase } from './base.ts'
import { BlockStore } from './blocks.ts'
import { readFork } from './fork-row.ts'
import { executeStoredGenesis, indexFirstState, indexGenesis } from './genesis.ts'
import { deleteRows, type HeadRow, indexRow, readHead, readStateVersion } from './open.ts'
import { readHorizon } from './pruning.ts'
import type { Indexer } from './types.ts'

/**
 * Deletes the index and writes it again. No other process may have the chain open. After an interruption the chain opens only
 * once a later `reindex` has completed. `onBlock` is called after each block; `onExecuted` with the view and state version of
 * each executed block after the first one. Throws ChainError `storage` if a stored block gives another result or states were pruned,
 * and, before anything is deleted, the registry's error if an opcode proposal of the chain is missing.
 */
export async function reindex(
  store: KvStore,
  runtime: Runtime,
  indexer: Indexer,
  onBlock: (number: bigint) => void,
  onExecuted: (view: View, version: number) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  requireAllStates(store)
  const past = new Past(store, runtime)
  past.requireProposals()
  await store.write([indexRow('incomplete', indexer)])
  await deleteRows(store, RANGE.index())
  const genesis = firstBlock(runtime.spec)
  const beginsWithSnapshot = past.base > genesis && past.fork === undefined
  if (beginsWithSnapshot) await past.indexFirstState(indexer)
  let version = beginsWithSnapshot ? 1 : 0
  for (let number = past.base; number <= past.head.number; number++) {
    if (number === genesis && past.fork === undefined) await past.indexGenesis(indexer)
    else if (number !== past.fork?.number) {
      const executed = await past.execute(number, version)
      const read = contractReader(runtime, executed.view, executed.block.header, past.blockHash)
      await onExecuted(executed.view, version)
      await store.write(await indexer.block(executed, version, store, read))
      await past.advance(executed.view)
    }
    version++
    for (const last = past.versionAfter(number); version <= last; version++) {
      const { changed, view } = past.edit(version)
      await store.write(await indexer.edit(changed, view, number, version, store))
    }
    onBlock(number)
  }
  await store.write([indexRow('complete', indexer)])
}

/** Blocks are executed on their parents' states. */
function requireAllStates(store: KvStore): void {
  const { number, version } = readHorizon(store)
  if (version === 0) return
  const way = 'export the blocks and import them into another data directory'
  throw new ChainError('storage', `states before block ${number} were pruned, so the index cannot be made anew; ${way}`)
}

/** The origin of each state version: a block or an edit. */
class Past {
  readonly head: HeadRow
  /** The first block. State version 0 is the state before it; for the genesis block and that of a fork, the state after it. */
  readonly base: bigint
  /** The block of the fork; undefined for a chain that is none. */
  readonly fork: ForkBlock | undefined
  readonly blockHash: BlockHashes = (number) => this.#blocks.hash(number)
  readonly #store: KvStore
  readonly #runtime: Runtime
  readonly #blocks: BlockStore
  readonly #state: StateStore
  readonly #replayed: ReplayedRows

  constructor(store: KvStore, runtime: Runtime) {
    this.head = readHead(store)
    this.base = readBase(store)
    this.#store = store
    this.#runtime = runtime
    this.fork = readFork(store)
    this.#blocks = new BlockStore(store, this.head.number, this.fork)
    this.#state = new StateStore(store, this.head.version, this.fork && ONLY_STORED)
    this.#replayed = new ReplayedRows(this.#state)
  }

  /** Throws unless the program has all opcode proposals of the chain. */
  requireProposals(): void {
    const { number, version } = this.head
    const header = this.#blocks.header(number) ?? missing(`block ${number}`)
    this.#runtime.requireProposals(this.#state.at(version), this.#runtime.env(header))
  }

  /** The last state version before the next block. */
  versionAfter(number: bigint): number {
    return readStateVersion(this.#store, number) ?? missing(`the version of the state after block ${number}`)
  }

  /** Compares the first state version with the genesis, and indexes it. */
  async indexGenesis(indexer: Indexer): Promise<void> {
    const block = this.#blocks.block(this.base) ?? missing(`block ${this.base}`)
    const executed = await executeStoredGenesis(this.#store, this.#runtime, this.#state, block)
    await indexGenesis(this.#store, this.#runtime, indexer, executed, this.#state)
  }

  /** Indexes the state snapshot that the chain began with. */
  async indexFirstState(indexer: Indexer): Promise<void> {
    const block = this.#blocks.block(this.base) ?? missing(`block ${this.base}`)
    const parent = this.#blocks.header(this.base - 1n) ?? missing(`the header of block ${this.base - 1n}`)
    await indexFirstState(this.#store, this.#runtime, indexer, { block, parent }, this.#state)
  }

  /** Executes the block that made a version; block 0 has `indexGenesis`. */
  async execute(number: bigint, version: number): Promise<ExecutedBlock & { readonly view: View }> {
    const view = this.#replayed.at(version - 1)
    const block = this.#blocks.block(number) ?? missing(`block ${number}`)
    const execution = await executeTransactions(this.#runtime, view, block, this.blockHash)
    const { roots, ...rest } = await execution.finish(block.withdrawals ?? [], block.uncles)
    compare(block.header, roots)
    const { receipts, callTrees, diffs } = execution
    return { block, receipts, ...rest, callTrees, diffs, refused: [], view }
  }

  /** Continues with the state after a block. */
  advance(view: View): Promise<void> {
    return this.#replayed.advance(view)
  }

  /** The edit that made a version, and the state after it, with which the replay continues. */
  edit(version: number): { changed: readonly ChangedAccount[]; view: StateView } {
    const earlier = this.#state.at(version - 1)
    const view = this.#state.at(version)
    const keys = this.#store.get(KEY.changes(version)) ?? missing(`the list of changes of version ${version}`)
    this.#replayed.skip(version)
    const addresses = decodeChanges(keys).flatMap(({ key }) => accountOfRow(key) ?? [])
    const both = { account: (of: Address) => view.account(of), stored: (of: Address) => earlier.account(of) }
    return { changed: changedAccounts(both, addresses), view }
  }
}

type Outcome = Pick<Header, 'stateRoot' | 'receiptsRoot' | 'gasUsed'>

/** The index must describe the stored blocks, so their results must match. */
function compare(header: Header, outcome: Outcome): void {
  for (const field of ['gasUsed', 'receiptsRoot', 'stateRoot'] as const) {
    if (outcome[field] === header[field]) continue
    const words = `block ${header.number} does not come out as it did: ${field} is ${outcome[field]}, not ${header[field]}`
    throw new ChainError('storage', words)
  }
}

function missing(what: string): never {
  throw new ChainError('storage', `${what} is missing`)
}
