// Upgrades that governance schedules (Cosmos SDK x/upgrade): one plan at a time, which is due at a height. A plan whose `info` has
// lists of opcode proposals changes the EVM's parameters; every other one asks for a version of the program that knows its name
// (`spec/program-upgrades.ts`), and a node without it stops before that height (`chain/governed.ts`).
import { z } from 'zod'
import { ChainError } from '../lib/errors.ts'
import { MODULE_ACCOUNT } from '../spec/addresses.ts'
import { govVersion } from '../spec/block-rules.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import type { StateView } from '../state/types.ts'
import { type ModuleContext, type NativeModule, reverted } from './module.ts'
import { type Params, paramsLayout, type UpgradePlan, upgraded } from './params.ts'

/** Changes of the list of active opcode proposals, as in the genesis' upgrades. */
export type ListChange = { readonly addProposals: readonly string[]; readonly removeProposals: readonly string[] }

const names = z.array(z.string()).readonly().default([])
/** Other fields are those of tools: cosmovisor reads `binaries`. */
const infoSchema = z.looseObject({ proposals: z.strictObject({ add: names, remove: names }).optional() })

/**
 * What a plan's `info` changes in the list of opcode proposals; undefined: nothing, so the plan is one of the program. Throws
 * ChainError for `proposals` of a wrong form.
 */
export function listChangeOf({ info }: Pick<UpgradePlan, 'info'>): ListChange | undefined {
  let json: unknown
  try {
    json = JSON.parse(info)
  } catch {
    return undefined
  }
  if (typeof json !== 'object' || json === null || !('proposals' in json)) return undefined
  const parsed = infoSchema.safeParse(json)
  if (!parsed.success || parsed.data.proposals === undefined)
    throw reverted('info.proposals: expected {"add": [names], "remove": [names]}: invalid proposal message')
  const { add, remove } = parsed.data.proposals
  return { addProposals: add, removeProposals: remove }
}

/** The plan in a state; undefined: none. */
export function upgradePlanOn(spec: NativeSpec | undefined, view: StateView): UpgradePlan | undefined {
  if (spec === undefined || govVersion(spec) === 1) return undefined
  const plan = paramsLayout.open(view.slots(MODULE_ACCOUNT.evm, 'read')).plan.get()
  return plan.name === '' ? undefined : plan
}

export type DoneUpgrade = { readonly name: string; readonly height: bigint; readonly isProgram: boolean }

/** Upgrades that governance has scheduled and that have happened, in order. */
export const doneUpgradesOn = (spec: NativeSpec, view: StateView): readonly DoneUpgrade[] =>
  govVersion(spec) === 1 ? [] : paramsLayout.open(view.slots(MODULE_ACCOUNT.evm, 'read')).doneUpgrades.get()

export class Upgrades implements NativeModule<never> {
  readonly name = 'upgrade'
  readonly #context: ModuleContext
  readonly #params: Params
  readonly #state: ReturnType<typeof paramsLayout.open>

  constructor(context: ModuleContext, params: Params) {
    const { view, access } = context
    this.#context = context
    this.#params = params
    this.#state = paramsLayout.open(view.slots(MODULE_ACCOUNT.evm, access))
  }

  initGenesis(): void {}

  /** Carries out the plan of this height, before the block's transactions. */
  beginBlock(): void {
    const { spec, block, report } = this.#context
    // Older rules have no plans, and a read would be in their blocks' access lists.
    if (govVersion(spec) === 1) return
    const plan = this.plan()
    if (plan === undefined || plan.height !== block.number) return
    this.cancel()
    if (block.skipsUpgrade === true) return
    const change = listChangeOf(plan)
    try {
      if (change !== undefined) this.#params.setActiveProposals(upgraded(this.#params.activeProposals(), change))
    } catch (error) {
      // Parameters that have changed since the vote must not stop the chain.
      if (!(error instanceof ChainError)) throw error
      report?.(`upgrade ${plan.name} changes nothing`, error)
      return
    }
    this.#state.doneUpgrades.push({ name: plan.name, height: plan.height, isProgram: change === undefined })
  }

  plan(): UpgradePlan | undefined {
    return upgradePlanOn(this.#context.spec, this.#context.view)
  }

  /** Upgrades that governance has scheduled and that have happened, in order. */
  done(): readonly DoneUpgrade[] {
    return this.#state.doneUpgrades.get()
  }

  /** Replaces the plan. Throws ChainError as `requireSchedulable`. */
  schedule(plan: UpgradePlan): void {
    this.requireSchedulable(plan)
    this.#state.plan.set(plan)
  }

  /** Removes the plan, if there is one. */
  cancel(): void {
    this.#state.plan.set({ name: '', height: 0n, info: '' })
  }

  /** Throws ChainError for a height that is no later block, a name that was used, and lists that cannot be activated now. */
  requireSchedulable(plan: UpgradePlan): void {
    if (plan.height <= this.#context.block.number)
      throw reverted('upgrade cannot be scheduled in the past: invalid request')
    if (this.done().some(({ name }) => name === plan.name))
      throw reverted(`upgrade with name ${plan.name} has already been completed: invalid request`)
    const change = listChangeOf(plan)
    if (change !== undefined)
      this.#params.requireActivatable({ extraEips: upgraded(this.#params.activeProposals(), change) })
  }
}
