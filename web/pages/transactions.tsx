// The lists of transactions: those in blocks, and those that wait.
import { type Transaction, useBlockVersion } from '../api.ts'
import { PaginatedTable, Tabs } from '../parts.tsx'
import { transactionTable } from '../tables.tsx'

export default function Transactions() {
  const version = useBlockVersion()
  const validated = () => (
    <PaginatedTable<Transaction>
      path="/transactions?filter=validated"
      table={transactionTable}
      empty="Nothing has been sent on this chain yet."
      version={version}
    />
  )
  const pending = () => (
    <PaginatedTable<Transaction>
      path="/transactions?filter=pending"
      table={transactionTable}
      empty="Nothing is waiting."
      version={version}
    />
  )
  return (
    <Tabs
      of={[
        { name: 'Transactions', content: validated },
        { name: 'Waiting', content: pending },
      ]}
    />
  )
}
