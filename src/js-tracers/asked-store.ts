// The node's database as its thread sees it: rows are asked for one by one, and nothing is written.
import type { KvStore } from '../state/types.ts'

/** `ask`: the row of a key, now. */
export function askedStore(ask: (key: Uint8Array) => Uint8Array | undefined): KvStore {
  const refuse = (): never => {
    throw new Error('a thread that traces only reads rows')
  }
  return {
    get: ask,
    ...{ scan: refuse, write: refuse, requireWritable: refuse, consistentReader: refuse, close: refuse },
    log: { size: 0, read: refuse, append: refuse, replace: refuse, close: refuse },
  }
}
