// The log filter of eth_getLogs, eth_newFilter and the `logs` subscription. Addresses or a topic that are absent, null or empty
// match everything; so does a list of topics that contains null.
import { z } from 'zod'
import { address, blockNumber, hash } from '../codec.ts'

const MAX_ADDRESSES = 1000
const MAX_TOPICS = 4
const MAX_ALTERNATIVES = 1000

const optionalBlock = blockNumber.nullish()

const addresses = z
  .union([address, z.array(address)], { error: 'expected an address or a list of addresses' })
  .nullish()

const topic = z
  .union([hash, z.array(hash.nullable())], { error: 'expected a 32-byte topic, null or a list of them' })
  .nullable()

const filterObject = z.object(
  {
    address: addresses,
    topics: z.array(topic, { error: 'expected a list of topics' }).nullish(),
    fromBlock: optionalBlock,
    toBlock: optionalBlock,
    blockHash: hash.nullish(),
  },
  { error: 'expected a filter object' },
)

/** A log filter. `blockHash` must not be combined with a range. */
export const logFilter = filterObject.check(({ value, issues }) => {
  const refuse = (message: string) => issues.push({ code: 'custom', message, input: value })
  if (value.blockHash && (value.fromBlock || value.toBlock)) {
    refuse('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
  }
  if (Array.isArray(value.address) && value.address.length > MAX_ADDRESSES) refuse('exceed max addresses')
  if ((value.topics?.length ?? 0) > MAX_TOPICS) refuse('exceed max topics')
  if (value.topics?.some((topic) => Array.isArray(topic) && topic.length > MAX_ALTERNATIVES)) {
    refuse('exceed max topics')
  }
})
export type LogFilter = z.output<typeof logFilter>

/** Number of addresses and topics of a filter that take about as much memory as a subscription without any: 8 KB. */
const WORDS_PER_PLACE = 50

/** A filter's share of the places of all subscriptions, or of all polling filters; at least 1. */
export function placesOf({ address, topics }: LogFilter): number {
  const words = [address, ...(topics ?? [])].flat().length
  return 1 + Math.floor(words / WORDS_PER_PLACE)
}
