// Entry point of the node's own explorer: the header and the routes of its pages. Its data come from /api/v2 alone.
import { render } from 'preact'
import { useState } from 'preact/hooks'
import { Link, Route, Switch, useLocation } from 'wouter-preact'
import { AddressPage } from './address.tsx'
import { Home } from './home.tsx'
import { BlockPage, Blocks, TokenPage, Tokens, Transactions } from './pages.tsx'
import { SearchPage } from './search.tsx'
import { TransactionPage } from './transaction.tsx'
import './style.css'

/** Name of the chain; the node writes it into the page, like `COIN`. */
const CHAIN = document.documentElement.dataset.chain

function Header() {
  const [, navigate] = useLocation()
  const [query, setQuery] = useState('')
  const search = (event: Event) => {
    event.preventDefault()
    const wanted = query.trim()
    if (wanted !== '') navigate(`/search?q=${encodeURIComponent(wanted)}`)
    setQuery('')
  }
  return (
    <header>
      <Link href="/" class="brand">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M3 21c7-1 10-5 13-12 2 6 6 9 13 10-5 1-8 2-10 5-2-2-4-2-6-1-3 1-6 1-10-2z" />
        </svg>
        {CHAIN}
      </Link>
      <nav>
        <Link href="/blocks">Blocks</Link>
        <Link href="/txs">Transactions</Link>
        <Link href="/tokens">Tokens</Link>
        <a href="/api/v2/docs">API</a>
      </nav>
      <search>
        <form onSubmit={search}>
          <input
            type="search"
            aria-label="Search"
            placeholder="Address, hash, block, token"
            value={query}
            onInput={({ currentTarget }) => setQuery(currentTarget.value)}
          />
        </form>
      </search>
    </header>
  )
}

const App = () => (
  <>
    <Header />
    <main>
      <Switch>
        <Route path="/" component={Home} />
        <Route path="/blocks" component={Blocks} />
        <Route path="/txs" component={Transactions} />
        <Route path="/tokens" component={Tokens} />
        <Route path="/search" component={SearchPage} />
        <Route path="/block/:id">{({ id }) => <BlockPage id={id} key={id} />}</Route>
        <Route path="/tx/:hash">{({ hash }) => <TransactionPage hash={hash} key={hash} />}</Route>
        <Route path="/address/:hash">{({ hash }) => <AddressPage hash={hash} key={hash} />}</Route>
        <Route path="/token/:hash">{({ hash }) => <TokenPage hash={hash} key={hash} />}</Route>
        <Route>
          <p class="note">This page does not exist.</p>
        </Route>
      </Switch>
    </main>
  </>
)

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
