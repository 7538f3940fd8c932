// Storage of the distribution module, at its contract's address. Rewards and ratios are Decs (10^-18) of base units: the base coin
// is the only one in which fees are paid.
import type { Dec } from '../../lib/dec.ts'
import { layout, list, mapping, struct } from '../../state/layout.ts'
import { address, bool, dec, u64 } from '../../state/storage-types.ts'

export type DistributionParams = {
  /** Part of the fees that the community pool gets. */
  readonly communityTax: Dec
  readonly withdrawAddrEnabled: boolean
}

/** The period that runs, and what it has earned for the delegators so far. */
export type CurrentRewards = { readonly period: bigint; readonly rewards: Dec }

/** A period that has ended and is still needed: by the running one, by slashes, by delegations that began after it. */
export type HistoricalRewards = {
  /** What one token has earned from the first period to the end of this one. */
  readonly cumulativeRatio: Dec
  readonly references: bigint
}

export type SlashEvent = {
  readonly height: bigint
  /** The period that the slash ended. */
  readonly period: bigint
  /** Part of the tokens that was lost. */
  readonly fraction: Dec
}

/** Since when a delegation has not been paid. */
export type StartingInfo = {
  /** The last period that no longer counts; zero: there is no delegation. */
  readonly previousPeriod: bigint
  /** Tokens that it was worth. */
  readonly stake: Dec
  readonly height: bigint
}

const books = layout({
  /** Owed to delegators and operator, together with what rounding has left. */
  outstanding: dec,
  /** The operator's part of it. */
  commission: dec,
  current: struct<CurrentRewards>({ period: u64, rewards: dec }),
  historical: mapping(u64, struct<HistoricalRewards>({ cumulativeRatio: dec, references: u64 })),
  /** In order of height and period. */
  slashes: list(struct<SlashEvent>({ height: u64, period: u64, fraction: dec })),
  /** By delegator. */
  starting: mapping(address, struct<StartingInfo>({ previousPeriod: u64, stake: dec, height: u64 })),
})
/** One validator's. */
export type Books = ReturnType<typeof books.open>

export const distributionLayout = layout({
  params: struct<DistributionParams>({ communityTax: dec, withdrawAddrEnabled: bool }),
  /** The community pool, in base units. */
  communityPool: dec,
  /** By delegator or operator; zero: their own. */
  withdrawAddresses: mapping(address, address),
  /** By operator. */
  books: mapping(address, books),
})
