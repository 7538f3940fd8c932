// Turns an executed block into index rows: a pure function of the block, the state after it and the rows before. The rows are
// written in the block's own batch, with one undo row.
import type { Indexer } from '../chain/types.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import { Overlay } from '../tables/overlay.ts'
import { countMembers } from '../tables/ranking-tree.ts'
import { undoOps } from '../tables/undo.ts'
import { indexAccounts, indexEdit } from './accounts.ts'
import { indexBlock } from './blocks.ts'
import { indexCalls } from './calls.ts'
import { addressesUpTo, indexFirstHolders } from './first-holders.ts'
import type { IndexingContext } from './indexing-context.ts'
import { indexLogs } from './logs.ts'
import { indexNativeParties } from './native-parties.ts'
import { indexOperations } from './operations.ts'
import { indexFormat } from './records.ts'
import { indexTokens } from './tokens.ts'
import { indexTransactions } from './transactions.ts'

/** The format of the index: a hash over the declarations of `tables.ts` and `records.ts`. */
const FORMAT = indexFormat()

export const indexer: Indexer = {
  format: FORMAT,
  reads: (format) => format === FORMAT,

  async block(executed, version, before, read, changed = executed.view.changedAccounts()) {
    const overlay = new Overlay(before)
    const facts: IndexingContext = { executed, changed, read, isBeginning: version === 0 }
    const pause = yieldToEventLoop('block')
    const calls = indexCalls(facts, overlay)
    const tokens = await indexTokens(facts, overlay)
    await pause()
    await indexTransactions(facts, overlay, calls, tokens)
    await pause()
    await indexLogs(facts, overlay)
    indexNativeParties(facts, overlay)
    await indexOperations(facts, overlay)
    await pause()
    indexAccounts(facts, overlay)
    await pause()
    indexBlock(facts, overlay)
    await countMembers(overlay)
    await pause()
    return overlay.ops(version)
  },

  async genesisAccounts(executed, part, before, read) {
    const overlay = new Overlay(before)
    await indexTokens({ executed, changed: part, read, isBeginning: true }, overlay)
    indexEdit(part, executed.view, Number(executed.block.header.number), overlay)
    await countMembers(overlay)
    return overlay.changes()
  },

  addresses: addressesUpTo,

  async firstHolders(executed, part, count, before, read) {
    const overlay = new Overlay(before)
    await indexFirstHolders({ executed, read }, part, count, overlay)
    await countMembers(overlay)
    return overlay.changes()
  },

  async edit(changed, view, number, version, before) {
    const overlay = new Overlay(before)
    indexEdit(changed, view, Number(number), overlay)
    await countMembers(overlay)
    return overlay.ops(version)
  },

  undo: undoOps,
}
