// Long texts: sources, ABIs, bytecode; with buttons to copy them or save them as files.
import { useMemo } from 'preact/hooks'
import { Copy } from '../parts.tsx'
import { highlighted, type Language } from './highlight.ts'

/**
 * A text in a scrolling box. `shown`: a shorter form for display. `file`: name of the saved file; without it the text can only
 * be copied.
 */
export function TextBox({
  title,
  text,
  shown = text,
  language,
  file,
}: {
  title: string
  text: string
  shown?: string
  language?: Language | undefined
  file?: string | undefined
}) {
  const content = useMemo(() => (language === undefined ? shown : highlighted(shown, language)), [shown, language])
  const lines = language === undefined ? 0 : shown.split('\n').length
  return (
    <figure class="text-box">
      <figcaption>
        <span class="path">{title}</span>
        <Copy text={text} of={title} />
        {file !== undefined && <SaveButton text={text} file={file} />}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard */}
      <section class={language === undefined ? 'bytes' : 'source'} tabIndex={0} aria-label={title}>
        {lines > 0 && (
          <pre class="lines" aria-hidden="true">
            {Array.from({ length: lines }, (_, i) => i + 1).join('\n')}
          </pre>
        )}
        <pre>{content}</pre>
      </section>
    </figure>
  )
}

export const SaveButton = ({ text, file, label = 'Download' }: { text: string; file: string; label?: string }) => (
  <button type="button" class="action" onClick={() => save(text, file)}>
    {label}
  </button>
)

function save(text: string, file: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = file
  link.click()
  URL.revokeObjectURL(url)
}
