// Charts of the chain: its newest blocks, and daily statistics.
import { useMemo } from 'preact/hooks'
import { api, type Block, type ChartLine, type ChartSections, statistics, useBlockVersion, useRead } from '../api.ts'
import type { Point } from '../charts/chart.tsx'
import { LazyChart } from '../charts/lazy-chart.tsx'
import { units, withCommas } from '../format.ts'
import { useQuery } from '../location.ts'
import { Choice } from '../parts/choice.tsx'
import { COIN, Loaded, type Tab, Tabs } from '../parts.tsx'

export default function StatsPage() {
  const sections = useRead(statistics('/lines'))
  return (
    <>
      <section class="card">
        <h1>Charts</h1>
        <p class="note">Days begin at 00:00 UTC, by the clock of the chain.</p>
      </section>
      <Loaded reading={sections}>{({ sections: of }) => <Tabs of={[newestBlocks, ...of.map(sectionTab)]} />}</Loaded>
    </>
  )
}

const newestBlocks: Tab = { name: 'Newest blocks', content: () => <NewestBlocks /> }

function NewestBlocks() {
  const reading = useRead(api('/blocks'), useBlockVersion())
  return <Loaded reading={reading}>{({ items }) => <BlockCharts of={items} />}</Loaded>
}

const pointsOf = (blocks: readonly Block[], of: (block: Block) => readonly [y: number, value: string]): Point[] =>
  blocks.map((block) => {
    const [y, value] = of(block)
    return { x: block.height, y, name: String(block.height), value }
  })

/** The coin's units, each a billion of the next. */
const COIN_UNITS: readonly (string | undefined)[] = [COIN, 'gwei', 'wei']
/** If no value reaches this, the values are in the next smaller unit: zeros are hard to count. */
const LEAST_SHOWN = 0.001
const NEXT = 1e9
/** Significant digits of a calculated value. */
const DIGITS = 12

type InUnit = { readonly unit: string | undefined; readonly points: readonly Point[] }

/** Amounts of coins in a unit that shows digits of them: the base fee of an idle chain falls to a few wei. */
function inFittingUnit(unit: string | undefined, points: readonly Point[]): InUnit {
  const most = Math.max(0, ...points.map(({ y }) => y))
  const smaller = COIN_UNITS.includes(unit) ? COIN_UNITS[COIN_UNITS.indexOf(unit) + 1] : undefined
  if (smaller === undefined || most === 0 || most >= LEAST_SHOWN) return { unit, points }
  const changed = points.map((point) => {
    const y = Number((point.y * NEXT).toPrecision(DIGITS))
    return { ...point, y, value: String(y) }
  })
  return inFittingUnit(smaller, changed)
}

function BlockCharts({ of }: { of: readonly Block[] }) {
  const charts = useMemo(() => {
    const blocks = [...of].reverse()
    const before = new Map(blocks.map((block, i) => [block.height, blocks[i - 1]]))
    return {
      gas: pointsOf(blocks, ({ gas_used }) => [Number(gas_used), withCommas(gas_used)]),
      transactions: pointsOf(blocks, ({ transactions_count: n }) => [n, withCommas(n)]),
      fees: inFittingUnit(
        'gwei',
        pointsOf(blocks, ({ base_fee_per_gas: wei }) => [Number(wei ?? 0) / 1e9, units(wei ?? '0', 9, 9)]),
      ),
      seconds: pointsOf(
        // The time between the genesis and the first block is arbitrary.
        blocks.filter(({ height }) => height > 1 && before.get(height) !== undefined),
        ({ height, timestamp }) => {
          const seconds = (Date.parse(timestamp) - Date.parse(before.get(height)?.timestamp ?? timestamp)) / 1000
          return [seconds, String(seconds)]
        },
      ),
    }
  }, [of])
  return (
    <div class="plots">
      <LazyChart title="Gas used by block" unit="gas" points={charts.gas} scale="block" form="bars" />
      <LazyChart title="Transactions by block" points={charts.transactions} scale="block" form="bars" />
      <LazyChart title="Base fee by block" {...charts.fees} scale="block" form="line" />
      <LazyChart title="Time between blocks" unit="seconds" points={charts.seconds} scale="block" form="line" />
    </div>
  )
}

const RESOLUTIONS = { WEEK: 'weeks', MONTH: 'months' } as const

const sectionTab = ({ title, charts }: ChartSections['sections'][number]): Tab => ({
  name: title,
  content: () => <Section of={charts} />,
})

function Section({ of }: { of: ChartSections['sections'][number]['charts'] }) {
  const [{ by }] = useQuery()
  const resolution = by === 'WEEK' || by === 'MONTH' ? by : 'DAY'
  return (
    <>
      <div class="above">
        <Choice name="by" label="Period of a point" of={Object.keys(RESOLUTIONS)} titles={RESOLUTIONS} all="days" />
      </div>
      <div class="plots">
        {of.map(({ id }) => (
          <Line key={id} name={id} resolution={resolution} isSum={id.endsWith('Growth')} />
        ))}
      </div>
    </>
  )
}

/** Maximum points of a chart: two months of days. */
const SHOWN = 60

/** `isSum`: the values are cumulative, not per period. */
function Line({
  name,
  resolution,
  isSum,
}: {
  name: string
  resolution: 'DAY' | keyof typeof RESOLUTIONS
  isSum: boolean
}) {
  const reading = useRead(statistics('/lines/{name}', { name, resolution }))
  const { data } = reading
  const values = useMemo(() => inFittingUnit(data?.info.units, data === undefined ? [] : linePoints(data)), [data])
  return (
    <Loaded reading={reading}>
      {({ info: { title } }) => <LazyChart title={title} {...values} scale="time" form={isSum ? 'line' : 'bars'} />}
    </Loaded>
  )
}

const linePoints = ({ chart }: ChartLine): Point[] =>
  chart.slice(-SHOWN).map(({ date, value }) => ({ x: Date.parse(date) / 1000, y: Number(value), name: date, value }))
