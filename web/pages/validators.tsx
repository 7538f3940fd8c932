// The list of validators, below staking statistics.
import { api, useBlockVersion } from '../api.ts'
import { IS_NETWORK, useQuery } from '../location.ts'
import { validatorTable } from '../native/tables.tsx'
import { NetworkLine } from '../native/votes.tsx'
import { Choice } from '../parts/choice.tsx'
import { PaginatedTable } from '../parts.tsx'
import '../native/native.css'

export default function Validators() {
  const version = useBlockVersion()
  const [{ status }] = useQuery()
  return (
    <section class="card">
      <h1>Validators</h1>
      {IS_NETWORK && <NetworkLine />}
      <div class="above">
        <Choice name="status" label="Status" of={['bonded', 'unbonding', 'unbonded']} />
      </div>
      <PaginatedTable
        list={api('/native/validators', { status })}
        table={validatorTable}
        empty="There are no validators of this kind."
        version={version}
        order="rank"
      />
    </section>
  )
}
