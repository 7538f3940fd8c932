// The page of one token: its record, transfers, items and holders.
import { api, type Token, useBlockVersion, useRead } from '../api.ts'
import { units, withCommas } from '../format.ts'
import { Inventory } from '../inventory.tsx'
import { useTitle } from '../location.ts'
import { MissingToken } from '../parts/missing.tsx'
import {
  AddressLink,
  Copy,
  Cut,
  Fields,
  LoadedPage,
  NAME_WARNINGS,
  PaginatedTable,
  type Tab,
  Tabs,
  TokenPicture,
  without,
} from '../parts.tsx'
import { holderTable, transferTable } from '../tables.tsx'

export default function TokenPage({ hash }: { hash: string }) {
  const version = useBlockVersion()
  const parameters = { address_hash_param: hash }
  const reading = useRead(api('/tokens/{address_hash_param}', parameters), version)
  const counters = useRead(api('/tokens/{address_hash_param}/counters', parameters), version).data
  const { data } = reading
  useTitle(data === undefined ? undefined : (data.symbol || data.name || 'Token').slice(0, 60))
  return (
    <LoadedPage reading={reading} name="Token" missing={<MissingToken hash={hash} />}>
      {(of) => (
        <>
          <section class="card">
            <h1>
              <TokenPicture of={of} size={28} />
              <Cut text={of.name || 'Token'} />
              {of.symbol && (
                <span class="faint">
                  <Cut text={of.symbol} />
                </span>
              )}
            </h1>
            <Fields
              of={{
                Contract: (
                  <span class="address full">
                    <AddressLink hash={of.address_hash} full isContract />
                    <Copy text={of.address_hash} of="address" />
                  </span>
                ),
                Caution: of.name_warning === null ? null : <span class="bad">{NAME_WARNINGS[of.name_warning]}</span>,
                Type: of.type,
                Supply:
                  of.total_supply === null ? null : (
                    <span class="amount" title={of.total_supply}>
                      {units(of.total_supply, Number(of.decimals ?? 0), 18)}{' '}
                      {of.symbol && (
                        <span class="faint">
                          <Cut text={of.symbol} />
                        </span>
                      )}
                    </span>
                  ),
                Decimals: of.decimals,
                Price: of.exchange_rate === null ? null : `$${of.exchange_rate}`,
                Holders: withCommas(of.holders_count),
                Transfers: counters === undefined ? null : withCommas(counters.transfers_count),
              }}
            />
          </section>
          <Tabs of={tabsOf(of, version)} />
        </>
      )}
    </LoadedPage>
  )
}

function tabsOf(of: Token, version: number): Tab[] {
  const parameters = { address_hash_param: of.address_hash }
  const transfers: Tab = {
    name: 'Transfers',
    content: () => (
      <PaginatedTable
        list={api('/tokens/{address_hash_param}/transfers', parameters)}
        table={of.type === 'ERC-20' ? without(transferTable, 'Token', 'Id') : without(transferTable, 'Token')}
        empty="It has not been moved."
        version={version}
      />
    ),
  }
  const items: Tab = {
    name: 'Items',
    content: () => (
      <Inventory
        list={api('/tokens/{address_hash_param}/instances', parameters)}
        of={of.address_hash}
        version={version}
      />
    ),
  }
  const holders: Tab = {
    name: 'Holders',
    content: () => (
      <PaginatedTable
        list={api('/tokens/{address_hash_param}/holders', parameters)}
        table={holderTable(of)}
        empty="Nobody holds it."
        version={version}
        order="rank"
      />
    ),
  }
  return of.type === 'ERC-20' ? [transfers, holders] : [transfers, items, holders]
}
