// The history of the parameters. Only the genesis' upgrades and passed proposals change them, and a proposal contains the whole
// new set, so the history follows from the specification and the stored proposals even if states were pruned.
import { ChainError } from '../../lib/errors.ts'
import { NO_CONSENSUS_PARAMS, updatedConsensusParams } from '../../modules/consensus-params.ts'
import { readDistributionGenesis } from '../../modules/distribution/distribution.ts'
import { readErc20Genesis } from '../../modules/erc20/erc20.ts'
import type { ProposalMessage, ReplacedParams } from '../../modules/gov/messages.ts'
import { readGovGenesis } from '../../modules/gov/params.ts'
import { readStored } from '../../modules/gov/submission.ts'
import { readInflationGenesis } from '../../modules/inflation.ts'
import { upgraded } from '../../modules/params.ts'
import type { SlashingParams } from '../../modules/slashing/layout.ts'
import { readSlashingGenesis } from '../../modules/slashing/slashing.ts'
import { readStakingGenesis } from '../../modules/staking/genesis.ts'
import { readTransferGenesis } from '../../modules/transfer/genesis.ts'
import { type ListChange, listChangeOf } from '../../modules/upgrade.ts'
import type { EvmGenesisParams } from '../../spec/chain-spec.ts'
import { type ExplorerContext, oncePerRequest } from '../context.ts'
import { firstBlockFrom } from '../statistics/block-times.ts'
import { type Native, nativeOf } from './modules.ts'
import {
  showConsensusParams,
  showDistributionParams,
  showErc20Params,
  showEvmParams,
  showFeeMarketParams,
  showGovParams,
  showInflation,
  showSlashingParams,
  showStakingParams,
  showTransferParams,
} from './parameters.ts'

export type Cause =
  | { readonly type: 'upgrade'; readonly name: string }
  | { readonly type: 'proposal'; readonly id: bigint; readonly title: string }

/** Replacements of parameter sets, in chain order. */
type Step = { readonly block: number; readonly time: bigint | undefined; readonly cause: Cause } & (
  | { readonly replaced: ReplacedParams }
  | { readonly upgrade: ListChange & { readonly params?: EvmGenesisParams | undefined } }
)

export type ParameterChange = {
  readonly block: number
  readonly module: ReplacedParams['module']
  readonly key: string
  readonly before: unknown
  readonly after: unknown
  readonly cause: Cause
}

type Sets = { readonly [M in ReplacedParams['module']]: Readonly<Record<string, unknown>> }

function genesisOf({ spec, modules }: Native) {
  const slashing: SlashingParams | undefined = modules.slashing && readSlashingGenesis(spec.modules.slashing)
  return {
    evm: { extraEips: spec.params.activeProposals },
    fee_market: { minBaseFee: spec.feeMarket.minBaseFee ?? 0n },
    staking: readStakingGenesis(spec.validators, spec.modules.staking).params,
    slashing,
    gov: readGovGenesis(spec).params,
    distribution: readDistributionGenesis(spec.modules.distribution).params,
    inflation: readInflationGenesis(spec.modules.inflation),
    erc20: { isEnabled: readErc20Genesis(spec.modules.erc20).enabled },
    transfer: readTransferGenesis(spec.modules.transfer),
    consensus: NO_CONSENSUS_PARAMS,
  }
}

/** Every changed parameter, oldest change first. */
export const parameterHistory = oncePerRequest(async (context, _: 'head'): Promise<readonly ParameterChange[]> => {
  const native = nativeOf(context, 'head')
  let now = genesisOf(native)
  const changes: ParameterChange[] = []
  for (const step of await stepsOf(context, native)) {
    const then = now
    now =
      'upgrade' in step
        ? { ...now, evm: { extraEips: upgraded(now.evm.extraEips, step.upgrade) } }
        : replaced(now, step.replaced)
    changes.push(
      ...differences(shown(then), shown(now)).map((change) => ({ ...change, block: step.block, cause: step.cause })),
    )
  }
  return changes
})

