// Types of the benchmarks. A group is a set of rows with one set-up, which runs once on each of the two nodes; each row is then
// measured on both nodes in turns. A row is bound to one node: it closes over what its group prepared there.

import type { Contender } from './contenders.ts'
import type { Generator } from './load/generator.ts'

/** One measurement. */
export type Sample = {
  /** In the row's unit. */
  readonly value: number
  /** CPU of the node's process for one piece of work, in microseconds; undefined where it says nothing, or outside of Linux. */
  readonly cpu?: number | undefined
}

export type Row = {
  readonly name: string
  readonly unit: string
  readonly better: 'more' | 'less'
  /** One measurement. Throws when the node did not do the work. */
  run(): Promise<Sample>
  /** The result of the work; it must be equal on both nodes. */
  readonly answer?: string
  /** The value in another unit, for the table. */
  note?(value: number): string
  /** Whether the row counts requests per second, which the load generator may limit. */
  readonly isLoad?: boolean
}

export type Group = {
  readonly name: string
  readonly title: string
  /**
   * The programs that can run the group: only kestrel has the explorer, and micro benchmarks run functions of this checkout.
   */
  readonly of: 'both' | 'kestrel' | 'here'
  rows(contender: Contender, bench: Bench): Promise<readonly Row[]>
  /** Ends what the group has started beside the contenders' nodes. */
  close?(): Promise<void>
}

/** The context that every group receives. */
export type Bench = {
  readonly generator: Generator
  /** Folder of a stored chain (`make-chain.ts`); undefined: a small one is made. */
  readonly chain: string | undefined
  /** Chooses the size for a full run, or for a quick run, which only checks that everything works. */
  size(full: number, quick: number): number
}
