// The parameters of all modules, the history of their changes, the modules' accounts and the denominations of coins.
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { api, type Denomination, type ModuleAccount, type ParameterChange, useBlockVersion, useRead } from '../api.ts'
import { units, withCommas } from '../format.ts'
import { DenomAmount, useBaseDenomination } from '../native/amounts.tsx'
import { percent, span } from '../native/parts.tsx'
import { Address, BlockLink, COIN, Cut, Fields, Loaded, PaginatedTable, type Table, Tabs } from '../parts.tsx'
import '../native/native.css'

export default function ParametersPage() {
  const version = useBlockVersion()
  const base = useBaseDenomination()
  return (
    <>
      <section class="card">
        <h1>Parameters</h1>
        <p class="note">
          What governance may change, and what it has changed. Amounts are in {COIN}, parts of a whole in percent.
        </p>
      </section>
      <Tabs
        of={[
          { name: 'Now', content: () => <Now version={version} /> },
          {
            name: 'History',
            content: () => (
              <PaginatedTable
                list={api('/native/parameters/history')}
                table={changeTable}
                empty="All parameters are those of the genesis."
                version={version}
              />
            ),
          },
          {
            name: 'Module accounts',
            content: () => (
              <PaginatedTable
                list={api('/native/modules')}
                table={accountTable(base)}
                empty="There are none."
                version={version}
                order="rank"
              />
            ),
          },
          {
            name: 'Denominations',
            content: () => (
              <PaginatedTable
                list={api('/native/denominations')}
                table={denominationTable(base)}
                empty="There are none."
                version={version}
                order="rank"
              />
            ),
          },
        ]}
      />
    </>
  )
}

function Now({ version }: { version: number }) {
  const reading = useRead(api('/native/parameters'), version)
  return (
    <Loaded reading={reading}>
      {(modules) => (
        <div class="parameters">
          {Object.entries(modules).map(([module, parameters]) => (
            <section key={module} aria-label={words(module)}>
              <h2>{words(module)}</h2>
              {parameters === null ? (
                <p class="note">This chain does not have it.</p>
              ) : (
                <Fields
                  of={Object.fromEntries(
                    Object.entries(parameters).map(([key, value]) => [words(key), showValue(key, value)]),
                  )}
                />
              )}
            </section>
          ))}
        </div>
      )}
    </Loaded>
  )
}

/** Modules whose names differ from their keys. */
const NAMES: Readonly<Record<string, string>> = { evm: 'EVM', gov: 'governance', authz: 'grants', erc20: 'token pairs' }

/** `voting_period`: Voting period */
const words = (key: string): string => {
  const text = NAMES[key] ?? key.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

type Value = string | number | boolean | readonly string[] | null

/** Numbers in seconds, by the suffix of their keys. */
const PERIOD = /(_time|_period|_duration|_expiration)$/
const AMOUNTS: ReadonlySet<string> = new Set(['min_deposit', 'expedited_min_deposit', 'per_block', 'power_reduction'])
const RATE = /^\d+\.\d{18}$/

function showValue(key: string, value: Value): ComponentChildren {
  if (value === null) return <span class="faint">none</span>
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') {
    return PERIOD.test(key) ? <span title={`${value} seconds`}>{span(value)}</span> : withCommas(value)
  }
  if (typeof value !== 'string') return value.length === 0 ? <span class="faint">none</span> : value.join(', ')
  if (RATE.test(value)) return percent(value, 6)
  if (key === 'min_base_fee') return value === '0' ? <span class="faint">none</span> : `${units(value, 9, 9)} gwei`
  if (AMOUNTS.has(key)) return `${units(value, 18, 18)} ${COIN}`
  return <code>{value}</code>
}

const changeTable: Table<ParameterChange> = {
  keyOf: ({ block_number, module, key, cause }) =>
    `${block_number} ${module} ${key} ${cause.proposal_id} ${cause.name}`,
  columns: [
    ['Block', ({ block_number }) => <BlockLink number={block_number} />],
    ['Parameter', ({ module, key }) => `${words(module)}: ${words(key).toLowerCase()}`],
    ['Before', ({ key, before }) => showValue(key, before)],
    ['After', ({ key, after }) => showValue(key, after)],
    [
      'By',
      ({ cause: { proposal_id: id, name } }) =>
        id === null ? (
          <span>
            upgrade <Cut text={name} />
          </span>
        ) : (
          <Link href={`/proposal/${id}`}>
            <Cut text={`#${id} ${name}`} />
          </Link>
        ),
    ],
  ],
}

const accountTable = (base: string | undefined): Table<ModuleAccount> => ({
  keyOf: ({ name }) => name,
  columns: [
    ['Module', ({ name }) => name],
    ['Address', ({ address }) => <Address of={address} full />],
    [
      'Coins',
      ({ balances }) =>
        balances.length === 0 ? (
          <span class="faint">none</span>
        ) : (
          <span class="stack">
            {balances.map((coin) => (
              <DenomAmount key={coin.denom} of={coin} base={base} />
            ))}
          </span>
        ),
      'number',
    ],
  ],
})

const denominationTable = (base: string | undefined): Table<Denomination> => ({
  keyOf: ({ denom }) => denom,
  columns: [
    ['Denomination', ({ denom }) => <Cut text={denom} />],
    ['Kind', ({ kind }) => (kind === 'base' ? 'the chain’s coin' : kind)],
    ['Supply', ({ denom, supply }) => <DenomAmount of={{ denom, amount: supply }} base={base} />, 'number'],
    [
      'Came through',
      ({ trace }) =>
        trace === null ? <span class="faint">—</span> : <Cut text={`${trace.path}/${trace.base_denom}`} />,
    ],
    [
      'Token',
      ({ token_pair: pair }) =>
        pair === null ? (
          <span class="faint">—</span>
        ) : (
          <Link href={`/token/${pair.token.hash}`}>
            <Cut text={pair.symbol || pair.name} />
          </Link>
        ),
    ],
  ],
})
