// Packets: ICS-20 transfers over a channel of this chain, and packets over clients of IBC in both directions, with their outcomes. Of a
// channel the state shows whether a packet is in flight, and the acknowledgement of a destination on this chain; a simulated chain's
// follows from its behaviour. Of a client the log of sending or receiving has the whole packet, and the index knows what ended it.
import { z } from 'zod'
import { type PacketRecord, RECORD } from '../../indexer/records.ts'
import {
  DIRECTIONS,
  type Direction,
  LIST,
  PACKET_STATUSES,
  type PacketEntry,
  type PacketStatus,
  packetEntry,
} from '../../indexer/tables.ts'
import { readAddress } from '../../lib/bech32.ts'
import { ChainError } from '../../lib/errors.ts'
import { fromHex, ZERO_HASH } from '../../lib/hex.ts'
import { clientNumber } from '../../modules/ibc/layout.ts'
import {
  acknowledgementCommitment,
  decodePacketData,
  isTimedOut,
  revisionOf,
  SUCCESS,
  type Timeout,
} from '../../modules/transfer/packets.ts'
import { ibcLog } from '../../precompiles/ibc-logs.ts'
import type { Log } from '../../primitives/types.ts'
import { entryAt } from '../../tables/list.ts'
import { isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { notFound } from '../errors.ts'
import { addressSchema, showAddressOrNull } from '../shapes/address.ts'
import { type LocatedLog, logAt } from '../shapes/indexed-transaction.ts'
import { type Native, nativeOf, showTime } from './modules.ts'

const NANOSECONDS = 1_000_000_000n

/** The transaction of a log. */
export const placeSchema = z.strictObject({
  transaction_hash: wire.hash,
  block_number: z.number().int(),
  timestamp: wire.time,
})
z.globalRegistry.add(placeSchema, { id: 'TransactionPlace' })
export const showPlace = ({ transaction, header }: LocatedLog): z.input<typeof placeSchema> => ({
  transaction_hash: transaction.hash,
  block_number: Number(header.number),
  timestamp: isoTime(header.timestamp),
})

const endSchema = z.strictObject({ port: z.string(), channel: z.string().describe('or client of IBC') })

export const packetSchema = placeSchema.extend({
  sequence: z.number().int().or(wire.decimal).describe('on its channel or client; text from 2^53 on'),
  direction: z.enum(DIRECTIONS),
  client: z.string().nullable().describe('the client of this chain; null for a packet over a channel'),
  status: z
    .enum(PACKET_STATUSES)
    .describe('error and timeout: the coins were given back by the chain that had sent them; pending: in flight'),
  source: endSchema,
  destination: endSchema,
  denom: z.string().nullable().describe('with its path of ports and channels; null: the packet is no ICS-20 transfer'),
  amount: wire.decimal.nullable(),
  sender: addressSchema.nullable().describe('where this chain has sent it'),
  sender_text: z.string().nullable().describe('as the sending chain writes it'),
  receiver: z.string().nullable().describe('as the receiving chain writes it'),
  receiver_address: addressSchema.nullable().describe('where the other end is this chain'),
  memo: z.string().nullable(),
  timeout_height: z.strictObject({ revision: wire.decimal, height: wire.decimal }).nullable(),
  timeout_time: wire.time.nullable(),
  ended: placeSchema.nullable().describe('of a packet that was sent over a client: its acknowledgement or timeout'),
})
z.globalRegistry.add(packetSchema, { id: 'Packet' })
type PacketJson = z.input<typeof packetSchema>

/** A packet over a client with what it carries. */
export const wholePacketSchema = packetSchema.extend({
  version: z.string(),
  encoding: z.string(),
  data: wire.hex,
  acknowledgement: wire.hex.nullable().describe('null while the packet is in flight, and after its timeout'),
})

/** A packet by its position in LIST.packets. */
export async function showPacket(context: ExplorerContext, position: number): Promise<PacketJson> {
  const entry = entryAt(context.rows, LIST.packets, position)
  if (entry === undefined) throw notFound()
  const packet = packetEntry.decode(entry)
  const located = await logAt(context, packet)
  const of = packetIn(located.log)
  return of === undefined ? overChannel(context, packet, located) : overClient(context, of, located)
}

const NO_TRANSFER = {
  denom: null,
  amount: null,
  sender: null,
  sender_text: null,
  receiver: null,
  receiver_address: null,
  memo: null,
}

/** The fields of an ICS-20 transfer; nulls if the data are none. `isHere`: whether sender and receiver are of this chain. */
function showTransfer(
  context: ExplorerContext,
  data: Uint8Array,
  isHere: { readonly sender: boolean; readonly receiver: boolean },
) {
  const { bech32Prefix } = nativeOf(context, 'head').spec
  const account = (text: string, isOwn: boolean) =>
    showAddressOrNull(context, isOwn ? orNone(() => readAddress(bech32Prefix, text)) : undefined)
  const transfer = orNone(() => decodePacketData(data))
  if (transfer === undefined) return NO_TRANSFER
  const { denom, amount, sender, receiver, memo } = transfer
  return {
    denom,
    amount: amount.toString(),
    sender: account(sender, isHere.sender),
    sender_text: sender,
    receiver,
    receiver_address: account(receiver, isHere.receiver),
    memo,
  }
}

/** undefined for what cannot be read. */
function orNone<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}

