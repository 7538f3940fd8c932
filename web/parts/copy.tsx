// A button that copies a text.
import { useEffect, useState } from 'preact/hooks'

/** Milliseconds for which the button shows that it has copied. */
const CONFIRMED_FOR = 1500

/** `of`: what the text is, for the button's label: "address". */
export function Copy({ text, of }: { text: string; of: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), CONFIRMED_FOR)
    return () => clearTimeout(timer)
  }, [isCopied])
  const label = isCopied ? 'Copied' : `Copy ${of}`
  return (
    <button
      type="button"
      class="copy"
      aria-label={label}
      title={label}
      onClick={() => copy(text).then(setCopied, () => setCopied(false))}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {isCopied ? (
          <path d="M3 8.5l3.2 3.2L13 5" />
        ) : (
          <>
            <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
            <path d="M3.5 10.5h-.5a.5.5 0 0 1-.5-.5V3a.5.5 0 0 1 .5-.5h7a.5.5 0 0 1 .5.5v.5" />
          </>
        )}
      </svg>
    </button>
  )
}

/**
 * Returns whether it worked. Browsers offer the clipboard only to pages of https and localhost; elsewhere a selection is
 * copied.
 */
async function copy(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text)
    return true
  }
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  return isCopied
}
