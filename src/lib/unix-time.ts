// The machine's clock in the unit of block timestamps.

/** The current time in Unix seconds. */
export const unixNow = (): bigint => BigInt(Math.floor(Date.now() / 1000))
