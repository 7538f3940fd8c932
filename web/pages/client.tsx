// The page of one client of IBC: what it knows of the other chain, the packets over it, and its history.
import { api, type Client, useBlockVersion, useRead } from '../api.ts'
import { utcTime, withCommas } from '../format.ts'
import { useTitle } from '../location.ts'
import { ClientStatus, clientChangeTable, heightText } from '../native/clients.tsx'
import { FilteredPackets } from '../native/packets.tsx'
import { Countdown } from '../native/parts.tsx'
import { MissingRecord } from '../parts/missing.tsx'
import { Address, Cut, Fields, LoadedPage, PaginatedTable, Tabs } from '../parts.tsx'
import '../native/native.css'

export default function ClientPage({ id }: { id: string }) {
  const version = useBlockVersion()
  const reading = useRead(api('/native/clients/{client}', { client: id }), version)
  useTitle(`Client ${id.slice(0, 60)}`)
  return (
    <LoadedPage reading={reading} name="Client" missing={<MissingRecord asked={id} />}>
      {(of) => (
        <>
          <Record of={of} />
          <Tabs
            of={[
              {
                name: 'Packets',
                count: Object.values({ ...of.packets.sent, ...received(of) }).reduce((sum, count) => sum + count, 0),
                content: () => <FilteredPackets client={id} version={version} />,
              },
              {
                name: 'History',
                count: of.changes_count,
                content: () => (
                  <PaginatedTable
                    list={api('/native/clients/{client}/history', { client: id })}
                    table={clientChangeTable}
                    empty="It was made before the first block that this node has."
                    version={version}
                  />
                ),
              },
            ]}
          />
        </>
      )}
    </LoadedPage>
  )
}

const received = ({ packets: { received: of } }: Client) => ({ credited: of.success, refused: of.error })

/** `3 in flight, 12 arrived` */
const counts = (of: Readonly<Record<string, number>>): string =>
  Object.entries(of)
    .map(([name, count]) => `${withCommas(count)} ${name}`)
    .join(', ')

function Record({ of }: { of: Client }) {
  const { sent } = of.packets
  return (
    <section class="card">
      <h1>
        Client {of.client_id} <ClientStatus of={of} />
      </h1>
      <Fields
        of={{
          'Chain id': <Cut text={of.chain_id} />,
          'Newest height': (
            <>
              {heightText(of.latest_height)} <span class="faint">of {utcTime(of.latest_time)}</span>
            </>
          ),
          Expires:
            of.status === 'active' ? (
              <>
                <Countdown to={of.expires_at} secondsLeft={of.seconds_left} />{' '}
                <span class="faint">at {utcTime(of.expires_at)}, unless it is updated before</span>
              </>
            ) : (
              utcTime(of.expires_at)
            ),
          Counterparty:
            of.counterparty_client_id === null ? (
              <span class="faint">not registered: no packet can be sent</span>
            ) : (
              <Cut text={of.counterparty_client_id} />
            ),
          Creator: <Address of={of.creator} full />,
          Escrow: <Address of={of.escrow} full />,
          Sent: counts({
            'in flight': sent.pending,
            arrived: sent.success,
            refused: sent.error,
            'timed out': sent.timeout,
          }),
          Received: counts(received(of)),
        }}
      />
    </section>
  )
}
