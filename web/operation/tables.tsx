// Tables of user operations (ERC-4337), their bundles and parties, and the tabs of pages that show operations.
import { Link } from 'wouter-preact'
import { type Answer, api, type ListedOperation, useRead } from '../api.ts'
import { abbreviated, withCommas } from '../format.ts'
import { useQuery } from '../location.ts'
import { Choice } from '../parts/choice.tsx'
import {
  Address,
  BlockLink,
  Coins,
  PaginatedTable,
  Status,
  type Tab,
  type Table,
  Time,
  TransactionLink,
} from '../parts.tsx'

const OperationLink = ({ hash }: { hash: string }) => (
  <Link class="mono" title={hash} href={`/op/${hash}`}>
    {abbreviated(hash)}
  </Link>
)

export const operationTable: Table<ListedOperation> = {
  keyOf: ({ hash, transaction_hash, entry_point }) => `${hash} ${transaction_hash} ${entry_point.hash}`,
  columns: [
    ['Operation', ({ hash }) => <OperationLink hash={hash} />],
    ['Status', ({ status }) => <Status of={status ? 'ok' : 'error'} />],
    ['Block', ({ block_number }) => <BlockLink number={block_number} />],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['Account', ({ address }) => <Address of={address} />],
    ['Transaction', ({ transaction_hash }) => <TransactionLink hash={transaction_hash} />],
    ['Entry point', (of) => <EntryPoint of={of} />],
    ['Fee', ({ fee }) => <Coins value={fee} digits={6} />, 'number'],
  ],
}

/** The entry point with its version: one that is not well known is a contract like any other. */
export const EntryPoint = ({
  of: { entry_point, entry_point_version },
  full = false,
}: {
  of: Pick<ListedOperation, 'entry_point' | 'entry_point_version'>
  full?: boolean
}) => (
  <span class="address">
    <Address of={entry_point} full={full} /> <span class="faint nowrap">{entry_point_version}</span>
  </span>
)

type ItemOf<L> = L extends { items: readonly (infer T)[] } ? T : never
type Bundle = ItemOf<Answer<'/proxy/account-abstraction/bundles'>>
type SmartAccount = ItemOf<Answer<'/proxy/account-abstraction/accounts'>>
type Bundler = ItemOf<Answer<'/proxy/account-abstraction/bundlers'>>
type Paymaster = ItemOf<Answer<'/proxy/account-abstraction/paymasters'>>
type Factory = ItemOf<Answer<'/proxy/account-abstraction/factories'>>

export const bundleTable: Table<Bundle> = {
  keyOf: ({ transaction_hash, bundle_index }) => `${transaction_hash} ${bundle_index}`,
  columns: [
    ['Transaction', ({ transaction_hash }) => <TransactionLink hash={transaction_hash} />],
    ['Block', ({ block_number }) => <BlockLink number={block_number} />],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['Bundler', ({ bundler }) => <Address of={bundler} />],
    ['Operations', ({ total_ops }) => withCommas(total_ops), 'number'],
  ],
}

export const accountTable: Table<SmartAccount> = {
  keyOf: ({ address }) => address.hash,
  columns: [
    ['Account', ({ address }) => <Address of={address} />],
    ['Deployed by', ({ factory }) => <Address of={factory} />],
    [
      'In',
      ({ creation_op_hash: hash }) => (hash === null ? <span class="faint">—</span> : <OperationLink hash={hash} />),
    ],
    ['Operations', ({ total_ops }) => withCommas(total_ops), 'number'],
  ],
}

export const bundlerTable: Table<Bundler> = {
  keyOf: ({ address }) => address.hash,
  columns: [
    ['Bundler', ({ address }) => <Address of={address} />],
    ['Bundles', ({ total_bundles }) => withCommas(total_bundles), 'number'],
    ['Operations', ({ total_ops }) => withCommas(total_ops), 'number'],
  ],
}

export const paymasterTable: Table<Paymaster> = {
  keyOf: ({ address }) => address.hash,
  columns: [
    ['Paymaster', ({ address }) => <Address of={address} />],
    ['Operations', ({ total_ops }) => withCommas(total_ops), 'number'],
  ],
}

export const factoryTable: Table<Factory> = {
  keyOf: ({ address }) => address.hash,
  columns: [
    ['Factory', ({ address }) => <Address of={address} />],
    ['Accounts', ({ total_accounts }) => withCommas(total_accounts), 'number'],
  ],
}

const NAME = 'User operations'

/** The tab of a transaction or block with its operations, if it has some. */
export function useOperationTab(
  of: { readonly transaction_hash: string } | { readonly block_number: string },
  version = 0,
): readonly Tab[] {
  const count = useRead(api('/proxy/account-abstraction/operations', { ...of, items_count: '1' }), version).data
    ?.total_count
  if (count === undefined || count === 0) return []
  // Columns with the same value in all rows.
  const own = 'block_number' in of ? ['Block', 'Age'] : ['Block', 'Age', 'Transaction']
  const content = () => (
    <PaginatedTable
      list={api('/proxy/account-abstraction/operations', of)}
      table={{ ...operationTable, columns: operationTable.columns.filter(([name]) => !own.includes(name)) }}
      empty="There are none."
      order="rank"
    />
  )
  return [{ name: NAME, count, content }]
}

/** What an address is in an operation. */
const TITLES = {
  sender: 'account',
  bundler: 'bundler',
  paymaster: 'paymaster',
  factory: 'factory',
  entry_point: 'entry point',
} as const
type Part = keyof typeof TITLES
const isPart = (text: string): text is Part => text in TITLES

/** The tab of an address with the operations in which it has a part, if there are some. */
export function useAddressOperations(hash: string, version: number): readonly Tab[] {
  const counts = useRead(
    api('/proxy/account-abstraction/addresses/{address_hash_param}', { address_hash_param: hash }),
    version,
  )
  const parts = Object.entries(counts.data ?? {}).filter(([, count]) => count > 0)
  const [first] = parts
  if (first === undefined) return []
  const names = parts.map(([name]) => name).filter(isPart)
  const content = () => <OperationsOf hash={hash} parts={names} version={version} />
  return [{ name: NAME, count: first[1], content }]
}

function OperationsOf({ hash, parts, version }: { hash: string; parts: readonly Part[]; version: number }) {
  const [{ as }] = useQuery()
  const part = parts.find((each) => each === as) ?? parts[0] ?? 'sender'
  return (
    <>
      <div class="above">
        {parts.length > 1 ? (
          <Choice
            name="as"
            label="Part of the address"
            of={parts.slice(1)}
            titles={TITLES}
            all={`as ${TITLES[parts[0] ?? 'sender']}`}
          />
        ) : (
          <span class="faint">as {TITLES[part]}</span>
        )}
      </div>
      <PaginatedTable
        list={api('/proxy/account-abstraction/operations', { [part]: hash })}
        table={operationTable}
        empty="There are none."
        version={version}
      />
    </>
  )
}
