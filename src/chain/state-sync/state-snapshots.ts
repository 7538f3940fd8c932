// Makes a state snapshot at every block whose number is a multiple of the interval, in the background, and keeps the newest two
// for joining nodes. Blocks never wait for it: it reads from a consistent reader of the store, in turns of the scheduler.
import { ChainError } from '../../lib/errors.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import { SNAPSHOT_INTERVAL } from '../limits.ts'
import { readStateVersion } from '../open.ts'
import { readHorizon } from '../pruning.ts'
import type { Chain, Indexer } from '../types.ts'
import { SnapshotFolder } from './files.ts'
import { CHUNK_SIZE, FORMAT, type StateSnapshot } from './format.ts'
import { snapshotChunks } from './making.ts'

export type StateSnapshotOptions = {
  /** Folder of the state snapshots. */
  readonly folder: string
  /** The index of the chain. */
  readonly indexer: Pick<Indexer, 'addresses'>
  /** Blocks between two state snapshots; default 1,000. */
  readonly interval?: bigint | undefined
  /** Bytes of a chunk; default 4 MB. Nodes with different sizes make different state snapshots. */
  readonly chunkSize?: number | undefined
  readonly onMade?: ((snapshot: StateSnapshot) => void) | undefined
  /** Called if a state snapshot could not be made; the next one is made at its height. */
  readonly onError: (error: unknown) => void
}

/** Number of state snapshots kept: the older one for nodes that are still fetching it. */
const KEPT = 2

type Source = Pick<Chain, 'store' | 'head' | 'events' | 'spec'>

export class StateSnapshots {
  readonly #chain: Source
  readonly #files: SnapshotFolder
  readonly #options: StateSnapshotOptions
  readonly #interval: bigint
  readonly #end = new AbortController()
  readonly #stopListening: (() => void)[]
  /** Settles when the current state snapshot is made; undefined: none is being made. */
  #making: Promise<void> | undefined

  /**
   * Removes leftovers of an interrupted run, subscribes to the chain, and makes the newest state snapshot if it is missing and
   * its state is still stored. Throws the system's error if the folder cannot be used.
   */
  static async open(chain: Source, options: StateSnapshotOptions): Promise<StateSnapshots> {
    const files = await SnapshotFolder.open(options.folder)
    for (const { height } of files.list()) if (height > chain.head.number) await files.remove(height)
    return new StateSnapshots(chain, files, options)
  }

  private constructor(chain: Source, files: SnapshotFolder, options: StateSnapshotOptions) {
    this.#chain = chain
    this.#files = files
    this.#options = options
    this.#interval = options.interval ?? SNAPSHOT_INTERVAL
    this.#stopListening = [
      chain.events.on('block', ({ block }) => {
        if (block.header.number % this.#interval === 0n) this.#begin(block.header.number)
      }),
      // Only development methods remove blocks; the state snapshots of these blocks are removed too.
      chain.events.on('removed', (blocks) => {
        for (const { header } of blocks) void this.#files.remove(header.number).catch(options.onError)
      }),
    ]
    this.#catchUp()
  }

  /** All complete state snapshots, newest first. */
  list(): readonly StateSnapshot[] {
    return this.#files.list()
  }

  /** A chunk; undefined if unknown. */
  async chunk(height: bigint, format: number, index: number): Promise<Uint8Array | undefined> {
    return format === FORMAT ? this.#files.chunk(height, index) : undefined
  }

  /** Resolves when no state snapshot is being made. */
  async settled(): Promise<void> {
    await this.#making
  }

  /** Cancels the current state snapshot and unsubscribes from the chain. Call it before closing the store. */
  async close(): Promise<void> {
    for (const stop of this.#stopListening) stop()
    this.#end.abort()
    await this.#making
  }

  #catchUp(): void {
    const { head, store } = this.#chain
    const height = head.number - (head.number % this.#interval)
    if (height === 0n || this.list().some((known) => known.height === height)) return
    // A chain that began with a state snapshot has no headers older than those of the snapshot.
    const before = readStateVersion(store, height - 1n)
    if (before !== undefined && before >= readHorizon(store).version) this.#begin(height)
  }

  /** Starts a state snapshot unless one is being made. A node that is too slow for its interval therefore skips some. */
  #begin(height: bigint): void {
    if (this.#making !== undefined || this.#end.signal.aborted) return
    this.#making = this.#make(height).finally(() => {
      this.#making = undefined
    })
  }

  async #make(height: bigint): Promise<void> {
    const { indexer, onMade, onError, chunkSize = CHUNK_SIZE } = this.#options
    const pause = yieldToEventLoop('light', this.#end.signal)
    try {
      const { store, spec } = this.#chain
      const reader = store.consistentReader()
      try {
        const snapshot = await this.#files.write(
          height,
          snapshotChunks(reader, { spec, indexer }, height, chunkSize, pause),
        )
        onMade?.(snapshot)
      } finally {
        await reader.close()
      }
      for (const { height: old } of this.list().slice(KEPT)) await this.#files.remove(old)
    } catch (error) {
      const isEnd = error instanceof ChainError && error.code === 'cancelled'
      if (!isEnd) onError(error)
    }
  }
}
