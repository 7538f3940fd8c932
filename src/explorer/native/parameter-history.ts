// The history of the parameters. Only the genesis' upgrades and passed proposals change them, and a proposal contains the whole
// new set, so the history follows from the specification and the stored proposals even if states were pruned.
import { ChainError } from '../../lib/errors.ts'
import type { ReplacedParams } from '../../modules/gov/messages.ts'
import { readGovGenesis } from '../../modules/gov/params.ts'
import { readStored } from '../../modules/gov/submission.ts'
import { upgraded } from '../../modules/params.ts'
import type { SlashingParams } from '../../modules/slashing/layout.ts'
import { readSlashingGenesis } from '../../modules/slashing/slashing.ts'
import { readStakingGenesis } from '../../modules/staking/genesis.ts'
import { type ExplorerContext, oncePerRequest } from '../context.ts'
import { firstBlockFrom } from '../statistics/block-times.ts'
import { type Native, nativeOf } from './modules.ts'
import {
  showEvmParams,
  showFeeMarketParams,
  showGovParams,
  showSlashingParams,
  showStakingParams,
} from './parameters.ts'

export type Cause =
  | { readonly type: 'upgrade'; readonly name: string }
  | { readonly type: 'proposal'; readonly id: bigint; readonly title: string }

/** Replacements of parameter sets, in chain order. */
type Step = { readonly block: number; readonly time: bigint | undefined; readonly cause: Cause } & (
  | { readonly replaced: ReplacedParams }
  | { readonly upgrade: Native['spec']['upgrades'][number] }
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
    case 'gov':
      return { ...now, gov: by.params }
  }
}

const shown = ({ evm, fee_market, staking, slashing, gov }: Now): Sets => ({
  evm: showEvmParams(evm),
  fee_market: showFeeMarketParams(fee_market),
  staking: showStakingParams(staking),
  slashing: slashing === undefined ? {} : showSlashingParams(slashing),
  gov: showGovParams(gov),
})

const MODULES = ['evm', 'fee_market', 'staking', 'slashing', 'gov'] as const

const differences = (before: Sets, after: Sets) =>
  MODULES.flatMap((module) =>
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

async function passedSteps(context: ExplorerContext, { spec, modules: { gov } }: Native): Promise<Step[]> {
  const steps: Step[] = []
  for (let id = 1n; id <= gov.lastId(); id++) {
    if (gov.status(id) !== 'passed') continue
    const sets = gov.messages(id).flatMap((message) => replacedBy(spec, message))
    if (sets.length === 0) continue
    const { votingEndTime: time } = gov.proposal(id)
    const block = await firstBlockFrom(context, time)
    const cause: Cause = { type: 'proposal', id, title: gov.texts(id).title }
    steps.push(...sets.map((set) => ({ block, time, cause, replaced: set })))
  }
  return steps
}

/** The parameters that a stored message replaces; none if this program can no longer read it. */
function replacedBy(spec: Native['spec'], message: string): readonly ReplacedParams[] {
  try {
    return [readStored(spec, message).replaces].filter((set) => set !== undefined)
  } catch (error) {
    if (error instanceof ChainError) return []
    throw error
  }
}
