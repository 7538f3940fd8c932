// Transfers of coins over the chain's channels (ICS-20), and packets over its clients of IBC.
import { api, useBlockVersion } from '../api.ts'
import { HAS_IBC } from '../location.ts'
import { useBaseDenomination } from '../native/amounts.tsx'
import { FilteredPackets, packetTable } from '../native/packets.tsx'
import { PaginatedTable } from '../parts.tsx'
import '../native/native.css'

export default function TransfersPage() {
  const version = useBlockVersion()
  const base = useBaseDenomination()
  return (
    <section class="card">
      <h1>Transfers to other chains</h1>
      {HAS_IBC ? (
        <FilteredPackets version={version} />
      ) : (
        <PaginatedTable
          list={api('/native/transfers')}
          table={packetTable(base)}
          empty="Nothing has left over a channel of this chain."
          version={version}
        />
      )}
    </section>
  )
}
