// The committed chain on disk: head, ancestors and their states. Each change is one write batch, and the head moves only after
// the batch is written. The caller must run one change at a time.
import type { ForkBlock } from '../fork/forked-chain.ts'
import { ChainError, ReadFailure } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import type { Block, Receipt, SealedHeader } from '../primitives/types.ts'
import type { Ancestry } from '../runtime/check-header.ts'
import { contractReader } from '../runtime/read-contract.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { ExecutedBlock } from '../runtime/types.ts'
import { firstBlock } from '../spec/forks.ts'
import { KEY } from '../state/keyspace.ts'
import { completely, MissingState, type StateSource, untilComplete } from '../state/partial-state.ts'
import { StateStore } from '../state/state-store.ts'
import type { KvStore, MissingParts, StateView, WriteOp } from '../state/types.ts'
import { View } from '../state/view.ts'
import { readBase } from './base.ts'
import { BlockStore, blockRemoval, blockRows } from './blocks.ts'
import { refuseBefore } from './fork.ts'
import { begunRow, readBegun, readFork } from './fork-row.ts'
import {
  headRow,
  readHead,
  readStateVersion,
  readTotalDifficulty,
  requireIndex,
  stateVersionRow,
  totalDifficultyAfter,
} from './open.ts'
import { Pruning } from './pruning.ts'
import type { BlockRef, HeadPublisher, Indexer } from './types.ts'

/** A block may name uncles up to six generations back; their parents are one more. */
const UNCLE_REACH = 7n

/** A block number and the state version at it. Development methods may raise the version of the same block. */
export type StateCheckpoint = { readonly number: bigint; readonly version: number }

export type CanonicalChainOptions = {
  /** Number of blocks before the head whose states stay readable; left out: no pruning. */
  readonly prune?: number | undefined
  /** Announces the head to the threads that read the same database; left out: there are no such threads. */
  readonly publisher?: HeadPublisher | undefined
  /** Blocks from the tag `safe` to `latest`, and from `finalized` to `safe`; left out: 0. */
  readonly slotsInAnEpoch?: number | undefined
  /** For a fork: has the state that is not on disk; left out: this chain is none, or only what is on disk is read. */
  readonly source?: StateSource | undefined
}

export class CanonicalChain {
  readonly store: KvStore
  readonly blocks: BlockStore
  /** The first block: that of the genesis, or the block of the state snapshot that the chain began with. */
  readonly base: bigint
  /** The block of the fork; undefined for a chain that is none. */
  readonly fork: ForkBlock | undefined
  readonly #runtime: Runtime
  readonly #indexer: Indexer
  readonly #state: StateStore
  readonly #pruning: Pruning
  readonly #publisher: HeadPublisher | undefined
  readonly #slotsInAnEpoch: bigint
  #head: SealedHeader

  /** Throws ChainError `storage` if the store holds no chain or its index is incomplete. */
  constructor(store: KvStore, runtime: Runtime, indexer: Indexer, options: CanonicalChainOptions = {}) {
    const { number, version } = readHead(store)
    const { prune, publisher, slotsInAnEpoch = 0, source } = options
    this.#slotsInAnEpoch = BigInt(slotsInAnEpoch)
    requireIndex(store, indexer)
    this.store = store
    this.base = readBase(store)
    this.fork = readFork(store)
    this.#runtime = runtime
    this.#indexer = indexer
    this.#publisher = publisher
    this.blocks = new BlockStore(store, number, this.fork)
    this.#state = new StateStore(store, version, source)
    this.#pruning = new Pruning(store, this.#state, prune)
    this.#head = this.#header(number)
    this.#publish()
  }

  /** What is missing from the state of a fork; undefined: nothing. */
  get missing(): MissingParts | undefined {
    return this.#state.missing
  }

  get head(): SealedHeader {
    return this.#head
  }

  /** The oldest block whose state can be read. */
  get oldestState(): bigint {
    return this.#pruning.horizon.number
  }

