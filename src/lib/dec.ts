// Decimal fixed point: a Dec is a bigint in units of 10^-18, never negative here. Every operation rounds exactly as the Cosmos
// SDK's math.LegacyDec does, because shares and rewards are sums of thousands of rounded values.
import { ChainError } from './errors.ts'

/** A number of 18 decimals, in units of 10^-18. */
export type Dec = bigint

/** One, which is also the number of units in one. */
export const ONE: Dec = 10n ** 18n

/** Whole number to Dec. */
export const fromInt = (whole: bigint): Dec => whole * ONE

/** The whole part. */
export const truncateInt = (x: Dec): bigint => x / ONE

/** x · y, rounded to even on a tie. */
export const mul = (x: Dec, y: Dec): Dec => roundHalfEven(x * y)
/** x · y, rounded down. */
export const mulTruncate = (x: Dec, y: Dec): Dec => (x * y) / ONE
/** x · whole, exact. */
export const mulInt = (x: Dec, whole: bigint): Dec => x * whole

/** x / y, truncated to 36 decimals, then rounded to even on a tie. Throws RangeError when y is zero, as all quotients do. */
export const quo = (x: Dec, y: Dec): Dec => roundHalfEven((x * ONE * ONE) / y)
/** x / y, rounded down. */
export const quoTruncate = (x: Dec, y: Dec): Dec => (x * ONE) / y
/** x / y, truncated to 36 decimals, then rounded up. */
export const quoRoundUp = (x: Dec, y: Dec): Dec => ((x * ONE * ONE) / y + ONE - 1n) / ONE
/** x / whole, rounded down. */
export const quoInt = (x: Dec, whole: bigint): Dec => x / whole

/** Drops 18 of 36 decimals; a tie goes to the even neighbour (banker's rounding). */
function roundHalfEven(x: bigint): Dec {
  const down = x / ONE
  const twice = (x - down * ONE) * 2n
  const up = twice > ONE || (twice === ONE && down % 2n === 1n)
  return up ? down + 1n : down
}

/** With all decimals: `0.050000000000000000`. */
export const formatDec = (x: Dec): string => `${x / ONE}.${(x % ONE).toString().padStart(18, '0')}`

/** Parses `12`, `0.05`; 18 decimals at most. Throws ChainError `invalid-params`. */
export function parseDec(text: string): Dec {
  const [, whole, decimals = ''] = /^(\d{1,60})(?:\.(\d{1,18}))?$/.exec(text) ?? []
  if (whole === undefined) throw new ChainError('invalid-params', `not a decimal number of up to 18 decimals: ${text}`)
  return BigInt(whole + decimals.padEnd(18, '0'))
}
