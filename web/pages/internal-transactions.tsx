// Messages within transactions, over the whole chain.
import { api, useBlockVersion } from '../api.ts'
import { FilterLink, PaginatedTable } from '../parts.tsx'
import { internalTable } from '../tables.tsx'

export default function InternalTransactions() {
  return (
    <section class="card">
      <h1>Internal transactions</h1>
      <div class="above">
        <FilterLink />
      </div>
      <PaginatedTable
        list={api('/internal-transactions')}
        table={internalTable}
        empty="No contract has called another one yet."
        version={useBlockVersion()}
      />
    </section>
  )
}
