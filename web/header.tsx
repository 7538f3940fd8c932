// The header of every page: the chain's name, menus, search box, choice of colours. On a phone one button opens the menus.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { CHAIN } from './location.ts'
import { type Group, isOutside, NAVIGATION } from './navigation.ts'
import { SearchBox } from './search-box.tsx'
import { ThemeButton } from './theme.tsx'

export function Header() {
  const [isOpen, setOpen] = useState(false)
  const [path] = useLocation()
  useEffect(() => setOpen(false), [path])
  return (
    <header>
      <Link href="/" class="brand">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M3 21c7-1 10-5 13-12 2 6 6 9 13 10-5 1-8 2-10 5-2-2-4-2-6-1-3 1-6 1-10-2z" />
        </svg>
        <span class="cut">{CHAIN}</span>
      </Link>
      <button
        type="button"
        class="menu-button"
        aria-expanded={isOpen}
        aria-controls="menus"
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </button>
      <nav id="menus" class={isOpen ? 'menus open' : 'menus'} aria-label="Pages">
        {NAVIGATION.map((group) => (
          <Menu of={group} key={group.name} />
        ))}
      </nav>
      <SearchBox />
      <ThemeButton />
    </header>
  )
}

/** A disclosure: a button that shows its links. Escape, a click elsewhere, and the choice of a page close it. */
function Menu({ of: { name, places } }: { of: Group }) {
  const [isOpen, setOpen] = useState(false)
  const [path] = useLocation()
  const element = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => setOpen(false), [path])
  useEffect(() => {
    if (!isOpen) return
    const onElsewhere = ({ target }: Event) => {
      if (target instanceof Node && element.current?.contains(target) !== true) setOpen(false)
    }
    const onEscape = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      setOpen(false)
      button.current?.focus()
    }
    document.addEventListener('pointerdown', onElsewhere)
    document.addEventListener('focusin', onElsewhere)
    document.addEventListener('keydown', onEscape)
    return () => {
      document.removeEventListener('pointerdown', onElsewhere)
      document.removeEventListener('focusin', onElsewhere)
      document.removeEventListener('keydown', onEscape)
    }
  }, [isOpen])
  return (
    <div class="menu" ref={element}>
      <button type="button" ref={button} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {name} <span aria-hidden="true">▾</span>
      </button>
      <ul hidden={!isOpen}>
        {places.map((place) => (
          <li key={place.path}>
            {isOutside(place.path) ? (
              <a href={place.path}>{place.name}</a>
            ) : (
              <Link href={place.path} aria-current={path === place.path ? 'page' : undefined}>
                {place.name}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
