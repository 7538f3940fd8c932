// The page of one block, with its transactions.
import { Link } from 'wouter-preact'
import { type Block, type Transaction, useRead } from '../api.ts'
import { gwei, utcTime, withCommas } from '../format.ts'
import { Address, Coins, Fields, Loaded, PaginatedTable } from '../parts.tsx'
import { transactionTable } from '../tables.tsx'

export default function BlockPage({ id }: { id: string }) {
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
