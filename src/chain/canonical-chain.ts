// The committed chain on disk: the head, its ancestors and their states. Each change is one batch, and the head moves only
// when the batch is written. The caller must run one change at a time.
import { ChainError } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import type { Block, Receipt, SealedHeader } from '../primitives/types.ts'
import type { Ancestry } from '../runtime/check-header.ts'
import { contractReader } from '../runtime/read-contract.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { ExecutedBlock } from '../runtime/types.ts'
import { StateStore } from '../state/state-store.ts'
import type { KvStore, StateView, WriteOp } from '../state/types.ts'
import { View } from '../state/view.ts'
import { readBase } from './base.ts'
import { BlockStore, blockRemoval, blockRows } from './blocks.ts'
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
import type { HeadPublisher, Indexer } from './types.ts'

/** How far back a block may name uncles: six generations, and their parents. */
const UNCLE_REACH = 7n

/** A block and the version of the state at it, which development methods may have changed since. */
export type StateCheckpoint = { readonly number: bigint; readonly version: number }

export type CanonicalChainOptions = {
  /** Number of blocks before the head whose states stay readable; left out: nothing more is pruned. */
  readonly prune?: number | undefined
  /** Tells the threads that read the same database; left out: there are none. */
  readonly publisher?: HeadPublisher | undefined
}

export class CanonicalChain {
  readonly store: KvStore
  readonly blocks: BlockStore
  /** The first block that is there: 0, unless the chain began with a snapshot of a state. */
  readonly base: bigint
  readonly #runtime: Runtime
  readonly #indexer: Indexer
  readonly #state: StateStore
  readonly #pruning: Pruning
  readonly #publisher: HeadPublisher | undefined
  #head: SealedHeader

  /** Throws ChainError `storage` when the store holds no chain, or its index is incomplete. */
  constructor(store: KvStore, runtime: Runtime, indexer: Indexer, options: CanonicalChainOptions = {}) {
    const { number, version } = readHead(store)
    const { prune, publisher } = options
    requireIndex(store, indexer)
    this.store = store
    this.base = readBase(store)
    this.#runtime = runtime
    this.#indexer = indexer
    this.#publisher = publisher
    this.blocks = new BlockStore(store, number)
    this.#state = new StateStore(store, version)
    this.#pruning = new Pruning(store, this.#state, prune)
    this.#head = this.#header(number)
    this.#publish()
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

  /** The checkpoint after a block; of block 0 with the genesis state. Throws ChainError `header-not-found`. */
  checkpointAt(number: bigint): StateCheckpoint {
    if (number < this.base) throw new ChainError('header-not-found', 'header not found')
    return { number, version: number === 0n ? 0 : this.#versionAt(number) }
  }

  /** A fresh view of the state at the head. */
  view(): View {
    return this.#state.at(this.#state.version)
  }

  /** A fresh view of the state after a block. Throws ChainError `header-not-found` and `state-not-available`. */
  viewAt(number: bigint): View {
    const version = this.#versionAt(number)
    this.requireState({ number, version })
    return this.#state.at(version)
  }

  /** Throws ChainError `state-not-available` when the state at a checkpoint was pruned. */
  requireState({ number, version }: StateCheckpoint): void {
    this.#pruning.require(version, this.#header(number))
  }

  /** Hashes of the ancestors of a block whose parent is given, as BLOCKHASH sees them. */
  ancestors(newest: SealedHeader): (number: bigint) => Hash | undefined {
    return (number) => (number === newest.number ? newest.hash : this.blocks.header(number)?.hash)
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
   * Writes state, block, receipts and index rows in one batch. The block must have been run on the head's state.
   */
  async commit(executed: ExecutedBlock): Promise<void> {
    const { block, receipts, view } = executed
    const { header } = block
    if (header.parentHash !== this.#head.hash || !(view instanceof View) || view.version !== this.#state.version) {
      throw new ChainError('invalid-block', `block ${header.number} was not built on the head`)
    }
    const { rows, codes } = await view.changes()
    const staged = this.#state.stage(rows, codes)
    const read = contractReader(this.#runtime, view, header, this.ancestors(this.#head))
    const readersRows = await this.#indexer.block(executed, staged.version, this.store, read)
    const { ops, version } = staged
    // One by one: spreading a large array into another takes longer than pushing its items.
    for (const op of blockRows(block, receipts)) ops.push(op)
    for (const op of readersRows) ops.push(op)
    ops.push(...totalDifficultyAfter(this.store, header))
    ops.push(stateVersionRow(header.number, version), headRow(header.number, version))
    const pruned = this.#pruning.stage(header.number)
    for (const op of pruned.ops) ops.push(op)
    await this.store.write(ops)
    staged.landed()
    pruned.landed()
    this.blocks.remember(block, receipts)
    this.#head = header
    this.#publish()
  }

  /** Changes the state at the head outside any block: the state root in the head's header stays as it is. */
  async amend(change: (view: StateView) => void): Promise<void> {
    const view = this.view()
    change(view)
    const { rows, codes } = await view.changes()
    const staged = this.#state.stage(rows, codes)
    const { number } = this.#head
    const pruned = this.#pruning.stage(number)
    await this.store.write([
      ...staged.ops,
      ...pruned.ops,
      ...(await this.#indexer.edit(view.changedAccounts(), view, number, staged.version, this.store)),
      stateVersionRow(number, staged.version),
      headRow(number, staged.version),
    ])
    staged.landed()
    pruned.landed()
    this.#publish()
  }

  /** Moves on to a head that another thread has committed to the same database, without undoing anything. */
  follow({ number, version }: StateCheckpoint): void {
    this.#state.follow(version)
    this.#pruning.follow()
    this.blocks.follow(number)
    this.#head = this.#header(number)
  }

  /**
   * Removes everything after a checkpoint, exactly. Returns the removed blocks, newest first.
   * Throws ChainError `state-not-available`.
   */
  async rewind({ number, version }: StateCheckpoint): Promise<{ block: Block; receipts: readonly Receipt[] }[]> {
    this.requireState({ number, version })
    const removed = this.blocks.newest(this.#head.number, this.#head.number - number).map((block) => {
      const receipts = this.blocks.receipts(block.header.number)
      if (receipts === undefined)
        throw new ChainError('storage', `receipts of block ${block.header.number} are missing`)
      return { block, receipts }
    })
    const undone = this.#state.rewind(version)
    const undoneRows: WriteOp[] = []
    for (let above = this.#state.version; above > version; above--) {
      undoneRows.push(...this.#indexer.undo(above, this.store))
    }
    this.#publisher?.rewinding()
    try {
      await this.store.write([
        ...removed.flatMap(({ block }) => blockRemoval(block)),
        ...undoneRows,
        ...undone.ops,
        stateVersionRow(number, version),
        headRow(number, version),
      ])
      undone.landed()
      this.blocks.forgetAbove(number)
      this.#head = this.#header(number)
    } finally {
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
