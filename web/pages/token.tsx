// The page of one token: its record, transfers, items and holders.
import { Link } from 'wouter-preact'
import { type Holder, type Token, type Transfer, useBlockVersion, useRead } from '../api.ts'
import { units, withCommas } from '../format.ts'
import { Inventory } from '../inventory.tsx'
import { Fields, Loaded, PaginatedTable, Tabs } from '../parts.tsx'
import { holderTable, transferTable } from '../tables.tsx'

export default function TokenPage({ hash }: { hash: string }) {
  const version = useBlockVersion()
  const reading = useRead<Token>(`/tokens/${hash}`, version)
  const base = `/tokens/${hash}`
  return (
    <Loaded reading={reading}>
      {(of) => (
        <>
          <section class="card">
            <h1>
              {of.name ?? 'Token'} <span class="faint">{of.symbol}</span>
            </h1>
            <Fields
              of={{
                Contract: (
                  <Link class="mono" href={`/address/${of.address_hash}`}>
                    {of.address_hash}
                  </Link>
                ),
                Type: of.type,
                Supply: of.total_supply === null ? null : units(of.total_supply, Number(of.decimals ?? 0), 18),
                Decimals: of.decimals,
                Holders: withCommas(of.holders_count),
              }}
            />
          </section>
          <Tabs
            of={[
              {
                name: 'Transfers',
                content: () => (
                  <PaginatedTable<Transfer>
                    path={`${base}/transfers`}
                    table={transferTable}
                    empty="It has not been moved."
                    version={version}
                  />
                ),
              },
              ...(of.type === 'ERC-20'
                ? []
                : [
                    {
                      name: 'Items',
                      content: () => <Inventory path={`${base}/instances`} of={hash} version={version} />,
                    },
                  ]),
              {
                name: 'Holders',
                content: () => (
                  <PaginatedTable<Holder>
                    path={`${base}/holders`}
                    table={holderTable(of)}
                    empty="Nobody holds it."
                    version={version}
                  />
                ),
              },
            ]}
          />
        </>
      )}
    </Loaded>
  )
}
