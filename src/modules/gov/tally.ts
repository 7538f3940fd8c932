// The tally: voting power behind each option, and whether the proposal passes. Arithmetic and rounding are the Cosmos
// SDK's. A validator votes with everything delegated to it, less the shares of delegators who voted themselves.
import { type Dec, fromInt, mul, mulInt, ONE, parseDec, quo, truncateInt } from '../../lib/dec.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Address } from '../../lib/hex.ts'
import { reverted } from '../module.ts'
import type { GovParams, Tally, VoteOption, WeightedOption } from './layout.ts'
import { VOTE_OPTIONS } from './layout.ts'

export type Ballot = { readonly voter: Address; readonly options: readonly WeightedOption[] }

/** A bonded validator. */
export type BondedValidatorStake = { readonly operator: Address; readonly tokens: bigint; readonly shares: Dec }

export type Delegation = { readonly operator: Address; readonly shares: Dec }

/** Tokens with 18 decimals. */
export type VoteCount = {
  readonly options: { readonly [O in VoteOption]: Dec }
  /** Tokens of all voters. */
  readonly voted: Dec
}

/** The count with the power of one more vote. */
export function withVote({ options, voted }: VoteCount, choice: readonly WeightedOption[], power: Dec): VoteCount {
  const sum = { ...options }
  for (const { option, weight } of choice) sum[option] += mul(power, weight)
  return { options: sum, voted: voted + power }
}

export const NO_VOTES: VoteCount = { options: { yes: 0n, abstain: 0n, no: 0n, noWithVeto: 0n }, voted: 0n }

/** Counts the votes, one for each voter. Calls `look` at every step, so that a caller can charge gas for it. */
export function countBallots(
  electors: readonly BondedValidatorStake[],
  ballots: readonly Ballot[],
  delegationsOf: (voter: Address) => readonly Delegation[],
  look: () => void = () => {},
): VoteCount {
  let count = NO_VOTES
  const add = (choice: readonly WeightedOption[], power: Dec) => {
    count = withVote(count, choice, power)
  }
  const rest = new Map(electors.map((elector) => [elector.operator, { ...elector, left: elector.shares }]))
  for (const { voter, options: choice } of ballots) {
    look()
    for (const { operator, shares } of delegationsOf(voter)) {
      look()
      const elector = rest.get(operator)
      if (elector === undefined) continue
      elector.left -= shares
      add(choice, powerOf(elector, shares))
    }
  }
  for (const { voter, options: choice } of ballots) {
    const elector = rest.get(voter)
    if (elector !== undefined) add(choice, powerOf(elector, elector.left))
  }
  return count
}

/** The voting power of shares. */
export const powerOf = ({ tokens, shares }: Pick<BondedValidatorStake, 'tokens' | 'shares'>, of: Dec): Dec =>
  shares === 0n ? 0n : quo(mulInt(of, tokens), shares)

export type Verdict = { readonly passes: boolean; readonly burns: boolean }

/** Whether a proposal passes, and whether its deposits are burnt. `totalBonded` is in base units. */
export function decide(
  { options, voted }: VoteCount,
  totalBonded: bigint,
  params: GovParams,
  isExpedited: boolean,
): Verdict {
  const rejected = (burns: boolean): Verdict => ({ passes: false, burns })
  if (totalBonded === 0n) return rejected(false)
  if (quo(voted, fromInt(totalBonded)) < params.quorum) return rejected(params.burnVoteQuorum)
  const decided = voted - options.abstain
  if (decided === 0n) return rejected(false)
  if (quo(options.noWithVeto, voted) > params.vetoThreshold) return rejected(params.burnVoteVeto)
  const threshold = isExpedited ? params.expeditedThreshold : params.threshold
  return quo(options.yes, decided) > threshold ? { passes: true, burns: false } : rejected(false)
}

/** The tally in its stored and returned form: whole base units. */
export const tallyOf = ({ options: { yes, abstain, no, noWithVeto } }: VoteCount): Tally => ({
  yes: truncateInt(yes),
  abstain: truncateInt(abstain),
  no: truncateInt(no),
  noWithVeto: truncateInt(noWithVeto),
})

/** An option by its number, with a weight as a decimal text. */
export type GivenOption = { readonly option: bigint; readonly weight: string }

/** A vote for a single option, by its number. Throws ChainError if there is no such option. */
export const wholeVote = (option: bigint): readonly WeightedOption[] => [{ option: optionOf(option), weight: ONE }]

/** A weighted vote. Throws ChainError for unknown or repeated options, and unless the weights add up to 1. */
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
