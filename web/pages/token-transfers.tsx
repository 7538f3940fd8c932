// Token transfers of the whole chain, of all token types or of one.
import { api, useBlockVersion } from '../api.ts'
import { useQuery } from '../location.ts'
import { Choice } from '../parts/choice.tsx'
import { FilterLink, PaginatedTable } from '../parts.tsx'
import { transferTable } from '../tables.tsx'

export default function TokenTransfers() {
  const [{ type }] = useQuery()
  return (
    <section class="card">
      <h1>Token transfers</h1>
      <div class="above">
        <Choice name="type" label="Type of token" of={['ERC-20', 'ERC-721', 'ERC-1155']} />
        <FilterLink of={{ transaction_types: type ?? 'ERC-20,ERC-721,ERC-1155' }} />
      </div>
      <PaginatedTable
        list={api('/token-transfers', { type })}
        table={transferTable}
        empty="No tokens have been moved yet."
        version={useBlockVersion()}
      />
    </section>
  )
}
