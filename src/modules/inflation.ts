// Inflation: mints coins in every block for stakers and the community pool. Off unless the genesis has it.
import { z } from 'zod'
import { type Dec, mulInt, ONE, truncateInt } from '../lib/dec.ts'
import type { Address } from '../lib/hex.ts'
import { MODULE_ACCOUNT } from '../spec/addresses.ts'
import { layout } from '../state/layout.ts'
import { dec, u256 } from '../state/storage-types.ts'
import type { Bank } from './bank.ts'
import { fraction, readSection, whole } from './genesis-section.ts'
import type { ModuleContext, NativeModule } from './module.ts'

/** Storage of the `mint` module account. */
export const inflationLayout = layout({
  /** Base units minted per block. */
  perBlock: u256,
  /** The fraction that is added to the block's fees; the rest goes to the community pool. */
  stakingShare: dec,
})

export type InflationGenesis = { readonly perBlock: bigint; readonly stakingShare: Dec }

/** All parameters: a governance proposal replaces them together. */
export const inflationParams = z.strictObject({ perBlock: whole, stakingShare: fraction })

/** The genesis section `kestrel.modules.inflation`. */
const section = z
  .strictObject({
    perBlock: whole.default(0n),
    stakingShare: fraction.default(ONE),
  })
  .prefault({})

/** Throws ChainError `invalid-genesis` that names the field. */
export const readInflationGenesis = (json: unknown): InflationGenesis => readSection('inflation', section, json)

export class Inflation implements NativeModule<InflationGenesis> {
  readonly name = 'inflation'
  readonly #bank: Bank
  readonly #fundCommunityPool: (from: Address, amount: bigint) => void
  readonly #state: ReturnType<typeof inflationLayout.open>

  constructor({ view, access }: ModuleContext, bank: Bank, fundCommunityPool: (from: Address, amount: bigint) => void) {
    this.#bank = bank
    this.#fundCommunityPool = fundCommunityPool
    this.#state = inflationLayout.open(view.slots(MODULE_ACCOUNT.mint, access))
  }

  initGenesis({ perBlock, stakingShare }: InflationGenesis): void {
    this.#state.perBlock.set(perBlock)
    this.#state.stakingShare.set(stakingShare)
  }

  params(): InflationGenesis {
    return { perBlock: this.#state.perBlock.get(), stakingShare: this.#state.stakingShare.get() }
  }

  /** From the next block on. */
  updateParams(params: InflationGenesis): void {
    this.initGenesis(params)
  }

  /** Runs before distribution, which allocates the coins in the same block. */
  beginBlock(): void {
    const perBlock = this.#state.perBlock.get()
    if (perBlock === 0n) return
    const toStakers = truncateInt(mulInt(this.#state.stakingShare.get(), perBlock))
    this.#bank.mint(MODULE_ACCOUNT.feeCollector, toStakers)
    this.#bank.mint(MODULE_ACCOUNT.mint, perBlock - toStakers)
    this.#fundCommunityPool(MODULE_ACCOUNT.mint, perBlock - toStakers)
  }
}
