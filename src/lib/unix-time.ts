// Time in the unit of block timestamps: seconds.

export const SECONDS_A_DAY = 86_400n

/** Unix seconds. */
export const now = (): bigint => BigInt(Math.floor(Date.now() / 1000))
