// Decimals with 18 places as scaled integers, with the roundings of the Cosmos SDK's LegacyDec. All operands are 0 or more.

/** 1 as a decimal. A decimal times an integer is exact: `x * i`; a decimal by an integer is truncated: `x / i`. */
export const ONE = 10n ** 18n

/** x / y, rounded to the nearest; halves to the even one. */
function nearest(x: bigint, y: bigint): bigint {
  const floor = x / y
  const twice = (x % y) * 2n
  return twice > y || (twice === y && floor % 2n === 1n) ? floor + 1n : floor
}

/** x · y, rounded half to even. */
export const mul = (x: bigint, y: bigint): bigint => nearest(x * y, ONE)
/** x · y, truncated. */
export const mulTruncate = (x: bigint, y: bigint): bigint => (x * y) / ONE
/** x / y, rounded half to even after 36 places. */
export const quo = (x: bigint, y: bigint): bigint => nearest((x * ONE * ONE) / y, ONE)
/** x / y, truncated. */
export const quoTruncate = (x: bigint, y: bigint): bigint => (x * ONE) / y
/** x / y, rounded up after 36 places. */
export const quoRoundUp = (x: bigint, y: bigint): bigint => ((x * ONE * ONE) / y + ONE - 1n) / ONE
/** An integer as a decimal. */
export const dec = (integer: bigint): bigint => integer * ONE
/** The integer part. */
export const truncate = (x: bigint): bigint => x / ONE
export const least = (x: bigint, y: bigint): bigint => (x < y ? x : y)
