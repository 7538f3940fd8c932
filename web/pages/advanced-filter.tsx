// Transactions, token transfers and messages in one list, by conditions that are in the URL under the API's names, which are those
// of Blockscout's page. A page of the list may be short: the node looks at a limited number of entries, and goes on from there.
import { useState } from 'preact/hooks'
import { type Activity, api, useRead } from '../api.ts'
import { abbreviated, withCommas } from '../format.ts'
import { type Query, useQuery } from '../location.ts'
import { Address, Amount, BlockLink, Coins, ItemId, Loaded, Rows, type Table, Time, TokenLink } from '../parts.tsx'
import { Sent } from '../tables.tsx'
import './advanced-filter.css'

const TYPES = {
  COIN_TRANSFER: 'coins',
  CONTRACT_INTERACTION: 'calls',
  CONTRACT_CREATION: 'deployments',
  'ERC-20': 'ERC-20',
  'ERC-721': 'ERC-721',
  'ERC-1155': 'ERC-1155',
} as const

const TYPE_NAMES: Readonly<Record<Activity['type'], string>> = {
  coin_transfer: 'coins',
  contract_interaction: 'call',
  contract_creation: 'deployment',
  'ERC-20': 'ERC-20',
  'ERC-721': 'ERC-721',
  'ERC-1155': 'ERC-1155',
}

/** Conditions by their name in the URL. */
const ADDRESSES = {
  from_address_hashes_to_include: 'From',
  to_address_hashes_to_include: 'To',
  from_address_hashes_to_exclude: 'Not from',
  to_address_hashes_to_exclude: 'Not to',
} as const
/** `hint` is an example. */
const TEXTS = {
  method: { label: 'Method', hint: 'transfer, 0xa9059cbb' },
  token: { label: 'Token', hint: '0x…, or a symbol' },
  amount_from: { label: 'Amount from', hint: 'in whole coins or tokens' },
  amount_to: { label: 'Amount up to', hint: 'in whole coins or tokens' },
} as const
const TIMES = { age_from: 'Since (UTC)', age_to: 'Until (UTC)' } as const

/** What the URL has instead of the two fields that take names and identifiers. */
const SPLIT = {
  method: ['methods', 'methods_names'],
  token: ['token_contract_address_hashes_to_include', 'token_contract_symbols_to_include'],
} as const

const CONDITIONS = [
  ...['transaction_types', 'address_relation', 'token_contract_address_hashes_to_exclude'],
  'token_contract_symbols_to_exclude',
  ...Object.keys(ADDRESSES),
  ...Object.keys(TEXTS).filter((name) => !(name in SPLIT)),
  ...Object.keys(TIMES),
  ...Object.values(SPLIT).flat(),
]
const CURSOR = [
  ...['block_number', 'transaction_index', 'internal_transaction_index', 'token_transfer_index'],
  ...['token_transfer_batch_index', 'items_count'],
]

const picked = (query: Query, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name): [string, string][] => (query[name] ? [[name, query[name]]] : [])))
const none = (names: readonly string[]): Query => Object.fromEntries(names.map((name) => [name, undefined]))

export default function AdvancedFilter() {
  const [query, change] = useQuery()
  const conditions = picked(query, CONDITIONS)
  const apply = (next: Query) => change({ ...none([...CONDITIONS, ...CURSOR]), ...next })
  return (
    <section class="card">
      <h1>Filter</h1>
      <Conditions key={JSON.stringify(conditions)} of={conditions} apply={apply} />
      <Results
        conditions={conditions}
        cursor={picked(query, CURSOR)}
        turn={(to) => change({ ...none(CURSOR), ...to })}
      />
    </section>
  )
}

const inTypes = (types: string): string =>
  Object.entries(TYPES)
    .flatMap(([type, title]) => (types.toUpperCase().split(',').includes(type) ? [title] : []))
    .join(', ')

