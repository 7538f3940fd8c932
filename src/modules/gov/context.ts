// The context of governance's functions: block, state, and the modules that a proposal may change.

import { toBech32 } from '../../lib/bech32.ts'
import type { Address } from '../../lib/hex.ts'
import type { NativeSpec } from '../../spec/chain-spec.ts'
import type { StateView } from '../../state/types.ts'
import type { Bank } from '../bank.ts'
import type { Distribution } from '../distribution/distribution.ts'
import type { Erc20 } from '../erc20/erc20.ts'
import type { Ibc } from '../ibc/ibc.ts'
import type { Inflation } from '../inflation.ts'
import type { BlockInfo, Report } from '../module.ts'
import { reverted } from '../module.ts'
import type { Params } from '../params.ts'
import type { Slashing } from '../slashing/slashing.ts'
import type { Staking } from '../staking/staking.ts'
import type { Transfer } from '../transfer/transfer.ts'
import type { Upgrades } from '../upgrade.ts'
import type { Vesting } from '../vesting/vesting.ts'
import type { GovParams, GovState, ProposalRecord, ProposalState } from './layout.ts'

/** The modules that a proposal's messages may change. */
export type GovernedModules = {
  readonly params: Params
  readonly erc20: Erc20
  readonly staking: Staking
  readonly slashing: Slashing | undefined
  readonly distribution: Distribution
  readonly vesting: Vesting
  readonly inflation: Inflation
  readonly transfer: Transfer
  readonly ibc: Ibc | undefined
  readonly upgrades: Upgrades
  readonly gov: GovAccount
}

/** What governance does to itself. */
export type GovAccount = {
  updateParams(params: GovParams): void
  /** Sends base units that are no deposits. Throws ChainError. */
  send(to: Address, amount: bigint): void
  /** Throws ChainError unless the account holds this many base units beside the deposits. */
  requireCoins(amount: bigint): void
}

export type GovContext = {
  readonly spec: NativeSpec
  readonly block: BlockInfo
  readonly view: StateView
  readonly bank: Bank
  readonly staking: Pick<Staking, 'bondedValidators' | 'validator' | 'delegationsOf' | 'totalBonded'>
  readonly state: GovState
  readonly governed: GovernedModules
  readonly report: Report
}

export const nameOf = ({ spec }: GovContext, of: Address): string => toBech32(spec.bech32Prefix, of)

/** An amount of the base coin in the SDK's format; empty for zero. */
export const coinText = ({ spec }: GovContext, amount: bigint): string =>
  amount === 0n ? '' : `${amount}${spec.denom}`

export type FoundProposal = { readonly id: bigint; readonly proposal: ProposalState; readonly record: ProposalRecord }

/** Throws ChainError `proposal <id> doesn't exist`. */
export function requireProposal({ state }: GovContext, id: bigint): FoundProposal {
  const proposal = state.proposals.at(id)
  const record = proposal.record.get()
  if (record.status === 'none') throw reverted(`proposal ${id} doesn't exist`)
  return { id, proposal, record }
}
