// The pages: one record of the chain each, with the lists that belong to it.
import { Link } from 'wouter-preact'
import type { Account, Block, Call, Holder, Holding, Log, Token, Transaction, Transfer } from './api.ts'
import { useBlocks, useRead } from './api.ts'
import {
  blockColumns,
  callColumns,
  coinColumns,
  holderColumns,
  holdingColumns,
  logColumns,
  tokenColumns,
  transactionColumns,
  transferColumns,
} from './columns.tsx'
import { clock, gwei, short, units, whole } from './format.ts'
import {
  Address,
  BlockLink,
  Call as CallOf,
  Coins,
  Fields,
  Listing,
  Rows,
  Shown,
  Status,
  type Tab,
  Tabs,
  TransactionLink,
} from './parts.tsx'

export function Blocks() {
  const version = useBlocks()
  return (
    <section class="card">
      <h1>Blocks</h1>
      <Listing<Block> path="/blocks" columns={blockColumns} empty="There are no blocks." version={version} />
    </section>
  )
}

export function Transactions() {
  const version = useBlocks()
  const validated = () => (
    <Listing<Transaction>
      path="/transactions?filter=validated"
      columns={transactionColumns}
      empty="Nothing has been sent on this chain yet."
      version={version}
    />
  )
  const pending = () => (
    <Listing<Transaction>
      path="/transactions?filter=pending"
      columns={transactionColumns}
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

export function Tokens() {
  return (
    <section class="card">
      <h1>Tokens</h1>
      <Listing<Token> path="/tokens" columns={tokenColumns} empty="There are no tokens on this chain yet." />
    </section>
  )
}

export function BlockPage({ id }: { id: string }) {
  const reading = useRead<Block>(`/blocks/${id}`)
  return (
    <Shown reading={reading}>
      {(block) => (
        <>
          <section class="card">
            <h1>
              Block {block.height}
              <span class="steps">
                {block.height > 0 && <Link href={`/block/${block.height - 1}`}>←</Link>}
                <Link href={`/block/${block.height + 1}`}>→</Link>
              </span>
            </h1>
            <Fields
              of={{
                Time: clock(block.timestamp),
                Hash: <code>{block.hash}</code>,
                Parent:
                  block.height > 0 ? (
                    <Link class="mono" href={`/block/${block.parent_hash}`}>
                      {block.parent_hash}
                    </Link>
                  ) : null,
                Proposer: <Address of={block.miner} full />,
                Transactions: block.transactions_count,
                'Gas used': `${whole(block.gas_used)} of ${whole(block.gas_limit)}`,
                'Base fee': block.base_fee_per_gas === null ? null : gwei(block.base_fee_per_gas),
                Fees: <Coins value={block.transaction_fees} digits={9} />,
                Size: `${whole(block.size)} bytes`,
              }}
            />
          </section>
          <section class="card">
            <h2>Transactions</h2>
            <Listing<Transaction>
              path={`/blocks/${block.height}/transactions`}
              columns={transactionColumns}
              empty="This block is empty."
            />
          </section>
        </>
      )}
    </Shown>
  )
}

export function TransactionPage({ hash }: { hash: string }) {
  const version = useBlocks()
  const reading = useRead<Transaction>(`/transactions/${hash}`, version)
  const base = `/transactions/${hash}`
  const tabs: readonly Tab[] = [
    {
      name: 'Token transfers',
      content: () => (
        <Listing<Transfer> path={`${base}/token-transfers`} columns={transferColumns} empty="It moved no tokens." />
      ),
    },
    {
      name: 'Internal',
      content: () => (
        <Listing<Call & { transaction_hash: string }>
          path={`${base}/internal-transactions`}
          columns={callColumns}
          empty="It called nothing else."
        />
      ),
    },
    {
      name: 'Logs',
      content: () => <Listing<Log> path={`${base}/logs`} columns={logColumns} empty="It logged nothing." />,
    },
  ]
  return (
    <Shown reading={reading}>
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
                Block: of.block_number === null ? 'waiting' : <BlockLink number={of.block_number} />,
                Time: of.timestamp === null ? null : clock(of.timestamp),
                From: <Address of={of.from} full />,
                To: of.to === null ? null : <Address of={of.to} full />,
                Created: of.created_contract === null ? null : <Address of={of.created_contract} full />,
                Value: <Coins value={of.value} digits={18} />,
                Fee: of.fee.value === null ? null : <Coins value={of.fee.value} digits={18} />,
                Gas: `${of.gas_used === null ? '' : `${whole(of.gas_used)} of `}${whole(of.gas_limit)}`,
                'Gas price': of.gas_price === null ? null : gwei(of.gas_price),
                Nonce: of.nonce,
                Input:
                  of.decoded_input !== null ? (
                    <CallOf of={of.decoded_input} />
                  ) : of.raw_input === '0x' ? null : (
                    <code class="raw">{of.raw_input}</code>
                  ),
              }}
            />
          </section>
          {of.status !== null && <Tabs of={tabs} />}
        </>
      )}
    </Shown>
  )
}