/** `coins, calls · method transfer`; addresses are abbreviated. */
function inWords(of: Drafts): string {
  const drafts = draftsOf(of)
  const labels = {
    ...TIMES,
    ...ADDRESSES,
    ...Object.fromEntries(Object.entries(TEXTS).map(([name, { label }]) => [name, label])),
  }
  const values = Object.entries(labels).flatMap(([name, label]) => {
    const value = drafts[name]?.replace('T', ' ').replace(/0x[0-9a-f]{40}/gi, (address) => abbreviated(address, 4))
    return value ? [`${label.toLowerCase().replace(' (utc)', '')} ${value}`] : []
  })
  const relation = of.address_relation === 'and' ? 'from and to both fit' : ''
  return [inTypes(of.transaction_types ?? ''), ...values, relation].filter((part) => part !== '').join(' · ')
}

type Drafts = Readonly<Record<string, string>>

/** The texts of the fields for the conditions of the URL. */
function draftsOf(of: Drafts): Drafts {
  const split = Object.entries(SPLIT).map(([name, names]) => [name, Object.values(picked(of, names)).join(', ')])
  const times = Object.keys(TIMES).map((name) => [name, (of[name] ?? '').slice(0, 16)])
  return { ...of, ...Object.fromEntries([...split, ...times]) }
}

/** The conditions of the URL for the texts of the fields. */
function conditionsOf(drafts: Drafts): Query {
  const parts = (name: string) =>
    (drafts[name] ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  const joined = (all: readonly string[]) => (all.length === 0 ? undefined : all.join(','))
  const split = Object.entries(SPLIT).flatMap(([name, [identifiers, names]]) => [
    [identifiers, joined(parts(name).filter(isIdentifier))],
    [names, joined(parts(name).filter((part) => !isIdentifier(part)))],
  ])
  const times = Object.keys(TIMES).map((name) => [name, drafts[name] ? `${drafts[name]}:00Z` : undefined])
  const texts = [...Object.keys(ADDRESSES), ...Object.keys(TEXTS).filter((name) => !(name in SPLIT))]
  return {
    transaction_types: drafts.transaction_types || undefined,
    address_relation: drafts.address_relation || undefined,
    ...Object.fromEntries([...texts.map((name) => [name, joined(parts(name))]), ...times, ...split]),
  }
}

const isIdentifier = (text: string): boolean => text.startsWith('0x') || text === 'native'

function Conditions({ of, apply }: { of: Drafts; apply: (next: Query) => void }) {
  const [drafts, setDrafts] = useState(draftsOf(of))
  const set = (name: string, text: string) => setDrafts({ ...drafts, [name]: text })
  const field = (name: string, label: string, attributes: Readonly<Record<string, string>>) => (
    <label key={name}>
      <span>{label}</span>
      <input
        name={name}
        value={drafts[name] ?? ''}
        onInput={({ currentTarget }) => set(name, currentTarget.value)}
        {...attributes}
      />
    </label>
  )
  const count = Object.keys(of).length
  return (
    <details class="conditions" open={count === 0}>
      <summary>
        Conditions <span class="faint">{inWords(of)}</span>
      </summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          apply(conditionsOf(drafts))
        }}
      >
        <Types of={drafts.transaction_types ?? ''} onChange={(types) => set('transaction_types', types)} />
        {Object.entries(TIMES).map(([name, label]) => field(name, label, { type: 'datetime-local' }))}
        {Object.entries(ADDRESSES).map(([name, label]) =>
          field(name, label, { type: 'text', placeholder: '0x…, 0x…' }),
        )}
        <label>
          <span>From and to</span>
          <select
            value={drafts.address_relation ?? ''}
            onChange={({ currentTarget }) => set('address_relation', currentTarget.value)}
          >
            <option value="">one of both fits</option>
            <option value="and">both fit</option>
          </select>
        </label>
        {Object.entries(TEXTS).map(([name, { label, hint }]) =>
          field(name, label, { type: 'text', placeholder: hint }),
        )}
        <div class="acts">
          <button type="submit">Apply</button>
          {count > 0 && (
            <button type="button" onClick={() => apply({})}>
              Remove all
            </button>
          )}
          <a href={`/api/v2/advanced-filters/csv?${new URLSearchParams(of)}`} download>
            CSV
          </a>
        </div>
      </form>
    </details>
  )
}

