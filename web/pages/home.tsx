// The home page: statistics of the chain, its newest blocks and transactions.
import { useMemo } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { api, type Chart, type Stats, useBlockVersion, useRead } from '../api.ts'
import { LazyChart } from '../charts/lazy-chart.tsx'
import { gwei, withCommas } from '../format.ts'
import { CHAIN } from '../location.ts'
import { Address, BlockLink, Coins, Loaded, Status, Time, TransactionLink } from '../parts.tsx'

const SHOWN_BLOCKS = 4
const SHOWN_TRANSACTIONS = 8

export default function Home() {
  const version = useBlockVersion()
  const stats = useRead(api('/stats'), version)
  const blocks = useRead(api('/blocks', { items_count: SHOWN_BLOCKS }), version)
  const transactions = useRead(api('/transactions', { items_count: SHOWN_TRANSACTIONS }), version)
  const chart = useRead(api('/stats/charts/transactions'))
  return (
    <>
      <h1 class="unseen">{CHAIN}: blocks and transactions</h1>
      <Loaded reading={stats}>
        {(of) => (
          <section class="tiles" aria-label="Figures of the chain">
            <Tile
              name={of.first_block > 0 ? `Blocks since ${withCommas(of.first_block)}` : 'Blocks'}
              value={withCommas(of.total_blocks)}
            />
            <Tile name="Block time" value={`${(of.average_block_time / 1000).toFixed(1)} s`} />
            <Tile name="Transactions" value={withCommas(of.total_transactions)} />
            <Tile name="Addresses" value={withCommas(of.total_addresses)} />
            <Tile name="Gas price" value={gwei(weiOf(of.gas_prices.average))} />
            <Tile name="Utilisation" value={`${of.network_utilization_percentage.toFixed(1)} %`} />
          </section>
        )}
      </Loaded>
      <div class="halves">
        <section class="card">
          <h2>
            Latest blocks <Link href="/blocks">all →</Link>
          </h2>
          <Loaded reading={blocks}>
            {({ items }) => (
              <ul class="feed" data-test="blocks">
                {items.map(({ height, timestamp, transactions_count, gas_used_percentage }) => (
                  <li key={height}>
                    <BlockLink number={height} />
                    <span>
                      {transactions_count} {transactions_count === 1 ? 'transaction' : 'transactions'}
                    </span>
                    <span class="bar" title={`${gas_used_percentage.toFixed(2)} % of the gas limit`}>
                      <i style={{ width: `${Math.min(100, gas_used_percentage)}%` }} />
                    </span>
                    <Time at={timestamp} />
                  </li>
                ))}
              </ul>
            )}
          </Loaded>
          <Loaded reading={chart}>{({ chart_data }) => <DailyTransactions newestFirst={chart_data} />}</Loaded>
        </section>
        <section class="card">
          <h2>
            Latest transactions <Link href="/txs">all →</Link>
          </h2>
          <Loaded reading={transactions}>
            {({ items }) =>
              items.length === 0 ? (
                <p class="note">Nothing has been sent on this chain yet.</p>
              ) : (
                <ul class="feed sent" data-test="transactions">
                  {items.map(({ hash, from, to, created_contract, value, status, timestamp }) => (
                    <li key={hash}>
                      <TransactionLink hash={hash} />
                      <span class="nowrap parties">
                        <Address of={from} size={4} /> → <Address of={to ?? created_contract} size={4} />
                      </span>
                      <Coins value={value} />
                      {status === 'error' ? <Status of={status} /> : <Time at={timestamp} />}
                    </li>
                  ))}
                </ul>
              )
            }
          </Loaded>
        </section>
      </div>
    </>
  )
}

/** Wei of a gas price, which is decimal text, or an object if a header requests details. */
const weiOf = (price: Stats['gas_prices']['average']): string => (typeof price === 'string' ? price : price.wei)

const Tile = ({ name, value }: { name: string; value: string }) => (
  <div class="card tile">
    <span class="faint">{name}</span>
    <strong>{value}</strong>
  </div>
)

function DailyTransactions({ newestFirst }: { newestFirst: readonly Chart['chart_data'][number][] }) {
  const points = useMemo(
    () =>
      [...newestFirst].reverse().map(({ date, transactions_count: n }) => ({
        x: Date.parse(date) / 1000,
        y: n,
        name: date,
        value: withCommas(n),
      })),
    [newestFirst],
  )
  if (points.every(({ y }) => y === 0)) return null
  return <LazyChart title="Transactions per day" points={points} scale="time" form="bars" height={160} />
}
