// The snapshots of evm_snapshot: points to which evm_revert returns. Reverting to one deletes it and all later ones.
import type { PooledTransaction } from '../pool/types.ts'
import type { SealedHeader } from '../primitives/types.ts'
import type { StateCheckpoint } from './canonical-chain.ts'

export type Snapshot = {
  readonly head: SealedHeader
  readonly checkpoint: StateCheckpoint
  /** The transactions of the pool. */
  readonly waiting: readonly PooledTransaction[]
  /** Called after the revert to restore what the chain does not own (the producer's clock). */
  readonly restore: (() => void) | undefined
}

export class Snapshots {
  readonly #byId = new Map<bigint, Snapshot>()
  #lastId = 0n

  add(snapshot: Snapshot): bigint {
    this.#byId.set(++this.#lastId, snapshot)
    return this.#lastId
  }

  /** Removes a snapshot and all later ones, and returns it; undefined if the id is unknown. */
  use(id: bigint): Snapshot | undefined {
    const snapshot = this.#byId.get(id)
    if (snapshot !== undefined) for (const later of [...this.#byId.keys()]) if (later >= id) this.#byId.delete(later)
    return snapshot
  }

  /** Removes the snapshots of later state versions. */
  dropAfter({ version }: StateCheckpoint): void {
    for (const [id, { checkpoint }] of [...this.#byId]) if (checkpoint.version > version) this.#byId.delete(id)
  }

  /** The heads of all snapshots, by id. */
  heads(): ReadonlyMap<bigint, SealedHeader> {
    return new Map([...this.#byId].map(([id, { head }]) => [id, head]))
  }
}
