// The list of clients of IBC.
import { api, useBlockVersion } from '../api.ts'
import { clientTable } from '../native/clients.tsx'
import { PaginatedTable } from '../parts.tsx'
import '../native/native.css'

export default function Clients() {
  return (
    <section class="card">
      <h1>Clients of other chains</h1>
      <PaginatedTable
        list={api('/native/clients')}
        table={clientTable}
        empty="Nobody has made a client of another chain."
        version={useBlockVersion()}
      />
    </section>
  )
}
