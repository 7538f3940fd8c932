// Signers of a block: the validators that were bonded at the end of the block before.
import type { BondedValidator } from '../modules/staking/layout.ts'
import type { Header } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import type { Runtime } from './runtime.ts'

export type Signer = BondedValidator

/** Signers of the block that follows `header`, whose state `view` has: the strongest first. None on a plain chain. */
export const nextSigners = (runtime: Runtime, header: Header, view: StateView): readonly Signer[] =>
  runtime.modules(view, runtime.env(header), 'read')?.staking.bondedValidators() ?? []
