// Going back: snapshots with the clock they were taken at, and the way back to a block.

import type { Chain } from '../chain/types.ts'
import type { BlockProducer } from '../consensus/block-producer.ts'
import type { Hash } from '../lib/hex.ts'
import { now } from '../lib/unix-time.ts'

/** What stood beside the chain when a snapshot was taken. */
export type Snapshot = {
  readonly number: bigint
  readonly hash: Hash
  readonly next: BlockProducer['next']
  /** The chain's time: the machine's clock with the offset. */
  readonly time: bigint
}

type Place = { readonly chain: Chain; readonly producer: BlockProducer }

const taken = new WeakMap<Chain, Map<bigint, Snapshot>>()

/** The snapshots that can be gone back to, by id. */
export function snapshotsOf(chain: Chain): Map<bigint, Snapshot> {
  const snapshots = taken.get(chain) ?? new Map<bigint, Snapshot>()
  taken.set(chain, snapshots)
  return snapshots
}

/** Remembers head, state and clock; answers the snapshot's id. */
export function takeSnapshot({ chain, producer }: Place): bigint {
  const { number, hash } = chain.head
  const id = chain.snapshot()
  const time = now() + producer.settings.timeOffset
  snapshotsOf(chain).set(id, { number, hash, next: { ...producer.next }, time })
  return id
}

/**
 * Goes back to a snapshot, which is used up with all later ones; the clock goes on from the snapshot's time.
 * False when there is no such snapshot.
 */
export async function revertTo(id: bigint, { chain, producer }: Place): Promise<boolean> {
  if (!(await chain.rollback(id))) return false
  const snapshots = snapshotsOf(chain)
  const snapshot = snapshots.get(id)
  for (const later of snapshots.keys()) if (later >= id) snapshots.delete(later)
  if (snapshot !== undefined) {
    producer.settings.timeOffset = snapshot.time - now()
    Object.assign(producer.next, snapshot.next)
  }
  return true
}

/**
 * Takes back all blocks after the one with this number, and the snapshots taken there. Block 0 comes back as the
 * genesis has it.
 */
export async function rewind(to: bigint, chain: Chain): Promise<void> {
  await chain.rewind(to)
  const snapshots = snapshotsOf(chain)
  for (const [id, { number }] of snapshots) if (number > to) snapshots.delete(id)
}
