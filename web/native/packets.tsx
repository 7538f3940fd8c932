// The table of packets over channels and over clients of IBC, their filters, and the tab of a transaction that has some. What another
// chain has written is shown as text.
import { Link } from 'wouter-preact'
import { api, type Packet, useRead } from '../api.ts'
import { HAS_IBC, useQuery } from '../location.ts'
import { Choice } from '../parts/choice.tsx'
import { Address, BlockLink, Cut, PaginatedTable, type Tab, type Table, Time, TransactionLink } from '../parts.tsx'
import { DenomAmount, useBaseDenomination } from './amounts.tsx'
import { Pill } from './parts.tsx'

const KINDS = { pending: 'plain', success: 'ok', error: 'bad', timeout: 'bad' } as const
const NOTHING = <span class="faint">—</span>

export const PacketStatus = ({ of: { status } }: { of: Packet }) => <Pill kind={KINDS[status]}>{status}</Pill>

/** Sender or receiver: an account of this chain, or what another chain calls it. */
export const Party = ({
  text,
  known,
  full = false,
}: {
  text: string | null
  known: Packet['sender']
  full?: boolean
}) => {
  if (known !== null) return <Address of={known} full={full} />
  if (text === null) return NOTHING
  return full ? <bdi>{text}</bdi> : <Cut text={text} />
}

/** The channel, or the client here, with the packet's number; a packet over a client has a page. */
function Route({ of: { source, destination, sequence, client, direction } }: { of: Packet }) {
  const number = <span class="faint cut">#{sequence}</span>
  const title = `${source.port}/${source.channel} to ${destination.port}/${destination.channel}`
  if (client === null)
    return (
      <span title={title}>
        {source.channel} {number}
      </span>
    )
  return (
    <Link class="nowrap" title={title} href={`/packet/${client}/${direction}/${sequence}`}>
      {direction === 'sent' ? 'to' : 'from'} {client} {number}
    </Link>
  )
}

export const packetTable = (base: string | undefined): Table<Packet> => ({
  keyOf: ({ source, direction, sequence }) => `${source.port} ${source.channel} ${direction} ${sequence}`,
  columns: [
    ['Transaction', ({ transaction_hash }) => <TransactionLink hash={transaction_hash} />],
    ['Block', ({ block_number }) => <BlockLink number={block_number} />],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['Status', (of) => <PacketStatus of={of} />],
    ['Channel', (of) => <Route of={of} />],
    ['From', ({ sender, sender_text }) => <Party text={sender_text} known={sender} />],
    ['To', ({ receiver, receiver_address }) => <Party text={receiver} known={receiver_address} />],
    [
      'Amount',
      ({ denom, amount }) =>
        denom === null || amount === null ? NOTHING : <DenomAmount of={{ denom, amount }} base={base} />,
      'number',
    ],
    ['Note', ({ memo }) => (memo === null || memo === '' ? NOTHING : <Cut text={memo} />)],
  ],
})

/** Packets over clients of IBC by direction and status, which are in the URL; `client`: over one of them. */
export function FilteredPackets({ client, version }: { client?: string; version: number }) {
  const [{ direction, status }] = useQuery()
  const base = useBaseDenomination()
  const isFiltered = client !== undefined || direction !== undefined || status !== undefined
  return (
    <>
      <div class="above">
        <Choice name="direction" label="Direction" of={['sent', 'received']} />
        <Choice name="status" label="Status" of={['pending', 'success', 'error', 'timeout']} />
      </div>
      <PaginatedTable
        list={isFiltered ? api('/native/packets', { client, direction, status }) : api('/native/transfers')}
        table={packetTable(base)}
        empty={isFiltered ? 'There are no packets of this kind.' : 'There are no packets.'}
        version={version}
      />
    </>
  )
}

/** The tab of a transaction with its packets, if it has some. */
export function usePacketTab(hash: string): readonly Tab[] {
  const count = useRead(HAS_IBC ? packetsOf(hash) : undefined).data?.total_count
  if (count === undefined || count === 0) return []
  return [{ name: 'Packets', count, content: () => <PacketsOf hash={hash} /> }]
}

const packetsOf = (hash: string) =>
  api('/native/transactions/{transaction_hash_param}/packets', { transaction_hash_param: hash })

function PacketsOf({ hash }: { hash: string }) {
  const table = packetTable(useBaseDenomination())
  return <PaginatedTable list={packetsOf(hash)} table={table} empty="There are none." order="rank" />
}
