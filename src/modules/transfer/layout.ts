// Storage of channels, packets and transfers, at the ICS20 contract's address. Channel ends are named `port/channel`.
// Only this folder writes this storage.
import { enumerable, layout, list, mapping, queue, struct } from '../../state/layout.ts'
import { sortedHashes } from '../../state/sorted-hashes.ts'
import { bool, bytes, hash, oneOf, text, u64, u256 } from '../../state/storage-types.ts'
import type { ChannelId, Height, Packet, Timeout } from './packets.ts'

/** The behaviour of the counterparty: this chain itself, or a simulated chain that always does the same. */
export const PEERS = ['loopback', 'ack-success', 'ack-error', 'timeout', 'never'] as const
export type Peer = (typeof PEERS)[number]

/** One side of a channel. All are unordered, of version ics20-1, over the connection `connection-localhost`. */
export type ChannelEnd = {
  readonly state: 'closed' | 'open'
  readonly counterparty: ChannelId
  readonly peer: Peer
}

const channelId = struct<ChannelId>({ port: text, channel: text })

const channelEnd = struct<ChannelEnd>({
  state: oneOf('closed', 'open'),
  counterparty: channelId,
  peer: oneOf(...PEERS),
})

export const packet = struct<Packet>({
  source: channelId,
  destination: channelId,
  sequence: u64,
  timeout: struct<Timeout>({
    height: struct<Height>({ revisionNumber: u64, revisionHeight: u64 }),
    timestamp: u64,
  }),
  data: bytes,
})

/** A packet that the counterparty has not answered, by its number. */
const dueAt = struct<Due>({ time: u64, id: u64 })
export type Due = { readonly time: bigint; readonly id: bigint }

export const transferLayout = layout({
  sendEnabled: bool,
  receiveEnabled: bool,
  channels: enumerable(text, channelEnd),
  /** By channel end: the sequence of its next packet, from 0. */
  sequences: mapping(text, u64),
  /** By channel end and sequence: packets in flight, packets received, acknowledgements. */
  commitments: mapping(text, mapping(u64, hash)),
  receipts: mapping(text, mapping(u64, bool)),
  acknowledgements: mapping(text, mapping(u64, hash)),
  /** Full paths of the received coins, by hash. */
  traces: enumerable(hash, text),
  /** By channel end: escrowed amounts by denomination; zero amounts are not stored. */
  escrows: mapping(text, enumerable(text, u256)),
  /** Packets that the relayer has not handled yet, with the number of the block that sent them. */
  outbox: queue(struct({ packet, sentAt: u64 })),
  /** Packets that wait for their timeout, by running number; calendars of the timeouts by height and time. */
  lastWaiting: u64,
  waiting: enumerable(u64, packet),
  byHeight: list(dueAt),
  byTime: list(dueAt),
  /** The hashes in `traces` in ascending order, for pages. */
  traceOrder: sortedHashes,
})

export type TransferState = ReturnType<typeof transferLayout.open>

export const endName = ({ port, channel }: ChannelId): string => `${port}/${channel}`
