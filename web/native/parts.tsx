// Common parts of pages of the native modules: names of validators, shares, decimal rates, countdowns.
import { useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { ValidatorRef } from '../api.ts'
import { abbreviated, utcTime } from '../format.ts'
import { Coins, Cut, Identicon } from '../parts.tsx'
import './native.css'

/** A validator by its name, as a link to its page. */
export const ValidatorLink = ({ of: { address, moniker } }: { of: Pick<ValidatorRef, 'address' | 'moniker'> }) => (
  <span class="address">
    <Identicon of={address.hash} />
    <Link href={`/validator/${address.hash}`} title={address.hash}>
      {moniker === null || moniker === '' ? abbreviated(address.hash) : <Cut text={moniker} />}
    </Link>
  </span>
)

/** A rate of the API, `0.100000000000000000`, as a percentage: `10 %`. */
export function percent(rate: string, digits = 2): string {
  const value = Number(rate) * 100
  return `${value.toLocaleString('en-US', { maximumFractionDigits: digits })} %`
}

/** Base units with decimals (rewards have 18), shown in coins; the fraction of a base unit is dropped. */
export const DecCoins = ({ value, digits = 6 }: { value: string; digits?: number }) => (
  <Coins value={value.split('.')[0] ?? '0'} digits={digits} />
)

/** A fraction as a bar with its label; `of` is from 0 to 1. */
export const ShareBar = ({ of, label }: { of: number; label: string }) => (
  <span class="share">
    <span>{label}</span>
    <span class="bar" aria-hidden="true">
      <i style={{ width: `${Math.max(0, Math.min(100, of * 100))}%` }} />
    </span>
  </span>
)

export const Pill = ({ kind, children }: { kind: 'ok' | 'bad' | 'plain'; children: string }) => (
  <span class={`status pill ${kind === 'plain' ? 'faint' : kind}`}>{children}</span>
)

/** `1 d 4 h`, `3 min 20 s`: the two largest units. */
export function span(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  if (first < 0) return '0 s'
  return parts
    .slice(first, first + 2)
    .filter(([count], i) => i === 0 || count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}

/** Time until a point of the chain's clock. `secondsLeft` comes from the node, so the reader's clock does not matter. */
export function Countdown({ to, secondsLeft }: { to: string; secondsLeft: number }) {
  const [left, setLeft] = useState(secondsLeft)
  useEffect(() => {
    const begun = performance.now()
    setLeft(secondsLeft)
    if (secondsLeft === 0) return
    const timer = setInterval(
      () => setLeft(Math.max(0, secondsLeft - Math.floor((performance.now() - begun) / 1000))),
      1000,
    )
    return () => clearInterval(timer)
  }, [to, secondsLeft])
  return (
    <time class="nowrap" dateTime={to} title={utcTime(to)}>
      {left === 0 ? 'due' : `in ${span(left)}`}
    </time>
  )
}

/** A URL from a record: a link only if its scheme is http or https. */
export const Site = ({ url }: { url: string }) =>
  /^https?:\/\//i.test(url) ? (
    <a href={url} rel="noopener noreferrer nofollow" target="_blank">
      <Cut text={url} />
    </a>
  ) : (
    <Cut text={url} />
  )
