// The first block of a chain: that of the genesis, or the block of the state snapshot that the chain began with. In the second case the
// database also has the headers of the 256 blocks before it, for BLOCKHASH.
import { KEY } from '../state/keyspace.ts'
import type { KvReader, WriteOp } from '../state/types.ts'

/** Number of the first block. State version 0 is the state before that block; for the genesis block, the state after it. */
export function readBase(store: Pick<KvReader, 'get'>): bigint {
  const row = store.get(KEY.meta('base'))
  return row === undefined ? 0n : BigInt(Buffer.from(row).toString())
}

export const baseRow = (base: bigint): WriteOp => ({
  type: 'put',
  key: KEY.meta('base'),
  value: Buffer.from(base.toString()),
})
