// Determines which states can be read and which old versions a new version deletes. Blocks, receipts and the index are not
// pruned. The deletions are part of the new version's batch and read no state row.
import { ChainError } from '../lib/errors.ts'
import type { SealedHeader } from '../primitives/types.ts'
import { KEY } from '../state/keyspace.ts'
import type { StateStore } from '../state/state-store.ts'
import type { KvReader, KvStore, WriteOp } from '../state/types.ts'
import { readBase } from './base.ts'
import { readStateVersion } from './open.ts'

/** The oldest readable state version, and the oldest block whose state is readable. */
export type Horizon = { readonly number: bigint; readonly version: number }

/** Versions deleted with each new one. More than one, so that a former archive node catches up. */
const MOST_VERSIONS = 5

export function readHorizon(store: Pick<KvReader, 'get'>): Horizon {
  const row = store.get(KEY.meta('horizon'))
  if (row === undefined) return { number: readBase(store), version: 0 }
  const [number, version] = JSON.parse(Buffer.from(row).toString()) as [string, number]
  return { number: BigInt(number), version }
}

export const horizonRow = ({ number, version }: Horizon): WriteOp => ({
  type: 'put',
  key: KEY.meta('horizon'),
  value: Buffer.from(JSON.stringify([number.toString(), version])),
})

export class Pruning {
  readonly #store: KvStore
  readonly #state: Pick<StateStore, 'prune'>
  readonly #states: bigint | undefined
  #horizon: Horizon

  /** `states`: number of blocks before the head whose states stay readable; undefined: no pruning. */
  constructor(store: KvStore, state: Pick<StateStore, 'prune'>, states: number | undefined) {
    this.#store = store
    this.#state = state
    this.#states = states === undefined ? undefined : BigInt(states)
    this.#horizon = readHorizon(store)
  }

  get horizon(): Horizon {
    return this.#horizon
  }

  /** Reads the horizon again, which another thread may have moved. */
  follow(): void {
    this.#horizon = readHorizon(this.#store)
  }

  /** Throws ChainError `state-not-available`, in go-ethereum's words, for a pruned version. */
  require(version: number, { stateRoot }: SealedHeader): void {
    const { number, version: oldest } = this.#horizon
    if (version >= oldest) return
    const words = `historical state ${stateRoot.slice(2)} is not available: states before block ${number} were pruned`
    throw new ChainError('state-not-available', words)
  }

  /** The deletions for a new version at block `head`. Call `afterWrite` when they are written. */
  stage(head: bigint): { ops: WriteOp[]; afterWrite: () => void } {
    const oldest = this.#states === undefined ? 0n : head - this.#states
    const target = oldest <= this.#horizon.number ? undefined : readStateVersion(this.#store, oldest)
    const version = Math.min(target ?? 0, this.#horizon.version + MOST_VERSIONS)
    if (version <= this.#horizon.version) return { ops: [], afterWrite: () => undefined }
    const horizon = { number: this.#oldestWith(version), version }
    const ops = this.deletionsTo(horizon)
    const afterWrite = () => {
      this.#horizon = horizon
    }
    return { ops, afterWrite }
  }

  /** The deletions of all versions before a horizon, and its row. Call `follow` when they are written. */
  deletionsTo(horizon: Horizon): WriteOp[] {
    const ops: WriteOp[] = []
    for (let gone = this.#horizon.version + 1; gone <= horizon.version; gone++) {
      for (const op of this.#state.prune(gone)) ops.push(op)
      ops.push({ type: 'del', key: KEY.indexUndo(gone) })
    }
    ops.push(horizonRow(horizon))
    return ops
  }

  /** The first block with this state version or a later one. */
  #oldestWith(version: number): bigint {
    let { number } = this.#horizon
    while ((readStateVersion(this.#store, number) ?? version) < version) number++
    return number
  }
}
