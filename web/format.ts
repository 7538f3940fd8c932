// Formats of numbers and times. Amounts are exact decimal text of any length, never numbers.

/** `12,345` */
export const withCommas = (value: number | string): string => BigInt(value).toLocaleString('en-US')

/** An amount in whole units with at most `digits` after the point; smaller amounts are shown as `<0.0001`. */
export function units(value: string, decimals: number, digits = 4): string {
  const isNegative = value.startsWith('-')
  const text = (isNegative ? value.slice(1) : value).padStart(decimals + 1, '0')
  const integer = text.slice(0, text.length - decimals)
  const fraction = text.slice(text.length - decimals)
  const shown = fraction.slice(0, digits).replace(/0+$/, '')
  const sign = isNegative ? '-' : ''
  if (shown === '' && integer === '0' && /[1-9]/.test(fraction)) return `${sign}<0.${'0'.repeat(digits - 1)}1`
  return `${sign}${withCommas(integer)}${shown === '' ? '' : `.${shown}`}`
}

/** Units of the coin, and their decimals. */
const DECIMALS = { coin: 18, gwei: 9, wei: 0 } as const
export type CoinUnit = keyof typeof DECIMALS

/** Decimals that are shown of gwei. */
const GWEI_DIGITS = 3
/** Smaller amounts are shown in gwei, whatever the number of decimals: zeros are hard to count. */
const LEAST_COINS = 10n ** 12n
const LEAST_GWEI = 10n ** 6n

/** The largest unit in which an amount of wei has a digit that is not 0 among `digits` decimals of a coin. */
function fittingUnit(wei: bigint, digits: number): CoinUnit {
  const size = wei < 0n ? -wei : wei
  const least = 10n ** BigInt(Math.max(0, DECIMALS.coin - digits))
  if (size === 0n || size >= (least > LEAST_COINS ? least : LEAST_COINS)) return 'coin'
  return size >= LEAST_GWEI ? 'gwei' : 'wei'
}

/** An amount of coins in the unit that fits, with at most `digits` decimals if that is the coin. */
export function coins(wei: string, digits: number): { readonly amount: string; readonly unit: CoinUnit } {
  const unit = fittingUnit(BigInt(wei), digits)
  const shown = unit === 'coin' ? digits : digits < DECIMALS.gwei ? GWEI_DIGITS : DECIMALS.gwei
  return { amount: units(wei, DECIMALS[unit], shown), unit }
}

/** A unit and a number of decimals for all amounts of a column. */
export type Scale = { readonly unit: CoinUnit; readonly digits: number }

/** Scales by the least amount that they are for: each leaves at least three digits of it. */
const SCALES: readonly (readonly [least: bigint, scale: Scale])[] = [
  [10n ** 14n, { unit: 'coin', digits: 6 }],
  [10n ** 11n, { unit: 'gwei', digits: 0 }],
  [10n ** 8n, { unit: 'gwei', digits: 3 }],
]

/** The scale for amounts of wei whose sizes are compared by eye. Zeros do not count. */
export function scaleOf(amounts: readonly string[]): Scale {
  const sizes = amounts.map((amount) => BigInt(amount)).filter((size) => size > 0n)
  const least = sizes.reduce((smaller, size) => (size < smaller ? size : smaller), sizes[0] ?? 10n ** 18n)
  return SCALES.find(([from]) => least >= from)?.[1] ?? { unit: 'wei', digits: 0 }
}

/** An amount of wei on a scale; all amounts have the same number of decimals. */
export function onScale(wei: string, { unit, digits }: Scale): string {
  const [whole = '0', fraction = ''] = units(wei, DECIMALS[unit], digits).split('.')
  return digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, '0')}`
}

/** `0x1234…cdef` */
export const abbreviated = (hash: string, size = 6): string => `${hash.slice(0, size + 2)}…${hash.slice(-size)}`

const span = (seconds: number): string => {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/** `12 s ago`; `in 4 min` if the chain's clock is ahead by more than a minute. */
export function ago(time: string): string {
  const seconds = Math.round((Date.now() - Date.parse(time)) / 1000)
  return seconds <= -60 ? `in ${span(-seconds)}` : `${span(Math.max(0, seconds))} ago`
}

/** `2026-01-01 12:00:00 UTC` */
export const utcTime = (time: string): string => `${time.slice(0, 19).replace('T', ' ')} UTC`

/** `1.25 gwei` */
export const gwei = (wei: string, digits = 3): string => `${units(wei, 9, digits)} gwei`

/** A part as a percentage of the whole, `12.34 %`; for exact amounts of any length. undefined if the whole is 0. */
export function share(part: string, whole: string): string | undefined {
  if (BigInt(whole) <= 0n) return undefined
  const hundredths = Number((BigInt(part) * 1_000_000n) / BigInt(whole)) / 10_000
  return BigInt(part) > 0n && hundredths < 0.01 ? '<0.01 %' : `${hundredths.toFixed(2)} %`
}

/** Decimal text of whole coins as base units: `1.5` is 1500000000000000000. */
export function toBaseUnits(coins: string, decimals = 18): string {
  const [integer = '0', fraction = ''] = coins.split('.')
  return BigInt(`${integer}${fraction.slice(0, decimals).padEnd(decimals, '0')}`).toString()
}
