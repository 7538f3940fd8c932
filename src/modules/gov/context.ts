// What every part of governance works on, and the words in which it refuses (the Cosmos SDK's).
import { toBech32 } from '../../lib/bech32.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Address } from '../../lib/hex.ts'
import type { NativeSpec } from '../../spec/chain-spec.ts'
import type { StateView } from '../../state/types.ts'
import type { Bank } from '../bank.ts'
import type { BlockInfo, Report } from '../module.ts'
import type { Staking } from '../staking/staking.ts'
import type { GovState, ProposalRecord, ProposalState } from './layout.ts'
import type { Reach } from './messages.ts'

export type GovContext = {
  readonly spec: NativeSpec
  readonly block: BlockInfo
  readonly view: StateView
  readonly bank: Bank
  readonly staking: Pick<Staking, 'bondedValidators' | 'validator' | 'delegationsOf' | 'totalBonded'>
  readonly state: GovState
  /** What messages change. */
  readonly reach: Reach
  readonly report: Report
}

export const refuse = (why: string): ChainError => new ChainError('execution-reverted', why)

export const nameOf = ({ spec }: GovContext, of: Address): string => toBech32(spec.bech32Prefix, of)

/** An amount of the base coin as the SDK prints it; nothing is printed for nothing. */
export const coinText = ({ spec }: GovContext, amount: bigint): string =>
  amount === 0n ? '' : `${amount}${spec.denom}`

export type Found = { readonly id: bigint; readonly proposal: ProposalState; readonly record: ProposalRecord }

/** Throws ChainError `proposal <id> doesn't exist`. */
export function requireProposal({ state }: GovContext, id: bigint): Found {
  const proposal = state.proposals.at(id)
  const record = proposal.record.get()
  if (record.status === 'none') throw refuse(`proposal ${id} doesn't exist`)
  return { id, proposal, record }
}
