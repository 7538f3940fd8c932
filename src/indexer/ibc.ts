// Indexes packets over clients of IBC, and the clients, from the logs of IBC's contract. A packet that was sent before the first block
// that the node has is not there, so its end is not either.
import { decodeBech32, readAddress } from '../lib/bech32.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, EMPTY_BYTES, fromHex } from '../lib/hex.ts'
import { clientNumber } from '../modules/ibc/layout.ts'
import { isRefusal } from '../modules/ibc/packets.ts'
import { decodePacketData } from '../modules/transfer/packets.ts'
import { type IbcLog, ibcLog } from '../precompiles/ibc-logs.ts'
import type { Log } from '../primitives/types.ts'
import type { Overlay } from '../tables/overlay.ts'
import { moveMember } from '../tables/ranking.ts'
import { RECORD } from './records.ts'
import {
  type Direction,
  LIST,
  MEMBER,
  type PacketStatus,
  packetEntry,
  positionEntry,
  RANKING,
  sequenceEntry,
} from './tables.ts'

/** A log by its block and its index there. */
type Place = { readonly number: number; readonly index: number }
type Packet = Extract<IbcLog, { readonly event: 'SendPacket' }>['packet']

const NO_CHANNEL = {
  sequence: 0,
  sourcePort: '',
  sourceChannel: '',
  destinationPort: '',
  destinationChannel: '',
  revision: 0n,
  height: 0n,
  time: 0n,
  data: EMPTY_BYTES,
}

/** Indexes a log of IBC's contract. */
export function indexIbcLog(log: Log, place: Place, overlay: Overlay): void {
  const of = ibcLog(log)
  if (of === undefined) return
  switch (of.event) {
    case 'SendPacket':
      addPacket('sent', of.packet, 'pending', place, overlay)
      break
    case 'WriteAcknowledgement':
      addPacket('received', of.packet, answered(of.acknowledgements), place, overlay)
      break
    case 'AcknowledgePacket':
      endPacket(of.packet, answered(of.acknowledgements), place, overlay)
      break
    case 'TimeoutPacket':
      endPacket(of.packet, 'timeout', place, overlay)
      break
    default:
      overlay.append(LIST.clientLogs(clientNumber(of.clientId)), positionEntry.encode(place))
  }
}

const answered = (acknowledgements: readonly `0x${string}`[]): PacketStatus =>
  isRefusal(acknowledgements.map(fromHex)) ? 'error' : 'success'

function addPacket(direction: Direction, packet: Packet, status: PacketStatus, place: Place, overlay: Overlay): void {
  const client = clientNumber(direction === 'sent' ? packet.sourceClient : packet.destClient)
  const position = overlay.append(LIST.packets, packetEntry.encode({ ...NO_CHANNEL, ...place }))
  const entry = sequenceEntry.encode({ sequence: position })
  for (const each of [client, 'all'] as const) overlay.append(LIST.packetsOver(each, direction), entry)
  const party = status === 'error' ? undefined : partyIn(packet, direction)
  if (party !== undefined) overlay.append(LIST.packetsOf(party), entry)
  RECORD.packet.set(overlay, { position, status, ...place }, client, direction, packet.sequence)
  rank({ client, direction, position }, undefined, status, overlay)
}

function endPacket({ sourceClient, sequence }: Packet, status: PacketStatus, place: Place, overlay: Overlay): void {
  const client = clientNumber(sourceClient)
  const known = RECORD.packet.get(overlay, client, 'sent', sequence)
  if (known === undefined) return
  const { position } = known
  RECORD.packet.set(overlay, { position, status, ...place }, client, 'sent', sequence)
  rank({ client, direction: 'sent', position }, known.status, status, overlay)
}

type Ranked = { readonly client: number; readonly direction: Direction; readonly position: number }

/** Moves a packet from one status to another. */
function rank(
  { client, direction, position }: Ranked,
  before: PacketStatus | undefined,
  after: PacketStatus,
  overlay: Overlay,
): void {
  const member = MEMBER.ofPacket(position)
  for (const each of [client, 'all'] as const) {
    if (before !== undefined) moveMember(overlay, RANKING.packets(each, direction, before), member, undefined)
    moveMember(overlay, RANKING.packets(each, direction, after), undefined, member)
  }
}

/** The account of this chain that a transfer takes coins from, or gives them to; undefined for packets of other applications. */
function partyIn({ payloads: [payload] }: Packet, direction: Direction): Address | undefined {
  try {
    const { sender, receiver } = decodePacketData(fromHex(payload?.value ?? '0x'))
    const text = direction === 'sent' ? sender : receiver
    return readAddress(text.startsWith('0x') ? '' : decodeBech32(text).prefix, text)
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}
