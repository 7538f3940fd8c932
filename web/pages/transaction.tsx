// The page of one transaction: its record, and lists of its transfers, messages, logs and state changes.
import { Link } from 'wouter-preact'
import {
  type InternalTransaction,
  type Log,
  type StateChange,
  type Transaction,
  type Transfer,
  useBlockVersion,
  useRead,
} from '../api.ts'
import { abbreviated, gwei, utcTime, withCommas } from '../format.ts'
import {
  Address,
  BlockLink,
  Coins,
  DecodedCall,
  Fields,
  Loaded,
  PaginatedTable,
  Status,
  type Tab,
  Tabs,
} from '../parts.tsx'
import { internalTable, logTable, stateTable, transferTable } from '../tables.tsx'

export default function TransactionPage({ hash }: { hash: string }) {
  const version = useBlockVersion()
  const reading = useRead<Transaction>(`/transactions/${hash}`, version)
  const base = `/transactions/${hash}`
  const tabs: readonly Tab[] = [
    {
      name: 'Token transfers',
      content: () => (
        <PaginatedTable<Transfer> path={`${base}/token-transfers`} table={transferTable} empty="It moved no tokens." />
      ),
    },
    {
      name: 'Internal',
      content: () => (
        <PaginatedTable<InternalTransaction>
          path={`${base}/internal-transactions`}
          table={internalTable}
          empty="It called nothing else."
        />
      ),
    },
    {
      name: 'Logs',
      content: () => <PaginatedTable<Log> path={`${base}/logs`} table={logTable} empty="It logged nothing." />,
    },
    {
      name: 'State changes',
      content: () => (
        <PaginatedTable<StateChange> path={`${base}/state-changes`} table={stateTable} empty="It changed nothing." />
      ),
    },
  ]
  return (
    <Loaded reading={reading}>
      {(of) => (
        <>
          <section class="card">
            <h1>
              Transaction <Status of={of.status} />
            </h1>
            <Fields
              of={{
                Hash: <code>{of.hash}</code>,
                Result: of.status === 'error' ? <span class="bad">{of.result}</span> : null,
                Reason:
                  of.revert_reason === null ? null : 'raw' in of.revert_reason ? (
                    <code class="raw">{of.revert_reason.raw}</code>
                  ) : (
                    <DecodedCall of={of.revert_reason} />
                  ),
                Block:
                  of.block_number !== null ? (
                    <BlockLink number={of.block_number} />
                  ) : of.status === null ? (
                    'waiting'
                  ) : null,
                Time: of.timestamp === null ? null : utcTime(of.timestamp),
                From: <Address of={of.from} full />,
                To: of.to === null ? null : <Address of={of.to} full />,
                Created: of.created_contract === null ? null : <Address of={of.created_contract} full />,
                Value: <Coins value={of.value} digits={18} />,
                Fee: of.fee.value === null ? null : <Coins value={of.fee.value} digits={18} />,
                Gas: `${of.gas_used === null ? '' : `${withCommas(of.gas_used)} of `}${withCommas(of.gas_limit)}`,
                'Gas price': of.gas_price === null ? null : gwei(of.gas_price, 9),
                Nonce: of.nonce,
                Delegations:
                  of.authorization_list === undefined || of.authorization_list.length === 0
                    ? null
                    : of.authorization_list.map(({ authority, address_hash, nonce, status }) => (
                        <div key={`${authority} ${address_hash} ${nonce}`} class="mono">
                          {authority === null ? (
                            '—'
                          ) : (
                            <Link href={`/address/${authority}`}>{abbreviated(authority)}</Link>
                          )}{' '}
                          runs <Link href={`/address/${address_hash}`}>{abbreviated(address_hash)}</Link>{' '}
                          <span class={status === 'ok' || status === null ? 'faint' : 'bad'}>
                            {status ?? 'waiting'}
                          </span>
                        </div>
                      )),
                Input:
                  of.decoded_input !== null ? (
                    <DecodedCall of={of.decoded_input} />
                  ) : of.raw_input === '0x' ? null : (
                    <code class="raw">{of.raw_input}</code>
                  ),
              }}
            />
          </section>
          {of.block_number !== null && (
            <Tabs of={tabs} chosen={of.token_transfers?.length === 0 ? 'Logs' : undefined} />
          )}
        </>
      )}
    </Loaded>
  )
}
