// Searches of the forked chain over ranges of blocks up to the fork. Servers refuse ranges that are too long or find too much; a range
// that is refused is halved. What is found is returned as the server writes it.
import type { z } from 'zod'
import { ChainError } from '../lib/errors.ts'
import { toQuantity } from '../lib/hex.ts'
import { cancelled } from '../lib/scheduler.ts'
import { isUnknownMethod, RemoteError, RemoteFailure } from './errors.ts'
import type { ForkedChain } from './forked-chain.ts'
import { block, logs, traces } from './wire.ts'

/** Results and requests of one search. */
const MOST_FOUND = 100_000
const MOST_REQUESTS = 2_000
/** Blocks of the first request of a search from the newest block on; the next ones are for twice as many each. */
const FIRST_BACKWARD = 16n

export type ForeignLog = z.output<typeof logs>[number]
export type ForeignTrace = z.output<typeof traces>[number]

export type SearchRange = {
  readonly first: bigint
  /** A later block than that of the fork is taken for it. */
  readonly last: bigint
  /** Whether the newest blocks come first; a caller that has enough then stops early. */
  readonly isBackward?: boolean
}

/** A search by one method, whose answers a schema reads. */
const searchBy =
  <T extends Placed>(schema: z.ZodType<T[]>, method: string) =>
  (
    forked: ForkedChain,
    filter: Readonly<Record<string, unknown>>,
    range: SearchRange,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly T[]> =>
    search(forked, range, signal, (named) => forked.connected.ask(schema, method, [{ ...filter, ...named }]))

/** Logs in the chain's order, one list for each request; `filter`: addresses and topics. Throws ChainError. */
export const searchLogs = searchBy(logs, 'eth_getLogs')
/** As `searchLogs`, for traces. Throws UnknownMethod if the server does not have the method. */
export const searchTraces = searchBy(traces, 'trace_filter')

type NamedRange = { readonly fromBlock: string; readonly toBlock: string }
type Placed = { readonly blockNumber: string | number }

async function* search<T extends Placed>(
  forked: ForkedChain,
  { first, last, isBackward = false }: SearchRange,
  signal: AbortSignal | undefined,
  ask: (named: NamedRange) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  let [from, to] = [first, last < forked.at.number ? last : forked.at.number]
  let length = isBackward ? FIRST_BACKWARD : to - from + 1n
  let mayGrow = isBackward
  let count = 0
  for (let asked = 0; from <= to; asked++) {
    if (signal?.aborted) throw cancelled()
    if (asked > MOST_REQUESTS) throw tooMuch(`more than ${MOST_REQUESTS} requests to the forked chain`)
    const left = to - from + 1n
    const size = length < left ? length : left
    const [begin, end] = isBackward ? [to - size + 1n, to] : [from, from + size - 1n]
    const found = await ask({ fromBlock: toQuantity(begin), toBlock: toQuantity(end) }).catch((error) => {
      const isTooLong = error instanceof RemoteError && size > 1n && !isUnknownMethod(error)
      return isTooLong ? undefined : forked.explain(error)
    })
    if (found === undefined) {
      // A range that the server takes is not tried to be longer then.
      length = size / 2n
      mayGrow = false
      continue
    }
    const isWithin = ({ blockNumber }: Placed) => BigInt(blockNumber) >= begin && BigInt(blockNumber) <= end
    if (!found.every(isWithin)) throw new RemoteFailure(`${forked.connected.name} answers with other blocks`)
    count += found.length
    if (count > MOST_FOUND) throw tooMuch(`more than ${MOST_FOUND} results of the forked chain`)
    yield found
    if (isBackward) to = begin - 1n
    else from = end + 1n
    if (mayGrow) length *= 2n
  }
}

const tooMuch = (what: string): ChainError => new ChainError('limit-exceeded', `query takes ${what}`)

/** Logs with the timestamps of their blocks, as Erigon's methods have them; many servers give them as `blockTimestamp`. */
export async function withTimestamps(
  forked: ForkedChain,
  found: readonly ForeignLog[],
): Promise<readonly (ForeignLog & { readonly timestamp: unknown })[]> {
  const bare = new Set(found.filter((log) => log.blockTimestamp == null).map(({ blockNumber }) => blockNumber))
  const timestampOf = async (number: string) => {
    const { timestamp } = await forked.ask(block, 'eth_getBlockByNumber', [number, false])
    return [number, toQuantity(timestamp)] as const
  }
  const timestamps = new Map(await Promise.all([...bare].map(timestampOf)))
  return found.map((log) => ({ ...log, timestamp: log.blockTimestamp ?? timestamps.get(log.blockNumber) }))
}
