// Lines of a source with their numbers; one may be marked, and each may have a note, as its gas. The text is a stranger's: it never
// becomes markup.
import { useMemo } from 'preact/hooks'
import { highlighted } from '../contract/highlight.ts'

export type SourceLine = {
  readonly number: number
  readonly text: string
  /** Beside the line. */
  readonly note?: string | undefined
  /** From 0 to 1: how much of the whole the note is. */
  readonly heat?: number | undefined
}

export type SourceProps = {
  /** `contracts/Vault.sol:32` */
  title: string
  lines: readonly SourceLine[]
  /** The number of a line. */
  marked?: number
}

export default function Source({ title, lines, marked }: SourceProps) {
  const shown = useMemo(() => lines.map((line) => ({ ...line, content: highlighted(line.text, 'solidity') })), [lines])
  const hasNotes = lines.some(({ note }) => note !== undefined)
  return (
    <figure class="excerpt">
      <figcaption>{title}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard */}
      <section class="source" tabIndex={0} aria-label={title}>
        <table>
          <tbody>
            {shown.map(({ number, content, note, heat = 0 }, i) => (
              <tr
                key={number}
                class={[
                  number === marked ? 'marked' : '',
                  (shown[i - 1]?.number ?? number - 1) + 1 < number ? 'gap' : '',
                ].join(' ')}
                aria-current={number === marked ? 'true' : undefined}
              >
                {hasNotes && (
                  <td class="heat" style={{ '--heat': `${(100 * heat).toFixed(1)}%` }}>
                    {note}
                  </td>
                )}
                <td class="number">{number}</td>
                <td>
                  <code>{content}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </figure>
  )
}
