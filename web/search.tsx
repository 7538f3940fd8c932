// What was searched for: its page if it is one thing, else everything that is called so.
import { Link, useLocation, useSearch } from 'wouter-preact'
import { type Found, type List, useRead } from './api.ts'
import { short } from './format.ts'
import { Rows, Shown, TransactionLink } from './parts.tsx'

export function SearchPage() {
  const words = new URLSearchParams(useSearch()).get('q') ?? ''
  const [, go] = useLocation()
  const redirect = useRead<{ redirect: boolean; type: string; parameter: string }>(
    words === '' ? undefined : `/search/check-redirect?q=${encodeURIComponent(words)}`,
  )
  const found = useRead<List<Found>>(words === '' ? undefined : `/search?q=${encodeURIComponent(words)}`)
  if (redirect.data?.redirect === true) {
    const { type, parameter } = redirect.data
    queueMicrotask(() => go(`/${type === 'transaction' ? 'tx' : type}/${parameter}`, { replace: true }))
  }
  const link = ({ type, address_hash, block_number, transaction_hash, name, symbol }: Found) => {
    if (type === 'block') return <Link href={`/block/${block_number}`}>Block {block_number}</Link>
    if (type === 'transaction') return <TransactionLink hash={transaction_hash ?? ''} full />
    const page = type === 'token' ? 'token' : 'address'
    return (
      <Link href={`/${page}/${address_hash}`}>
        {name ?? address_hash} {symbol !== undefined && symbol !== null && <span class="faint">{symbol}</span>}{' '}
        {name && address_hash && <span class="faint mono">{short(address_hash)}</span>}
      </Link>
    )
  }
  return (
    <section class="card">
      <h1>Search</h1>
      <Shown reading={found}>
        {({ items }) => (
          <Rows
            of={items}
            columns={[
              ['What', ({ type }) => type],
              ['Where', link],
            ]}
            empty={`Nothing here is called “${words}”.`}
          />
        )}
      </Shown>
    </section>
  )
}
