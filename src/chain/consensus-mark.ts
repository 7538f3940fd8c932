// A row that marks a database as driven by CometBFT. Only CometBFT may add blocks to it: a block from another source puts the
// node ahead of CometBFT, which then cannot continue.
import { ChainError } from '../lib/errors.ts'
import { KEY } from '../state/keyspace.ts'
import type { KvReader, KvStore } from '../state/types.ts'

const MARK = KEY.meta('engine')

/** Call it before CometBFT commits its first block. */
export async function markConsensus(store: KvStore, engine: string): Promise<void> {
  if (store.get(MARK) === undefined) await store.write([{ type: 'put', key: MARK, value: Buffer.from(engine) }])
}

/** Throws ChainError `not-allowed` if CometBFT has driven the database. */
export function requireNoConsensus(store: Pick<KvReader, 'get'>): void {
  const mark = store.get(MARK)
  if (mark === undefined) return
  const engine = Buffer.from(mark).toString()
  const advice = 'import into another data directory (`kestrel init` makes one from the genesis file)'
  throw new ChainError(
    'not-allowed',
    `this node takes part in a network, and only ${engine} adds blocks to it: ${advice}`,
  )
}
