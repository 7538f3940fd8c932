// Tabs by WAI-ARIA: arrow keys choose a tab, the Tab key moves to the panel. The open tab is in the URL.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useQuery } from '../location.ts'

export type Tab = {
  readonly name: string
  readonly count?: number | undefined
  readonly content: () => ComponentChildren
}

/** A tab's name in a URL: "Token transfers" is `token-transfers`. */
const slug = (name: string) => name.toLowerCase().replaceAll(' ', '-')

/** For each key, the index of the next tab. */
const STEPS: Readonly<Record<string, (at: number, length: number) => number>> = {
  ArrowRight: (at, length) => (at + 1) % length,
  ArrowLeft: (at, length) => (at + length - 1) % length,
  Home: () => 0,
  End: (_, length) => length - 1,
}

/** `chosen`: name of the open tab if the URL has none; default: the first one. */
export function Tabs({ of, chosen: first }: { of: readonly Tab[]; chosen?: string | undefined }) {
  const [query, change] = useQuery()
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const wanted = query.tab ?? slug(first ?? of[0]?.name ?? '')
  const shown = of.find(({ name }) => slug(name) === wanted) ?? of[0]
  const open = ({ name }: Tab, options?: { replace: boolean }) =>
    // Page, filters and views belong to the previous tab.
    change({ ...Object.fromEntries(Object.keys(query).map((key) => [key, undefined])), tab: slug(name) }, options)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined || shown === undefined) return
    event.preventDefault()
    const at = step(of.indexOf(shown), of.length)
    const tab = of[at]
    if (tab !== undefined) open(tab, { replace: true })
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[at]?.focus()
  }
  // On a phone the open tab may be outside of the visible area.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected=true]')
    if (list.current && tab) list.current.scrollLeft = tab.offsetLeft - list.current.offsetLeft - 40
  }, [shown?.name])
  if (shown === undefined) return null
  return (
    <section class="card" aria-label="Lists">
      <div class="tabs" role="tablist" aria-label="Lists" ref={list} onKeyDown={onKeyDown}>
        {of.map((tab) => (
          <button
            type="button"
            role="tab"
            key={tab.name}
            id={`${id}-${slug(tab.name)}`}
            aria-selected={tab === shown}
            aria-controls={`${id}-panel`}
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => open(tab)}
          >
            {tab.name}
            {tab.count !== undefined && <span class="count">{tab.count.toLocaleString('en-US')}</span>}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${slug(shown.name)}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the pattern puts the panel into the order of focus
        tabIndex={0}
        key={shown.name}
      >
        {shown.content()}
      </div>
    </section>
  )
}
