// The tables of clients of IBC and of a client's history. Chain ids are what the creators have written.
import { Link } from 'wouter-preact'
import type { Client, ClientChange } from '../api.ts'
import { withCommas } from '../format.ts'
import { Address, BlockLink, Cut, type Table, Time, TransactionLink } from '../parts.tsx'
import { Countdown, Pill } from './parts.tsx'

const KINDS = { active: 'ok', expired: 'bad', frozen: 'bad' } as const

export const ClientStatus = ({ of: { status } }: { of: Pick<Client, 'status'> }) => (
  <Pill kind={KINDS[status]}>{status}</Pill>
)

/** `1-4067`: revision and height, as Cosmos chains write them. */
export const heightText = ({ revision, height }: Client['latest_height']): string => `${revision}-${height}`

export const clientTable: Table<Client> = {
  keyOf: ({ client_id }) => client_id,
  columns: [
    ['Client', ({ client_id }) => <Link href={`/client/${client_id}`}>{client_id}</Link>],
    ['Chain', ({ chain_id }) => <Cut text={chain_id} />],
    ['Status', (of) => <ClientStatus of={of} />],
    ['Height', ({ latest_height }) => heightText(latest_height), 'number'],
    [
      'Expires',
      ({ status, expires_at, seconds_left }) =>
        status === 'active' ? <Countdown to={expires_at} secondsLeft={seconds_left} /> : <Time at={expires_at} />,
    ],
    [
      'Counterparty',
      ({ counterparty_client_id: id }) => (id === null ? <span class="faint">none</span> : <Cut text={id} />),
    ],
    ['In flight', ({ packets }) => withCommas(packets.sent.pending), 'number'],
    ['Creator', ({ creator }) => <Address of={creator} />],
  ],
}

const CHANGES = {
  created: 'created',
  registered: 'counterparty registered',
  updated: 'updated',
  frozen: 'frozen: its chain has forked',
} as const

export const clientChangeTable: Table<ClientChange> = {
  keyOf: ({ transaction_hash, type, height }) => `${transaction_hash} ${type} ${height?.height}`,
  columns: [
    ['Change', ({ type }) => CHANGES[type]],
    ['Height', ({ height }) => (height === null ? <span class="faint">—</span> : heightText(height)), 'number'],
    ['Transaction', ({ transaction_hash }) => <TransactionLink hash={transaction_hash} />],
    ['Block', ({ block_number }) => <BlockLink number={block_number} />],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['By', ({ sender }) => <Address of={sender} />],
  ],
}
