// Search results. A query that names exactly one record redirects to the page of that record.
import { useEffect } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { type List, type Redirect, type SearchHit, useRead } from '../api.ts'
import { abbreviated } from '../format.ts'
import { Loaded, Rows, type Table, TransactionLink } from '../parts.tsx'

export default function SearchPage() {
  const query = new URLSearchParams(useSearch()).get('q') ?? ''
  const [, navigate] = useLocation()
  const redirect = useRead<Redirect>(
    query === '' ? undefined : `/search/check-redirect?q=${encodeURIComponent(query)}`,
  ).data
  const target =
    redirect?.redirect === true
      ? `/${redirect.type === 'transaction' ? 'tx' : redirect.type}/${redirect.parameter}`
      : undefined
  useEffect(() => {
    if (target !== undefined) navigate(target, { replace: true })
  }, [target])
  const found = useRead<List<SearchHit>>(query === '' ? undefined : `/search?q=${encodeURIComponent(query)}`)
  return (
    <section class="card">
      <h1>Search</h1>
      <Loaded reading={found}>
        {({ items }) => <Rows of={items} table={hitTable} empty={`Nothing here is called “${query}”.`} />}
      </Loaded>
    </section>
  )
}

const hitTable: Table<SearchHit> = {
  keyOf: (hit) => `${hit.type} ${hit.type === 'token' ? hit.token_url : hit.url}`,
  columns: [
    ['What', ({ type }) => type],
    ['Where', (hit) => <HitLink of={hit} />],
  ],
}

function HitLink({ of }: { of: SearchHit }) {
  if (of.type === 'block') return <Link href={`/block/${of.block_number}`}>Block {of.block_number}</Link>
  if (of.type === 'proposal')
    return (
      <Link href={of.url}>
        Proposal {of.proposal_id}: {of.title}
      </Link>
    )
  if (of.type === 'transaction') return <TransactionLink hash={of.transaction_hash} full />
  return (
    <Link href={`/${of.type === 'token' ? 'token' : 'address'}/${of.address_hash}`}>
      {of.name ?? of.address_hash} {of.type === 'token' && <span class="faint">{of.symbol}</span>}{' '}
      {of.name && <span class="faint mono">{abbreviated(of.address_hash)}</span>}
    </Link>
  )
}
