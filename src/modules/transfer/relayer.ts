// The built-in relayer: at the end of a block it delivers the packets of earlier blocks and their acknowledgements. Like a
// relayer between two real chains it only calls the channels, which check everything.

import { transferVersion } from '../../spec/block-rules.ts'
import { schedule, takeDue } from '../calendar.ts'
import type { ModuleContext } from '../module.ts'
import type { Channels } from './channels.ts'
import type { TransferState } from './layout.ts'
import { compareHeights, errorAcknowledgement, type Packet, SUCCESS } from './packets.ts'

/** Callbacks of the application that sends the packets (ICS-26). */
export type Application = {
  onReceive(packet: Packet): Uint8Array
  onAcknowledgement(packet: Packet, acknowledgement: Uint8Array): void
  onTimeout(packet: Packet): void
}

const INTERNAL_ERROR = 1

/**
 * Maximum packets that one end of block delivers, and maximum timeouts by height and by time that it visits; the others wait
 * for the next block, in order. By the version of transfer's rules. A packet takes 50 to 75 reads and 20 to 40 writes of state, some
 * 40 more if it brings a new voucher: 0.7 to 2 ms, with 10,000 due 3 to 4 ms; a block with 500 of them took 2.3 s. A block of 36,000,000 gas can
 * send about 220 packets by the presets' prices: with version 2 they wait while such blocks follow each other.
 */
export const MOST_PACKETS_A_BLOCK = { 1: 500, 2: 50 }

export function relay(
  context: ModuleContext,
  state: TransferState,
  channels: Channels,
  application: Application,
): void {
  const { outbox } = state
  const most = MOST_PACKETS_A_BLOCK[transferVersion(context.spec)]
  for (let delivered = 0; delivered < most; delivered++) {
    const next = outbox.at(0)
    if (next === undefined || next.sentAt >= context.block.number) break
    outbox.shift()
    deliver(state, channels, application, next.packet)
  }
  for (const { id } of takeDue(state.byHeight, context.block.number, most)) end(id)
  for (const { id } of takeDue(state.byTime, channels.time(), most)) end(id)

  function end(id: bigint): void {
    const packet = state.waiting.get(id)
    // The packet may have ended by its other limit, or its height is of another revision.
    if (packet === undefined || !channels.isLate(packet)) return
    state.waiting.delete(id)
    timeout(channels, application, packet)
  }
}

function deliver(state: TransferState, channels: Channels, application: Application, packet: Packet): void {
  const { peer } = channels.end(packet.source)
  if (peer === 'timeout' || channels.isLate(packet)) {
    timeout(channels, application, packet)
    return
  }
  if (peer === 'never') {
    wait(state, channels, packet)
    return
  }
  if (peer === 'loopback') {
    if (channels.end(packet.destination).state !== 'open') {
      wait(state, channels, packet)
      return
    }
    channels.receive(packet)
    const acknowledgement = application.onReceive(packet)
    channels.writeAcknowledgement(packet, acknowledgement)
    acknowledge(channels, application, packet, acknowledgement)
    return
  }
  const acknowledgement = peer === 'ack-success' ? SUCCESS : errorAcknowledgement(INTERNAL_ERROR)
  acknowledge(channels, application, packet, acknowledgement)
}

function acknowledge(channels: Channels, application: Application, packet: Packet, acknowledgement: Uint8Array): void {
  channels.acknowledge(packet, acknowledgement)
  application.onAcknowledgement(packet, acknowledgement)
}

function timeout(channels: Channels, application: Application, packet: Packet): void {
  channels.timeout(packet)
  application.onTimeout(packet)
}

/** Stores a packet until one of its limits is reached. */
function wait(state: TransferState, channels: Channels, packet: Packet): void {
  const { height, timestamp } = packet.timeout
  const id = state.lastWaiting.get() + 1n
  state.lastWaiting.set(id)
  state.waiting.set(id, packet)
  const isOurRevision = height.revisionNumber === channels.height().revisionNumber
  if (isOurRevision && compareHeights(height, channels.height()) > 0) {
    schedule(state.byHeight, { time: height.revisionHeight, id })
  }
  if (timestamp !== 0n) schedule(state.byTime, { time: timestamp, id })
}
