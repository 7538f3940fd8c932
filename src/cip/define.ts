// An opcode proposal: a name and a change of the opcode table. It is inactive until the chain's parameters list it, and applies
// only to blocks from there on.

import type { expansionGas } from '../evm/gas/memory-gas.ts'
import type { JumpTable, maxStackAtEntry } from '../evm/jump-table.ts'

/** Functions that a proposal may use without an import. */
export type Tools = {
  /** Gas of growing the memory to this many bytes. */
  readonly expansionGas: typeof expansionGas
  /** Maximum stack height before an opcode, so that the stack does not overflow after it. */
  readonly maxStackAtEntry: typeof maxStackAtEntry
}

export type Proposal = {
  /** `kestrel_7`; or only `number`, which gets the chain's name as a prefix. */
  readonly name?: string | undefined
  readonly number?: number | undefined
  readonly title: string
  /** The frame version that its functions are written for; left out: 1. */
  readonly frame?: 1 | undefined
  /** Changes the table; throws if it cannot. Must be deterministic, because nodes have to agree. */
  apply(table: JumpTable, tools: Tools): void
}

/** Returns the proposal; gives the literal its type. */
export const defineProposal = (proposal: Proposal): Proposal => proposal
