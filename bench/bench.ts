// Types of the benchmarks. A group is a set of rows with one set-up, which runs once on each of the two nodes; each row is
// then measured on both nodes in turns. A row belongs to one node: it closes over what its group prepared there.

import type { Contender } from './contenders.ts'
import type { Generator } from './load/generator.ts'

export type Row = {
  readonly name: string
  readonly unit: string
  readonly better: 'more' | 'less'
  /** One measurement in the row's unit. Throws when the node did not do the work. */
  run(): Promise<number>
  /** The result of the work; it must be equal on both nodes. */
  readonly answer?: string
  /** The value in another unit, for the table. */
  note?(value: number): string
  /** The row counts requests per second, which the load generator may limit. */
  readonly isLoad?: boolean
}

export type Group = {
  readonly name: string
  readonly title: string
  /** Who can run the group: the explorer exists in kestrel only, single functions are those of this checkout. */
  readonly of: 'both' | 'kestrel' | 'here'
  rows(contender: Contender, bench: Bench): Promise<readonly Row[]>
}

/** The context that every group receives. */
export type Bench = {
  readonly generator: Generator
  /** Chooses the size for a full run, or for a quick run, which only shows that everything works. */
  size(full: number, quick: number): number
}
