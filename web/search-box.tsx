// The search box, with suggestions that the arrow keys choose. Enter without a chosen suggestion opens the page of results,
// which redirects if the query names exactly one record.
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { api, type SearchHit } from './api.ts'
import { abbreviated } from './format.ts'
import { Cut, Identicon } from './parts.tsx'

/** Milliseconds without typing before suggestions are requested. */
const PAUSE = 150
/** Maximum suggestions of each kind. */
const MOST = 4
/** Shorter queries can only be block numbers. */
const SHORTEST_NAME = 3

/** The path of a result's page. */
export function pageOf(hit: SearchHit): string {
  if (hit.type === 'block') return `/block/${hit.block_number}`
  if (hit.type === 'transaction') return `/tx/${hit.transaction_hash}`
  if (hit.type === 'proposal' || hit.type === 'user_operation') return hit.url
  return `/${hit.type === 'token' ? 'token' : 'address'}/${hit.address_hash}`
}

async function suggestionsFor(q: string): Promise<SearchHit[]> {
  if (q.length < SHORTEST_NAME) return (await api('/search', { q, items_count: MOST }).load()).items
  const hits = await api('/search/quick', { q }).load()
  const counts = new Map<string, number>()
  return hits.filter(({ type }) => {
    const count = (counts.get(type) ?? 0) + 1
    counts.set(type, count)
    return count <= MOST
  })
}

/** Suggestions for a query, requested after a pause in typing; the former ones until new ones arrive. */
function useSuggestions(query: string): readonly SearchHit[] {
  const [hits, setHits] = useState<readonly SearchHit[]>([])
  useEffect(() => {
    let isCurrent = true
    if (query === '') setHits([])
    const request = () =>
      suggestionsFor(query).then(
        (found) => isCurrent && setHits(found),
        () => isCurrent && setHits([]),
      )
    const timer = query === '' ? undefined : setTimeout(request, PAUSE)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [query])
  return hits
}

export function SearchBox() {
  const [, navigate] = useLocation()
  const [query, setQuery] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState(-1)
  const input = useRef<HTMLInputElement>(null)
  const hits = useSuggestions(query.trim())
  const isShown = isOpen && hits.length > 0
  const close = () => {
    setOpen(false)
    setChosen(-1)
  }
  const go = (path: string) => {
    close()
    setQuery('')
    navigate(path)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    const hit = isShown ? hits[chosen] : undefined
    const wanted = query.trim()
    if (hit !== undefined) go(pageOf(hit))
    else if (wanted !== '') go(`/search?q=${encodeURIComponent(wanted)}`)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0 || hits.length === 0) return
    event.preventDefault()
    setOpen(true)
    // One position more than results: the box itself.
    setChosen((before) => ((before + 1 + step + hits.length + 1) % (hits.length + 1)) - 1)
  }
  useSlash(input)
  return (
    <search>
      <form onSubmit={submit}>
        <input
          ref={input}
          type="search"
          aria-label="Search"
          aria-autocomplete="list"
          aria-controls="suggestions"
          aria-activedescendant={isShown && chosen >= 0 ? `suggestion-${chosen}` : undefined}
          placeholder="Address, hash, block, token"
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={({ currentTarget }) => {
            setQuery(currentTarget.value)
            setOpen(true)
            setChosen(-1)
          }}
          onKeyDown={onKeyDown}
          onFocus={() => setOpen(true)}
          onBlur={close}
        />
        <span class="unseen" role="status">
          {isShown ? `${hits.length} ${hits.length === 1 ? 'suggestion' : 'suggestions'}` : ''}
        </span>
        <Suggestions of={isShown ? hits : []} chosen={chosen} onChoose={(hit) => go(pageOf(hit))} />
      </form>
    </search>
  )
}

function Suggestions({
  of,
  chosen,
  onChoose,
}: {
  of: readonly SearchHit[]
  chosen: number
  onChoose: (hit: SearchHit) => void
}) {
  return (
    <div id="suggestions" role="listbox" aria-label="Suggestions" hidden={of.length === 0}>
      {of.map((hit, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the box's, which names the chosen option
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the box
        <div
          role="option"
          id={`suggestion-${i}`}
          key={pageOf(hit)}
          aria-selected={i === chosen}
          // Runs before the box loses its focus, which closes the list.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(hit)}
        >
          <Hit of={hit} />
        </div>
      ))}
    </div>
  )
}

const Hit = ({ of }: { of: SearchHit }) => {
  if (of.type === 'block') return <span>Block {of.block_number}</span>
  if (of.type === 'transaction') return <span class="mono">Transaction {abbreviated(of.transaction_hash)}</span>
  if (of.type === 'user_operation') return <span class="mono">Operation {abbreviated(of.user_operation_hash)}</span>
  if (of.type === 'proposal') {
    return (
      <span>
        Proposal {of.proposal_id}: <Cut text={of.title} />
      </span>
    )
  }
  const symbol = of.type === 'token' ? of.symbol : ''
  return (
    <>
      <Identicon of={of.address_hash} />
      {of.name ? <Cut text={of.name} /> : null} {symbol !== '' && symbol !== of.name && <Cut text={symbol} />}
      <span class="faint mono">{abbreviated(of.address_hash)}</span>
      <span class="faint kind">{of.type}</span>
    </>
  )
}

/** The key "/" focuses the box, as in other explorers. */
function useSlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target } = event
      const isTyping =
        target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.current?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
