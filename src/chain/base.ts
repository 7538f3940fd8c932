// The first block that a chain has. A chain that began with its genesis has block 0; one that began with a snapshot of another
// node's state has the snapshot's block and those after it, and of the 256 blocks before only the headers, for their hashes.
import { KEY } from '../state/keyspace.ts'
import type { KvReader, WriteOp } from '../state/types.ts'

/** Number of the first block. Version 0 of the state is that before it, unless it is block 0. */
export function readBase(store: Pick<KvReader, 'get'>): bigint {
  const row = store.get(KEY.meta('base'))
  return row === undefined ? 0n : BigInt(Buffer.from(row).toString())
}

export const baseRow = (base: bigint): WriteOp => ({
  type: 'put',
  key: KEY.meta('base'),
  value: Buffer.from(base.toString()),
})
