// Where the gas of a transaction went: a flame graph, a table of functions, and the sources with the gas of each line.
import { useMemo } from 'preact/hooks'
import { type FunctionGas, functionsOf, type GasProfile, gasProfile, linesOf } from '../../src/contracts/gas-profile.ts'
import type { SolidityTrace } from '../../src/contracts/solidity-trace.ts'
import type { Reading, Transaction } from '../api.ts'
import { withCommas } from '../format.ts'
import { Cut, Loaded, Rows, type Table } from '../parts.tsx'
import { FlameGraph } from './flame-graph.tsx'
import { LazySource } from './lazy-source.tsx'
import type { SourceLine } from './source.tsx'

/** Lines shown around those that ran. */
const AROUND = 1
const MOST_FUNCTIONS = 100
const MOST_LINES = 2_000

export function Gas({ of, trace }: { of: Transaction; trace: Reading<SolidityTrace> }) {
  if (trace.error !== undefined) return <p class="note">The node does not tell it: {trace.error.message}</p>
  return <Loaded reading={trace}>{(traced) => <Profile of={of} trace={traced} />}</Loaded>
}

function Profile({ of: { gas_limit, gas_used }, trace }: { of: Transaction; trace: SolidityTrace }) {
  const profile = useMemo(
    () => gasProfile(trace, { gasLimit: Number(gas_limit), gasUsed: Number(gas_used ?? 0) }),
    [trace, gas_limit, gas_used],
  )
  const files = useMemo(() => filesOf(trace, profile), [trace, profile])
  return (
    <>
      <p class="note">
        {withCommas(profile.total)} gas{profile.refund > 0 && `, of which ${withCommas(profile.refund)} were refunded`}
        {trace.isCut && '. The first steps were not kept: lines and internal calls of the beginning are missing'}
      </p>
      <FlameGraph key={String(profile.total)} of={profile} />
      <Rows
        of={functionsOf(profile).slice(0, MOST_FUNCTIONS)}
        table={functionTable(profile)}
        empty="No gas was used."
        label="Gas by function"
      />
      {files.map(({ path, lines }) => (
        <LazySource key={path} title={path} lines={lines} />
      ))}
    </>
  )
}

const percent = (part: number, whole: number): string => (whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`)

const functionTable = ({ total }: GasProfile): Table<FunctionGas> => ({
  keyOf: ({ name }) => name,
  columns: [
    ['Function', ({ name }) => <Cut text={name} />],
    ['Calls', ({ count }) => withCommas(count), 'number'],
    ['Gas of its own', ({ own }) => withCommas(own), 'number'],
    ['Share', ({ own }) => percent(own, total), 'number'],
    ['With what it calls', ({ gas }) => withCommas(gas), 'number'],
  ],
})

type File = { readonly path: string; readonly lines: readonly SourceLine[] }

/** The lines that ran, and those around them, of the sources that are known. */
function filesOf(trace: SolidityTrace, { total }: GasProfile): readonly File[] {
  const ran = linesOf(trace)
  const most = Math.max(1, ...ran.map(({ gas }) => gas))
  return (trace.sources ?? []).map(({ path, text }) => {
    const own = new Map(ran.flatMap(({ file, line, gas }) => (file === path ? [[line, gas] as const] : [])))
    const isNear = (number: number) =>
      Array.from({ length: 2 * AROUND + 1 }, (_, i) => number - AROUND + i).some((near) => own.has(near))
    const lines = text.split('\n').flatMap((line, i): SourceLine[] => {
      const gas = own.get(i + 1)
      if (!isNear(i + 1)) return []
      const note = gas === undefined ? undefined : `${withCommas(gas)} ${percent(gas, total)}`
      return [{ number: i + 1, text: line, note, heat: (gas ?? 0) / most }]
    })
    return { path, lines: lines.slice(0, MOST_LINES) }
  })
}
