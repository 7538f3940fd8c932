// Entry point of the explorer: the frame of its pages, and their routes. Their data come from /api/v2.
import { type ComponentType, render } from 'preact'
import { Suspense } from 'preact/compat'
import { useEffect, useRef } from 'preact/hooks'
import { Route, Switch, useLocation } from 'wouter-preact'
import { PAGES } from '../src/explorer/pages.ts'
import { Header } from './header.tsx'
import { NODE_PAGES, useTitle } from './location.ts'
import { pages } from './pages.ts'
import './same-address.ts'
import { MissingPage } from './parts/missing.tsx'
import './styles/base.css'
import './styles/header.css'
import './styles/list.css'
import './styles/record.css'

/** The parameters by name: wouter also gives them by position. */
const named = (parameters: Readonly<Record<string | number, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined || /^\d/.test(name) ? [] : [[name, value]],
    ),
  )

/** A page with the title of its kind; a page that knows its subject sets its own. */
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
  const [path] = useLocation()
  useTitle('Not found')
  return (
    <section class="card">
      <h1>Not found</h1>
      <MissingPage path={path} />
    </section>
  )
}

/** Scrolls a new page to its top and focuses it, so that screen readers read it. Back keeps the browser's position. */
function useBeginning() {
  const [path] = useLocation()
  const main = useRef<HTMLElement>(null)
  const shown = useRef(path)
  const isBack = useRef(false)
  useEffect(() => {
    const onBack = () => {
      isBack.current = true
    }
    addEventListener('popstate', onBack)
    return () => removeEventListener('popstate', onBack)
  }, [])
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    main.current?.focus({ preventScroll: true })
    if (!isBack.current) scrollTo(0, 0)
    isBack.current = false
  }, [path])
  return main
}

function App() {
  const main = useBeginning()
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Header />
      <main id="content" tabIndex={-1} ref={main}>
        <Switch>
          {NODE_PAGES.map((path) => (
            <Route path={path} key={path}>
              {(parameters) => <Page path={path} parameters={named(parameters)} key={JSON.stringify(parameters)} />}
            </Route>
          ))}
          <Route component={NoPage} />
        </Switch>
      </main>
      <footer>
        <a href="/api/v2/docs">API of this explorer</a>
        <span>
          JSON-RPC and WebSocket: <code>{location.origin}</code>
        </span>
      </footer>
    </>
  )
}

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
