// A client's log filter, resolved against the chain as it stands. Ranges are refused the way geth refuses them.
import { LRUCache } from 'lru-cache'
import type { BlockTag, Chain, MinedLog } from '../chain/types.ts'
import type { LogQuery } from '../indexer/logs.ts'
import { ChainError } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import { type PreserializedJson, PreserializedList } from '../lib/preserialized-json.ts'
import type { LogIndex } from './define.ts'
import type { LogFilter } from './shapes/filter.ts'
import { wireLog } from './shapes/receipt.ts'

/**
 * The filter's addresses and topics, as the index and live matching use them.
 * A topic list with a null in it matches anything, like an empty one.
 */
export function logMatch(filter: LogFilter): Pick<LogQuery, 'addresses' | 'topics'> {
  const addresses = filter.address == null ? [] : Array.isArray(filter.address) ? filter.address : [filter.address]
  const topics = (filter.topics ?? []).map((topic): readonly Hash[] | null => {
    if (topic === null) return null
    const choices = Array.isArray(topic) ? topic : [topic]
    return choices.length === 0 || choices.includes(null) ? null : choices.filter((choice) => choice !== null)
  })
  return { addresses, topics }
}

/**
 * The filter as blocks from–to. Both ends default to the head. Throws `invalid-params` for a reversed range or one
 * beyond the head, and `header-not-found` for an unknown block hash.
 */
export async function logQuery(filter: LogFilter, chain: Chain): Promise<LogQuery> {
  const match = logMatch(filter)
  if (filter.blockHash) {
    const header = await chain.header({ hash: filter.blockHash })
    if (header === undefined) throw new ChainError('header-not-found', 'unknown block')
    return { ...match, from: header.number, to: header.number }
  }
  const head = chain.head.number
  const from = boundary(filter.fromBlock ?? 'latest', head)
  const to = boundary(filter.toBlock ?? 'latest', head)
  if (from > to) throw new ChainError('invalid-params', 'invalid block range params')
  if (to > head) throw new ChainError('invalid-params', 'block range extends beyond current head block')
  return { ...match, from, to }
}

/** Pending logs are not served: `pending` is the head, as `safe` and `finalized` are. */
function boundary(ref: BlockTag | { readonly number: bigint }, head: bigint): bigint {
  if (typeof ref === 'object') return ref.number
  return ref === 'earliest' ? 0n : head
}

/** All logs of a filter, in the chain's order, each as `write` has it on the wire. Throws as `logQuery`, and `cancelled`. */
export async function findLogs(
  filter: LogFilter,
  chain: Chain,
  index: LogIndex,
  caller: AbortSignal,
  write: (log: MinedLog) => string = textOf,
): Promise<PreserializedJson> {
  const found = new PreserializedList()
  const query = await logQuery(filter, chain)
  for await (const logs of index.byBlock(query, caller)) for (const log of logs) found.add(write(log))
  return found.json()
}

/** Characters of logs that are kept as they were written: the newest blocks are asked for again and again. */
const KEPT = 16 * 1024 * 1024

/** A log's place and content never change: one of another block is another. */
const texts = new LRUCache<MinedLog, string>({ maxSize: KEPT, sizeCalculation: ({ length }) => length })

function textOf(mined: MinedLog): string {
  const known = texts.get(mined)
  if (known !== undefined) return known
  const text = JSON.stringify(wireLog(mined))
  texts.set(mined, text)
  return text
}
