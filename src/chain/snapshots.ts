// Points a developer may go back to. Going back to one uses it up, together with all that were taken after it.
import type { PooledTransaction } from '../pool/types.ts'
import type { StateCheckpoint } from './canonical-chain.ts'

export type Snapshot = { readonly point: StateCheckpoint; readonly waiting: readonly PooledTransaction[] }

export class Snapshots {
  readonly #taken = new Map<bigint, Snapshot>()
  #last = 0n

  take(snapshot: Snapshot): bigint {
    this.#taken.set(++this.#last, snapshot)
    return this.#last
  }

  /** The snapshot, which is gone with all later ones; undefined when there is none of this id. */
  use(id: bigint): Snapshot | undefined {
    const snapshot = this.#taken.get(id)
    if (snapshot !== undefined) for (const later of [...this.#taken.keys()]) if (later >= id) this.#taken.delete(later)
    return snapshot
  }

  /** Forgets the snapshots of a future that will not be. */
  dropAfter({ version }: StateCheckpoint): void {
    for (const [id, { point }] of [...this.#taken]) if (point.version > version) this.#taken.delete(id)
  }
}
