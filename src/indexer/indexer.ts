// An executed block as rows for readers: a pure function, written in the block's own batch, undone by its inverse.
import type { Indexer } from '../chain/types.ts'
import { putLogs, removeLogs } from './logs.ts'

export const indexer: Indexer = {
  rows: async ({ block, receipts }) => putLogs(block, receipts),
  undo: async (block, receipts) => removeLogs(block, receipts),
}