export function AddressPage({ hash }: { hash: string }) {
  const version = useBlocks()
  const base = `/addresses/${hash}`
  const reading = useRead<Account>(base, version)
  const counts = useRead<Record<string, number>>(`${base}/tabs-counters`, version).data
  const list =
    <T,>(path: string, columns: Parameters<typeof Listing<T>>[0]['columns'], empty: string) =>
    () => <Listing<T> path={`${base}/${path}`} columns={columns} empty={empty} version={version} />
  const tabs: readonly Tab[] = [
    {
      name: 'Transactions',
      count: counts?.transactions_count,
      content: list<Transaction>('transactions', transactionColumns, 'No transaction has touched it.'),
    },
    {
      name: 'Token transfers',
      count: counts?.token_transfers_count,
      content: list<Transfer>('token-transfers', transferColumns, 'It has moved no tokens.'),
    },
    {
      name: 'Tokens',
      count: counts?.token_balances_count,
      content: () => <Holdings of={hash} version={version} />,
    },
    {
      name: 'Internal',
      count: counts?.internal_transactions_count,
      content: list<Call & { transaction_hash: string }>(
        'internal-transactions',
        callColumns,
        'No contract has called it.',
      ),
    },
    { name: 'Coin history', content: list('coin-balance-history', coinColumns, 'Its balance has never changed.') },
    { name: 'Logs', count: counts?.logs_count, content: list<Log>('logs', logColumns, 'It has logged nothing.') },
  ]
  return (
    <Shown reading={reading}>
      {(of) => (
        <>
          <section class="card">
            <h1>
              {of.is_contract ? 'Contract' : 'Address'} {of.name !== null && <span class="faint">{of.name}</span>}
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
                        {short(of.creator_address_hash)}
                      </Link>
                      {of.creation_transaction_hash !== null && (
                        <>
                          {' in '}
                          <TransactionLink hash={of.creation_transaction_hash} />
                        </>
                      )}
                    </>
                  ),
                Source: of.is_contract ? (of.is_verified === true ? 'verified' : 'not verified') : null,
              }}
            />
          </section>
          <Tabs of={tabs} />
        </>
      )}
    </Shown>
  )
}

function Holdings({ of, version }: { of: string; version: number }) {
  const reading = useRead<Holding[]>(`/addresses/${of}/token-balances`, version)
  return (
    <Shown reading={reading}>{(rows) => <Rows of={rows} columns={holdingColumns} empty="It holds no tokens." />}</Shown>
  )
}

export function TokenPage({ hash }: { hash: string }) {
  const version = useBlocks()
  const reading = useRead<Token>(`/tokens/${hash}`, version)
  const base = `/tokens/${hash}`
  return (
    <Shown reading={reading}>
      {(of) => (
        <>
          <section class="card">
            <h1>
              {of.name ?? 'Token'} <span class="faint">{of.symbol}</span>
            </h1>
            <Fields
              of={{
                Contract: (
                  <Link class="mono" href={`/address/${of.address_hash}`}>
                    {of.address_hash}
                  </Link>
                ),
                Type: of.type,
                Supply: of.total_supply === null ? null : units(of.total_supply, Number(of.decimals ?? 0), 18),
                Decimals: of.decimals,
                Holders: whole(of.holders_count),
              }}
            />
          </section>
          <Tabs
            of={[
              {
                name: 'Transfers',
                content: () => (
                  <Listing<Transfer>
                    path={`${base}/transfers`}
                    columns={transferColumns}
                    empty="It has not been moved."
                    version={version}
                  />
                ),
              },
              {
                name: 'Holders',
                content: () => (
                  <Listing<Holder>
                    path={`${base}/holders`}
                    columns={holderColumns(of)}
                    empty="Nobody holds it."
                    version={version}
                  />
                ),
              },
            ]}
          />
        </>
      )}
    </Shown>
  )
}
