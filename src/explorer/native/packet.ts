// ICS-20 transfers sent over a channel of this chain, with the outcome of each packet. The state shows whether it is in flight,
// and the acknowledgement of a destination on this chain; a simulated chain's follows from its behaviour.
import { z } from 'zod'
import { LIST, type PacketEntry, packetEntry } from '../../indexer/tables.ts'
import { readAddress } from '../../lib/bech32.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, ZERO_HASH } from '../../lib/hex.ts'
import {
  acknowledgementCommitment,
  decodePacketData,
  isTimedOut,
  revisionOf,
  SUCCESS,
  type Timeout,
} from '../../modules/transfer/packets.ts'
import { entryAt } from '../../tables/list.ts'
import { isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { notFound } from '../errors.ts'
import { addressSchema, showAddress, showAddressOrNull } from '../shapes/address.ts'
import { logAt } from '../shapes/indexed-transaction.ts'
import { type Native, nativeOf, showTime } from './modules.ts'

const STATUSES = ['pending', 'success', 'error', 'timeout'] as const
const NANOSECONDS = 1_000_000_000n

export const packetSchema = z.strictObject({
  sequence: z.number().int().describe('on its channel'),
  status: z.enum(STATUSES).describe('error and timeout: the coins were given back'),
  source: z.strictObject({ port: z.string(), channel: z.string() }),
  destination: z.strictObject({ port: z.string(), channel: z.string() }),
  denom: z.string().describe('with its path of ports and channels'),
  amount: wire.decimal,
  sender: addressSchema,
  receiver: z.string().describe('as the receiving chain writes it'),
  receiver_address: addressSchema.nullable().describe('where the other end is this chain'),
  memo: z.string(),
  timeout_height: z.strictObject({ revision: wire.decimal, height: wire.decimal }).nullable(),
  timeout_time: wire.time.nullable(),
  transaction_hash: wire.hash,
  block_number: z.number().int(),
  timestamp: wire.time,
})

/** A packet by its position in LIST.packets. */
export async function showPacket(context: ExplorerContext, position: number): Promise<z.input<typeof packetSchema>> {
  const entry = entryAt(context.rows, LIST.packets, position)
  if (entry === undefined) throw notFound()
  const packet = packetEntry.decode(entry)
  const native = nativeOf(context, 'head')
  const { transaction, header } = await logAt(context, packet)
  const { denom, amount, sender, receiver, memo } = decodePacketData(packet.data)
  const ends = endsOf(packet)
  const isLoopback = native.modules.transfer.channels.end(ends.source).peer === 'loopback'
  const { bech32Prefix } = native.spec
  return {
    sequence: packet.sequence,
    status: await statusOf(context, packet),
    ...ends,
    denom,
    amount: amount.toString(),
    sender: showAddress(context, readAddress(bech32Prefix, sender)),
    receiver,
    receiver_address: showAddressOrNull(context, isLoopback ? accountOrNone(bech32Prefix, receiver) : undefined),
    memo,
    timeout_height:
      packet.height === 0n && packet.revision === 0n
        ? null
        : { revision: packet.revision.toString(), height: packet.height.toString() },
    timeout_time: packet.time === 0n ? null : showTime(packet.time / NANOSECONDS),
    transaction_hash: transaction.hash,
    block_number: packet.number,
    timestamp: isoTime(header.timestamp),
  }
}

const endsOf = (of: PacketEntry) => ({
  source: { port: of.sourcePort, channel: of.sourceChannel },
  destination: { port: of.destinationPort, channel: of.destinationChannel },
})

function accountOrNone(prefix: string, text: string): Address | undefined {
  try {
    return readAddress(prefix, text)
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}

async function statusOf(context: ExplorerContext, packet: PacketEntry): Promise<(typeof STATUSES)[number]> {
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