// --- over clients of IBC

/** The packet of a log, with its client here; undefined: the log is of no packet over a client. */
function packetIn(log: Log) {
  const of = ibcLog(log)
  if (of === undefined || !('packet' in of)) return undefined
  const { event, packet } = of
  const direction: Direction = event === 'WriteAcknowledgement' ? 'received' : 'sent'
  const client = direction === 'sent' ? packet.sourceClient : packet.destClient
  return { packet, direction, client, acknowledgements: 'acknowledgements' in of ? of.acknowledgements : [] }
}
type ClientPacket = NonNullable<ReturnType<typeof packetIn>>

/** What the index knows of the packet of a log; undefined: neither, or it was sent before the node's first block. */
export function packetOfLog({ rows }: Pick<ExplorerContext, 'rows'>, log: Log): PacketRecord | undefined {
  const of = packetIn(log)
  return of && RECORD.packet.get(rows, clientNumber(of.client), of.direction, of.packet.sequence)
}

async function overClient(context: ExplorerContext, of: ClientPacket, located: LocatedLog): Promise<PacketJson> {
  const { packet, direction, client } = of
  const { sourceClient, destClient, sequence, timeoutTimestamp, payloads } = packet
  const record = RECORD.packet.get(context.rows, clientNumber(client), direction, sequence)
  if (record === undefined) throw notFound()
  const [payload] = payloads
  const isSent = direction === 'sent'
  return {
    ...showPlace(located),
    ...showTransfer(context, fromHex(payload?.value ?? '0x'), { sender: isSent, receiver: !isSent }),
    sequence: sequence <= Number.MAX_SAFE_INTEGER ? Number(sequence) : sequence.toString(),
    direction,
    client,
    status: record.status,
    source: { port: payload?.sourcePort ?? '', channel: sourceClient },
    destination: { port: payload?.destPort ?? '', channel: destClient },
    timeout_height: null,
    timeout_time: showTime(timeoutTimestamp),
    ended: isSent && record.status !== 'pending' ? showPlace(await logAt(context, record)) : null,
  }
}

/** A packet over a client. Throws 404 if there is none. */
export async function showWholePacket(
  context: ExplorerContext,
  {
    client,
    direction,
    sequence,
  }: { readonly client: number; readonly direction: Direction; readonly sequence: bigint },
): Promise<z.input<typeof wholePacketSchema>> {
  const record = RECORD.packet.get(context.rows, client, direction, sequence)
  if (record === undefined) throw notFound()
  const last = packetIn((await logAt(context, record)).log)
  const [payload] = last?.packet.payloads ?? []
  return {
    ...(await showPacket(context, record.position)),
    version: payload?.version ?? '',
    encoding: payload?.encoding ?? '',
    data: payload?.value ?? '0x',
    acknowledgement: last?.acknowledgements[0] ?? null,
  }
}

// --- over channels

async function overChannel(context: ExplorerContext, packet: PacketEntry, located: LocatedLog): Promise<PacketJson> {
  const ends = endsOf(packet)
  const { peer } = nativeOf(context, 'head').modules.transfer.channels.end(ends.source)
  return {
    ...showPlace(located),
    ...showTransfer(context, packet.data, { sender: true, receiver: peer === 'loopback' }),
    ...ends,
    sequence: packet.sequence,
    direction: 'sent',
    client: null,
    status: await statusOf(context, packet),
    timeout_height:
      packet.height === 0n && packet.revision === 0n
        ? null
        : { revision: packet.revision.toString(), height: packet.height.toString() },
    timeout_time: packet.time === 0n ? null : showTime(packet.time / NANOSECONDS),
    ended: null,
  }
}

const endsOf = (of: PacketEntry) => ({
  source: { port: of.sourcePort, channel: of.sourceChannel },
  destination: { port: of.destinationPort, channel: of.destinationChannel },
})

async function statusOf(context: ExplorerContext, packet: PacketEntry): Promise<PacketStatus> {
  const native = nativeOf(context, 'head')
  const { channels } = native.modules.transfer
  const { source, destination } = endsOf(packet)
  const sequence = BigInt(packet.sequence)
  if (channels.commitmentOf(source, sequence) !== ZERO_HASH) return 'pending'
  const { peer } = channels.end(source)
  if (peer === 'loopback') {
    const answer = channels.acknowledgementOf(destination, sequence)
    if (answer === ZERO_HASH) return 'timeout'
    return answer === acknowledgementCommitment(SUCCESS) ? 'success' : 'error'
  }
  if (peer === 'timeout' || peer === 'never') return 'timeout'
  // The end of the next block delivers it, unless it has timed out there.
  if (await isLateAt(context, native, packet, packet.number + 1)) return 'timeout'
  return peer === 'ack-success' ? 'success' : 'error'
}

async function isLateAt({ chain }: ExplorerContext, { spec }: Native, packet: PacketEntry, number: number) {
  const header = await chain.header({ number: BigInt(number) })
  if (header === undefined) return false
  const timeout: Timeout = {
    height: { revisionNumber: packet.revision, revisionHeight: packet.height },
    timestamp: packet.time,
  }
  const at = { revisionNumber: revisionOf(spec.textChainId), revisionHeight: header.number }
  return isTimedOut(timeout, at, header.timestamp * NANOSECONDS)
}
