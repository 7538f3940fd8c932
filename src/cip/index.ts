// The registry of improvement proposals that this program knows.
import { ChainError } from '../lib/errors.ts'
import { cip0 } from './cip-0.ts'
import type { Proposal } from './define.ts'

export const PROPOSALS: readonly Proposal[] = [cip0]

/**
 * The proposals of a parameter list, in its order, on the chain of this name.
 * Throws ChainError `not-allowed` for a name that this program does not know: guessing would fork the chain.
 */
export function proposalsNamed(chain: string, names: readonly string[]): readonly Proposal[] {
  return names.map((name) => {
    const proposal = PROPOSALS.find(({ number }) => name === `${chain}_${number}`)
    if (proposal !== undefined) return proposal
    const known = PROPOSALS.map(({ number }) => `${chain}_${number}`).join(' ')
    throw new ChainError('not-allowed', `EIP ${name} is not activateable, valid EIPs are: [${known}]`)
  })
}
