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
