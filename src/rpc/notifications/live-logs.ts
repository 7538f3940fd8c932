// Logs of new blocks, for polling filters and subscriptions. `log-search.ts` finds those of earlier blocks.
import { minedLogs } from '../../chain/mined-logs.ts'
import type { MinedLog } from '../../chain/types.ts'
import { matchesLog } from '../../primitives/log-criteria.ts'
import type { ExecutedBlock } from '../../runtime/types.ts'
import { criteriaOf } from '../log-search.ts'
import type { LogFilter } from '../shapes/log-filter.ts'

/**
 * Returns a function that tests whether a log matches the filter. Only block numbers limit the range: a tag moves with the head
 * and limits nothing, except `earliest` as the end.
 */
export function logMatcher(filter: LogFilter): (mined: MinedLog) => boolean {
  const match = criteriaOf(filter)
  const from = numberOf(filter.fromBlock)
  const to = filter.toBlock === 'earliest' ? 0n : numberOf(filter.toBlock)
  return (mined) => {
    const { number, hash } = mined.header
    if (from !== undefined && number < from) return false
    if (to !== undefined && number > to) return false
    if (filter.blockHash && filter.blockHash !== hash) return false
    return matchesLog(mined.log, match)
  }
}

const numberOf = (bound: LogFilter['fromBlock']): bigint | undefined =>
  typeof bound === 'object' ? bound?.number : undefined

/** The logs of an executed block, each with its position in the chain. */
export const logsOfBlock = ({ block, receipts }: ExecutedBlock): readonly MinedLog[] => minedLogs(block, receipts)
