// Makes a snapshot of the state at every block whose number is a multiple of the interval, in the background, and keeps the
// newest two for nodes that join. Blocks never wait for it: it reads one consistent state of the store, in turns of the
// scheduler.
import { ChainError } from '../../lib/errors.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import { readStateVersion } from '../open.ts'
import { readHorizon } from '../pruning.ts'
import type { Chain, Indexer } from '../types.ts'
import { SnapshotFolder } from './files.ts'
import { CHUNK_SIZE, FORMAT, type StateSnapshot } from './format.ts'
import { snapshotChunks } from './making.ts'

export type StateSnapshotOptions = {
  /** Folder of the snapshots. */
  readonly folder: string
  /** The index of the chain. */
  readonly indexer: Pick<Indexer, 'addresses'>
  /** Blocks from one snapshot to the next; 1,000 when left out. */
  readonly interval?: bigint | undefined
  /** Bytes of a chunk; 4 MB when left out. Nodes with another size make other snapshots. */
  readonly chunkSize?: number | undefined
  readonly onMade?: ((snapshot: StateSnapshot) => void) | undefined
  /** Called when a snapshot could not be made; the next one is attempted at its height. */
  readonly onError: (error: unknown) => void
}

/** Blocks from one snapshot to the next. */
export const SNAPSHOT_INTERVAL = 1_000n
/** Snapshots that are kept: the older one for those who are still fetching it. */
const KEPT = 2

type Source = Pick<Chain, 'store' | 'head' | 'events'>

export class StateSnapshots {
  readonly #chain: Source
  readonly #files: SnapshotFolder
  readonly #options: StateSnapshotOptions
  readonly #interval: bigint
  readonly #end = new AbortController()
  readonly #stopListening: (() => void)[]
  /** Settles when no snapshot is being made any more. */
  #making: Promise<void> | undefined

  /**
   * Removes what an interrupted run has left, begins to follow the chain, and makes the newest snapshot if it is missing and
   * its state is still there. Throws the system's error when the folder cannot be used.
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
      // Development methods alone take blocks back; the snapshots of these blocks go with them.
      chain.events.on('removed', (blocks) => {
        for (const { header } of blocks) void this.#files.remove(header.number).catch(options.onError)
      }),
    ]
    this.#catchUp()
  }

  /** The snapshots that are there, the newest first. */
  list(): readonly StateSnapshot[] {
    return this.#files.list()
  }

  /** A chunk of a snapshot; undefined when there is none. */
  async chunk(height: bigint, format: number, index: number): Promise<Uint8Array | undefined> {
    return format === FORMAT ? this.#files.chunk(height, index) : undefined
  }

  /** Resolves when nothing is being made. */
  async settled(): Promise<void> {
    await this.#making
  }

  /** Cancels the snapshot that is being made and stops following the chain. Call it before the store is closed. */
  async close(): Promise<void> {
    for (const stop of this.#stopListening) stop()
    this.#end.abort()
    await this.#making
  }

  #catchUp(): void {
    const { head, store } = this.#chain
    const height = head.number - (head.number % this.#interval)
    if (height === 0n || this.list().some((known) => known.height === height)) return
    // A chain that began with a snapshot has no older headers than that one brought.
    const before = readStateVersion(store, height - 1n)
    if (before !== undefined && before >= readHorizon(store).version) this.#begin(height)
  }

  /** Begins a snapshot unless one is being made, so a node that is too slow for its interval skips some. */
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
      const reader = this.#chain.store.consistentReader()
      try {
        const snapshot = await this.#files.write(height, snapshotChunks(reader, indexer, height, chunkSize, pause))
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
