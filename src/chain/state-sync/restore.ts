// Begins a chain with a snapshot of another node's state. Nobody vouches for a snapshot: each chunk is compared with its hash
// before it is used, the first one with the block hash that the caller trusts, and the state with the root that follows from
// that; block H is then executed like any other. The rows that make all this a chain are in the last batch.
import { ChainError } from '../../lib/errors.ts'
import { equalBytes, toHash } from '../../lib/hex.ts'
import { beginChain } from '../open.ts'
import { beginWithBlock, type FirstBlockOptions } from './first-block.ts'
import { chunkHash, decodeHead, FORMAT, HASH_LENGTH, isConsistent, type StateSnapshot, sha256 } from './format.ts'
import { type RestoredHead, requireHead } from './head.ts'
import { RowReader } from './rows.ts'

/** Answers to an offered snapshot (ABCI's OfferSnapshot). */
export type OfferAnswer =
  | 'accept'
  /** This node takes no snapshot: it has a chain. */
  | 'abort'
  | 'reject'
  | 'reject-format'
  /** The sender is not to be used any more, since what it offers cannot exist. */
  | 'reject-sender'

/** Answers to a chunk (ABCI's ApplySnapshotChunk). */
export type ChunkAnswer = {
  readonly result: 'accept' | 'abort' | 'retry' | 'retry-snapshot' | 'reject-snapshot'
  /** Chunks to be fetched again. */
  readonly refetch: readonly number[]
  /** Peers whose chunks are not to be used any more. */
  readonly rejectSenders: readonly string[]
}

/** `store`: an empty database, or one in which a restore was interrupted. */
export type StateRestoreOptions = FirstBlockOptions & {
  /** Called after each chunk that was accepted. */
  readonly onChunk?: ((taken: number, chunks: number) => void) | undefined
  /** Called when the state is complete and verified; the index, which takes longest, follows. */
  readonly onState?: (() => void) | undefined
  /** Called with the reason why a snapshot was refused. */
  readonly onRefused?: ((why: string) => void) | undefined
}

/** A snapshot that has been accepted. */
type Restoring = {
  readonly snapshot: StateSnapshot
  readonly appHash: Uint8Array
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

  /** Block of the snapshot with which the chain has begun; undefined before. Then the store can be opened as a chain. */
  get height(): bigint | undefined {
    return this.#height
  }

  /** `appHash`: the hash of block `height`, from a source that is trusted. Removes what another snapshot has left. */
  async offer(snapshot: StateSnapshot, appHash: Uint8Array): Promise<OfferAnswer> {
    if (this.#height !== undefined) return 'abort'
    if (snapshot.format !== FORMAT) return 'reject-format'
    if (!isConsistent(snapshot)) return 'reject-sender'
    if (snapshot.height < 1n || appHash.length !== HASH_LENGTH) return 'reject'
    try {
      await beginChain(this.#options.store)
    } catch (error) {
      if (!(error instanceof ChainError) || error.code !== 'storage') throw error
      this.#options.onRefused?.(error.message)
      return 'abort'
    }
    this.#restoring = { snapshot, appHash, next: 0, head: undefined, rows: new RowReader(this.#options.store) }
    return 'accept'
  }

  /** Takes the next chunk of the accepted snapshot. `sender`: id of the peer that sent it. The last one takes longest. */
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

  /** Throws ChainError `invalid-block` for what follows from no chain. */
  async #take(restoring: Restoring, index: number, chunk: Uint8Array): Promise<void> {
    const { snapshot, appHash, rows } = restoring
    if (index === 0) restoring.head = requireHead(decodeHead(chunk), snapshot.height, toHash(appHash))
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
