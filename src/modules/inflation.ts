// Inflation: new coins in every block, for the stakers and the community. None unless the genesis asks for it.
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
  /** Base units that every block makes. */
  perBlock: u256,
  /** The part of them that joins the block's fees; the rest is the community pool's. */
  stakingShare: dec,
})

export type InflationGenesis = { readonly perBlock: bigint; readonly stakingShare: Dec }

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

  /** Comes before the distribution, which shares the coins in the same block. */
  beginBlock(): void {
    const perBlock = this.#state.perBlock.get()
    if (perBlock === 0n) return
    const toStakers = truncateInt(mulInt(this.#state.stakingShare.get(), perBlock))
    this.#bank.mint(MODULE_ACCOUNT.feeCollector, toStakers)
    this.#bank.mint(MODULE_ACCOUNT.mint, perBlock - toStakers)
    this.#fundCommunityPool(MODULE_ACCOUNT.mint, perBlock - toStakers)
  }
}
