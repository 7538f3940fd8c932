// Links to records, and values in records: names, amounts, times. Names and symbols come from contracts, may have any length
// and are truncated.
import { blo } from 'blo'
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { EmbeddedAddress, EmbeddedToken, Token } from '../api.ts'
import { abbreviated, ago, type CoinUnit, coins, onScale, type Scale, units, utcTime } from '../format.ts'
import { Copy } from './copy.tsx'

/** Symbol of the chain's coin, which the node writes into an attribute because its policy forbids inline scripts. */
export const COIN = document.documentElement.dataset.coin

/** A text from a contract or a user: truncated with "…", and isolated (`bdi`) so that its direction does not affect the page. */
export const Cut = ({ text }: { text: string }) => (
  <bdi class="cut" title={text}>
    {text}
  </bdi>
)

const isAddress = (text: string): text is `0x${string}` => /^0x[0-9a-f]{40}$/i.test(text)

/** The picture that wallets show for an address. */
export const Identicon = ({ of, size = 16 }: { of: string; size?: number }) =>
  isAddress(of) ? <img class="identicon" src={blo(of)} alt="" width={size} height={size} /> : null

/** The address whose page this is: it is no link there. */
export const OwnAddress = createContext<string | undefined>(undefined)

/** An address as a link. With `full` it is not abbreviated and can be copied. */
export const Address = ({
  of,
  full = false,
  size = 6,
}: {
  of: EmbeddedAddress | null
  full?: boolean
  size?: number
}) => {
  if (of === null) return <span class="faint">—</span>
  return (
    <span class={full ? 'address full' : 'address'}>
      <AddressLink hash={of.hash} name={of.name} isContract={of.is_contract} full={full} size={size} />
      {full && of.name !== null && <span class="mono faint wide-only">{of.hash}</span>}
      {full && <Copy text={of.hash} of="address" />}
    </span>
  )
}

/** Only the link, for records that have only the hash. */
export const AddressLink = ({
  hash,
  name = null,
  isContract = false,
  full = false,
  size = 6,
}: {
  hash: string
  name?: string | null
  isContract?: boolean
  full?: boolean
  size?: number
}) => {
  const own = useContext(OwnAddress)
  const type = name === null ? 'mono' : ''
  const content = (
    <>
      {isContract && (
        <span class="mark" title="Contract" aria-hidden="true">
          ◆{' '}
        </span>
      )}
      {name !== null ? <Cut text={name} /> : full ? hash : abbreviated(hash, size)}
    </>
  )
  return (
    <>
      <Identicon of={hash} />
      {isSameAddress(hash, own) ? (
        <span class={`${type} own`} title={hash}>
          {content}
        </span>
      ) : (
        <Link class={type} title={hash} href={`/address/${hash}`}>
          {content}
        </Link>
      )}
    </>
  )
}

export const isSameAddress = (one: string, other: string | undefined): boolean =>
  one.toLowerCase() === other?.toLowerCase()

export const TransactionLink = ({ hash, full = false }: { hash: string; full?: boolean }) => (
  <Link class={full ? 'mono whole' : 'mono'} title={hash} href={`/tx/${hash}`}>
    {full ? hash : abbreviated(hash)}
  </Link>
)

export const BlockLink = ({ number }: { number: number | string }) => (
  <Link class="mono" href={`/block/${number}`}>
    {number}
  </Link>
)

/** The token's or operator's picture, else the one of its address. */
export const TokenPicture = ({ of, size = 16 }: { of: Token | EmbeddedToken; size?: number }) =>
  of.icon_url === null ? (
    <Identicon of={of.address_hash} size={size} />
  ) : (
    <img
      class="identicon"
      src={of.icon_url}
      alt=""
      width={size}
      height={size}
      loading="lazy"
      referrerpolicy="no-referrer"
    />
  )

type NameWarning = NonNullable<Token['name_warning']>

