// Why a transaction failed: the reason, the functions that had not returned, and the source around the chosen one's line.
import { useState } from 'preact/hooks'
import { type Transaction, useRead } from '../api.ts'
import { call } from '../rpc.ts'
import { LazySource } from './lazy-source.tsx'

/** Nothing until it is read, and if the node no longer has the state. */
export function Failure({ of: { hash, status, block_number } }: { of: Transaction }) {
  const wanted = status === 'error' && block_number !== null
  const { data } = useRead(wanted ? call('kestrel_getFailure', hash) : undefined)
  // The innermost function with a source.
  const [chosen, choose] = useState<number | undefined>(undefined)
  if (!data) return null
  const { reason, frames } = data
  const open = chosen ?? frames.findIndex(({ excerpt }) => excerpt !== null)
  const { place, excerpt } = frames[open] ?? { place: null, excerpt: null }
  return (
    <section class="failure" aria-label="Failure">
      <p class="bad">{reason}</p>
      <ol aria-label="Stack trace">
        {frames.map(({ text, excerpt }, i) => (
          <li key={`${i} ${text}`}>
            {excerpt === null ? (
              <code>{text}</code>
            ) : (
              <button type="button" aria-pressed={i === open} onClick={() => choose(i)}>
                <code>{text}</code>
              </button>
            )}
          </li>
        ))}
      </ol>
      {place !== null && excerpt !== null && (
        <LazySource
          title={`${place.file}:${place.line}`}
          lines={excerpt.lines.map((text, i) => ({ number: excerpt.first + i, text }))}
          marked={place.line}
        />
      )}
    </section>
  )
}
