// An executed block as rows for readers: a pure function, written in the block's own batch, undone by its own undo row.
import type { Indexer } from '../chain/types.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import { indexAccounts, indexEdit } from './accounts.ts'
import type { BlockFacts } from './block-facts.ts'
import { indexBlock } from './blocks.ts'
import { indexCalls } from './calls.ts'
import { countMembers } from './crowds.ts'
import { Draft } from './draft.ts'
import { indexLogs } from './logs.ts'
import { indexTokens } from './tokens.ts'
import { indexTransactions } from './transactions.ts'
import { undoOps } from './undo.ts'

export const indexer: Indexer = {
  async block(executed, version, before, read) {
    const draft = new Draft(before)
    const facts: BlockFacts = { executed, changed: executed.view.changedAccounts(), read }
    const pause = yieldToEventLoop('block')
    const calls = indexCalls(facts, draft)
    const tokens = await indexTokens(facts, draft)
    await pause()
    await indexTransactions(facts, draft, calls, tokens)
    await pause()
    await indexLogs(facts, draft)
    await pause()
    indexAccounts(facts, draft)
    await pause()
    indexBlock(facts, draft)
    await countMembers(draft)
    await pause()
    return draft.ops(version)
  },

  async edit(changed, view, number, version, before) {
    const draft = new Draft(before)
    indexEdit(changed, view, Number(number), draft)
    await countMembers(draft)
    return draft.ops(version)
  },

  undo: undoOps,
}
