// Time in the unit of block timestamps: seconds.

export const SECONDS_A_DAY = 86_400n

/** The current time in Unix seconds. */
export const unixNow = (): bigint => BigInt(Math.floor(Date.now() / 1000))
