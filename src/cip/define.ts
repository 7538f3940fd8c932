// An improvement proposal: a name and what it does to the opcode table. It is inactive until the chain's parameters list
// it; then it applies to blocks from there on and to no earlier one.

import type { expansionGas } from '../evm/gas/memory-gas.ts'
import type { JumpTable, maxStackAtEntry } from '../evm/jump-table.ts'

/** What a proposal may use without importing anything. */
export type Tools = {
  /** Gas of growing the memory to this many bytes. */
  readonly expansionGas: typeof expansionGas
  /** The limit at entry of an opcode that may leave a full stack. */
  readonly maxStackAtEntry: typeof maxStackAtEntry
}

export type Proposal = {
  /** `kestrel_7`; or `number` alone, and the chain's name is put before it. */
  readonly name?: string | undefined
  readonly number?: number | undefined
  readonly title: string
  /** The version of the frame that its functions are written for; left out: 1. */
  readonly frame?: 1 | undefined
  /** Changes the table; throws when it cannot. The same every time: nodes have to agree. */
  apply(table: JumpTable, tools: Tools): void
}

/** A proposal as it is written down, with its types. */
export const defineProposal = (proposal: Proposal): Proposal => proposal
