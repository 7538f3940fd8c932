// The colours: those of the reader's system, or the reader's choice, which the browser remembers.
import { useState } from 'preact/hooks'

const KEY = 'theme'
type Theme = 'light' | 'dark'

/** Browsers may forbid storage; the choice is then valid for this document only. */
function stored(): Theme | undefined {
  try {
    const theme = localStorage.getItem(KEY)
    return theme === 'light' || theme === 'dark' ? theme : undefined
  } catch {
    return undefined
  }
}

function show(theme: Theme): void {
  document.documentElement.dataset.theme = theme
}

const chosen = stored()
if (chosen !== undefined) show(chosen)

export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(
    chosen ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'),
  )
  const other: Theme = theme === 'dark' ? 'light' : 'dark'
  const choose = () => {
    show(other)
    setTheme(other)
    try {
      localStorage.setItem(KEY, other)
    } catch {
      // See `stored`.
    }
  }
  return (
    <button
      type="button"
      class="theme"
      aria-label={`Use ${other} colours`}
      title={`Use ${other} colours`}
      onClick={choose}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M8 1.5a6.5 6.5 0 1 0 0 13z" />
        <circle cx="8" cy="8" r="6.5" />
      </svg>
    </button>
  )
}
