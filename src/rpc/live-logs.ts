// Logs as they happen: those of a block that has just been made, and whether a filter wants one.
// log-query.ts asks the index about the past; this is for polling filters and subscriptions.
import { minedLogs } from '../chain/mined-logs.ts'
import type { MinedLog } from '../chain/types.ts'
import { matchesLog } from '../indexer/logs.ts'
import type { ExecutedBlock } from '../runtime/types.ts'
import { logMatch } from './log-query.ts'
import type { LogFilter } from './shapes/filter.ts'

/**
 * Whether a filter wants a log. Block numbers bound the range; a tag stands for the moving head and bounds nothing,
 * save `earliest` as the end.
 */
export function liveMatch(filter: LogFilter): (mined: MinedLog) => boolean {
  const match = logMatch(filter)
  const from = numberOf(filter.fromBlock)
  const to = filter.toBlock === 'earliest' ? 0n : numberOf(filter.toBlock)
  return (mined) => {
    const { number, hash } = mined.header
    if (from !== undefined && number < from) return false
    if (to !== undefined && number > to) return false
    if (filter.blockHash && filter.blockHash !== hash) return false
    return matchesLog(mined, match)
  }
}

const numberOf = (bound: LogFilter['fromBlock']): bigint | undefined =>
  typeof bound === 'object' ? bound?.number : undefined

/** The logs of a block that has just been made, each with its place. */
export const logsOfBlock = ({ block, receipts }: ExecutedBlock): readonly MinedLog[] => minedLogs(block, receipts)
