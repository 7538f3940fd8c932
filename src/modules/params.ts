// The parameters of the EVM, its fee market and consensus: the active opcode proposals in order of application, the floor of the
// base fee, what `upgrade.ts` and `consensus-params.ts` keep. They are in the state, so a read at any block gives the values of
// that block.
import { z } from 'zod'
import { MODULE_ACCOUNT } from '../spec/addresses.ts'
import type { Upgrade } from '../spec/chain-spec.ts'
import { checkProposalList } from '../spec/proposal-name.ts'
import { cell, layout, list, struct } from '../state/layout.ts'
import { bool, text, u64, u256 } from '../state/storage-types.ts'
import type { StateView } from '../state/types.ts'
import { whole } from './genesis-section.ts'
import type { ModuleContext, NativeModule } from './module.ts'

const names = list(text)
const minBaseFee = cell(u256)

/** An upgrade that governance has scheduled (Cosmos SDK's Plan). */
export type UpgradePlan = {
  /** Empty: there is none. */
  readonly name: string
  /** The block before whose transactions it takes place. */
  readonly height: bigint
  /** For people and tools, as JSON or any text. */
  readonly info: string
}

/** Zero and false: not set by governance. */
export type ConsensusParams = {
  /** The block gas limit that headers approach. */
  readonly gasLimit: bigint
  /** Most bytes of a block of CometBFT. */
  readonly maxBytes: bigint
  /** Milliseconds between blocks. */
  readonly blockTimeMs: bigint
  /** Greatest age and most bytes of evidence in a block. */
  readonly evidenceBlocks: bigint
  readonly evidenceSeconds: bigint
  readonly evidenceBytes: bigint
  readonly hasEvidence: boolean
}

/** Storage of the `evm` module account. */
export const paramsLayout = layout({
  activeProposals: names,
  minBaseFee,
  // With version 2 of governance's rules:
  plan: struct<UpgradePlan>({ name: text, height: u64, info: text }),
  doneUpgrades: list(
    struct<{ name: string; height: bigint; isProgram: boolean }>({ name: text, height: u64, isProgram: bool }),
  ),
  consensus: struct<ConsensusParams>({
    gasLimit: u64,
    maxBytes: u64,
    blockTimeMs: u64,
    evidenceBlocks: u64,
    evidenceSeconds: u64,
    evidenceBytes: u64,
    hasEvidence: bool,
  }),
})

/** The proposals active in a view, in order of application. */
export const activeProposals = (view: StateView): readonly string[] =>
  // The first member. Each call needs it, so it is read without opening the layout.
  names.read(view.slots(MODULE_ACCOUNT.evm, 'read'), 0n)

/** The floor of the next block's base fee in wei per gas; 0: none. */
export const minBaseFeeOn = (view: StateView): bigint =>
  minBaseFee.read(view.slots(MODULE_ACCOUNT.evm, 'read'), names.width)

export type ParamsGenesis = {
  readonly activeProposals: readonly string[]
  /** undefined: the chain has no such parameter. */
  readonly minBaseFee?: bigint | undefined
}

/** The whole parameter set, which governance replaces at once. */
export type EvmParams = {
  /** Names of opcode proposals in order of application: `kestrel_0`. */
  readonly extraEips: readonly string[]
}

const nameList = z.array(z.string({ error: 'expected a name' }), { error: 'expected a list of names' }).readonly()

/** The set as JSON, with keys in snake or camel case. Does not check whether the proposals can be activated. */
export const evmParamsSchema = z
  .strictObject({ extra_eips: nameList.optional(), extraEips: nameList.optional() })
  .refine(({ extra_eips, extraEips }) => (extra_eips === undefined) !== (extraEips === undefined), {
    error: 'expected extra_eips',
  })
  .transform(({ extra_eips, extraEips }): EvmParams => ({ extraEips: extra_eips ?? extraEips ?? [] }))

/** The whole parameter set of the fee market, which governance replaces at once. */
export type FeeMarketParams = {
  /** Floor of the base fee from the next block on, in wei per gas; 0: none. */
  readonly minBaseFee: bigint
}

/** 64 bits, as in the genesis: fee arithmetic then stays within 256 bits for any vote. */
export const MAX_MIN_BASE_FEE = 2n ** 64n - 1n

export const feeMarketParamsSchema = z.strictObject({
  minBaseFee: whole.refine((wei) => wei <= MAX_MIN_BASE_FEE, { error: `expected at most ${MAX_MIN_BASE_FEE} wei` }),
})

export class Params implements NativeModule<ParamsGenesis> {
  readonly name = 'params'
  readonly #context: ModuleContext
  readonly #state: ReturnType<typeof paramsLayout.open>

  constructor(context: ModuleContext) {
    const { view, access } = context
    this.#context = context
    this.#state = paramsLayout.open(view.slots(MODULE_ACCOUNT.evm, access))
  }

  initGenesis({ activeProposals, minBaseFee }: ParamsGenesis): void {
    this.setActiveProposals(activeProposals)
    if (minBaseFee !== undefined) this.updateFeeMarket({ minBaseFee })
  }

  /** Applies the specification's upgrades of this height, which are in force for the block's transactions. */
  beginBlock(): void {
    const { spec, block } = this.#context
    for (const upgrade of spec.upgrades) {
      if (upgrade.height === block.number) this.setActiveProposals(upgraded(this.activeProposals(), upgrade))
    }
  }

  get(): EvmParams {
    return { extraEips: this.activeProposals() }
  }

  /** Replaces the whole set. Throws ChainError; the old set then stays. */
  update({ extraEips }: EvmParams): void {
    this.setActiveProposals(extraEips)
  }

  feeMarket(): FeeMarketParams {
    return { minBaseFee: this.#state.minBaseFee.get() }
  }

  updateFeeMarket({ minBaseFee }: FeeMarketParams): void {
    this.#state.minBaseFee.set(minBaseFee)
  }

  /** All zero if governance has never set them. */
  consensus(): ConsensusParams {
    return this.#state.consensus.get()
  }

  setConsensus(params: ConsensusParams): void {
    this.#state.consensus.set(params)
  }

  /** Names in order of application: `kestrel_0`. */
  activeProposals(): readonly string[] {
    return this.#state.activeProposals.get()
  }

  /**
   * Replaces the list. Throws ChainError for a malformed or repeated name and for a proposal that cannot be activated; the old
   * list then stays.
   */
  setActiveProposals(names: readonly string[]): void {
    this.requireActivatable({ extraEips: names })
    this.#state.activeProposals.set(names)
  }

  /** Throws ChainError unless `update` would accept this set in the present block. Changes nothing. */
  requireActivatable({ extraEips }: EvmParams): void {
    const { checkProposals = checkProposalList } = this.#context
    checkProposals(extraEips)
  }
}

/** The list after an upgrade. Active proposals keep their place; proposals to remove may be absent. */
export function upgraded(
  active: readonly string[],
  { params, addProposals, removeProposals }: Pick<Upgrade, 'params' | 'addProposals' | 'removeProposals'>,
): string[] {
  const before = params?.activeProposals ?? active
  const added = addProposals.filter((name) => !before.includes(name))
  return [...before, ...added].filter((name) => !removeProposals.includes(name))
}