/** Messages for the warnings about a token's name. */
export const NAME_WARNINGS: Readonly<Record<NameWarning, string>> = {
  invisible_characters: 'The contract gives a name or symbol with invisible characters; they are left out here.',
  mixed_scripts: 'Its name or symbol mixes letters of several scripts, which may look like others.',
  lookalike_letters: 'Its name or symbol is written in letters that look like Latin ones.',
}

/** A mark after a name that can be mistaken for another one. */
export const NameMark = ({ of }: { of: NameWarning | null }) =>
  of === null ? null : (
    <span class="bad" role="img" title={NAME_WARNINGS[of]} aria-label={NAME_WARNINGS[of]}>
      ⚠
    </span>
  )

export const TokenLink = ({ of }: { of: Token | EmbeddedToken }) => (
  <span class="address">
    <TokenPicture of={of} />
    <Link title={`${of.name ?? ''} ${of.address_hash}`} href={`/token/${of.address_hash}`}>
      <Cut text={of.symbol || of.name || abbreviated(of.address_hash, 4)} />
    </Link>
    <NameMark of={of.name_warning} />
  </span>
)

export const unitName = (unit: CoinUnit): string => (unit === 'coin' ? (COIN ?? '') : unit)

/** An amount of coins with its unit; what `digits` decimals cannot show is in a smaller unit. */
export const Coins = ({ value, digits = 4 }: { value: string; digits?: number }) => {
  const { amount, unit } = coins(value, digits)
  return (
    <span class="amount" title={`${value} wei`}>
      {amount} <span class="faint">{unitName(unit)}</span>
    </span>
  )
}

/** An amount in a column with this scale. */
export const CoinsOn = ({ scale, value }: { scale: Scale; value: string }) => (
  <span class="amount" title={`${value} wei`}>
    {onScale(value, scale)}
  </span>
)

/** An amount of a token; amounts with a few hundred decimals or digits are truncated. */
export const Amount = ({ value, token }: { value: string; token: Token | EmbeddedToken }) => (
  <span class="amount cut" title={value}>
    {units(value, Number(token.decimals ?? 0), 6)}
  </span>
)

/** The id of an item: up to 78 digits. */
export const ItemId = ({ token, id }: { token: string; id: string }) => (
  <Link class="mono cut" title={id} href={`/token/${token}/instance/${id}`}>
    {id.length > 16 ? abbreviated(id, 5) : id}
  </Link>
)

/** A link to the filter of all activity with conditions, beside a list of which it is more precise. */
export const FilterLink = ({ of = {} }: { of?: Readonly<Record<string, string>> }) => (
  <Link class="end" href={`/advanced-filter?${new URLSearchParams(of)}`}>
    Filter
  </Link>
)

const clocks = new Set<(now: number) => void>()
const TICK = 5000
setInterval(() => {
  if (!document.hidden) for (const setNow of clocks) setNow(Date.now())
}, TICK)

/** Renders the component again every few seconds, at the same time as all others. */
function useClock(): void {
  const [, setNow] = useState(0)
  useEffect(() => {
    clocks.add(setNow)
    return () => {
      clocks.delete(setNow)
    }
  }, [])
}

/** The age; the time itself is in the title, or with `full` next to it. */
export const Time = ({ at, full = false }: { at: string | null; full?: boolean }) => {
  useClock()
  if (at === null) return <span class="faint nowrap">waiting</span>
  return full ? (
    <time dateTime={at}>
      {ago(at)} <span class="faint">({utcTime(at)})</span>
    </time>
  ) : (
    <time class="faint nowrap" dateTime={at} title={utcTime(at)}>
      {ago(at)}
    </time>
  )
}

export const Status = ({ of }: { of: 'ok' | 'error' | null }) => (
  <span class={`status ${of ?? 'waiting'}`}>{of === null ? 'waiting' : of === 'ok' ? 'success' : 'failed'}</span>
)
