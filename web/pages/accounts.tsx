// The accounts with the most coins, with their share of the supply.
import { api, type TopAccount, useBlockVersion } from '../api.ts'
import { toBaseUnits, withCommas } from '../format.ts'
import { Address, Coins, Paginated, Rows, type Table } from '../parts.tsx'
import { Share } from '../tables.tsx'

/** `supply` in whole coins, as the API gives it. */
const accountTable = (supply: string | null, before: number, items: readonly TopAccount[]): Table<TopAccount> => {
  const ranks = new Map(items.map(({ hash }, i) => [hash, before + i + 1]))
  const whole = supply === null ? '0' : toBaseUnits(supply)
  return {
    keyOf: ({ hash }) => hash,
    columns: [
      ['Rank', ({ hash }) => ranks.get(hash)],
      ['Address', (of) => <Address of={of} size={10} />],
      ['Balance', ({ coin_balance }) => <Coins value={coin_balance} digits={6} />, 'number'],
      ['Share', ({ coin_balance }) => <Share part={coin_balance} whole={whole} />, 'number'],
      ['Transactions', ({ transactions_count }) => withCommas(transactions_count), 'number'],
    ],
    lines: [
      ['Rank', 'Address', 'Balance'],
      [{ named: 'Transactions' }, 'Share'],
    ],
  }
}

export default function Accounts() {
  return (
    <section class="card">
      <h1>Top accounts</h1>
      <Paginated list={api('/addresses')} version={useBlockVersion()} order="rank">
        {({ items, total_supply: supply }, before) => (
          <Rows of={items} table={accountTable(supply, before, items)} empty="Nobody holds coins." />
        )}
      </Paginated>
    </section>
  )
}
