// eth_getLogs and its variants: resolves a client's log filter to a range of blocks, and finds the logs of that range. Ranges
// are refused as in geth. `indexer/logs.ts` finds the logs; `notifications/live-logs.ts` matches those of new blocks.
import type { BlockTag, ChainReader, MinedLog } from '../chain/types.ts'
import { type ForeignLog, searchLogs, withTimestamps } from '../fork/searches.ts'
import type { LogQuery } from '../indexer/logs.ts'
import { ChainError } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import { type PreserializedJson, PreserializedList } from '../lib/preserialized-json.ts'
import type { LogCriteria } from '../primitives/log-criteria.ts'
import { requireBlocksSince } from './block-bisection.ts'
import type { LogFilter } from './shapes/log-filter.ts'
import { logJson, wireTimedLog } from './shapes/receipt.ts'

/** The index of logs by address and topic; `indexer/logs.ts` implements it. */
export interface LogIndex {
  /** Matching logs in the chain's order, one list for each block. `signal` ends the search when it is aborted. */
  byBlock(query: LogQuery, signal?: AbortSignal): AsyncIterable<readonly MinedLog[]>
}

/**
 * The filter's addresses and topics, as the index and live matching take them.
 * A list of topics that contains null matches any topic, like an empty one.
 */
export function criteriaOf(filter: LogFilter): LogCriteria {
  const addresses = filter.address == null ? [] : Array.isArray(filter.address) ? filter.address : [filter.address]
  const topics = (filter.topics ?? []).map((topic): readonly Hash[] | null => {
    if (topic === null) return null
    const choices = Array.isArray(topic) ? topic : [topic]
    return choices.length === 0 || choices.includes(null) ? null : choices.filter((choice) => choice !== null)
  })
  return { addresses, topics }
}

/** The log searches of one node. */
export class LogSearch {
  readonly #chain: ChainReader
  readonly #index: LogIndex

  constructor(chain: ChainReader, index: LogIndex) {
    this.#chain = chain
    this.#index = index
  }

  /**
   * The filter with its range as block numbers. Both ends default to the head. Throws `invalid-params` for a reversed range
   * or one beyond the head, and `header-not-found` for an unknown block hash or a range that begins before the first block.
   */
  async query(filter: LogFilter): Promise<LogQuery> {
    const match = criteriaOf(filter)
    if (filter.blockHash) {
      const { blockHash: hash } = filter
      const number = (await this.#chain.header({ hash }))?.number ?? (await this.#chain.forked?.locate(hash))
      if (number === undefined) throw new ChainError('header-not-found', 'unknown block')
      return { ...match, from: number, to: number }
    }
    const head = this.#chain.head.number
    const from = boundary(filter.fromBlock ?? 'latest', this.#chain)
    const to = boundary(filter.toBlock ?? 'latest', this.#chain)
    if (from > to) throw new ChainError('invalid-params', 'invalid block range params')
    if (to > head) throw new ChainError('invalid-params', 'block range extends beyond current head block')
    if (this.#chain.forked === undefined) requireBlocksSince(this.#chain, from)
    return { ...match, from, to }
  }

  /** Matching logs in the chain's order, one list for each block. Throws `cancelled` when the signal is aborted. */
  byBlock(query: LogQuery, signal: AbortSignal): AsyncIterable<readonly MinedLog[]> {
    return this.#index.byBlock(query, signal)
  }

  /**
   * All logs of a filter in the chain's order, as a JSON list; `isTimed`: in Erigon's form, with the timestamp of the block. Throws
   * like `query`, and `cancelled`.
   */
  async json(filter: LogFilter, signal: AbortSignal, isTimed = false): Promise<PreserializedJson> {
    const { forked } = this.#chain
    const query = await this.query(filter)
    // The forked chain's logs may have other fields than these, with any text.
    const found = new PreserializedList(forked === undefined ? 'latin1' : 'utf8')
    const range = { first: query.from, last: query.to }
    if (forked !== undefined)
      for await (const logs of searchLogs(forked, named(filter), range, signal))
        for (const log of isTimed ? await withTimestamps(forked, logs) : logs) found.add(JSON.stringify(log))
    const serialize = isTimed ? (log: MinedLog) => JSON.stringify(wireTimedLog(log)) : logJson
    for await (const logs of this.byBlock(query, signal)) for (const log of logs) found.add(serialize(log))
    return found.json()
  }

  /**
   * The newest logs of a filter in Erigon's form, newest first: at most `maxLogs`, and of at most `maxBlocks` blocks. Throws like
   * `json`.
   */
  async newest(
    filter: LogFilter,
    { maxLogs, maxBlocks }: { readonly maxLogs: number; readonly maxBlocks: number },
    signal: AbortSignal,
  ): Promise<readonly object[]> {
    const query = await this.query(filter)
    // The search starts at the oldest block and keeps only the newest blocks that the result may have.
    const newest: (readonly MinedLog[])[] = []
    let count = 0
    for await (const logs of this.byBlock(query, signal)) {
      newest.push(logs)
      count += logs.length
      while (newest.length > maxBlocks || count - (newest[0]?.length ?? 0) >= maxLogs) {
        count -= newest.shift()?.length ?? 0
      }
    }
    const found: object[] = newest.flat().reverse().slice(0, maxLogs).map(wireTimedLog)
    const { forked } = this.#chain
    if (forked === undefined || found.length >= maxLogs || newest.length >= maxBlocks) return found
    const blocks = new Set<string>()
    const range = { first: query.from, last: query.to, isBackward: true }
    for await (const logs of searchLogs(forked, named(filter), range, signal)) {
      const isOfBlocks = ({ blockNumber }: ForeignLog) => newest.length + blocks.add(blockNumber).size <= maxBlocks
      const more = logs
        .toReversed()
        .filter(isOfBlocks)
        .slice(0, maxLogs - found.length)
      found.push(...(await withTimestamps(forked, more)))
      if (found.length >= maxLogs || newest.length + blocks.size >= maxBlocks) return found
    }
    return found
  }
}

/** Pending logs are not served: `pending` is the head, as `safe` and `finalized` are. */
function boundary(ref: BlockTag | { readonly number: bigint }, { base, head, forked }: ChainReader): bigint {
  if (typeof ref === 'object') return ref.number
  return ref !== 'earliest' ? head.number : forked === undefined ? base : 0n
}

/** The parts of a filter that name logs. */
const named = ({ address, topics }: LogFilter) => ({ ...(address && { address }), ...(topics && { topics }) })
