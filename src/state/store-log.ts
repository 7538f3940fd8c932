// Logs events of a node's store, and reports failures that end the node.
import { ChainError, describeError } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import type { StoreObserver } from './kv.ts'
import type { CheckProgress } from './table-check.ts'

/**
 * The observer of a node's store. `tableCheck`: the progress of the background check; undefined before its first table.
 * `unsyncedAge`: milliseconds since the oldest batch was written that a power cut would lose; 0: there is none.
 */
export type StoreLog = StoreObserver & {
  readonly tableCheck: () => CheckProgress | undefined
  readonly unsyncedAge: () => number
}

/** Logs the events of a store; `failed` gets the line that ends the node. */
export function storeLog(log: Logger, failed: (line: string) => void): StoreLog {
  let progress: CheckProgress | undefined
  let oldest: number | undefined
  return {
    warn: (line) => log.warn({ room: 'state' }, line),
    damaged: ({ message }) => failed(message),
    checked(now) {
      progress = now
    },
    failed: (error) => log.error({ room: 'state' }, `${describeError(error)}: nothing is written, reads go on`),
    recovered: () => log.info({ room: 'state' }, 'the disk takes writes again: going on'),
    lost: (line) => failed(`${line}: start it again; what was synced is there`),
    unsynced(since) {
      oldest = since
    },
    tableCheck: () => progress,
    unsyncedAge: () => (oldest === undefined ? 0 : performance.now() - oldest),
  }
}

/** Whether a write was refused because of the disk. The store logs such a failure once, so its consequences are not logged. */
export const isOutage = (error: unknown): boolean => error instanceof ChainError && error.code === 'disk-failure'
