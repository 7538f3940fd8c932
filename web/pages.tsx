// The lists of the chain, and the pages of one block and of one token.
import { Link } from 'wouter-preact'
import {
  type Block,
  type Holder,
  type Token,
  type TokenInstance,
  type Transaction,
  type Transfer,
  useBlockVersion,
  useRead,
} from './api.ts'
import { gwei, units, utcTime, withCommas } from './format.ts'
import { Address, Coins, Fields, Loaded, PaginatedTable, Tabs } from './parts.tsx'
import { blockTable, holderTable, instanceTable, tokenTable, transactionTable, transferTable } from './tables.tsx'

export function Blocks() {
  const version = useBlockVersion()
  return (
    <section class="card">
      <h1>Blocks</h1>
      <PaginatedTable<Block> path="/blocks" table={blockTable} empty="There are no blocks." version={version} />
    </section>
  )
}

export function Transactions() {
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

export function Tokens() {
  return (
    <section class="card">
      <h1>Tokens</h1>
      <PaginatedTable<Token> path="/tokens" table={tokenTable} empty="There are no tokens on this chain yet." />
    </section>
  )
}

export function BlockPage({ id }: { id: string }) {
  const reading = useRead<Block>(`/blocks/${id}`)
  return (
    <Loaded reading={reading}>
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
                Time: utcTime(block.timestamp),
                Hash: <code>{block.hash}</code>,
                Parent:
                  block.height > 0 ? (
                    <Link class="mono" href={`/block/${block.parent_hash}`}>
                      {block.parent_hash}
                    </Link>
                  ) : null,
                Proposer: <Address of={block.miner} full />,
                Transactions: block.transactions_count,
                'Gas used': `${withCommas(block.gas_used)} of ${withCommas(block.gas_limit)}`,
                'Base fee': block.base_fee_per_gas === null ? null : gwei(block.base_fee_per_gas, 9),
                Fees: <Coins value={block.transaction_fees} digits={9} />,
                Size: `${withCommas(block.size)} bytes`,
              }}
            />
          </section>
          <section class="card">
            <h2>Transactions</h2>
            <PaginatedTable<Transaction>
              path={`/blocks/${block.height}/transactions`}
              table={transactionTable}
              empty="This block is empty."
            />
          </section>
        </>
      )}
    </Loaded>
  )
}

export function TokenPage({ hash }: { hash: string }) {
  const version = useBlockVersion()
  const reading = useRead<Token>(`/tokens/${hash}`, version)
  const base = `/tokens/${hash}`
  return (
    <Loaded reading={reading}>
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
                Holders: withCommas(of.holders_count),
              }}
            />
          </section>
          <Tabs
            of={[
              {
                name: 'Transfers',
                content: () => (
                  <PaginatedTable<Transfer>
                    path={`${base}/transfers`}
                    table={transferTable}
                    empty="It has not been moved."
                    version={version}
                  />
                ),
              },
              ...(of.type === 'ERC-20'
                ? []
                : [
                    {
                      name: 'Items',
                      content: () => (
                        <PaginatedTable<TokenInstance>
                          path={`${base}/instances`}
                          table={instanceTable}
                          empty="There are no items of it."
                          version={version}
                        />
                      ),
                    },
                  ]),
              {
                name: 'Holders',
                content: () => (
                  <PaginatedTable<Holder>
                    path={`${base}/holders`}
                    table={holderTable(of)}
                    empty="Nobody holds it."
                    version={version}
                  />
                ),
              },
            ]}
          />
        </>
      )}
    </Loaded>
  )
}
