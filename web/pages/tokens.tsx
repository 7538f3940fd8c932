// The list of tokens, those with the most holders first: of all types or of one, or by words of their names.
import { useState } from 'preact/hooks'
import { api } from '../api.ts'
import { useQuery } from '../location.ts'
import { Choice } from '../parts/choice.tsx'
import { PaginatedTable } from '../parts.tsx'
import { tokenTable } from '../tables.tsx'

export default function Tokens() {
  const [{ type, q }, change] = useQuery()
  const [words, setWords] = useState(q ?? '')
  const search = (event: Event) => {
    event.preventDefault()
    change({ q: words.trim() === '' ? undefined : words.trim(), page: undefined, anchor: undefined })
  }
  return (
    <section class="card">
      <h1>Tokens</h1>
      <div class="above">
        <Choice name="type" label="Type of token" of={['ERC-20', 'ERC-721', 'ERC-1155']} />
        <form class="end" onSubmit={search}>
          <input
            type="text"
            aria-label="Name or symbol"
            placeholder="Name or symbol"
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
        </form>
      </div>
      <PaginatedTable
        list={api('/tokens', { type, q })}
        table={tokenTable}
        empty={q === undefined ? 'There are no tokens on this chain yet.' : 'No token is called so.'}
        order="rank"
      />
    </section>
  )
}
