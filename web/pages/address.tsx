// The page of one address: its record, its lists, and its code if it is a contract.
import type { ComponentChildren } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { type Account, type AccountCounters, type ApiRead, api, type List, useBlockVersion, useRead } from '../api.ts'
import { nativeSpelling } from '../bech32.ts'
import { abbreviated, withCommas } from '../format.ts'
import { NODE_PAGES, useQuery, useTitle } from '../location.ts'
import { useAddressOperations } from '../operation/tables.tsx'
import { Choice } from '../parts/choice.tsx'
import { MissingAddress } from '../parts/missing.tsx'
import {
  AddressLink,
  Coins,
  Copy,
  Cut,
  Fields,
  FilterLink,
  Identicon,
  LoadedPage,
  OwnAddress,
  PaginatedTable,
  type Tab,
  type Table,
  Tabs,
  TokenLink,
  TransactionLink,
} from '../parts.tsx'
import { addressLogTable, balanceTable, coinTable, internalTable, transactionTable, transferTable } from '../tables.tsx'

/** The highlighting, the ABI coder and the wallet are loaded when the tab is opened. */
const ContractTab = lazy(() => import('./contract.tsx'))
const StorageTab = lazy(() => import('./storage.tsx'))
const StakingTab = lazy(() => import('./address-native.tsx'))

export default function AddressPage({ hash }: { hash: string }) {
  const version = useBlockVersion()
  const parameters = { address_hash_param: hash }
  const reading = useRead(api('/addresses/{address_hash_param}', parameters), version)
  const counts = useRead(api('/addresses/{address_hash_param}/tabs-counters', parameters), version).data
  const operations = useAddressOperations(hash, version)
  const title = reading.data?.name ?? abbreviated(hash)
  useTitle(`${reading.data === undefined ? 'Address' : kindOf(reading.data)} ${title.slice(0, 60)}`)
  return (
    <LoadedPage reading={reading} name="Address" missing={<MissingAddress hash={hash} />}>
      {(of) => (
        <>
          <Record of={of} holdings={counts?.token_balances_count} />
          <OwnAddress.Provider value={hash}>
            <Tabs of={[...listTabs(hash, counts, version), ...operations, ...ownTabs(of, version)]} />
          </OwnAddress.Provider>
        </>
      )}
    </LoadedPage>
  )
}

const kindOf = ({ is_contract, proxy_type }: Account): string =>
  is_contract && proxy_type !== 'eip7702' ? 'Contract' : 'Address'

function Record({ of, holdings }: { of: Account; holdings: number | undefined }) {
  const spelling = nativeSpelling(of.hash)
  return (
    <section class="card">
      <h1>
        <Identicon of={of.hash} size={28} />
        {kindOf(of)}
        {of.name !== null && (
          <span class="faint">
            <Cut text={of.name} />
          </span>
        )}
      </h1>
      <Fields
        of={{
          Address: (
            <>
              <code>{of.hash}</code> <Copy text={of.hash} of="address" />
            </>
          ),
          Bech32:
            spelling === undefined ? null : (
              <>
                <code>{spelling}</code> <Copy text={spelling} of="bech32 address" />
              </>
            ),
          Balance: <Coins value={of.coin_balance} digits={18} />,
          Tokens: of.has_tokens ? <Holdings count={holdings} /> : null,
          Token: of.token === null ? null : <TokenLink of={of.token} />,
          Creator: of.creator_address_hash === null ? null : <Creator of={of} hash={of.creator_address_hash} />,
          'Runs code of':
            of.implementations.length === 0
              ? null
              : of.implementations.map(({ address_hash, name }) => (
                  <div class="address" key={address_hash}>
                    <AddressLink hash={address_hash} name={name} isContract full />
                  </div>
                )),
          Source: of.is_contract ? sourceOf(of) : null,
          State: of.creation_status === 'selfdestructed' ? <span class="bad">destroyed</span> : null,
        }}
      />
    </section>
  )
}

const sourceOf = ({ is_verified, verified_by }: Account): string =>
  is_verified !== true ? 'not verified' : verified_by === null ? 'verified' : `verified by ${verified_by}, not here`

const Creator = ({ of: { creation_transaction_hash }, hash }: { of: Account; hash: string }) => (
  <>
    <span class="address">
      <AddressLink hash={hash} />
    </span>
    {creation_transaction_hash !== null && (
      <>
        {' in '}
        <TransactionLink hash={creation_transaction_hash} />
      </>
    )}
  </>
)

