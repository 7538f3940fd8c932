// Tables, and paginated lists of the API. On a phone a row is a few lines where its table says so, and otherwise a card whose
// cells have the names of their columns.
import type { ComponentChildren } from 'preact'
import { type ApiRead, api, atPage, type List, useHead, useRead } from '../api.ts'
import { withCommas } from '../format.ts'
import { useQuery } from '../location.ts'
import { Loaded } from './record.tsx'

/**
 * `number` is right-aligned; `block` has more than one line, and the whole width on a phone. `unit` is that of all numbers of
 * the column, which follows from the rows.
 */
export type Column<T> = readonly [
  name: string,
  cell: (row: T, rows: readonly T[]) => ComponentChildren,
  kind?: 'number' | 'block' | undefined,
  unit?: (rows: readonly T[]) => string,
]

/** The columns of a line; `named` ones have their names before them. The last one is at the end of the line, where '' leaves nothing. */
type Line = readonly (string | { readonly named: string })[]

export type Table<T> = {
  /** Key of a row in a page: a row keeps its elements when newer rows are inserted before it. */
  readonly keyOf: (row: T) => string | number
  readonly columns: readonly Column<T>[]
  /** A row on a phone; undefined: a card. */
  readonly lines?: readonly Line[]
}

/** A table without some columns: where all rows have the same value in them. */
export const without = <T,>(table: Table<T>, ...names: readonly string[]): Table<T> => ({
  ...table,
  columns: table.columns.filter(([name]) => !names.includes(name)),
})

/** Place of a column in the lines of a row on a phone: the order of a flex item, whose lines are divided at multiples of ten. */
type Place = { readonly order: number; readonly class: string }
const LINE = 10

const placesOf = (lines: readonly Line[] | undefined): ReadonlyMap<string, Place> =>
  new Map(
    (lines ?? []).flatMap((line, number) =>
      line.map((item, at): [string, Place] => {
        const isEnd = at === line.length - 1 && at > 0
        const isNamed = typeof item !== 'string'
        const place = { order: number * LINE + at + 1, class: `${isEnd ? 'end' : ''} ${isNamed ? 'named' : ''}` }
        return [isNamed ? item.named : item, place]
      }),
    ),
  )

/** `empty` is shown instead of a table without rows; `label` distinguishes the tables of a page. */
export function Rows<T>({
  of,
  table,
  empty,
  label = 'Table',
}: {
  of: readonly T[]
  table: Table<T>
  empty: string
  label?: string
}) {
  const { keyOf, columns, lines } = table
  const places = placesOf(lines)
  if (of.length === 0) return <p class="note">{empty}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table class={lines && 'lined'}>
        <thead>
          <tr>
            {columns.map(([name, , kind, unit]) => (
              <th key={name} class={kind}>
                {name}
                {unit && <span class="unit"> {unit(of)}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(([name, cell, kind, unit]) => {
                const place = places.get(name)
                return (
                  <td
                    key={name}
                    class={`${kind ?? ''} ${place?.class ?? (lines ? 'wide-only' : '')}`}
                    style={place && { order: place.order }}
                    data-column={name}
                    data-unit={unit?.(of)}
                  >
                    {cell(row, of)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

type ListProps<L> = {
  /** The first page. */
  readonly list: ApiRead<L>
  readonly version?: number
  /** The order of the rows, for the buttons' names. */
  readonly order?: 'time' | 'rank'
}

/** Rows per page: the API's default. */
const PAGE_LENGTH = 50

/**
 * A list of the API, with buttons for older and newer pages. The page's number is in the URL, with the list's length when its
 * first page was read, so that pages keep their rows while blocks arrive. Only the first page follows `version`; all pages
 * follow removals of blocks.
 */
export function Paginated<L extends List<unknown>>({
  list,
  version = 0,
  order = 'time',
  children,
}: ListProps<L> & {
  /** `before`: number of rows on the pages before this one. */
  children: (of: L, before: number) => ComponentChildren
}) {
  const [query, change] = useQuery()
  const { removals } = useHead()
  const page = Math.max(1, Math.trunc(Number(query.page ?? 1)) || 1)
  const reading = useRead(
    page === 1 ? list : atPage(list, page, query.anchor),
    page === 1 ? removals + version : removals,
  )
  const turn = (to: number, anchor?: string | number) =>
    change({
      page: to === 1 ? undefined : String(to),
      anchor: to === 1 || anchor === undefined ? undefined : String(anchor),
    })
  const [back, on] = order === 'time' ? ['← newer', 'older →'] : ['← previous', 'next →']
  return (
    <Loaded reading={reading}>
      {(of) => (
        <>
          {children(of, (page - 1) * PAGE_LENGTH)}
          {order === 'time' && of.next_page_params === null && <Beginning />}
          {(page > 1 || of.next_page_params !== null) && (
            <nav class="pages" aria-label="Pages of the list">
              <button type="button" disabled={page === 1} onClick={() => turn(page - 1, query.anchor)}>
                {back}
              </button>
              <span class="faint">
                page {page}
                {of.total_count !== undefined && ` · ${of.total_count.toLocaleString('en-US')} in all`}
              </span>
              <button
                type="button"
                disabled={of.next_page_params === null}
                onClick={() => turn(page + 1, of.next_page_params?.anchor)}
              >
                {on}
              </button>
            </nav>
          )}
        </>
      )}
    </Loaded>
  )
}

/** Under the last rows of a list: a fork, and a chain that began with a snapshot, has nothing of earlier blocks in its lists. */
function Beginning() {
  const { data } = useRead(api('/stats'))
  if (data === undefined || data.first_block <= 1) return null
  return <p class="note">Lists begin with block {withCommas(data.first_block)}, the first that this node has.</p>
}

/** A list of the API as a table. */
export const PaginatedTable = <T,>({
  table,
  empty,
  ...list
}: ListProps<List<T>> & { table: Table<T>; empty: string }) => (
  <Paginated {...list}>{({ items }) => <Rows of={items} table={table} empty={empty} />}</Paginated>
)
