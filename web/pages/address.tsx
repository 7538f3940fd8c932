// The page of one address: its record, its lists, and its code if it is a contract.
import { lazy, Suspense } from 'preact/compat'
import { Link } from 'wouter-preact'
import type {
  Account,
  AccountCounters,
  CoinChange,
  InternalTransaction,
  Log,
  TokenBalance,
  Transaction,
  Transfer,
} from '../api.ts'
import { useBlockVersion, useRead } from '../api.ts'
import { abbreviated } from '../format.ts'
import { Coins, Fields, Loaded, PaginatedTable, Rows, type Tab, type Table, Tabs, TransactionLink } from '../parts.tsx'
import { balanceTable, coinTable, internalTable, logTable, transactionTable, transferTable } from '../tables.tsx'

/** The compiler's highlighting, the ABI coder and the wallet are loaded when somebody opens the tab. */
const ContractTab = lazy(() => import('./contract.tsx'))

export default function AddressPage({ hash }: { hash: string }) {
  const version = useBlockVersion()
  const base = `/addresses/${hash}`
  const reading = useRead<Account>(base, version)
  const counts = useRead<AccountCounters>(`${base}/tabs-counters`, version).data
  const list =
    <T,>(path: string, table: Table<T>, empty: string) =>
    () => <PaginatedTable<T> path={`${base}/${path}`} table={table} empty={empty} version={version} />
  const tabs: readonly Tab[] = [
    {
      name: 'Transactions',
      count: counts?.transactions_count,
      content: list<Transaction>('transactions', transactionTable, 'No transaction has touched it.'),
    },
    {
      name: 'Token transfers',
      count: counts?.token_transfers_count,
      content: list<Transfer>('token-transfers', transferTable, 'It has moved no tokens.'),
    },
    {
      name: 'Tokens',
      count: counts?.token_balances_count,
      content: () => <Balances of={hash} version={version} />,
    },
    {
      name: 'Internal',
      count: counts?.internal_transactions_count,
      content: list<InternalTransaction>('internal-transactions', internalTable, 'No contract has called it.'),
    },
    {
      name: 'Coin history',
      content: list<CoinChange>('coin-balance-history', coinTable, 'Its balance has never changed.'),
    },
    { name: 'Logs', count: counts?.logs_count, content: list<Log>('logs', logTable, 'It has logged nothing.') },
  ]
  return (
    <Loaded reading={reading}>
      {(of) => (
        <>
          <section class="card">
            <h1>
              {of.is_contract && of.proxy_type !== 'eip7702' ? 'Contract' : 'Address'}{' '}
              {of.name !== null && <span class="faint">{of.name}</span>}
            </h1>
            <Fields
              of={{
                Address: <code>{of.hash}</code>,
                Balance: <Coins value={of.coin_balance} digits={18} />,
                Token:
                  of.token === null ? null : <Link href={`/token/${of.hash}`}>{of.token.name ?? of.token.type}</Link>,
                Creator:
                  of.creator_address_hash === null ? null : (
                    <>
                      <Link class="mono" href={`/address/${of.creator_address_hash}`}>
                        {abbreviated(of.creator_address_hash)}
                      </Link>
                      {of.creation_transaction_hash !== null && (
                        <>
                          {' in '}
                          <TransactionLink hash={of.creation_transaction_hash} />
                        </>
                      )}
                    </>
                  ),
                'Runs code of':
                  of.implementations.length === 0
                    ? null
                    : of.implementations.map(({ address_hash, name }) => (
                        <div key={address_hash}>
                          <Link class="mono" href={`/address/${address_hash}`}>
                            {name ?? address_hash}
                          </Link>
                        </div>
                      )),
                Source: of.is_contract ? (of.is_verified === true ? 'verified' : 'not verified') : null,
              }}
            />
          </section>
          <Tabs
            of={
              of.is_contract
                ? [
                    ...tabs,
                    {
                      name: 'Contract',
                      content: () => (
                        <Suspense fallback={<div class="loading" />}>
                          <ContractTab hash={of.hash} />
                        </Suspense>
                      ),
                    },
                  ]
                : tabs
            }
          />
        </>
      )}
    </Loaded>
  )
}

function Balances({ of, version }: { of: string; version: number }) {
  const reading = useRead<TokenBalance[]>(`/addresses/${of}/token-balances`, version)
  return (
    <Loaded reading={reading}>{(rows) => <Rows of={rows} table={balanceTable} empty="It holds no tokens." />}</Loaded>
  )
}
