// The home page answers at once what a developer asks: what has just happened, what failed and why, the accounts of the node,
// and how to connect.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { api, type Block, type Chart, type Stats, useBlockVersion, useRead } from '../api.ts'
import { LazyChart } from '../charts/lazy-chart.tsx'
import { gwei, withCommas } from '../format.ts'
import { OwnAccounts, useOwnAccounts } from '../home/accounts.tsx'
import { Connection, FirstSteps } from '../home/connect.tsx'
import { Feed } from '../home/feed.tsx'
import '../home/home.css'
import { Waiting } from '../home/waiting.tsx'
import { CHAIN } from '../location.ts'
import { BlockLink, Loaded, Time } from '../parts.tsx'

const SHOWN_BLOCKS = 5
const SHOWN_TRANSACTIONS = 10
const SHOWN_FAILED = 4

export default function Home() {
  const version = useBlockVersion()
  const stats = useRead(api('/stats'), version)
  const blocks = useRead(api('/blocks', { items_count: SHOWN_BLOCKS }), version)
  const latest = useRead(api('/transactions', { items_count: SHOWN_TRANSACTIONS, summaries: 'true' }), version)
  const failed = useRead(
    api('/transactions', { filter: 'failed', items_count: SHOWN_FAILED, summaries: 'true' }),
    version,
  ).data?.items
  const chart = useRead(api('/stats/charts/transactions')).data
  const accounts = useOwnAccounts()
  const newestBlocks = (
    <Card title="Latest blocks" all="/blocks" order={4}>
      <Loaded reading={blocks}>{({ items }) => <Blocks of={items} />}</Loaded>
    </Card>
  )
  return (
    <>
      <h1 class="unseen">{CHAIN}: what has happened</h1>
      <Loaded reading={stats}>{(of) => <Tiles of={of} />}</Loaded>
      <Connection />
      <div class="halves">
        <div>
          <Card title="Latest transactions" all="/txs" order={1}>
            <Waiting version={version} />
            <Loaded reading={latest}>
              {({ items }) =>
                items.length === 0 ? (
                  <FirstSteps accounts={accounts} />
                ) : (
                  <Feed of={items} test="transactions" isMarked />
                )
              }
            </Loaded>
          </Card>
          {accounts.length > 0 && newestBlocks}
        </div>
        <div>
          {failed !== undefined && failed.length > 0 && (
            <Card title="What failed, and why" all="/txs?tab=failed" order={2}>
              <Feed of={failed} test="failed" />
            </Card>
          )}
          {accounts.length > 0 ? <OwnAccounts of={accounts} version={version} order={3} /> : newestBlocks}
        </div>
      </div>
      {chart !== undefined && <DailyTransactions newestFirst={chart.chart_data} />}
    </>
  )
}

/** `order`: on a phone, where the two columns become one. */
const Card = ({
  title,
  all,
  order,
  children,
}: {
  title: string
  all: string
  order: number
  children: ComponentChildren
}) => (
  <section class="card" aria-label={title} style={{ order }}>
    <h2>
      {title} <Link href={all}>all →</Link>
    </h2>
    {children}
  </section>
)

const Tiles = ({ of }: { of: Stats }) => (
  <section class="tiles" aria-label="Figures of the chain">
    <Tile
      name={of.first_block > 0 ? `Blocks since ${withCommas(of.first_block)}` : 'Blocks'}
      value={withCommas(of.total_blocks)}
    />
    <Tile
      name="Block time"
      value={of.average_block_time === 0 ? '—' : `${(of.average_block_time / 1000).toFixed(1)} s`}
    />
    <Tile name="Transactions" value={withCommas(of.total_transactions)} />
    <Tile name="Addresses" value={withCommas(of.total_addresses)} />
    <Tile name="Gas price" value={gwei(weiOf(of.gas_prices.average))} />
    <Tile name="Utilisation" value={`${of.network_utilization_percentage.toFixed(1)} %`} />
  </section>
)

/** Wei of a gas price, which is decimal text, or an object if a header requests details. */
const weiOf = (price: Stats['gas_prices']['average']): string => (typeof price === 'string' ? price : price.wei)

const Tile = ({ name, value }: { name: string; value: string }) => (
  <div class="card tile">
    <span class="faint">{name}</span>
    <strong>{value}</strong>
  </div>
)

const Blocks = ({ of }: { of: readonly Block[] }) => (
  <ul class="feed blocks" data-test="blocks">
    {of.map(({ height, timestamp, transactions_count, gas_used_percentage }) => (
      <li key={height}>
        <BlockLink number={height} />
        <span class={transactions_count === 0 ? 'faint' : ''}>
          {transactions_count} {transactions_count === 1 ? 'transaction' : 'transactions'}
        </span>
        <span class="bar" title={`${gas_used_percentage.toFixed(2)} % of the gas limit`}>
          <i style={{ width: `${Math.min(100, gas_used_percentage)}%` }} />
        </span>
        <Time at={timestamp} />
      </li>
    ))}
  </ul>
)

/** Nothing until two days have transactions: one bar says what the figures say. */
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
  if (points.filter(({ y }) => y > 0).length < 2) return null
  return (
    <section class="card">
      <LazyChart title="Transactions per day" points={points} scale="time" form="bars" height={160} />
    </section>
  )
}
