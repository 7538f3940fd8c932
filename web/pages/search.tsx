// Search results. A query that names exactly one record redirects to its page.
import { useEffect } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { api, type SearchHit, useRead } from '../api.ts'
import { abbreviated } from '../format.ts'
import { useTitle } from '../location.ts'
import { Cut, Identicon, NameMark, PaginatedTable, type Table } from '../parts.tsx'
import { pageOf } from '../search-box.tsx'

/** The first segment of a page's path, where it is not the type of its subject. */
const SEGMENTS: Readonly<Record<string, string>> = { transaction: 'tx', user_operation: 'op' }

export default function SearchPage() {
  const query = new URLSearchParams(useSearch()).get('q') ?? ''
  const [, navigate] = useLocation()
  const redirect = useRead(query === '' ? undefined : api('/search/check-redirect', { q: query })).data
  const target =
    redirect?.redirect === true ? `/${SEGMENTS[redirect.type ?? ''] ?? redirect.type}/${redirect.parameter}` : undefined
  useEffect(() => {
    if (target !== undefined) navigate(target, { replace: true })
  }, [target])
  useTitle(query === '' ? undefined : `Search for “${query.slice(0, 60)}”`)
  return (
    <section class="card">
      <h1>Search</h1>
      {query === '' ? (
        <p class="note">Search for an address, a hash, the number of a block, or words of a name.</p>
      ) : (
        <PaginatedTable
          list={api('/search', { q: query })}
          table={hitTable}
          empty={`Nothing here is called “${query}”.`}
          order="rank"
        />
      )}
    </section>
  )
}

const hitTable: Table<SearchHit> = {
  keyOf: (hit) => `${hit.type} ${pageOf(hit)}`,
  columns: [
    ['What', ({ type }) => type.replace('_', ' ')],
    ['Where', (hit) => <HitLink of={hit} />],
    ['Hash', (hit) => <span class="mono faint">{hit.type !== 'proposal' && abbreviated(hashOf(hit))}</span>],
  ],
  lines: [['Where', 'What'], ['Hash']],
}

function hashOf(hit: Exclude<SearchHit, { type: 'proposal' }>): string {
  if (hit.type === 'block') return hit.block_hash
  if (hit.type === 'user_operation') return hit.user_operation_hash
  return hit.type === 'transaction' ? hit.transaction_hash : hit.address_hash
}

function HitLink({ of }: { of: SearchHit }) {
  if (of.type === 'block') return <Link href={pageOf(of)}>Block {of.block_number}</Link>
  if (of.type === 'transaction' || of.type === 'user_operation') {
    return (
      <Link class="mono" href={pageOf(of)}>
        {abbreviated(hashOf(of), 10)}
      </Link>
    )
  }
  if (of.type === 'proposal') {
    return (
      <Link href={pageOf(of)}>
        Proposal {of.proposal_id}: <Cut text={of.title} />
      </Link>
    )
  }
  return (
    <span class="address">
      <Identicon of={of.address_hash} />
      <Link href={pageOf(of)} title={of.address_hash}>
        <Cut text={of.name || abbreviated(of.address_hash, 10)} />
      </Link>
      {of.type === 'token' && <NameMark of={of.name_warning} />}
      {of.type === 'token' && of.symbol && of.symbol !== of.name && (
        <span class="faint">
          <Cut text={of.symbol} />
        </span>
      )}
    </span>
  )
}
