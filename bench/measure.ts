// Measures one group on all nodes: set-up on each, then each row in rounds that alternate between the nodes. A row that fails
// reports its error and does not end the run.
import type { Bench, Group, Row } from './bench.ts'
import type { Contender, Name } from './contenders.ts'
import { summarize } from './statistics.ts'

export type Measured = {
  readonly group: string
  readonly title: string
  readonly name: string
  readonly unit: string
  readonly better: 'more' | 'less'
  readonly isLoad: boolean
  /** Values of the rounds for each node; empty when the row failed. */
  readonly values: Readonly<Partial<Record<Name, readonly number[]>>>
  /** CPU of one piece of work in microseconds, in the same rounds; empty where it was not measured. */
  readonly cpu: Readonly<Partial<Record<Name, readonly number[]>>>
  /** The medians in another unit. */
  readonly notes: Readonly<Partial<Record<Name, string>>>
  readonly failures: Readonly<Partial<Record<Name, string>>>
}

export type How = { readonly rounds: number; readonly log: (line: string) => void }

/** Measures every row of the group. A node's failure is reported in the row and not thrown. */
export async function measure(
  group: Group,
  contenders: readonly Contender[],
  bench: Bench,
  { rounds, log }: How,
): Promise<readonly Measured[]> {
  log(group.title)
  const prepared = new Map<Name, readonly Row[]>()
  const failures: Partial<Record<Name, string>> = {}
  try {
    for (const contender of contenders) {
      if (group.of === 'here' && contender.name !== 'kestrel') continue
      if (group.of === 'kestrel' && contender.program !== 'kestrel') continue
      try {
        prepared.set(contender.name, await group.rows(contender, bench))
      } catch (error) {
        failures[contender.name] = messageOf(error)
        log(`  ${contender.name}: ${messageOf(error)}`)
      }
    }
    if (prepared.size === 0) return [{ ...NOT_SET_UP, group: group.name, title: group.title, failures }]
    const longest = [...prepared.values()].reduce((most, rows) => Math.max(most, rows.length), 0)
    const measured: Measured[] = []
    for (let index = 0; index < longest; index++) {
      const same = [...prepared].flatMap(([name, rows]) =>
        rows.slice(index, index + 1).map((row) => [name, row] as const),
      )
      const of = await measureRow(group, same, rounds)
      measured.push({ ...of, failures: { ...failures, ...of.failures } })
      log(
        `  ${of.name}: ${[
          ...Object.entries(of.values),
          ...Object.entries(of.cpu).map(([name, of]) => [`CPU of ${name}`, of] as const),
        ]
          .map(([name, values]) => `${name} ${values.map(round).join(' ')}`)
          .join(', ')}`,
      )
      for (const [name, failure] of Object.entries(of.failures)) log(`  ${name}: ${failure}`)
    }
    return measured
  } finally {
    for (const contender of contenders) await contender.stopAll()
    await group.close?.()
  }
}

const NOT_SET_UP = { name: 'set-up', unit: '', better: 'more', isLoad: false, values: {}, cpu: {}, notes: {} } as const

async function measureRow(group: Group, rows: readonly (readonly [Name, Row])[], rounds: number): Promise<Measured> {
  const [, first] = rows[0] ?? []
  if (first === undefined) throw new RangeError('no row')
  const values: Partial<Record<Name, number[]>> = {}
  const cpu: Partial<Record<Name, number[]>> = {}
  const notes: Partial<Record<Name, string>> = {}
  const failures: Partial<Record<Name, string>> = {}
  if (new Set(rows.map(([, { answer }]) => answer)).size > 1)
    for (const [name, { answer }] of rows) failures[name] = `the nodes differ: ${answer}`
  for (let round = 0; round < rounds; round++) {
    for (const [name, row] of rows) {
      if (failures[name] !== undefined) continue
      try {
        const sample = await row.run()
        values[name] = [...(values[name] ?? []), sample.value]
        if (sample.cpu !== undefined) cpu[name] = [...(cpu[name] ?? []), sample.cpu]
      } catch (error) {
        failures[name] = messageOf(error)
      }
    }
  }
  for (const [name, { note }] of rows) {
    if (failures[name] !== undefined) {
      delete values[name]
      delete cpu[name]
    }
    const known = values[name]
    if (note !== undefined && known !== undefined) notes[name] = note(summarize(known).median)
  }
  const { name, unit, better, isLoad = false } = first
  return { group: group.name, title: group.title, name, unit, better, isLoad, values, cpu, notes, failures }
}

const round = (value: number): number => Number(value.toPrecision(3))
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500)