  get checkpoint(): StateCheckpoint {
    return { number: this.#head.number, version: this.#state.version }
  }

  canonicalHash(number: bigint): Hash | undefined {
    // The hash of the genesis block identifies the chain and is known even if the block is not stored.
    const isHere = number >= this.base || number === firstBlock(this.#runtime.spec)
    return isHere ? this.blocks.header(number)?.hash : undefined
  }

  /** What `reset` goes back to. */
  get beginning(): StateCheckpoint {
    return readBegun(this.store) ?? { number: firstBlock(this.#runtime.spec), version: 0 }
  }

  /** The checkpoint after a block; for the genesis block the genesis state. Throws ChainError `header-not-found`. */
  checkpointAt(number: bigint): StateCheckpoint {
    if (number < this.base) throw new ChainError('header-not-found', 'header not found')
    return {
      number,
      version: number === firstBlock(this.#runtime.spec) && this.fork === undefined ? 0 : this.#versionAt(number),
    }
  }

  /** The number of a block that is here; undefined: it is unknown. Throws BeforeFork. */
  numberOf(ref: Exclude<BlockRef, 'pending'>): bigint | undefined {
    if (typeof ref === 'object' && 'hash' in ref) return this.blocks.number(ref.hash)
    if (this.fork !== undefined) refuseBefore(ref, this.base)
    if (ref === 'earliest') return this.base
    if (typeof ref === 'object')
      return ref.number >= this.base && ref.number <= this.#head.number ? ref.number : undefined
    // Every block is final unless the node was given epochs.
    const epochs = { latest: 0n, safe: 1n, finalized: 2n }[ref]
    const number = this.#head.number - epochs * this.#slotsInAnEpoch
    return number > this.base ? number : this.base
  }

  /** A fresh view of the state at the head. `fetches` as in `StateStore.at`. */
  view(fetches = true): View {
    return this.#state.at(this.#state.version, fetches)
  }

  /** A fresh view of the state after a block. Throws ChainError `header-not-found` and `state-not-available`. */
  viewAt(number: bigint): View {
    const version = this.#versionAt(number)
    this.requireState({ number, version })
    return this.#state.at(version)
  }

  /** A fresh view of what a fork began with: the forked chain's state, as far as it is here; undefined: this chain is no fork. */
  forkedView(): View | undefined {
    return this.fork && this.#state.at(0)
  }

  /** Throws ChainError `state-not-available` if the state of the checkpoint was pruned. */
  requireState({ number, version }: StateCheckpoint): void {
    this.#pruning.require(version, this.#header(number))
  }

  /** The BLOCKHASH function of a block on `newest`. */
  ancestors(newest: SealedHeader): (number: bigint) => Hash | undefined {
    return (number) => (number === newest.number ? newest.hash : this.hashOf(number))
  }

  /** The hash of a block. Throws MissingState for one before the fork that was not fetched. */
  hashOf(number: bigint): Hash | undefined {
    const hash = this.blocks.hash(number)
    if (hash === undefined && this.missing !== undefined && number < this.base)
      throw new MissingState([{ block: number }])
    return hash
  }

  /** The ancestors that a block on the head is checked against. */
  ancestry(): Ancestry {
    return {
      parent: this.#head,
      totalDifficulty: readTotalDifficulty(this.store, this.#head.number),
      recent: this.blocks.newest(this.#head.number, UNCLE_REACH),
    }
  }

  /**
   * Commits a block in one write batch, in these steps:
   * 1. Refuse a block that was not executed on the head's state: its changes are relative to that state.
   * 2. Collect the changed state rows and trie nodes as the next version.
   * 3. Make the index rows. They need that version and read the state after the block.
   * 4. Add the rows of the block, its state version and the head.
   * 5. Add the deletions of pruned versions.
   * 6. Write all rows in one batch, so that a crash leaves the whole block or none of it.
   * 7. Update memory. It moves only after the write, so that no reader sees a block whose write fails.
   * 8. Publish the head. Read threads find all its rows on disk then.
   */
  async commit(executed: ExecutedBlock): Promise<void> {
    const { block, receipts, accessList, view } = executed
    const { header } = block
    // 1. The parent.
    if (header.parentHash !== this.#head.hash || !(view instanceof View) || view.version !== this.#state.version) {
      throw new ChainError('invalid-block', `block ${header.number} was not built on the head`)
    }
    // 2. The state.
    const { rows, codes } = await untilComplete(view.missing, () => view.changes())
    const staged = this.#state.stage(rows, codes, view.storageId)
    // 3. The index.
    const readersRows = await this.#indexRows(executed, view, staged.version)
    // 4. The block and the head.
    const { ops, version } = staged
    // `push(...ops)` is slower for large arrays.
    for (const op of blockRows(block, receipts, accessList)) ops.push(op)
    for (const op of readersRows) ops.push(op)
    ops.push(...totalDifficultyAfter(this.store, header))
    ops.push(stateVersionRow(header.number, version), headRow(header.number, version))
    // 5. Pruning.
    const pruned = this.#pruning.stage(header.number)
    for (const op of pruned.ops) ops.push(op)
    // 6. The batch, and 7. memory.
    await staged.write(ops)
    pruned.afterWrite()
    this.blocks.remember(block, receipts)
    this.#head = header
    // 8. Read threads.
    this.#publish()
  }

  /** Fetches what the index of an executed block misses, before it is committed. Other blocks may be committed meanwhile. */
  async prepareIndex(executed: ExecutedBlock): Promise<void> {
    await this.#indexRows(executed, executed.view, this.#state.version + 1).catch((error: unknown) => {
      // Their batches change the rows of the index while this reads them, so that it may fail in any way.
      if (error instanceof ReadFailure || error instanceof ChainError) throw error
    })
  }

  #indexRows(executed: ExecutedBlock, view: StateView, version: number): Promise<WriteOp[]> {
    const { header } = executed.block
    return completely(view, (after) => {
      const read = contractReader(this.#runtime, after, header, this.ancestors(this.#head))
      return this.#indexer.block({ ...executed, view: after }, version, this.store, read)
    })
  }

  /**
   * Changes the state at the head outside any block, and settles with what `change` returns. Throws MissingState. The state root in the
   * head's header stays the same.
   */
  async amend<T>(change: (view: StateView) => T): Promise<T> {
    const view = this.view(false)
    const result = change(view)
    const { rows, codes } = await view.changes()
    const staged = this.#state.stage(rows, codes, view.storageId)
    const { number } = this.#head
    const pruned = this.#pruning.stage(number)
    await staged.write([
      ...staged.ops,
      ...pruned.ops,
      ...(await this.#indexer.edit(view.changedAccounts(), view, number, staged.version, this.store)),
      stateVersionRow(number, staged.version),
      headRow(number, staged.version),
    ])
    pruned.afterWrite()
    this.#publish()
    return result
  }

  /** Makes the head the beginning of the chain: deletes all earlier states. */
  async beginAtHead(): Promise<void> {
    const { checkpoint } = this
    const begun = begunRow(checkpoint.number, checkpoint.version)
    const isComplete: WriteOp = { type: 'del', key: KEY.meta('unfinished') }
    await this.store.write([...this.#pruning.deletionsTo(checkpoint), begun, isComplete])
    this.#pruning.follow()
  }

  /** Moves to a head that another thread has committed to the same database. It undoes nothing. */
  follow({ number, version }: StateCheckpoint): void {
    this.#state.follow(version)
    this.#pruning.follow()
    this.blocks.follow(number)
    this.#head = this.#header(number)
  }

  /**
   * Removes the blocks and state versions after a checkpoint. Returns the removed blocks, newest first. Throws ChainError
   * `state-not-available`. Steps:
   * 1. Refuse a pruned checkpoint before anything changes.
   * 2. Read the blocks and receipts to remove while they are stored: the caller reports their logs.
   * 3. Collect the former state rows, and the index rows of each version. Newest first, because an undo row restores the values
   *    before its version and the last operation on a key wins.
   * 4. Announce the rewind: read threads must not answer from rows that are half old, half new.
   * 5. Write one batch, so that a crash leaves the old head or the new one.
   * 6. Update memory, only after the write.
   * 7. Publish the head, also after a failed write: without it the read threads would not answer again.
   */
  async rewind({ number, version }: StateCheckpoint): Promise<{ block: Block; receipts: readonly Receipt[] }[]> {
    // 1. The checkpoint.
    this.requireState({ number, version })
    // 2. The removed blocks.
    const removed = this.blocks.newest(this.#head.number, this.#head.number - number).map((block) => {
      const receipts = this.blocks.receipts(block.header.number)
      if (receipts === undefined)
        throw new ChainError('storage', `receipts of block ${block.header.number} are missing`)
      return { block, receipts }
    })
    // 3. The rows of state and index.
    const undone = this.#state.rewind(version)
    const undoneRows: WriteOp[] = []
    for (let above = this.#state.version; above > version; above--) {
      undoneRows.push(...this.#indexer.undo(above, this.store))
    }
    // 4. Read threads stop.
    this.#publisher?.rewinding()
    try {
      // 5. The batch.
      await this.store.write([
        ...removed.flatMap(({ block }) => blockRemoval(block)),
        ...undoneRows,
        ...undone.ops,
        stateVersionRow(number, version),
        headRow(number, version),
      ])
      // 6. Memory.
      undone.afterWrite()
      this.blocks.forgetAbove(number)
      this.#head = this.#header(number)
    } finally {
      // 7. Read threads continue.
      this.#publish()
    }
    return removed
  }

  #publish(): void {
    this.#publisher?.moved(this.#head.number, this.#state.version)
  }

  #versionAt(number: bigint): number {
    if (number === this.#head.number) return this.#state.version
    const version = number > this.#head.number ? undefined : readStateVersion(this.store, number)
    if (version === undefined) throw new ChainError('header-not-found', 'header not found')
    return version
  }

  #header(number: bigint): SealedHeader {
    const header = this.blocks.header(number)
    if (header === undefined) throw new ChainError('storage', `block ${number} is missing`)
    return header
  }
}
