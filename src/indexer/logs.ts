// Logs by emitter and by topic: one empty row per log and key, so that a search over the whole chain reads only what
// matches. Every row of this table is derived from a block's receipts and can be removed by the same derivation.

import { minedLogs } from '../chain/logs.ts'
import type { Chain, MinedLog } from '../chain/types.ts'
import type { Address, Hash } from '../lib/hex.ts'
import type { Block, Receipt } from '../primitives/types.ts'
import { KEY, within } from '../state/keyspace.ts'
import type { Op } from '../state/types.ts'

const EMPTY = new Uint8Array(0)
const MAX_INDEX = 0xffff_ffff
/** How long a search may hold the thread before others get a turn, in milliseconds. */
const TURN = 15

/** Keys of a block's logs: by address, and by each topic at its position. */
export function logKeys(block: Block, receipts: readonly Receipt[]): Uint8Array[] {
  const { number } = block.header
  return minedLogs(block, receipts).flatMap(({ log, logIndex }) => [
    KEY.logsByAddress(log.address, number, logIndex),
    ...log.topics.map((topic, position) => KEY.logsByTopic(topic, position, number, logIndex)),
  ])
}

export const putLogs = (block: Block, receipts: readonly Receipt[]): Op[] =>
  logKeys(block, receipts).map((key) => ({ type: 'put', key, value: EMPTY }))

export const removeLogs = (block: Block, receipts: readonly Receipt[]): Op[] =>
  logKeys(block, receipts).map((key) => ({ type: 'del', key }))

/** Which logs are wanted: an empty list or a null position matches everything. */
export type LogQuery = {
  readonly from: bigint
  readonly to: bigint
  readonly addresses: readonly Address[]
  readonly topics: readonly (readonly Hash[] | null)[]
}

/** Reads the index. A query without address and topic walks the blocks whose bloom is not empty. */
export class Logs {
  readonly #chain: Pick<Chain, 'store' | 'head' | 'block' | 'receipts' | 'header'>

  constructor(chain: Pick<Chain, 'store' | 'head' | 'block' | 'receipts' | 'header'>) {
    this.#chain = chain
  }

  /** Matching logs in the chain's order. */
  async *logs(query: LogQuery): AsyncIterable<MinedLog> {
    const to = query.to < this.#chain.head.number ? query.to : this.#chain.head.number
    const pause = takingTurns()
    for await (const number of this.#blocks({ ...query, to })) {
      await pause()
      const block = await this.#chain.block({ number })
      const receipts = block && this.#chain.receipts(block.header.hash)
      if (block === undefined || receipts === undefined) continue
      for (const mined of minedLogs(block, receipts)) if (matchesLog(mined, query)) yield mined
    }
  }

  /** Numbers of blocks that may match, rising. */
  async *#blocks(query: LogQuery): AsyncIterable<bigint> {
    if (query.from > query.to) return
    const prefixes = narrowest(query)
    if (prefixes === undefined) {
      const pause = takingTurns()
      for (let number = query.from; number <= query.to; number++) {
        await pause()
        const header = await this.#chain.header({ number })
        if (header?.logsBloom.some((byte) => byte !== 0)) yield number
      }
      return
    }
    const found = new Set<bigint>()
    for (const range of prefixes) {
      for await (const [key] of this.#chain.store.scan(range)) found.add(blockOf(key))
    }
    yield* [...found].sort((a, b) => (a < b ? -1 : 1))
  }
}

/** To be awaited in a loop that does not wait for anything else. */
function takingTurns(): () => Promise<void> | undefined {
  let turnEnds = performance.now() + TURN
  return () => {
    if (performance.now() < turnEnds) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        turnEnds = performance.now() + TURN
        resolve()
      }),
    )
  }
}

/** Whether a log is among those that are wanted. */
export function matchesLog({ log }: MinedLog, { addresses, topics }: Pick<LogQuery, 'addresses' | 'topics'>): boolean {
  if (addresses.length > 0 && !addresses.includes(log.address)) return false
  return topics.every((wanted, position) => {
    if (wanted === null || wanted.length === 0) return position < log.topics.length
    const topic = log.topics[position]
    return topic !== undefined && wanted.includes(topic)
  })
}

/** The key ranges to scan: those of the topics at one position, else of the addresses; undefined when neither is named. */
function narrowest({ from, to, addresses, topics }: LogQuery) {
  for (const [position, wanted] of topics.entries()) {
    if (wanted === null || wanted.length === 0) continue
    return wanted.map((topic) => ({
      gte: KEY.logsByTopic(topic, position, from, 0),
      lt: within(KEY.logsByTopic(topic, position, to, MAX_INDEX)).lt,
    }))
  }
  if (addresses.length === 0) return undefined
  return addresses.map((address) => ({
    gte: KEY.logsByAddress(address, from, 0),
    lt: within(KEY.logsByAddress(address, to, MAX_INDEX)).lt,
  }))
}

/** Both tables end with block number (8 bytes) and log index (4). */
const blockOf = (key: Uint8Array): bigint => Buffer.from(key).readBigUInt64BE(key.length - 12)
