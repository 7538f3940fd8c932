// Begins a chain with another node's state snapshot. A snapshot is untrusted: each chunk is compared with its hash before use,
// the first one also with the trusted hash, and the state with the root that follows from it; block H is then executed
// like any other. The last batch has the rows that complete the chain.
import { ChainError } from '../../lib/errors.ts'
import { equalBytes } from '../../lib/hex.ts'
import { beginChain } from '../open.ts'
import { beginWithBlock, type FirstBlockOptions } from './first-block.ts'
import { chunkHash, decodeHead, FORMAT, isConsistent, type StateSnapshot, sha256 } from './format.ts'
import { type KnownBlock, type RestoredHead, requireHead } from './head.ts'
import { RowReader } from './rows.ts'

/** Answers to an offered state snapshot (ABCI's OfferSnapshot). */
export type OfferAnswer =
  | 'accept'
  /** This node has a chain already and takes no state snapshot. */
  | 'abort'
  | 'reject'
  | 'reject-format'
  /** Ignore the sender from now on: its offer cannot exist. */
  | 'reject-sender'

/** Answers to a chunk (ABCI's ApplySnapshotChunk). */
export type ChunkAnswer = {
  readonly result: 'accept' | 'abort' | 'retry' | 'retry-snapshot' | 'reject-snapshot'
  /** Chunks to fetch again. */
  readonly refetch: readonly number[]
  /** Peers whose chunks must be ignored from now on. */
  readonly rejectSenders: readonly string[]
}

/** `store`: an empty database, or one with an interrupted restore. */
export type StateRestoreOptions = FirstBlockOptions & {
  /** Called after each accepted chunk. */
  readonly onChunk?: ((taken: number, chunks: number) => void) | undefined
  /** Called when the state is complete and verified; building the index, which takes longest, follows. */
  readonly onState?: (() => void) | undefined
  /** Called with the reason for which a state snapshot was refused. */
  readonly onRefused?: ((why: string) => void) | undefined
}

/** An accepted state snapshot. */
type Restoring = {
  readonly snapshot: StateSnapshot
  readonly known: KnownBlock
  next: number
  head: RestoredHead | undefined
  readonly rows: RowReader
}

export class StateRestore {
  readonly #options: StateRestoreOptions
  #restoring: Restoring | undefined
  #height: bigint | undefined

  constructor(options: StateRestoreOptions) {
    this.#options = options
  }

  /** Block of the state snapshot that the chain began with; the store can then be opened as a chain. undefined before that. */
  get height(): bigint | undefined {
    return this.#height
  }

  /** `known`: of block `height`, from a trusted source. Removes the rows of another state snapshot. */
  async offer(snapshot: StateSnapshot, known: KnownBlock): Promise<OfferAnswer> {
    if (this.#height !== undefined) return 'abort'
    if (snapshot.format !== FORMAT) return 'reject-format'
    if (!isConsistent(snapshot)) return 'reject-sender'
    if (snapshot.height < 1n) return 'reject'
    try {
      await beginChain(this.#options.store)
    } catch (error) {
      if (!(error instanceof ChainError) || error.code !== 'storage') throw error
      this.#options.onRefused?.(error.message)
      return 'abort'
    }
    this.#restoring = { snapshot, known, next: 0, head: undefined, rows: new RowReader(this.#options.store) }
    return 'accept'
  }

  /**
   * Takes the next chunk of the accepted state snapshot. `sender`: id of the peer that sent it. The last chunk takes longest.
   */
  async apply(index: number, chunk: Uint8Array, sender: string): Promise<ChunkAnswer> {
    const restoring = this.#restoring
    if (restoring === undefined) return answer('abort')
    if (index !== restoring.next) return answer('retry-snapshot')
    const { snapshot } = restoring
    if (!equalBytes(sha256(chunk), chunkHash(snapshot.metadata, index))) {
      const rejectSenders = sender === '' ? [] : [sender]
      return { result: 'retry', refetch: [index], rejectSenders }
    }
    try {
      await this.#take(restoring, index, chunk)
    } catch (error) {
      if (!(error instanceof ChainError) || error.code !== 'invalid-block') throw error
      this.#restoring = undefined
      this.#options.onRefused?.(`the snapshot of block ${snapshot.height} is refused: ${error.message}`)
      return answer('reject-snapshot')
    }
    restoring.next++
    this.#options.onChunk?.(restoring.next, snapshot.chunks)
    return answer('accept')
  }

  /** Throws ChainError `invalid-block` for an invalid chunk. */
  async #take(restoring: Restoring, index: number, chunk: Uint8Array): Promise<void> {
    const { snapshot, known, rows } = restoring
    const { spec } = this.#options
    if (index === 0) restoring.head = requireHead(decodeHead(chunk), spec, snapshot.height, known)
    else await rows.take(chunk)
    const { head } = restoring
    if (head === undefined || index + 1 < snapshot.chunks) return
    const root = await rows.finish()
    if (root !== head.parent.stateRoot)
      throw new ChainError('invalid-block', `its state has the root ${root}, the header says ${head.parent.stateRoot}`)
    this.#options.onState?.()
    await beginWithBlock(this.#options, head)
    this.#restoring = undefined
    this.#height = snapshot.height
  }
}

const answer = (result: ChunkAnswer['result']): ChunkAnswer => ({ result, refetch: [], rejectSenders: [] })
