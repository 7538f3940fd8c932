// Whether the native modules' books are in order after a block.

import type { BondedValidator } from '../modules/staking/layout.ts'
import type { Header } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import type { Runtime } from './runtime.ts'

/**
 * What is wrong, in words that begin with the module's name; empty when all is well, and on a plain chain.
 * `held`: base coins on all accounts together. They may be fewer than the supply (SELFDESTRUCT burns untold), never more.
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

export type Signer = BondedValidator

/** Signers of the block that follows `header`, whose state `view` has: the strongest first. None on a plain chain. */
export const nextSigners = (runtime: Runtime, header: Header, view: StateView): readonly Signer[] =>
  runtime.modules(view, runtime.env(header), 'read')?.staking.bondedValidators() ?? []
