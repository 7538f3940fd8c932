// The machine's clock in the unit of block timestamps.

/** Unix seconds. */
export const unixNow = (): bigint => BigInt(Math.floor(Date.now() / 1000))
