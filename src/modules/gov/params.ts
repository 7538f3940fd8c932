// Governance's parameters in the JSON of genesis and proposals, and their consistency.
import { z } from 'zod'
import { readAddress } from '../../lib/bech32.ts'
import { ONE } from '../../lib/dec.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, ZERO_ADDRESS } from '../../lib/hex.ts'
import { MODULE_ACCOUNT } from '../../spec/addresses.ts'
import type { NativeSpec } from '../../spec/chain-spec.ts'
import { isBlocked } from '../bank.ts'
import { fraction, readSection, rulesVersion, seconds, whole } from '../genesis-section.ts'
import type { GovParams } from './layout.ts'

/** Base units, as a number or as a list of one coin. */
function deposit({ denom }: NativeSpec) {
  const error = { error: `expected base units, or a list of one coin of ${denom}` }
  const coin = z.strictObject({ denom: z.literal(denom), amount: whole })
  return z
    .union([whole, z.tuple([coin]).transform(([{ amount }]) => amount)], error)
    .refine((amount) => amount > 0n, { error: 'expected more than nothing' })
}

/** An account as bech32 or hex; the empty text is the zero address. */
function destination({ bech32Prefix }: NativeSpec) {
  return z.string().transform((text, context): Address => {
    if (text === '') return ZERO_ADDRESS
    try {
      const of = readAddress(bech32Prefix, text)
      if (!isBlocked(of) || of === MODULE_ACCOUNT.distribution) return of
      context.issues.push({ code: 'custom', message: 'not allowed to receive funds', input: text })
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      context.issues.push({ code: 'custom', message: error.message, input: text })
    }
    return z.NEVER
  })
}

/** The parameters, each checked separately. */
const fields = (spec: NativeSpec) => ({
  votingPeriod: seconds,
  maxDepositPeriod: seconds,
  minDeposit: deposit(spec),
  quorum: fraction,
  threshold: fraction,
  vetoThreshold: fraction,
  minInitialDepositRatio: fraction,
  minDepositRatio: fraction,
  proposalCancelRatio: fraction,
  proposalCancelDest: destination(spec),
  expeditedVotingPeriod: seconds,
  expeditedThreshold: fraction,
  expeditedMinDeposit: deposit(spec),
  burnVoteQuorum: z.boolean(),
  burnProposalDepositPrevote: z.boolean(),
  burnVoteVeto: z.boolean(),
})

/** Reports parameters that are valid separately but not together. */
function checkTogether(params: GovParams, context: z.core.$RefinementCtx): void {
  const refuse = (field: keyof GovParams, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message })
  for (const field of ['threshold', 'vetoThreshold'] as const) {
    if (params[field] === 0n) refuse(field, 'expected more than nothing')
  }
  if (params.expeditedThreshold < params.threshold) refuse('expeditedThreshold', 'expected at least the threshold')
  if (params.expeditedMinDeposit < params.minDeposit) {
    refuse('expeditedMinDeposit', 'expected at least the minimum deposit')
  }
  if (params.expeditedVotingPeriod > params.votingPeriod) {
    refuse('expeditedVotingPeriod', 'expected at most the voting period')
  }
}

/** All parameters, as a proposal replaces them. */
export const govParams = (spec: NativeSpec) => z.strictObject(fields(spec)).superRefine(checkTogether)

/** Defaults of the Cosmos SDK, with periods for a chain on one machine. */
const DEFAULTS = {
  votingPeriod: 30n,
  maxDepositPeriod: 172_800n,
  minDeposit: 10_000_000n,
  quorum: (ONE * 334n) / 1000n,
  threshold: ONE / 2n,
  vetoThreshold: (ONE * 334n) / 1000n,
  minInitialDepositRatio: 0n,
  minDepositRatio: ONE / 100n,
  proposalCancelRatio: ONE / 2n,
  proposalCancelDest: ZERO_ADDRESS,
  burnVoteQuorum: false,
  burnProposalDepositPrevote: false,
  burnVoteVeto: true,
}
const EXPEDITED_THRESHOLD = (ONE * 667n) / 1000n

/** Some of the parameters; the others get defaults, the expedited ones in proportion to the ordinary ones. */
export const someGovParams = (spec: NativeSpec) =>
  z
    .strictObject(fields(spec))
    .partial()
    .transform((some): GovParams => {
      // JSON has no undefined: fields that were not given are absent.
      const given = some as Partial<GovParams>
      const { votingPeriod, threshold, minDeposit } = { ...DEFAULTS, ...given }
      return {
        ...DEFAULTS,
        expeditedVotingPeriod: votingPeriod > 1n ? votingPeriod / 2n : 1n,
        expeditedThreshold: threshold > EXPEDITED_THRESHOLD ? threshold : EXPEDITED_THRESHOLD,
        expeditedMinDeposit: 5n * minDeposit,
        ...given,
      }
    })
    .superRefine(checkTogether)

/** The version is a rule of the chain (`govVersion`), not a parameter. */
export type GovGenesis = { readonly params: GovParams; readonly constitution: string }

/** Throws ChainError `invalid-genesis` that names the field. */
export function readGovGenesis(spec: NativeSpec): GovGenesis {
  const section = z
    .strictObject({
      version: rulesVersion,
      params: someGovParams(spec).prefault({}),
      constitution: z.string().max(10_000).default(''),
    })
    .prefault({})
  return readSection('gov', section, spec.modules.gov)
}
