// The index of logs against a full scan: every log of every receipt, filtered by the specification of eth_getLogs.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BlockStore } from '../../src/chain/blocks.ts'
import type { BlockRef, MinedLog } from '../../src/chain/types.ts'
import { type LogQuery, Logs } from '../../src/indexer/logs.ts'
import { LIST } from '../../src/indexer/tables.ts'
import type { Address, Hash, Hex } from '../../src/lib/hex.ts'
import type { LogCriteria } from '../../src/primitives/log-criteria.ts'
import type { ExecutedBlock } from '../../src/runtime/types.ts'
import { listLength } from '../../src/tables/list.ts'
import { KEEPER, KEYS, LOGGERS, openSmallChain, signed, word, words } from './support.ts'

/** A log with its position, in one line. */
const line = ({ log, header, transactionHash, transactionIndex, logIndex }: MinedLog): string =>
  [header.number, header.hash, transactionIndex, transactionHash, logIndex, log.address, ...log.topics].join(' ')

/** Every log of these blocks, in order; log indices count through a block. */
function allLogs(blocks: readonly ExecutedBlock[]): MinedLog[] {
  return blocks.flatMap(({ block: { header, transactions }, receipts }) => {
    let logIndex = 0
    return transactions.flatMap((transaction, transactionIndex) =>
      (receipts[transactionIndex]?.logs ?? []).map((log) => ({
        log,
        header,
        transactionHash: transaction.hash,
        transactionIndex,
        logIndex: logIndex++,
      })),
    )
  })
}

/**
 * eth_getLogs: addresses are alternatives, as is the list of each position; null matches any topic. A filter with more
 * positions than a log has topics does not match it (geth, eth/filters: `len(topics) > len(log.Topics)`).
 */
function matches({ log, header }: MinedLog, { from, to, addresses, topics }: LogQuery): boolean {
  if (header.number < from || header.number > to) return false
  if (addresses.length > 0 && !addresses.some((address) => address === log.address)) return false
  if (topics.length > log.topics.length) return false
  for (let i = 0; i < topics.length; i++) {
    const choices = topics[i]
    if (choices && choices.length > 0 && !choices.some((topic) => topic === log.topics[i])) return false
  }
  return true
}

async function found(logs: Logs, query: LogQuery): Promise<string[]> {
  const lines: string[] = []
  for await (const log of logs.logs(query)) lines.push(line(log))
  return lines
}

// Few values, so that filters match; words 0 to 5 of a logger's input are the topics of its two logs.
const value = fc.bigInt(0n, 3n)
const call = fc.record({
  key: fc.nat({ max: KEYS.length - 1 }),
  to: fc.constantFrom(...LOGGERS, KEEPER),
  input: fc.tuple(value, value, value, value, value),
})
const blocks = fc.array(fc.array(call, { maxLength: 4 }), { minLength: 1, maxLength: 7 })
const topic = fc.oneof({ weight: 8, arbitrary: value.map(word) }, { weight: 1, arbitrary: fc.constant(word(77n)) })
const query = fc.record({
  from: fc.bigInt(0n, 8n),
  to: fc.oneof(fc.bigInt(0n, 8n), fc.constant(2n ** 64n - 1n)),
  addresses: fc.array(fc.constantFrom<Address>(...LOGGERS, KEEPER), { maxLength: 3 }),
  topics: fc.array(fc.option(fc.array<Hash>(topic, { maxLength: 2 }), { nil: null }), { maxLength: 4 }),
})

