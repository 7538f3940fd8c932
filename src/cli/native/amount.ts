// Parses and formats amounts of coins. A chain's base coin has 18 decimals; its symbol follows from its denomination: `akest`
// is 10^-18 KEST.
import { formatUnits } from 'viem'
import { z } from 'zod'
import { amount } from '../../contracts/words.ts'
import { ChainError } from '../../lib/errors.ts'

export type CoinAmount = { readonly denom: string; readonly amount: bigint }

const DECIMALS = 18
/** From this number of base units on an amount is shown in coins. */
const READABLE = 10n ** 12n

/** The name of 10^18 base units. */
export const symbolOf = (base: string): string => base.replace(/^a(?=.)/, '').toUpperCase()

/**
 * Reads `10` and `1.5KEST` as coins of the base denomination `base`, `10000000akest` as base units, and whole numbers of other
 * denominations with a prefix (`ibc/…`, `erc20/…`, `erc20:…`).
 * Throws ChainError `invalid-params`.
 */
export function parseCoin(text: string, base: string): CoinAmount {
  const symbol = symbolOf(base)
  const [, whole, decimals, unit = symbol] = /^(\d{1,60})(?:\.(\d+))?\s*([a-zA-Z][\w/:.-]*)?$/.exec(text.trim()) ?? []
  const isBase = unit === base || /[/:]/.test(unit)
  if (whole !== undefined && isBase && decimals === undefined) return { denom: unit, amount: BigInt(whole) }
  const isCoin = !isBase && unit.toLowerCase() === symbol.toLowerCase()
  if (whole !== undefined && isCoin && (decimals ?? '').length <= DECIMALS)
    return { denom: base, amount: BigInt(whole + (decimals ?? '').padEnd(DECIMALS, '0')) }
  throw new ChainError(
    'invalid-params',
    `expected an amount such as 10, 1.5${symbol} or 10000000${base}, not "${text}"`,
  )
}

const AMOUNT = /^\s*\d{1,60}(\.\d+)?\s*([a-zA-Z][\w/:.-]*)?\s*$/

/** A text that may be an amount on some chain; `parseCoin` reads it once the chain is known. */
export const amountText = z.string().regex(AMOUNT, 'expected an amount such as 10 or 1.5KEST')

/** Formats coins with thousands separated, small amounts in base units. */
export function formatCoin({ denom, amount: units }: CoinAmount, base: string): string {
  if (denom !== base || (units < READABLE && units > 0n)) return `${units}${denom}`
  return `${amount(units)} ${symbolOf(base)}`
}

export const formatCoins = (coins: readonly CoinAmount[], base: string): string =>
  coins.map((coin) => formatCoin(coin, base)).join(', ') || 'nothing'

/** A percentage with up to two decimals: `33.4 %`. */
export function formatShare(part: bigint, whole: bigint): string {
  if (whole === 0n) return '0 %'
  return `${formatUnits((part * 10_000n + whole / 2n) / whole, 2)} %`
}
