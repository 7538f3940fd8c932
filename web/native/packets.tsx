// The table of ICS-20 transfers.
import type { Packet } from '../api.ts'
import { Address, BlockLink, Cut, type Table, Time, TransactionLink } from '../parts.tsx'
import { DenomAmount } from './amounts.tsx'
import { Pill } from './parts.tsx'

const KINDS = { pending: 'plain', success: 'ok', error: 'bad', timeout: 'bad' } as const

export const packetTable = (base: string | undefined): Table<Packet> => ({
  keyOf: ({ source, sequence }) => `${source.port} ${source.channel} ${sequence}`,
  columns: [
    ['Transaction', ({ transaction_hash }) => <TransactionLink hash={transaction_hash} />],
    ['Block', ({ block_number }) => <BlockLink number={block_number} />],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['Status', ({ status }) => <Pill kind={KINDS[status]}>{status}</Pill>],
    [
      'Channel',
      ({ source, destination, sequence }) => (
        <span title={`${source.port}/${source.channel} to ${destination.port}/${destination.channel}`}>
          {source.channel} <span class="faint">#{sequence}</span>
        </span>
      ),
    ],
    ['From', ({ sender }) => <Address of={sender} />],
    [
      'To',
      ({ receiver, receiver_address: known }) => (known === null ? <Cut text={receiver} /> : <Address of={known} />),
    ],
    ['Amount', ({ denom, amount }) => <DenomAmount of={{ denom, amount }} base={base} />, 'number'],
    ['Note', ({ memo }) => (memo === '' ? <span class="faint">—</span> : <Cut text={memo} />)],
  ],
})
