// Charts of the chain: its newest blocks, and daily statistics.
import { useMemo } from 'preact/hooks'
import { api, type Block, type ChartLine, type ChartSections, statistics, useBlockVersion, useRead } from '../api.ts'
import type { Point } from '../charts/chart.tsx'
import { LazyChart } from '../charts/lazy-chart.tsx'
import { units, withCommas } from '../format.ts'
import { useQuery } from '../location.ts'
import { Choice } from '../parts/choice.tsx'
import { Loaded, type Tab, Tabs } from '../parts.tsx'

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

function BlockCharts({ of }: { of: readonly Block[] }) {
  const charts = useMemo(() => {
    const blocks = [...of].reverse()
    const before = new Map(blocks.map((block, i) => [block.height, blocks[i - 1]]))
    return {
      gas: pointsOf(blocks, ({ gas_used }) => [Number(gas_used), withCommas(gas_used)]),
      transactions: pointsOf(blocks, ({ transactions_count: n }) => [n, withCommas(n)]),
      fees: pointsOf(blocks, ({ base_fee_per_gas: wei }) => [Number(wei ?? 0) / 1e9, units(wei ?? '0', 9, 9)]),
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
      <LazyChart title="Base fee by block" unit="gwei" points={charts.fees} scale="block" form="line" />
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
  const points = useMemo(() => (data === undefined ? [] : linePoints(data)), [data])
  return (
    <Loaded reading={reading}>
      {({ info: { title, units: unit } }) => (
        <LazyChart title={title} unit={unit} points={points} scale="time" form={isSum ? 'line' : 'bars'} />
      )}
    </Loaded>
  )
}

const linePoints = ({ chart }: ChartLine): Point[] =>
  chart.slice(-SHOWN).map(({ date, value }) => ({ x: Date.parse(date) / 1000, y: Number(value), name: date, value }))