function Types({ of, onChange }: { of: string; onChange: (types: string) => void }) {
  const chosen = of
    .toUpperCase()
    .split(',')
    .filter((type) => type !== '')
  const toggled = (type: string) => (chosen.includes(type) ? chosen.filter((each) => each !== type) : [...chosen, type])
  return (
    <fieldset class="filters" aria-label="Types">
      {Object.entries(TYPES).map(([type, title]) => (
        <button
          type="button"
          key={type}
          aria-pressed={chosen.includes(type)}
          onClick={() => onChange(toggled(type).join(','))}
        >
          {title}
        </button>
      ))}
    </fieldset>
  )
}

const nothing = <span class="faint">—</span>

/** The zero address of a token transfer. */
const isNobody = ({ token }: Activity, of = ''): boolean => token !== null && /^0x0+$/.test(of)

const table: Table<Activity> = {
  keyOf: (of) =>
    [of.hash, of.internal_transaction_index, of.token_transfer_index, of.token_transfer_batch_index].join(' '),
  columns: [
    ['Transaction', ({ hash, status }) => <Sent hash={hash} fault={status === 'success' ? undefined : status} />],
    [
      'Type',
      ({ type, internal_transaction_index: index }) => (
        <span class="method" title={index === null ? undefined : 'within a transaction'}>
          {index === null ? '' : '↳ '}
          {TYPE_NAMES[type]}
        </span>
      ),
    ],
    ['Method', ({ method }) => (method === null ? nothing : <span class="method">{method}</span>)],
    ['Block', ({ block_number }) => <BlockLink number={block_number} />],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['From', (of) => (isNobody(of, of.from.hash) ? <span class="faint">minted</span> : <Address of={of.from} />)],
    [
      'To',
      (of) =>
        isNobody(of, of.to?.hash) ? <span class="faint">burnt</span> : <Address of={of.to ?? of.created_contract} />,
    ],
    ['Amount', (of) => <Moved of={of} />, 'number'],
    ['Token', ({ token }) => (token === null ? nothing : <TokenLink of={token} />)],
  ],
}

function Moved({ of: { value, total, token } }: { of: Activity }) {
  if (total === null || token === null) return <Coins value={value ?? '0'} />
  const id = 'token_id' in total ? total.token_id : undefined
  const amount = 'value' in total ? total.value : undefined
  return (
    <span>
      {amount !== undefined && <Amount value={amount} token={token} />}
      {amount !== undefined && id !== undefined && ' of #'}
      {id !== undefined && <ItemId token={token.address_hash} id={id} />}
    </span>
  )
}

function Results({ conditions, cursor, turn }: { conditions: Drafts; cursor: Drafts; turn: (to: Query) => void }) {
  const reading = useRead(api('/advanced-filters', { ...conditions, ...cursor }))
  return (
    <Loaded reading={reading}>
      {({ items, next_page_params: next }) => (
        <>
          <Rows of={items} table={table} empty={next === null ? 'Nothing fits.' : 'Nothing was found so far.'} />
          {next !== null && items.length < 50 && (
            <p class="note">
              Searched back to block {withCommas(next.block_number)}. Older entries were not looked at.
            </p>
          )}
          {(next !== null || Object.keys(cursor).length > 0) && (
            <nav class="pages" aria-label="Pages of the list">
              <button type="button" disabled={Object.keys(cursor).length === 0} onClick={() => turn({})}>
                ← newest
              </button>
              <button
                type="button"
                disabled={next === null}
                onClick={() =>
                  turn(Object.fromEntries(Object.entries(next ?? {}).map(([name, of]) => [name, String(of)])))
                }
              >
                {items.length < 50 ? 'search on →' : 'older →'}
              </button>
            </nav>
          )}
        </>
      )}
    </Loaded>
  )
}
