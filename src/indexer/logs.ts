// Indexes logs by emitter, by topic and by both, as lists of positions, and searches them: a query over the whole chain reads
// only entries that may match.
import type { Chain, MinedLog } from '../chain/types.ts'
import type { Address, Hash, Hex } from '../lib/hex.ts'
import { forEachYielding, type Pause, yieldToEventLoop } from '../lib/scheduler.ts'
import { bloomMatch, type LogCriteria } from '../primitives/log-criteria.ts'
import { ListReader, scanPages, sequenceOf } from '../tables/list.ts'
import type { Overlay } from '../tables/overlay.ts'
import type { IndexingContext } from './indexing-context.ts'
import { LIST, positionEntry } from './tables.ts'

/** Adds a block's logs to their lists. */
export async function indexLogs({ executed: { block, receipts } }: IndexingContext, overlay: Overlay): Promise<void> {
  const number = Number(block.header.number)
  let index = 0
  // Most logs follow one with the same emitter and topic, so the ids of the last lists are reused.
  let names: Names | undefined
  await forEachYielding(receipts, ({ logs }) => {
    for (const { address, topics } of logs) {
      const place = positionEntry.encode({ number, index: index++ })
      const topic0 = topics[0]
      if (names === undefined || names.address !== address || names.topic0 !== topic0) names = namesOf(address, topic0)
      for (const list of names.lists) overlay.append(list, place)
      for (let position = 1; position < topics.length; position++) {
        const topic = topics[position]
        if (topic !== undefined) overlay.append(LIST.logsByTopic(position, topic), place)
      }
    }
  })
}

type Names = { readonly address: Address; readonly topic0: Hash | undefined; readonly lists: readonly Hex[] }

/** The lists of an emitter's logs with a first topic. */
const namesOf = (address: Address, topic0: Hash | undefined): Names => ({
  address,
  topic0,
  lists:
    topic0 === undefined
      ? [LIST.logsOf(address)]
      : [LIST.logsOf(address), LIST.logsOfWith(address, topic0), LIST.logsByTopic(0, topic0)],
})

/** The logs of a range of blocks that match. */
export type LogQuery = LogCriteria & { readonly from: bigint; readonly to: bigint }

/** Up to this number of blocks, reading every header's bloom is faster than reading the lists. */
const FEW_BLOCKS = 64n

/** `base` is omitted if the chain has all blocks. */
type Searched = Pick<Chain, 'store' | 'head' | 'header' | 'logs'> & Partial<Pick<Chain, 'base'>>

/** Searches logs. A query over few blocks, or without address and topic, reads the blocks whose bloom may match. */
export class Logs {
  readonly #chain: Searched
  readonly #fewBlocks: bigint

  constructor(chain: Searched, fewBlocks = FEW_BLOCKS) {
    this.#chain = chain
    this.#fewBlocks = fewBlocks
  }

  /** Matching logs in the chain's order. Throws ChainError `cancelled` when the caller's connection closes. */
  async *logs(query: LogQuery, signal?: AbortSignal): AsyncIterable<MinedLog> {
    for await (const logs of this.byBlock(query, signal)) yield* logs
  }

  /** Like `logs`, one block at a time. */
  async *byBlock(query: LogQuery, signal?: AbortSignal): AsyncIterable<readonly MinedLog[]> {
    const { base = 0n, head } = this.#chain
    const from = query.from > base ? query.from : base
    const to = query.to < head.number ? query.to : head.number
    const pause = yieldToEventLoop('heavy', signal)
    for await (const number of this.#blocks({ ...query, from, to }, pause)) {
      await pause()
      const logs = this.#chain.logs(number, query) ?? []
      if (logs.length > 0) yield logs
    }
  }

  /** Numbers of the blocks that may match, in ascending order. */
  #blocks(query: LogQuery, pause: Pause): AsyncIterable<bigint> {
    const lists = query.to - query.from < this.#fewBlocks ? undefined : narrowest(query)
    return lists === undefined ? this.#walk(query, pause) : this.#listed(query, lists, pause)
  }

  async *#walk(query: LogQuery, pause: Pause): AsyncIterable<bigint> {
    const mayMatch = bloomMatch(query)
    for (let number = query.from; number <= query.to; number++) {
      await pause()
      const header = await this.#chain.header({ number })
      if (header !== undefined && mayMatch(header.logsBloom)) yield number
    }
  }

  async *#listed(query: LogQuery, lists: readonly Hex[], pause: Pause): AsyncIterable<bigint> {
    const { store } = this.#chain
    const found = new Set<number>()
    for (const list of lists) {
      const places = new ListReader(store, list)
      const from = places.find(Number(query.from))
      const to = places.find(Number(query.to) + 1)
      for await (const entries of scanPages(store, list, from, to)) {
        await pause()
        for (const entry of entries) found.add(sequenceOf(entry))
      }
    }
    for (const number of [...found].sort((a, b) => a - b)) yield BigInt(number)
  }
}

/** The lists that contain every match: by emitter and first topic, by topic at one position, or by emitter. */
function narrowest({ addresses, topics }: LogCriteria): Hex[] | undefined {
  const [first] = topics
  if (first !== undefined && first !== null && first.length > 0 && addresses.length > 0) {
    return addresses.flatMap((address) => first.map((topic) => LIST.logsOfWith(address, topic)))
  }
  for (const [position, wanted] of topics.entries()) {
    if (wanted !== null && wanted.length > 0) return wanted.map((topic) => LIST.logsByTopic(position, topic))
  }
  return addresses.length === 0 ? undefined : addresses.map((address) => LIST.logsOf(address))
}