/** Only their number: anybody can send an address a token, whose name would stand here as if it belonged to it. */
function Holdings({ count }: { count: number | undefined }) {
  const [, change] = useQuery()
  return (
    <button type="button" class="action" onClick={() => change({ tab: 'tokens', page: undefined, anchor: undefined })}>
      {count === undefined ? 'Show them' : `Show ${withCommas(count)}`}
    </button>
  )
}

function listTabs(hash: string, counts: AccountCounters | undefined, version: number): Tab[] {
  const of = { address_hash_param: hash }
  return [
    {
      name: 'Transactions',
      count: counts?.transactions_count,
      content: () => (
        <SidedList
          of={of.address_hash_param}
          list={(filter) => api('/addresses/{address_hash_param}/transactions', { ...of, filter })}
          csv={api('/addresses/{address_hash_param}/transactions/csv', of)}
          table={transactionTable}
          empty="No transaction has touched it."
          version={version}
        />
      ),
    },
    {
      name: 'Token transfers',
      count: counts?.token_transfers_count,
      content: () => (
        <SidedList
          of={of.address_hash_param}
          list={(filter) => api('/addresses/{address_hash_param}/token-transfers', { ...of, filter })}
          csv={api('/addresses/{address_hash_param}/token-transfers/csv', of)}
          table={transferTable}
          empty="It has moved no tokens."
          version={version}
        />
      ),
    },
    {
      name: 'Tokens',
      count: counts?.token_balances_count,
      content: () => <Balances of={hash} version={version} />,
    },
    {
      name: 'Internal',
      count: counts?.internal_transactions_count,
      content: () => (
        <SidedList
          of={of.address_hash_param}
          list={(filter) => api('/addresses/{address_hash_param}/internal-transactions', { ...of, filter })}
          csv={api('/addresses/{address_hash_param}/internal-transactions/csv', of)}
          table={internalTable}
          empty="No contract has called it."
          version={version}
        />
      ),
    },
    {
      name: 'Coin history',
      content: () => (
        <PaginatedTable
          list={api('/addresses/{address_hash_param}/coin-balance-history', of)}
          table={coinTable}
          empty="Its balance has never changed."
          version={version}
        />
      ),
    },
    {
      name: 'Logs',
      count: counts?.logs_count,
      content: () => (
        <PaginatedTable
          list={api('/addresses/{address_hash_param}/logs', of)}
          table={addressLogTable}
          empty="It has logged nothing."
          version={version}
        />
      ),
    },
  ]
}

/** Tabs that only some addresses have. */
const ownTabs = (of: Account, version: number): Tab[] => [
  ...(NODE_PAGES.includes('/validators') ? [lazyTab('Staking', <StakingTab hash={of.hash} />)] : []),
  ...(of.is_contract
    ? [
        lazyTab('Contract', <ContractTab hash={of.hash} />),
        lazyTab('Storage', <StorageTab hash={of.hash} version={version} />),
      ]
    : []),
]

const lazyTab = (name: string, content: ComponentChildren): Tab => ({
  name,
  content: () => <Suspense fallback={<div class="loading" />}>{content}</Suspense>,
})

const SIDES = { from: 'sent', to: 'received' } as const

/** A list that can be filtered by direction, with a link to download it. */
function SidedList<T>({
  of,
  list,
  csv,
  ...rest
}: {
  of: string
  list: (filter: keyof typeof SIDES | undefined) => ApiRead<List<T>>
  csv: ApiRead<string>
  table: Table<T>
  empty: string
  version: number
}) {
  const [{ side }] = useQuery()
  return (
    <>
      <div class="above">
        <Choice name="side" label="Direction" of={Object.keys(SIDES)} titles={SIDES} />
        <FilterLink of={{ from_address_hashes_to_include: of, to_address_hashes_to_include: of }} />
        <a href={csv.url} download>
          Download as CSV
        </a>
      </div>
      <PaginatedTable list={list(side === 'from' || side === 'to' ? side : undefined)} {...rest} />
    </>
  )
}

/** Token balances, of all types or of one. */
function Balances({ of, version }: { of: string; version: number }) {
  const [{ type }] = useQuery()
  return (
    <>
      <div class="above">
        <Choice name="type" label="Type of token" of={['ERC-20', 'ERC-721', 'ERC-1155']} />
      </div>
      <PaginatedTable
        list={api('/addresses/{address_hash_param}/tokens', { address_hash_param: of, type })}
        table={balanceTable}
        empty="It holds no tokens."
        version={version}
        order="rank"
      />
    </>
  )
}
