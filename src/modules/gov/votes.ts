// Vote options: one option, or several whose weights sum to 1.

import { type Dec, ONE, parseDec } from '../../lib/dec.ts'
import { ChainError } from '../../lib/errors.ts'
import { reverted } from '../revert.ts'
import { VOTE_OPTIONS, type VoteOption, type WeightedOption } from './layout.ts'

/** An option by its number, with a weight as a decimal text. */
export type GivenOption = { readonly option: bigint; readonly weight: string }

/** All of a vote for one option, by its number. Throws ChainError when there is no such option. */
export const wholeVote = (option: bigint): readonly WeightedOption[] => [{ option: optionOf(option), weight: ONE }]

/** A split vote. Throws ChainError on unknown or repeated options, and unless the weights make one. */
export function weightsOf(given: readonly GivenOption[]): readonly WeightedOption[] {
  if (given.length === 0) throw reverted(': invalid request')
  const options = given.map(({ option, weight }) => ({ option: optionOf(option), weight: weightOf(weight) }))
  if (new Set(options.map(({ option }) => option)).size < options.length) throw invalid('duplicated vote option')
  const total = options.reduce((sum, { weight }) => sum + weight, 0n)
  if (total > ONE) throw invalid('total weight overflow 1.00')
  if (total < ONE) throw invalid('total weight lower than 1.00')
  return options
}

function optionOf(number: bigint): VoteOption {
  const option = VOTE_OPTIONS[Number(number)]
  if (option === undefined || option === 'none') throw invalid(number === 0n ? 'VOTE_OPTION_UNSPECIFIED' : `${number}`)
  return option
}

function weightOf(text: string): Dec {
  try {
    const weight = parseDec(text)
    if (weight > 0n) return weight
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
  }
  throw invalid(`invalid weight: ${text}`)
}

const invalid = (why: string): ChainError => reverted(`${why}: invalid vote option`)
