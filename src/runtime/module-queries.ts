// What the chain reads from the native modules' state after a block: broken invariants, and the signers of the next block.

import type { BondedValidator } from '../modules/staking/layout.ts'
import type { Header } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import type { Runtime } from './runtime.ts'

/**
 * The broken invariants, each as a text that begins with the module's name; empty on a plain chain. `held`: base coins on all
 * accounts together. They may be fewer than the supply, because SELFDESTRUCT burns coins unnoticed, but never more.
 */
export function brokenInvariants(runtime: Runtime, header: Header, view: StateView, held: bigint): string[] {
  const modules = runtime.modules(view, runtime.env(header), 'read')
  if (modules === undefined) return []
  const { bank, staking, distribution, transfer, gov } = modules
  const supply = bank.supply()
  const conserved = held <= supply ? [] : [`bank: accounts hold ${held}, and the supply is ${supply}`]
  const books = [staking, distribution, transfer, gov].flatMap((module) =>
    module.invariants().map((broken) => `${module.name}: ${broken}`),
  )
  return [...conserved, ...books]
}

/** A validator that was bonded at the end of the block before. */
export type Signer = BondedValidator

/** Signers of the block after `header`, by voting power, largest first. `view`: the state after `header`. None on a plain chain. */
export const nextSigners = (runtime: Runtime, header: Header, view: StateView): readonly Signer[] =>
  runtime.modules(view, runtime.env(header), 'read')?.staking.bondedValidators() ?? []
