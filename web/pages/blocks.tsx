// The list of blocks.
import { api, useBlockVersion } from '../api.ts'
import { PaginatedTable } from '../parts.tsx'
import { blockTable } from '../tables.tsx'

export default function Blocks() {
  const version = useBlockVersion()
  return (
    <section class="card">
      <h1>Blocks</h1>
      <PaginatedTable list={api('/blocks')} table={blockTable} empty="There are no blocks." version={version} />
    </section>
  )
}
