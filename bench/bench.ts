// The words of this folder. A group is a set of rows that share a set-up; it is set up once for each of the two nodes,
// and a row is then measured on them in turns. A row belongs to one node: it closes over what its group prepared there.

import type { Contender } from './contenders.ts'
import type { Generator } from './load/generator.ts'

export type Row = {
  readonly name: string
  readonly unit: string
  readonly better: 'more' | 'less'
  /** One measurement in the row's unit. Throws when the node did not do the work. */
  run(): Promise<number>
  /** What the work's result was: it must be the same on both nodes. */
  readonly answer?: string
  /** The value in other words, for the table. */
  note?(value: number): string
  /** Requests a second, which the load generator may bound. */
  readonly isLoad?: boolean
}

export type Group = {
  readonly name: string
  readonly title: string
  /** Only kestrel has it (its explorer, its own functions), or anvil too. */
  readonly of: 'both' | 'kestrel'
  rows(contender: Contender, bench: Bench): Promise<readonly Row[]>
}

/** What every group may use. */
export type Bench = {
  readonly generator: Generator
  /** A number for a full run, and one for a quick run that only shows that all works. */
  size(full: number, quick: number): number
}
