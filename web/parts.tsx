// The parts that pages are made of: links, amounts, times, tables, lists with pages, tabs.
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import {
  type Decoded,
  type EmbeddedAddress,
  type EmbeddedToken,
  type List,
  NotFound,
  type Reading,
  type Token,
  useRead,
} from './api.ts'
import { abbreviated, ago, units, utcTime } from './format.ts'
import { useQuery } from './location.ts'

/** Symbol of the chain's coin. The node writes it into an attribute, because its policy forbids inline scripts. */
export const COIN = document.documentElement.dataset.coin

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
  const shown = of.name ?? (full ? of.hash : abbreviated(of.hash, size))
  return (
    <Link class={of.name === null ? 'mono' : ''} title={of.hash} href={`/address/${of.hash}`}>
      {of.is_contract && <span class="mark">◆ </span>}
      {shown}
    </Link>
  )
}

export const TransactionLink = ({ hash, full = false }: { hash: string; full?: boolean }) => (
  <Link class="mono" title={hash} href={`/tx/${hash}`}>
    {full ? hash : abbreviated(hash)}
  </Link>
)

export const BlockLink = ({ number }: { number: number | string }) => (
  <Link class="mono" href={`/block/${number}`}>
    {number}
  </Link>
)

export const TokenLink = ({ of }: { of: Token | EmbeddedToken }) => (
  <Link title={of.address_hash} href={`/token/${of.address_hash}`}>
    {of.symbol ?? of.name ?? abbreviated(of.address_hash)}
  </Link>
)

export const Coins = ({ value, digits = 4 }: { value: string; digits?: number }) => (
  <span class="nowrap" title={`${value} wei`}>
    {units(value, 18, digits)} <span class="faint">{COIN}</span>
  </span>
)

export const Amount = ({ value, token }: { value: string; token: Token | EmbeddedToken }) => (
  <span title={value}>{units(value, Number(token.decimals ?? 0), 6)}</span>
)

export const Time = ({ at }: { at: string | null }) => (
  <time class="faint nowrap" dateTime={at ?? ''} title={at === null ? '' : utcTime(at)}>
    {at === null ? 'waiting' : ago(at)}
  </time>
)

export const Status = ({ of }: { of: 'ok' | 'error' | null }) => (
  <span class={`status ${of ?? 'waiting'}`}>{of === null ? 'waiting' : of === 'ok' ? 'success' : 'failed'}</span>
)

/** The fields of a record; those without a value are left out. */
export const Fields = ({ of }: { of: Readonly<Record<string, ComponentChildren>> }) => (
  <dl class="fields">
    {Object.entries(of).map(
      ([name, value]) =>
        value !== null &&
        value !== undefined && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
)

export const DecodedCall = ({ of }: { of: Decoded }) => (
  <div class="call">
    <code>{of.method_call}</code>
    <Fields of={Object.fromEntries(of.parameters.map(({ name, type, value }) => [`${type} ${name}`, show(value)]))} />
  </div>
)

const show = (value: unknown) => <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>

/** A record once it has been read; until then a placeholder, or why it cannot be shown. */
export function Loaded<T>({ reading, children }: { reading: Reading<T>; children: (data: T) => ComponentChildren }) {
  const { data, error } = reading
  if (data !== undefined) return <>{children(data)}</>
  if (error instanceof NotFound) return <p class="note">There is nothing under this name on this chain.</p>
  if (error !== undefined) return <p class="note">{error.message}</p>
  return <div class="loading" />
}

export type Column<T> = readonly [name: string, cell: (row: T) => ComponentChildren]

export type Table<T> = {
  /** Key of a row within a page: a row keeps its elements when newer rows come before it. */
  readonly keyOf: (row: T) => string | number
  readonly columns: readonly Column<T>[]
}

/** `empty` is shown in place of a table without rows. */
export function Rows<T>({ of, table, empty }: { of: readonly T[]; table: Table<T>; empty: string }) {
  const { keyOf, columns } = table
  if (of.length === 0) return <p class="note">{empty}</p>
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {columns.map(([name]) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(([name, cell]) => (
                <td key={name}>{cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type ListPlace = { path: string; version?: number }

/**
 * A list of the API, with buttons to its older and newer pages. The page's number is in the URL, with the length that the list
 * had on its first page, so that pages keep their rows while blocks arrive. Only the first page follows `version`.
 */
export function Paginated<T>({
  path,
  version = 0,
  children,
}: ListPlace & { children: (items: readonly T[]) => ComponentChildren }) {
  const [query, change] = useQuery()
  const page = Number(query.page ?? 1)
  const asked = page === 1 ? undefined : new URLSearchParams({ page: String(page), anchor: query.anchor ?? '' })
  const separator = path.includes('?') ? '&' : '?'
  const reading = useRead<List<T>>(asked === undefined ? path : `${path}${separator}${asked}`, asked ? 0 : version)
  const turn = (to: number, anchor?: string | number) =>
    change({
      page: to === 1 ? undefined : String(to),
      anchor: to === 1 || anchor === undefined ? undefined : String(anchor),
    })
  return (
    <Loaded reading={reading}>
      {({ items, next_page_params: next, total_count }) => (
        <>
          {children(items)}
          {(page > 1 || next !== null) && (
            <nav class="pages" aria-label="Pages of the list">
              <button type="button" disabled={page === 1} onClick={() => turn(page - 1, query.anchor)}>
                ← newer
              </button>
              <span class="faint">
                page {page}
                {total_count !== undefined && ` · ${total_count.toLocaleString('en-US')} in all`}
              </span>
              <button type="button" disabled={next === null} onClick={() => turn(page + 1, next?.anchor)}>
                older →
              </button>
            </nav>
          )}
        </>
      )}
    </Loaded>
  )
}

/** A list of the API as a table. */
export const PaginatedTable = <T,>({ table, empty, ...place }: ListPlace & { table: Table<T>; empty: string }) => (
  <Paginated<T> {...place}>{(items) => <Rows of={items} table={table} empty={empty} />}</Paginated>
)

export type Tab = {
  readonly name: string
  readonly count?: number | undefined
  readonly content: () => ComponentChildren
}

/** A tab's name within a URL: "Token transfers" is `token-transfers`. */
const slug = (name: string) => name.toLowerCase().replaceAll(' ', '-')

/** `chosen`: name of the tab that is open when the URL names none; left out, the first one. */
export function Tabs({ of, chosen: first }: { of: readonly Tab[]; chosen?: string | undefined }) {
  const [query, change] = useQuery()
  const wanted = query.tab ?? slug(first ?? of[0]?.name ?? '')
  const shown = of.find(({ name }) => slug(name) === wanted) ?? of[0]
  return (
    <section class="card">
      <div class="tabs" role="tablist">
        {of.map(({ name, count }) => (
          <button
            type="button"
            role="tab"
            key={name}
            aria-selected={name === shown?.name}
            onClick={() => change({ tab: slug(name), page: undefined, anchor: undefined })}
          >
            {name}
            {count !== undefined && <span class="count">{count}</span>}
          </button>
        ))}
      </div>
      <div key={shown?.name}>{shown?.content()}</div>
    </section>
  )
}
