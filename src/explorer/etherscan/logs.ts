// `module=logs`: logs by range of blocks, emitter and topics.
import { z } from 'zod'
import type { MinedLog } from '../../chain/types.ts'
import { Logs } from '../../indexer/logs.ts'
import { type Hash, toHex, toQuantity } from '../../lib/hex.ts'
import type { ExplorerContext } from '../context.ts'
import { indexedTransaction, transactionSequence } from '../shapes/indexed-transaction.ts'
import { type Action, action, address, block, hash, integer, nonEmpty, Refused } from './define.ts'

const MOST_LOGS = 1000
/** Maximum logs up to the end of a page: all of them are read. */
const MOST_REACHED = 10_000
const LARGEST_WINDOW = `PageNo x Offset size must be less than or equal to ${MOST_REACHED}`
/** Maximum blocks of a query for all logs, which no list of the index narrows. */
const MOST_BLOCKS = 10_000
const WIDE = `Error! Without address and topics at most ${MOST_BLOCKS} blocks can be searched`
const POSITIONS = [0, 1, 2, 3] as const

const operator = z.enum(['and', 'or']).optional()
const query = z.object({
  fromblock: block.default(0),
  toblock: block.default(Number.MAX_SAFE_INTEGER),
  address: address.optional(),
  topic0: hash.optional(),
  topic1: hash.optional(),
  topic2: hash.optional(),
  topic3: hash.optional(),
  topic0_1_opr: operator,
  topic0_2_opr: operator,
  topic0_3_opr: operator,
  topic1_2_opr: operator,
  topic1_3_opr: operator,
  topic2_3_opr: operator,
  page: integer.default(1).refine((page) => page > 0, 'pages begin with 1'),
  offset: integer.default(MOST_LOGS).transform((size) => Math.min(size || MOST_LOGS, MOST_LOGS)),
})

const getlogs = action(query, async (fields, context) => {
  const { fromblock, toblock, address: emitter, page, offset } = fields
  const topics = POSITIONS.map((position) => fields[`topic${position}`])
  const from = Math.max(fromblock, Number(context.chain.base))
  const to = Math.min(toblock, Number(context.head.number))
  const isNarrow = emitter !== undefined || topics.some((topic) => topic !== undefined)
  if (!isNarrow && to - from >= MOST_BLOCKS) throw new Refused(WIDE)
  if (page * offset > MOST_REACHED) throw new Refused(null, `Result window is too large, ${LARGEST_WINDOW}`)
  const anyOf = operators(fields).includes('or')
  const wanted = {
    from: BigInt(from),
    to: BigInt(to),
    addresses: emitter === undefined ? [] : [emitter],
    topics: anyOf ? [] : wantedTopics(topics),
  }
  const found = await context.heavy(async (signal) => {
    const logs: MinedLog[] = []
    for await (const mined of new Logs(context.chain).logs(wanted, signal)) {
      if (anyOf && !topics.some((topic, i) => topic !== undefined && mined.log.topics[i] === topic)) continue
      logs.push(mined)
      if (logs.length === page * offset) break
    }
    return logs
  })
  const rows = await Promise.all(found.slice((page - 1) * offset).map((mined) => logRow(context, mined)))
  return nonEmpty(rows, 'No records found')
})

/** The operators between pairs of topics; a missing one means `and`. */
const operators = (fields: z.output<typeof query>): readonly (string | undefined)[] => [
  ...[fields.topic0_1_opr, fields.topic0_2_opr, fields.topic0_3_opr],
  ...[fields.topic1_2_opr, fields.topic1_3_opr, fields.topic2_3_opr],
]

/** The filter's positions up to the last given topic, because a log may have fewer than four topics. */
function wantedTopics(topics: readonly (Hash | undefined)[]): (readonly Hash[] | null)[] {
  const last = topics.findLastIndex((topic) => topic !== undefined)
  return topics.slice(0, last + 1).map((topic) => (topic === undefined ? null : [topic]))
}

async function logRow(
  context: ExplorerContext,
  { log, header, transactionHash, transactionIndex, logIndex }: MinedLog,
) {
  const { receipt } = await indexedTransaction(
    context,
    transactionSequence(context, Number(header.number), transactionIndex),
  )
  return {
    address: log.address,
    topics: log.topics,
    data: toHex(log.data),
    blockNumber: toQuantity(header.number),
    blockHash: header.hash,
    timeStamp: toQuantity(header.timestamp),
    gasPrice: toQuantity(receipt.effectiveGasPrice),
    gasUsed: toQuantity(receipt.gasUsed),
    logIndex: toQuantity(logIndex),
    transactionHash,
    transactionIndex: toQuantity(transactionIndex),
  }
}

export const logs: Readonly<Record<string, Action>> = { getlogs }
