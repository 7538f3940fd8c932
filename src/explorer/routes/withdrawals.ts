// Withdrawals of the consensus layer (EIP-4895).
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { LIST, positionEntry } from '../../indexer/tables.ts'
import { listLength } from '../../tables/list.ts'
import { wire } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { olderWithdrawals, withdrawalCursor } from '../pagination/cursors.ts'
import { listPage } from '../pagination/lists.ts'
import { pageQuery, pageSchema } from '../pagination/page.ts'
import { showWithdrawal, withdrawalSchema } from '../shapes/withdrawal.ts'

export const withdrawals = explorerRoute({
  path: '/withdrawals',
  summary: 'Withdrawals, newest first',
  query: pageQuery.extend(withdrawalCursor.shape),
  response: pageSchema(withdrawalSchema),
  async handler({ query }, context) {
    const show = (entry: Uint8Array) => showWithdrawal(context, positionEntry.decode(entry))
    return listPage(context, [LIST.withdrawals], query, show, await olderWithdrawals(context, query))
  },
})

export const withdrawalsCounters = explorerRoute({
  path: '/withdrawals/counters',
  summary: 'The number of withdrawals and their sum',
  response: z.strictObject({ withdrawals_count: wire.decimal, withdrawals_sum: wire.decimal.describe('wei') }),
  handler: (_, { rows }) => ({
    withdrawals_count: listLength(rows, LIST.withdrawals).toString(),
    withdrawals_sum: (RECORD.withdrawn.get(rows)?.amount ?? 0n).toString(),
  }),
})
