// The lists of transactions: mined ones, those of them that failed, and pending ones.
import { api, useBlockVersion } from '../api.ts'
import { useQuery } from '../location.ts'
import { Choice } from '../parts/choice.tsx'
import { FilterLink, PaginatedTable, Tabs } from '../parts.tsx'
import { failedTable, transactionTable } from '../tables.tsx'

/** Kinds of transactions: the API's names and their titles. */
const KINDS = {
  coin_transfer: 'coins',
  contract_call: 'calls',
  contract_creation: 'deployments',
  token_transfer: 'tokens',
  token_creation: 'new tokens',
} as const

export default function Transactions() {
  const version = useBlockVersion()
  const [{ type }] = useQuery()
  const list = (filter: 'validated' | 'pending', empty: string) => () => (
    <>
      <div class="above">
        <Choice name="type" label="Kind of transaction" of={Object.keys(KINDS)} titles={KINDS} />
        <FilterLink of={{ transaction_types: 'COIN_TRANSFER,CONTRACT_INTERACTION,CONTRACT_CREATION' }} />
      </div>
      <PaginatedTable
        list={api('/transactions', { filter, type })}
        table={transactionTable}
        empty={empty}
        version={version}
      />
    </>
  )
  return (
    <>
      <h1>Transactions</h1>
      <Tabs
        of={[
          { name: 'Transactions', content: list('validated', 'There is no transaction of this kind yet.') },
          {
            name: 'Failed',
            content: () => (
              <PaginatedTable
                list={api('/transactions', { filter: 'failed', summaries: 'true' })}
                table={failedTable}
                empty="No transaction has failed."
                version={version}
              />
            ),
          },
          { name: 'Waiting', content: list('pending', 'Nothing is waiting.') },
        ]}
      />
    </>
  )
}
