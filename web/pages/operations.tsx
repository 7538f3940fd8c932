// User operations (ERC-4337), their bundles, and who takes part in them.
import { type ApiRead, api, type List, useBlockVersion } from '../api.ts'
import { useTitle } from '../location.ts'
import {
  accountTable,
  bundlerTable,
  bundleTable,
  factoryTable,
  operationTable,
  paymasterTable,
} from '../operation/tables.tsx'
import { PaginatedTable, type Tab, type Table, Tabs } from '../parts.tsx'

export default function OperationsPage() {
  const version = useBlockVersion()
  useTitle('User operations')
  return (
    <>
      <h1>User operations</h1>
      <Tabs of={tabsOf(version)} />
    </>
  )
}

const tabsOf = (version: number): readonly Tab[] => {
  const tab = <T,>(
    name: string,
    list: ApiRead<List<T>>,
    table: Table<T>,
    empty: string,
    order: 'rank' | 'time' = 'time',
  ): Tab => ({
    name,
    content: () => <PaginatedTable list={list} table={table} empty={empty} version={version} order={order} />,
  })
  const of = '/proxy/account-abstraction'
  const noOperation = 'No account has sent an operation to an entry point (ERC-4337).'
  const noBundle = 'Nobody has sent a bundle of operations.'
  return [
    tab('Operations', api(`${of}/operations`), operationTable, noOperation),
    tab('Bundles', api(`${of}/bundles`), bundleTable, noBundle),
    tab('Accounts', api(`${of}/accounts`), accountTable, 'No account has sent an operation.'),
    tab('Bundlers', api(`${of}/bundlers`), bundlerTable, noBundle, 'rank'),
    tab('Paymasters', api(`${of}/paymasters`), paymasterTable, 'No paymaster has paid for an operation.', 'rank'),
    tab(
      'Factories',
      api(`${of}/factories`),
      factoryTable,
      'No factory has deployed an account for an operation.',
      'rank',
    ),
  ]
}
