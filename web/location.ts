// State in the query of a page's URL: the open tab and the page of a list. Each has a link, and Back returns to it.
import { useEffect } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { pagesOf } from '../src/explorer/pages.ts'

/** The name of the chain, which the node writes into an attribute because its policy forbids inline scripts. */
export const CHAIN = document.documentElement.dataset.chain ?? ''

/** Whether the node has development methods. */
export const IS_DEVELOPMENT = document.documentElement.dataset.development !== undefined

/** Whether the chain has IBC. */
export const HAS_IBC = document.documentElement.dataset.ibc !== undefined

/** The pages of this node, by its chain and mode. */
export const NODE_PAGES = pagesOf({
  native: Boolean(document.documentElement.dataset.prefix),
  ibc: HAS_IBC,
  development: IS_DEVELOPMENT,
})

/** Whether the chain is a network. */
export const IS_NETWORK = document.documentElement.dataset.network !== undefined

/** Sets the document's title while the page is shown. undefined: keep the title. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · ${CHAIN}`
  }, [title])
}

export type Query = Readonly<Record<string, string | undefined>>

/**
 * The parameters of the URL's query, and a function that changes some of them; undefined removes a parameter. Each change adds
 * an entry to the browser's history, unless `replace` is set.
 */
export function useQuery(): [query: Query, change: (changes: Query, options?: { replace?: boolean }) => void] {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const query: Query = Object.fromEntries(new URLSearchParams(search))
  const change = (changes: Query, options?: { replace?: boolean }) => {
    const next = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...query, ...changes })) {
      if (value !== undefined) next.set(name, value)
    }
    const text = next.toString()
    navigate(text === '' ? path : `${path}?${text}`, options)
  }
  return [query, change]
}
