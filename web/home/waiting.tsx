// How many transactions wait for a block, and on a development node why.
import { Link } from 'wouter-preact'
import { api, useEventCount, useRead } from '../api.ts'
import { isMinedOnRequest } from '../development/node-state.ts'
import { withCommas } from '../format.ts'
import { IS_DEVELOPMENT } from '../location.ts'

/** Milliseconds between two reads for new ones. */
const INTERVAL = 1000

/** Nothing while none waits. Only in development may no block follow, so that new ones are listened for. */
export function Waiting({ version }: { version: number }) {
  const topic = IS_DEVELOPMENT ? 'transactions:new_pending_transaction' : undefined
  const state = version + useEventCount(topic, 'pending_transaction', INTERVAL)
  const count = Number(useRead(api('/transactions/stats'), state).data?.pending_transactions_count ?? 0)
  const onRequest = useRead(IS_DEVELOPMENT && count > 0 ? isMinedOnRequest : undefined, state).data
  if (count === 0) return null
  return (
    <p class="note" data-test="waiting">
      <Link href="/txs?tab=waiting">
        {withCommas(count)} {count === 1 ? 'transaction waits' : 'transactions wait'}
      </Link>
      {onRequest === true && '; blocks are made on request only'}
    </p>
  )
}
