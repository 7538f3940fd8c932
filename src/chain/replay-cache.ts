// Replays of mined blocks that stand before one of their transactions, so that a trace of it need not run what lies before. The
// view of a replay that is kept is never written: whoever takes one gets a fork. What is kept is bounded in bytes.
import { LRUCache } from 'lru-cache'
import type { Hash } from '../lib/hex.ts'
import type { Pause } from '../lib/scheduler.ts'
import type { Block } from '../primitives/types.ts'
import type { BlockReplay } from '../runtime/tracing/replay.ts'

/** Bytes of all that is kept, by estimate. */
const MAX_BYTES = 64 * 1024 * 1024
/** Positions of a block that are kept at equal distances, and the least distance: from one of them no trace is far. */
const MARKS = 32
const MIN_DISTANCE = 8
/** Positions of a block that are kept because they were used last: debuggers go from one transaction to the next. */
const RECENT = 8

/** Bytes of an entry of a view, and of a view before the first transaction. */
const ENTRY_BYTES = 200
const VIEW_BYTES = 32 * 1024
/** A transaction pays at least so much gas for each account or slot that it touches (EIP-2929: a cold slot). */
const GAS_PER_ENTRY = 2100n

type KeptBlock = {
  /** The version of the parent's state: after a rollback the same version may be another state. */
  readonly version: number
  readonly distance: number
  readonly marks: Map<number, BlockReplay>
  /** The one used last is at the end. */
  readonly recent: Map<number, BlockReplay>
}

export class ReplayCache {
  readonly #blocks = new LRUCache<Hash, KeptBlock>({ maxSize: MAX_BYTES, sizeCalculation: sizeOf })

  /**
   * A replay of the block that stands before transaction `index`, for the caller alone. `version`: the state of the block's
   * parent; `begin` begins a replay on it.
   */
  async at(
    block: Block,
    index: number,
    version: number,
    begin: () => Promise<BlockReplay>,
    pause: Pause,
  ): Promise<BlockReplay> {
    const nearest = this.#nearest(block, index, version)
    if (nearest?.position === index) return nearest.fork()
    const replay = nearest?.fork() ?? (await begin())
    const distance = distanceOf(block)
    while (replay.position < index) {
      const nextMark = (Math.floor(replay.position / distance) + 1) * distance
      await replay.advance(Math.min(nextMark, index), pause)
      if (replay.position === nextMark && nextMark < index) this.keep(replay.fork(), version)
    }
    this.keep(replay.fork(), version)
    return replay
  }

  /** Keeps a replay, which must not be used any more. */
  keep(replay: BlockReplay, version: number): void {
    const { block, position } = replay
    const { hash } = block.header
    if (position >= block.transactions.length) return
    const known = this.#blocks.get(hash)
    const kept = known?.version === version ? known : emptyBlock(block, version)
    if (position % kept.distance === 0) kept.marks.set(position, replay)
    else {
      kept.recent.delete(position)
      kept.recent.set(position, replay)
      const [oldest = position] = kept.recent.keys()
      if (kept.recent.size > RECENT) kept.recent.delete(oldest)
    }
    // Set again, because its size is another one.
    this.#blocks.delete(hash)
    this.#blocks.set(hash, kept)
  }

  /** The last position up to `index` that is kept. */
  #nearest(block: Block, index: number, version: number): BlockReplay | undefined {
    const kept = this.#blocks.get(block.header.hash)
    if (kept?.version !== version) return undefined
    let nearest: BlockReplay | undefined
    for (const positions of [kept.marks, kept.recent]) {
      for (const [position, replay] of positions) {
        if (position <= index && position >= (nearest?.position ?? 0)) nearest = replay
      }
    }
    return nearest
  }
}

const distanceOf = ({ transactions }: Block): number => Math.max(MIN_DISTANCE, Math.ceil(transactions.length / MARKS))

const emptyBlock = (block: Block, version: number): KeptBlock => ({
  version,
  distance: distanceOf(block),
  marks: new Map(),
  recent: new Map(),
})

function sizeOf({ marks, recent }: KeptBlock): number {
  let bytes = 0
  for (const positions of [marks, recent]) {
    for (const { gasUsed } of positions.values()) {
      bytes += VIEW_BYTES + Number(gasUsed / GAS_PER_ENTRY) * ENTRY_BYTES
    }
  }
  return bytes
}
