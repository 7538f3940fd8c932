// User operations (ERC-4337), their bundles, and who takes part in them.
import { api, useBlockVersion } from '../api.ts'
import { useTitle } from '../location.ts'
import {
  accountTable,
  bundlerTable,
  bundleTable,
  factoryTable,
  operationTable,
  paymasterTable,
} from '../operation/tables.tsx'
import { PaginatedTable, type Tab, Tabs } from '../parts.tsx'

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

const tabsOf = (version: number): readonly Tab[] => [
  {
    name: 'Operations',
    content: () => (
      <PaginatedTable
        list={api('/proxy/account-abstraction/operations')}
        table={operationTable}
        empty="No account has sent an operation to an entry point (ERC-4337)."
        version={version}
      />
    ),
  },
  {
    name: 'Bundles',
    content: () => (
      <PaginatedTable
        list={api('/proxy/account-abstraction/bundles')}
        table={bundleTable}
        empty="Nobody has sent a bundle of operations."
        version={version}
      />
    ),
  },
  {
    name: 'Accounts',
    content: () => (
      <PaginatedTable
        list={api('/proxy/account-abstraction/accounts')}
        table={accountTable}
        empty="No account has sent an operation."
        version={version}
      />
    ),
  },
  {
    name: 'Bundlers',
    content: () => (
      <PaginatedTable
        list={api('/proxy/account-abstraction/bundlers')}
        table={bundlerTable}
        empty="Nobody has sent a bundle of operations."
        version={version}
        order="rank"
      />
    ),
  },
  {
    name: 'Paymasters',
    content: () => (
      <PaginatedTable
        list={api('/proxy/account-abstraction/paymasters')}
        table={paymasterTable}
        empty="No paymaster has paid for an operation."
        version={version}
        order="rank"
      />
    ),
  },
  {
    name: 'Factories',
    content: () => (
      <PaginatedTable
        list={api('/proxy/account-abstraction/factories')}
        table={factoryTable}
        empty="No factory has deployed an account for an operation."
        version={version}
        order="rank"
      />
    ),
  },
]