type Now = ReturnType<typeof genesisOf>

function replaced(now: Now, by: ReplacedParams): Now {
  switch (by.module) {
    case 'evm':
      return { ...now, evm: { extraEips: by.params.extraEips } }
    case 'fee_market':
      return { ...now, fee_market: by.params }
    case 'staking':
      return { ...now, staking: { ...now.staking, ...by.params } }
    case 'slashing':
      return { ...now, slashing: by.params }
    case 'consensus':
      return { ...now, consensus: updatedConsensusParams(now.consensus, by.params) }
    case 'transfer':
      return { ...now, transfer: { ...now.transfer, ...by.params } }
    default:
      return { ...now, [by.module]: by.params }
  }
}

const shown = ({ evm, fee_market, staking, slashing, gov, ...now }: Now): Sets => ({
  evm: showEvmParams(evm),
  fee_market: showFeeMarketParams(fee_market),
  staking: showStakingParams(staking),
  slashing: slashing === undefined ? {} : showSlashingParams(slashing),
  gov: showGovParams(gov),
  distribution: showDistributionParams(now.distribution),
  inflation: showInflation(now.inflation),
  erc20: showErc20Params(now.erc20),
  transfer: showTransferParams(now.transfer),
  consensus: showConsensusParams(now.consensus),
})

/** Modules whose parameters proposals may replace. */
export const GOVERNED = [
  ...(['evm', 'fee_market', 'staking', 'slashing', 'gov', 'distribution', 'inflation', 'erc20', 'transfer'] as const),
  'consensus',
] as const

const differences = (before: Sets, after: Sets) =>
  GOVERNED.flatMap((module) =>
    Object.entries(after[module])
      .map(([key, value]) => ({ module, key, before: before[module][key], after: value }))
      .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after)),
  )

/** Upgrades happen before a block's transactions, proposals after them: in order of their end, then of their id. */
async function stepsOf(context: ExplorerContext, native: Native): Promise<Step[]> {
  const { spec } = native
  const upgrades = spec.upgrades
    .filter(({ height }) => height <= context.head.number)
    .map((upgrade): Step => {
      return { block: Number(upgrade.height), time: undefined, cause: { type: 'upgrade', name: upgrade.name }, upgrade }
    })
  const passed = await passedSteps(context, native)
  return [...upgrades, ...passed].sort((a, b) => {
    if (a.block !== b.block) return a.block - b.block
    if (a.time === undefined || b.time === undefined) return a.time === b.time ? 0 : a.time === undefined ? -1 : 1
    return Number(a.time - b.time)
  })
}

async function passedSteps(context: ExplorerContext, { spec, modules: { gov, upgrades } }: Native): Promise<Step[]> {
  const steps: Step[] = []
  const done = new Map(upgrades.done().map(({ name, height }) => [name, height]))
  for (let id = 1n; id <= gov.lastId(); id++) {
    if (gov.status(id) !== 'passed') continue
    const messages = gov.messages(id).flatMap((message) => readable(spec, message))
    for (const { plan } of messages) {
      const upgrade = plan && done.get(plan.name) === plan.height ? listChangeOf(plan) : undefined
      if (plan === undefined || upgrade === undefined) continue
      steps.push({ block: Number(plan.height), time: undefined, cause: { type: 'upgrade', name: plan.name }, upgrade })
    }
    const sets = messages.flatMap(({ replaces }) => (replaces === undefined ? [] : [replaces]))
    if (sets.length === 0) continue
    const { votingEndTime: time } = gov.proposal(id)
    const block = await firstBlockFrom(context, time)
    const cause: Cause = { type: 'proposal', id, title: gov.texts(id).title }
    steps.push(...sets.map((set) => ({ block, time, cause, replaced: set })))
  }
  return steps
}

/** A stored message; none if this program can no longer read it. */
function readable(spec: Native['spec'], message: string): readonly ProposalMessage[] {
  try {
    return [readStored(spec, message)]
  } catch (error) {
    if (error instanceof ChainError) return []
    throw error
  }
}