describe('the index of logs', () => {
  it('finds the same logs as a scan of all receipts, also after a rollback', async () => {
    await fc.assert(
      fc.asyncProperty(
        blocks,
        fc.nat({ max: 6 }),
        blocks,
        fc.array(query, { minLength: 30, maxLength: 30 }),
        async (first, back, second, queries) => {
          const chain = await openSmallChain()
          // By the blocks' blooms, and by the lists only; of blocks in memory, and of their rows.
          const ways = () => [chain, fromRows(chain)].flatMap((blocks) => [new Logs(blocks), new Logs(blocks, 0n)])
          const made: ExecutedBlock[] = []
          const make = async (calls: typeof first): Promise<void> => {
            for (const block of calls) {
              for (const { key, to, input } of block) {
                const from = KEYS[key]?.address ?? KEEPER
                await chain.submit(signed(key, chain.pool.nextNonce(from), { to, data: words(...input) }).raw)
              }
              made.push(await chain.produce({ timestamp: chain.head.timestamp + 1n }))
            }
          }
          const check = async (): Promise<void> => {
            const all = allLogs(made)
            const searches = ways()
            for (const query of queries) {
              const expected = all.filter((log) => matches(log, query)).map(line)
              for (const logs of searches) expect(await found(logs, query)).toEqual(expected)
            }
          }
          await make(first)
          await check()
          made.length = back % (made.length + 1)
          await chain.rewind(BigInt(made.length))
          await check()
          await make(second)
          await check()
        },
      ),
      { numRuns: 15 },
    )
  })

  it('lists a log by address, by topic, and by both; no log of removed blocks', async () => {
    const chain = await openSmallChain()
    for (const [topics, to] of LOGGERS.entries()) {
      await chain.submit(signed(0, BigInt(topics), { to, data: words(1n, 1n, 2n, 2n, 3n) }).raw)
    }
    const lengths = (lists: readonly Hex[]) => lists.map((list) => listLength(chain.store, list))
    const byAddress = LOGGERS.map(LIST.logsOf)
    const byBoth = LOGGERS.map((logger) => LIST.logsOfWith(logger, word(1n)))
    const byTopic = [0, 1, 2, 3].flatMap((position) => [1n, 2n, 3n].map((n) => LIST.logsByTopic(position, word(n))))
    await chain.produce()
    // Two logs each with zero to four topics: prefixes of 1, 1, 2, 2 and 1, 2, 2, 3.
    expect(lengths(byAddress)).toEqual([2, 2, 2, 2, 2])
    expect(lengths(byBoth)).toEqual([0, 2, 2, 2, 2])
    expect(lengths(byTopic)).toEqual([...[8, 0, 0], ...[3, 3, 0], ...[0, 4, 0], ...[0, 1, 1]])
    await chain.rewind(0n)
    for (const length of lengths([...byAddress, ...byBoth, ...byTopic])) expect(length).toBe(0)
  })

  it('finds nothing in a reversed range, or beyond the head', async () => {
    const chain = await openSmallChain()
    const to = LOGGERS[1] ?? KEEPER
    await chain.submit(signed(0, 0n, { to, data: words(1n, 2n) }).raw)
    await chain.produce()
    const everything = { addresses: [], topics: [] }
    for (const logs of [new Logs(chain), new Logs(chain, 0n)]) {
      expect((await found(logs, { ...everything, from: 0n, to: 1n })).length).toBe(2)
      for (const named of [everything, { addresses: [to], topics: [] }, { addresses: [], topics: [[word(1n)]] }]) {
        expect(await found(logs, { ...named, from: 2n, to: 2n ** 63n })).toEqual([])
        expect(await found(logs, { ...named, from: 1n, to: 0n })).toEqual([])
      }
    }
  })

  it('yields to other work while it searches', async () => {
    const chain = await openSmallChain()
    let turns = 0
    const clock = setInterval(() => turns++, 1)
    // Twenty-one blocks that take five milliseconds each: six or seven turns.
    const long = { ...parts(chain), head: { ...chain.head, number: 20n }, header: async () => wait(5) }
    for await (const _ of new Logs(long).logs({ from: 0n, to: 20n, addresses: [], topics: [] })) expect.fail()
    clearInterval(clock)
    expect(turns).toBeGreaterThan(2)
  })
})

type SmallChain = Awaited<ReturnType<typeof openSmallChain>>

const parts = ({ store, head }: SmallChain) => ({ store, head, logs: () => [] })

/** The same blocks, of which nothing is in memory. */
function fromRows({ store, head }: SmallChain) {
  const blocks = new BlockStore(store, head.number)
  const number = (ref: BlockRef) => (typeof ref === 'object' && 'number' in ref ? ref.number : head.number)
  return {
    store,
    head,
    header: async (ref: BlockRef) => blocks.header(number(ref)),
    logs: (of: bigint, criteria: LogCriteria) => blocks.logs(of, criteria),
  }
}

/** Blocks the thread for some milliseconds. */
function wait(milliseconds: number): undefined {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}
