// Keeps the recordings of the newest blocks, so that traces of them replay nothing. Bounded in blocks and bytes; blocks of which
// no trace is asked leave it in the order of their age.
import { LRUCache } from 'lru-cache'
import type { Hash } from '../lib/hex.ts'
import type { Block } from '../primitives/types.ts'
import { RecordedBlock } from '../runtime/tracing/recorded-block.ts'
import type { ExecutedBlock } from '../runtime/types.ts'

const MAX_BLOCKS = 1000
/** Estimated bytes of all recordings, and of one block's. */
const MAX_BYTES = 24 * 1024 * 1024
const MAX_BLOCK_BYTES = MAX_BYTES / 4

export class RecordedBlocks {
  readonly #blocks = new LRUCache<Hash, RecordedBlock>({
    max: MAX_BLOCKS,
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_BLOCK_BYTES,
    sizeCalculation: ({ size }) => size,
  })

  /** Keeps the recording of a committed block; `version`: the state version of its parent. */
  add(executed: ExecutedBlock, version: number): void {
    const { block, recording } = executed
    if (recording !== undefined) this.#blocks.set(block.header.hash, new RecordedBlock(executed, recording, version))
  }

  get(hash: Hash): RecordedBlock | undefined {
    return this.#blocks.get(hash)
  }

  /** undefined: it is not kept, or has other transactions than the given block. */
  of(block: Block): RecordedBlock | undefined {
    const recorded = this.get(block.header.hash)
    return recorded?.isOf(block) ? recorded : undefined
  }

  /** After a rewind the same block may be made again on an edited state. */
  forgetAbove(number: bigint): void {
    for (const [hash, { block }] of [...this.#blocks.entries()]) {
      if (block.header.number > number) this.#blocks.delete(hash)
    }
  }
}
