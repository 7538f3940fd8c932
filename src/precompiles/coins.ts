// Lists of coins in calls and answers, valid as the Cosmos SDK's `Coins`: sorted by denomination, no repeats, no zeros.
import { ChainError } from '../lib/errors.ts'

export type CoinStruct = { readonly denom: string; readonly amount: bigint }

/** A list with one amount; empty for zero. */
export const coinsOf = (denom: string, amount: bigint): readonly CoinStruct[] =>
  amount === 0n ? [] : [{ denom, amount }]

/** Throws ChainError `<why>: invalid coins`. */
export function requireCoins(coins: readonly CoinStruct[]): void {
  coins.forEach(({ denom, amount }, i) => {
    const before = coins[i - 1]?.denom
    if (!/^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/.test(denom)) throw invalidCoins(`invalid denom: ${denom}`)
    if (before === denom) throw invalidCoins(`duplicate denomination ${denom}`)
    if (before !== undefined && before > denom) throw invalidCoins(`denomination ${denom} is not sorted`)
    if (amount === 0n) throw invalidCoins(`coin 0${denom} amount is not positive`)
  })
}

const invalidCoins = (why: string): ChainError => new ChainError('execution-reverted', `${why}: invalid coins`)
