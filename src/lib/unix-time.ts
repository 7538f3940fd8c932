// The machine's clock in the unit of block timestamps.

/** Unix seconds. */
export const now = (): bigint => BigInt(Math.floor(Date.now() / 1000))
