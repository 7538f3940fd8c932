// Contracts whose sources are verified.
import { Link } from 'wouter-preact'
import { api, useRead, type VerifiedContract } from '../api.ts'
import { utcTime, withCommas } from '../format.ts'
import { Address, Coins, Cut, PaginatedTable, type Table } from '../parts.tsx'

const contractTable: Table<VerifiedContract> = {
  keyOf: ({ address }) => address.hash,
  columns: [
    ['Contract', ({ address }) => <Address of={address} />],
    ['Name', ({ name }) => <Cut text={name} />],
    ['Language', ({ language }) => language],
    ['Compiler', ({ compiler_version }) => <Cut text={compiler_version} />],
    ['Licence', ({ license_type }) => license_type ?? '—'],
    ['Balance', ({ coin_balance }) => (coin_balance === '0' ? '—' : <Coins value={coin_balance} />), 'number'],
    ['Transactions', ({ transactions_count }) => withCommas(transactions_count), 'number'],
    ['Verified', ({ verified_at }) => <span title={utcTime(verified_at)}>{verified_at.slice(0, 10)}</span>],
  ],
  lines: [
    ['Contract', 'Verified'],
    ['Language', 'Compiler', 'Licence'],
    [{ named: 'Transactions' }, { named: 'Balance' }],
  ],
}

export default function VerifiedContracts() {
  const counters = useRead(api('/smart-contracts/counters')).data
  return (
    <section class="card">
      <h1>Verified contracts</h1>
      <div class="above">
        {counters !== undefined && (
          <span class="faint">
            {withCommas(counters.verified_smart_contracts)} verified, of {withCommas(counters.smart_contracts)}{' '}
            contracts
          </span>
        )}
        <Link class="end" href="/verify">
          Verify a contract
        </Link>
      </div>
      <PaginatedTable list={api('/smart-contracts')} table={contractTable} empty="No contract has been verified yet." />
    </section>
  )
}
