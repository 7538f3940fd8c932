// A long list of rows of the same height, each with a button. Only rows near the visible ones are in the document, so a hundred
// thousand cost as much as fifty. The list is one stop of the Tab key; arrow keys choose a row.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Rows above and below the visible ones that are in the document, too. */
const SPARE = 8

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }

type Rows = {
  readonly label: string
  readonly count: number
  /** Pixels of a row. */
  readonly height: number
  /** Width of the widest row in CSS, where rows may be wider than the list. */
  readonly width?: string
  /** `tabIndex`: of the row's first button. */
  readonly row: (index: number, tabIndex: 0 | -1) => ComponentChildren
  /** The row that is scrolled into view whenever it or `version` changes. */
  readonly shown?: number | undefined
  readonly version?: unknown
  /** Is told which rows are in the document. */
  readonly onRange?: (first: number, end: number) => void
}

export function VirtualList({ label, count, height, width, row, shown, version, onRange }: Rows) {
  const box = useRef<HTMLElement>(null)
  const hasFocus = useRef(false)
  const [{ top, visible }, setView] = useState({ top: 0, visible: 600 })
  const [chosen, setChosen] = useState<number>()
  const first = Math.max(0, Math.min(count - 1, Math.floor(top / height) - SPARE))
  const end = Math.min(count, Math.ceil((top + visible) / height) + SPARE)
  const stop = Math.min(end - 1, Math.max(first, chosen ?? shown ?? 0))
  const look = () => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {}
    if (scrollTop !== top || clientHeight !== visible) setView({ top: scrollTop, visible: clientHeight })
  }
  const reveal = (index: number, block: 'center' | 'nearest') => {
    const element = box.current
    if (element === null) return
    const at = index * height
    const above = at - element.scrollTop
    if (above >= height && above <= element.clientHeight - 2 * height) return
    const nearest = above < height ? at - height : at - element.clientHeight + 2 * height
    element.scrollTop = block === 'center' ? at - element.clientHeight / 2 : nearest
    look()
  }
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look)
    if (box.current !== null) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    setChosen(undefined)
    if (shown !== undefined) reveal(shown, 'center')
  }, [shown, version, height, count])
  useLayoutEffect(() => onRange?.(first, end), [first, end, version])
  useLayoutEffect(() => {
    // The focused row may have left the document.
    if (hasFocus.current && box.current?.contains(document.activeElement) === false) focusStop(box.current)
  })
  useLayoutEffect(() => {
    if (chosen === undefined) return
    reveal(chosen, 'nearest')
    focusStop(box.current)
  }, [chosen])
  const onKeyDown = (event: KeyboardEvent) => {
    const by = STEPS[event.key]
    if (by === undefined) return
    event.preventDefault()
    setChosen(Math.min(count - 1, Math.max(0, stop + by)))
  }
  return (
    <section
      class="virtual"
      ref={box}
      aria-label={label}
      onScroll={look}
      onKeyDown={onKeyDown}
      onFocusIn={() => {
        hasFocus.current = true
      }}
      onFocusOut={({ relatedTarget }) => {
        hasFocus.current = relatedTarget === null && document.hasFocus()
      }}
    >
      <div style={{ height: `${count * height}px`, minWidth: width }}>
        <div style={{ transform: `translateY(${first * height}px)` }}>
          {Array.from({ length: Math.max(0, end - first) }, (_, i) => row(first + i, first + i === stop ? 0 : -1))}
        </div>
      </div>
    </section>
  )
}

const focusStop = (list: HTMLElement | null): void =>
  list?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true })
