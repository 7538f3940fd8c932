// Checks the index by building it again: every block is executed again, as in `reindex`, into a separate store, and the rows
// are compared. `reindex` also checks the results of the blocks.
import { equalBytes, toHex } from '../lib/hex.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { ChangeCheck, type CheckReport } from '../state/check-state.ts'
import { isIndexRow, RANGE } from '../state/keyspace.ts'
import type { KeyRange, KvReader, KvStore, RecordLog, WriteOp } from '../state/types.ts'
import { reindex } from './reindex.ts'
import type { Indexer } from './types.ts'

/** `scratch`: an empty store for the new index. Throws as `reindex`. */
export async function checkIndex(
  store: KvStore,
  scratch: KvStore,
  runtime: Runtime,
  indexer: Indexer,
  report: CheckReport,
  onBlock: (number: bigint) => void,
): Promise<void> {
  const changes = new ChangeCheck(store, report)
  await reindex(new SeparateIndexStore(store, scratch), runtime, indexer, onBlock, (view, version) =>
    changes.add(view, version),
  )
  changes.end()
  const made = scratch.scan(RANGE.index())[Symbol.asyncIterator]()
  let next = await made.next()
  for await (const [key, value] of store.scan(RANGE.index())) {
    while (!next.done && Buffer.compare(next.value[0], key) < 0) {
      report(`index row ${toHex(next.value[0])}`, 'is missing')
      next = await made.next()
    }
    if (next.done || !equalBytes(next.value[0], key)) report(`index row ${toHex(key)}`, 'follows from no block')
    else {
      if (!equalBytes(next.value[1], value)) report(`index row ${toHex(key)}`, 'is not what follows from the blocks')
      next = await made.next()
    }
  }
  for (; !next.done; next = await made.next()) report(`index row ${toHex(next.value[0])}`, 'is missing')
}

/** A chain whose index is in another store. Writes go only to that store. */
class SeparateIndexStore implements KvStore {
  readonly #chain: KvStore
  readonly #tables: KvStore

  constructor(chain: KvStore, tables: KvStore) {
    this.#chain = chain
    this.#tables = tables
  }

  get log(): RecordLog {
    return this.#chain.log
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return (isIndexRow(key) ? this.#tables : this.#chain).get(key)
  }

  scan(range: KeyRange): AsyncIterable<[Uint8Array, Uint8Array]> {
    return (isIndexRow(range.gte) ? this.#tables : this.#chain).scan(range)
  }

  write(batch: readonly WriteOp[]): Promise<void> {
    return this.#tables.write(batch)
  }

  requireWritable(): void {
    this.#tables.requireWritable()
  }

  consistentReader(): KvReader & { close(): Promise<void> } {
    return this.#chain.consistentReader()
  }

  close(): Promise<void> {
    return this.#tables.close()
  }
}
