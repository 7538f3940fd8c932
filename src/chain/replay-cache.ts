// Caches replays of mined blocks at positions before some transactions, so that a trace need not execute all earlier ones. The
// view of a cached replay is never written; callers get a fork. The cache is bounded in bytes.
import { LRUCache } from 'lru-cache'
import type { Hash } from '../lib/hex.ts'
import type { Pause } from '../lib/scheduler.ts'
import type { Block } from '../primitives/types.ts'
import type { BlockReplay } from '../runtime/tracing/replay.ts'

/** Estimated bytes of all cached replays. */
const MAX_BYTES = 64 * 1024 * 1024
/** Number of evenly spaced positions cached per block, and their minimum distance. */
const MARKS = 32
const MIN_DISTANCE = 8
/** Number of most recently used positions cached per block: debuggers step from one transaction to the next. */
const RECENT = 8

/** Estimated bytes of one entry of a view, and of an empty view. */
const ENTRY_BYTES = 200
const VIEW_BYTES = 32 * 1024
/** Minimum gas for each account or slot that a transaction touches (EIP-2929: a cold slot). */
const GAS_PER_ENTRY = 2100n

type KeptBlock = {
  /** The state version of the parent; after a rewind the same block number may have another state. */
  readonly version: number
  readonly distance: number
  readonly marks: Map<number, BlockReplay>
  /** The most recently used position is last. */
  readonly recent: Map<number, BlockReplay>
}

export class ReplayCache {
  readonly #blocks = new LRUCache<Hash, KeptBlock>({ maxSize: MAX_BYTES, sizeCalculation: sizeOf })

  /**
   * A replay of the block positioned before transaction `index`, owned by the caller. `version`: the parent's state version;
   * `begin` starts a replay on it.
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
    // The beginning of a recorded block costs no more than a fork.
    if (replay.position > 0 || !replay.isRecorded) this.keep(replay.fork(), version)
    return replay
  }

  clear(): void {
    this.#blocks.clear()
  }

  /** Caches a replay. The caller must not use it afterwards. */
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
    // Set again, because its size has changed.
    this.#blocks.delete(hash)
    this.#blocks.set(hash, kept)
  }

  /** The cached replay at the last position up to `index`. */
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
