// Channels and their packets (ICS-04): each is sent once, received once, and acknowledged or timed out once. The application
// interprets the packets' data. Proofs are reads of our own storage, because both ends of a loopback channel are here;
// acknowledgements of a simulated chain need no proof.

import { type Hash, ZERO_HASH } from '../../lib/hex.ts'
import type { ModuleContext } from '../module.ts'
import { reverted } from '../module.ts'
import { type ChannelEnd, endName, type TransferState } from './layout.ts'
import {
  acknowledgementCommitment,
  type ChannelId,
  compareHeights,
  type Height,
  isTimedOut,
  type Packet,
  packetCommitment,
  revisionOf,
  type Timeout,
} from './packets.ts'

const NANOSECONDS = 1_000_000_000n

export class Channels {
  readonly #context: ModuleContext
  readonly #state: TransferState

  constructor(context: ModuleContext, state: TransferState) {
    this.#context = context
    this.#state = state
  }

  open(id: ChannelId, end: Omit<ChannelEnd, 'state'>): void {
    this.#state.channels.set(endName(id), { ...end, state: 'open' })
  }

  /** Closes a channel for sending and receiving. Packets in flight still end normally. */
  close(id: ChannelId): void {
    this.#state.channels.set(endName(id), { ...this.end(id), state: 'closed' })
  }

  /** Throws ChainError if the channel does not exist. */
  end(id: ChannelId): ChannelEnd {
    const end = this.#state.channels.get(endName(id))
    if (end !== undefined) return end
    throw reverted(`port ID (${id.port}) channel ID (${id.channel}): channel not found`)
  }

  ends(): readonly (readonly [ChannelId, ChannelEnd])[] {
    return [...this.#state.channels.entries()].map(([name, end]) => {
      const [port = '', channel = ''] = name.split('/')
      return [{ port, channel }, end]
    })
  }

  /** This chain's height, which every counterparty chain is assumed to share. */
  height(): Height {
    const { spec, block } = this.#context
    return { revisionNumber: revisionOf(spec.textChainId), revisionHeight: block.number }
  }

  /** Block time in unix nanoseconds, also shared. */
  time(): bigint {
    return this.#context.block.timestamp * NANOSECONDS
  }

  /** Sends a packet. Throws ChainError if the channel is not open or the timeout has passed. */
  send(source: ChannelId, timeout: Timeout, data: Uint8Array): Packet {
    const { state, counterparty } = this.end(source)
    if (state !== 'open') throw reverted('channel is not OPEN (got STATE_CLOSED): invalid channel state')
    this.#checkTimeout(timeout)
    const sequences = this.#state.sequences.at(endName(source))
    const sequence = sequences.get() + 1n
    sequences.set(sequence)
    const packet = { source, destination: counterparty, sequence, timeout, data }
    this.#commitment(packet).set(packetCommitment(packet))
    this.#state.outbox.push({ packet, sentAt: this.#context.block.number })
    return packet
  }

  #checkTimeout(timeout: Timeout): void {
    const { height, timestamp } = timeout
    const hasHeight = height.revisionNumber !== 0n || height.revisionHeight !== 0n
    if (!hasHeight && timestamp === 0n) {
      throw reverted('packet timeout height and packet timeout timestamp cannot both be 0: invalid packet')
    }
    if (hasHeight && compareHeights(this.height(), height) >= 0) {
      throw reverted('receiving chain block height >= packet timeout height')
    }
    if (timestamp !== 0n && this.time() >= timestamp) {
      throw reverted('receiving chain block timestamp >= packet timeout timestamp')
    }
  }

  /** Whether the counterparty would refuse the packet now because of its timeout. */
  isLate({ timeout }: Packet): boolean {
    return isTimedOut(timeout, this.height(), this.time())
  }

  /** Receives a packet at its destination, once. Throws ChainError if it may not arrive here, or no longer. */
  receive(packet: Packet): void {
    const { destination, source, sequence } = packet
    const { state, counterparty } = this.end(destination)
    if (state !== 'open') throw reverted('channel is not OPEN (got STATE_CLOSED): invalid channel state')
    if (endName(counterparty) !== endName(source))
      throw reverted('packet does not come from the counterparty: invalid packet')
    if (this.isLate(packet)) throw reverted('packet timeout')
    if (this.#commitment(packet).get() !== packetCommitment(packet))
      throw reverted('commitment bytes are not equal: invalid packet')
    const receipt = this.#state.receipts.at(endName(destination)).at(sequence)
    if (receipt.get()) throw reverted(`packet with sequence ${sequence} has been received already`)
    receipt.set(true)
  }

  /** Stores the acknowledgement of a received packet. */
  writeAcknowledgement({ destination, sequence }: Packet, acknowledgement: Uint8Array): void {
    const written = this.#state.acknowledgements.at(endName(destination)).at(sequence)
    written.set(acknowledgementCommitment(acknowledgement))
  }

  /** Ends a packet with its acknowledgement. Throws ChainError if it has ended already, or this is not its acknowledgement. */
  acknowledge(packet: Packet, acknowledgement: Uint8Array): void {
    const { peer } = this.end(packet.source)
    const { destination, sequence } = packet
    const written = this.#state.acknowledgements.at(endName(destination)).at(sequence).get()
    if (peer === 'loopback' && written !== acknowledgementCommitment(acknowledgement)) {
      throw reverted('the acknowledgement is not what the destination wrote')
    }
    this.#finish(packet)
  }

  /** Ends a packet that was not received in time. Throws ChainError if it has ended already or was received. */
  timeout(packet: Packet): void {
    const { peer } = this.end(packet.source)
    const { destination, sequence } = packet
    if (peer !== 'timeout' && !this.isLate(packet)) {
      throw reverted('packet timeout has not been reached for height or timestamp')
    }
    if (peer === 'loopback' && this.#state.receipts.at(endName(destination)).at(sequence).get()) {
      throw reverted(`packet with sequence ${sequence} was received`)
    }
    this.#finish(packet)
  }

  /** The commitment of a packet in flight; zero if there is none. */
  commitmentOf(source: ChannelId, sequence: bigint): Hash {
    return this.#state.commitments.at(endName(source)).at(sequence).get()
  }

  /** The commitment of the acknowledgement of a received packet; zero if there is none. */
  acknowledgementOf(destination: ChannelId, sequence: bigint): Hash {
    return this.#state.acknowledgements.at(endName(destination)).at(sequence).get()
  }

  /** The sequence of the channel's next packet. */
  nextSequence(source: ChannelId): bigint {
    return this.#state.sequences.at(endName(source)).get() + 1n
  }

  #commitment({ source, sequence }: Packet) {
    return this.#state.commitments.at(endName(source)).at(sequence)
  }

  #finish(packet: Packet): void {
    const commitment = this.#commitment(packet)
    if (commitment.get() === ZERO_HASH || commitment.get() !== packetCommitment(packet)) {
      throw reverted(`packet with sequence ${packet.sequence} is not on its way`)
    }
    commitment.clear()
  }
}
