// The list of tokens.
import type { Token } from '../api.ts'
import { PaginatedTable } from '../parts.tsx'
import { tokenTable } from '../tables.tsx'

export default function Tokens() {
  return (
    <section class="card">
      <h1>Tokens</h1>
      <PaginatedTable<Token> path="/tokens" table={tokenTable} empty="There are no tokens on this chain yet." />
    </section>
  )
}
