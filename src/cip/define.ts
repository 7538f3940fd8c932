// An improvement proposal: a number and what it does to the opcode table. It is inactive until the chain's parameters
// list it, as `<chain name>_<number>`; then it applies to blocks from there on and to no earlier one.
import type { JumpTable } from '../evm/jump-table.ts'

export type Proposal = {
  readonly number: number
  readonly title: string
  apply(table: JumpTable): void
}

/** Checks a proposal as it is written down. */
export function defineProposal(proposal: Proposal): Proposal {
  if (!Number.isInteger(proposal.number) || proposal.number < 0) throw new RangeError(`proposal ${proposal.number}`)
  return proposal
}
