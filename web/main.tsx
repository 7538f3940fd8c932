// Entry point of the node's own explorer: the header and the routes of its pages. Its data come from /api/v2 alone.
import { type ComponentType, render } from 'preact'
import { Suspense } from 'preact/compat'
import { useState } from 'preact/hooks'
import { Link, Route, Switch, useLocation } from 'wouter-preact'
import { PAGES } from '../src/explorer/pages.ts'
import { CHAIN, useTitle } from './location.ts'
import { pages } from './pages.ts'
import './style.css'

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

/** The parameters by name: wouter gives them by position as well. */
const named = (parameters: Readonly<Record<string | number, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined || /^\d/.test(name) ? [] : [[name, value]],
    ),
  )

/** A page under the title of its kind; a page that knows its subject sets its own. */
function Page({ path, parameters }: { path: keyof typeof PAGES; parameters: Readonly<Record<string, string>> }) {
  useTitle(PAGES[path])
  const Content = pages[path] as ComponentType<Readonly<Record<string, string>>>
  return (
    <Suspense fallback={<div class="loading" />}>
      <Content {...parameters} />
    </Suspense>
  )
}

function NoPage() {
  useTitle('Not found')
  return (
    <section class="card">
      <h1>Not found</h1>
      <p class="note">This page does not exist.</p>
    </section>
  )
}

const App = () => (
  <>
    <Header />
    <main>
      <Switch>
        {(Object.keys(PAGES) as (keyof typeof PAGES)[]).map((path) => (
          <Route path={path} key={path}>
            {(parameters) => <Page path={path} parameters={named(parameters)} key={JSON.stringify(parameters)} />}
          </Route>
        ))}
        <Route component={NoPage} />
      </Switch>
    </main>
  </>
)

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
