// IBC version 2 (ICS-02, ICS-04): clients of other chains, and packets that are sent and received over them. Every step of a packet
// is proven by the other chain's state as the client knows it, so relayers need not be trusted.
import { z } from 'zod'
import type { Height } from '../../ibc/comet/light-client.ts'
import { ChainError } from '../../lib/errors.ts'
import { equalBytes } from '../../lib/hex.ts'
import { NATIVE_CONTRACT } from '../../spec/addresses.ts'
import { readSection } from '../genesis-section.ts'
import type { ModuleContext, NativeModule } from '../module.ts'
import { reverted } from '../module.ts'
import { Clients } from './clients.ts'
import { ibcInvariants } from './invariants.ts'
import { type Client, type IbcState, ibcLayout } from './layout.ts'
import {
  acknowledgementCommitment,
  ERROR_ACKNOWLEDGEMENT,
  isRefusal,
  merklePath,
  PACKET_KEY,
  type Packet,
  type Payload,
  packetCommitment,
  RECEIPT,
} from './packets.ts'
import { FIRST_ENTRY, ProvableStore } from './provable-store.ts'

/** A module that sends and receives payloads at a port. */
export type PortModule = {
  /** Takes a payload and returns the acknowledgement. Throws ChainError to refuse it. */
  onReceive(packet: Packet, payload: Payload): Uint8Array
  /** `acknowledgement`: the other application's; undefined: the other chain has refused the packet. */
  onAcknowledgement(packet: Packet, payload: Payload, acknowledgement: Uint8Array | undefined): void
  onTimeout(packet: Packet, payload: Payload): void
}

/** A proof by the other chain's state at a height of the client. */
export type Proof = { readonly bytes: Uint8Array; readonly height: Height }

const BILLION = 1_000_000_000n
/** ibc-go's MaxTimeoutDelta in seconds. */
const LONGEST_TIMEOUT = 86_400n
/** Payloads of a packet: ibc-go takes one; and the bytes of their values. */
const MOST_PAYLOADS = 1
const LARGEST_PAYLOADS = 65_536

/** The section has no fields: that the genesis names it makes a chain one with IBC. */
const section = z.strictObject({})
export type IbcGenesis = z.output<typeof section>

/** Throws ChainError `invalid-genesis` that names the field. */
export const readIbcGenesis = (json: unknown): IbcGenesis => readSection('ibc', section, json)

export class Ibc implements NativeModule<IbcGenesis> {
  readonly name = 'ibc'
  readonly clients: Clients
  readonly store: ProvableStore
  readonly #context: ModuleContext
  readonly #state: IbcState
  readonly #ports: ReadonlyMap<string, () => PortModule>

  /** `ports`: the modules by port; they are asked for when a packet needs them. */
  constructor(context: ModuleContext, ports: ReadonlyMap<string, () => PortModule>) {
    this.#context = context
    this.#ports = ports
    this.#state = ibcLayout.open(context.view.slots(NATIVE_CONTRACT.ibc, context.access))
    this.store = new ProvableStore(this.#state.store)
    this.clients = new Clients(context, this.#state)
  }

  initGenesis(_: IbcGenesis): void {
    this.store.set(FIRST_ENTRY.key, FIRST_ENTRY.value)
    this.store.endBlock()
  }

  endBlock(): void {
    this.store.endBlock()
  }

  /** The broken invariants in words; empty if there are none. */
  invariants(): string[] {
    return [...ibcInvariants(this.#state, this.store)]
  }

  /** Sends a packet over a client; the caller has taken what it carries. Throws ChainError. */
  send(sourceClient: string, timeoutTimestamp: bigint, payloads: readonly Payload[]): Packet {
    const client = this.clients.client(sourceClient)
    const { counterparty } = client
    if (counterparty === '') throw reverted(`client ${sourceClient} has no counterparty`)
    const state = this.clients.activeState(sourceClient, client)
    const { timestamp } = this.#context.block
    if (timeoutTimestamp <= timestamp)
      throw reverted(`timeout ${timeoutTimestamp} is not after the block's time ${timestamp}`)
    if (timeoutTimestamp > timestamp + LONGEST_TIMEOUT)
      throw reverted(`timeout is more than ${LONGEST_TIMEOUT} seconds ahead`)
    const theirs = this.clients.headerOf(sourceClient, client, state, state.latest).time / BILLION
    if (theirs >= timeoutTimestamp) throw reverted(`the other chain's time ${theirs} has reached the timeout`)
    checkPayloads(payloads)
    const sequences = this.#state.sequences.at(sourceClient)
    const sequence = sequences.get() + 1n
    sequences.set(sequence)
    const packet = { sequence, sourceClient, destClient: counterparty, timeoutTimestamp, payloads }
    this.store.set(PACKET_KEY.commitment(sourceClient, sequence), packetCommitment(packet))
    return packet
  }

  /**
   * Receives a packet that the other chain has sent, and returns its applications' acknowledgements; undefined: it was received before,
   * and nothing happens. Throws ChainError.
   */
  receive(packet: Packet, proof: Proof): readonly Uint8Array[] | undefined {
    const { destClient, sourceClient, sequence, timeoutTimestamp } = packet
    const client = this.#requireRoute(destClient, sourceClient)
    checkPayloads(packet.payloads)
    const { timestamp } = this.#context.block
    if (timestamp >= timeoutTimestamp)
      throw reverted(`packet has timed out: block time ${timestamp}, timeout ${timeoutTimestamp}`)
    const receipt = PACKET_KEY.receipt(destClient, sequence)
    if (this.store.get(receipt) !== undefined) return undefined
    const path = merklePath(client.prefix, PACKET_KEY.commitment(sourceClient, sequence))
    this.clients.verify(destClient, proof.height, proof.bytes, path, packetCommitment(packet), client)
    this.store.set(receipt, RECEIPT)
    const acknowledgements = this.#deliver(packet)
    this.store.set(PACKET_KEY.acknowledgement(destClient, sequence), acknowledgementCommitment(acknowledgements))
    return acknowledgements
  }

  /** Gives the payloads to their modules. If one refuses, the changes of all are undone. */
  #deliver(packet: Packet): readonly Uint8Array[] {
    const { view } = this.#context
    view.checkpoint()
    try {
      const answers = packet.payloads.map((payload) => this.#module(payload.destPort).onReceive(packet, payload))
      view.commit()
      return answers
    } catch (error) {
      view.revert()
      if (!(error instanceof ChainError)) throw error
      return [ERROR_ACKNOWLEDGEMENT]
    }
  }

  /** Ends a packet with its acknowledgements. False: it had ended before. Throws ChainError. */
  acknowledge(packet: Packet, acknowledgements: readonly Uint8Array[], proof: Proof): boolean {
    const { sourceClient, destClient, sequence, payloads } = packet
    const client = this.#requireRoute(sourceClient, destClient)
    if (!this.#isInFlight(packet)) return false
    const isRefused = isRefusal(acknowledgements)
    if (!isRefused && acknowledgements.length !== payloads.length)
      throw reverted('expected an acknowledgement for each payload')
    const path = merklePath(client.prefix, PACKET_KEY.acknowledgement(destClient, sequence))
    this.clients.verify(
      sourceClient,
      proof.height,
      proof.bytes,
      path,
      acknowledgementCommitment(acknowledgements),
      client,
    )
    this.store.delete(PACKET_KEY.commitment(sourceClient, sequence))
    for (const [place, payload] of payloads.entries())
      this.#module(payload.sourcePort).onAcknowledgement(
        packet,
        payload,
        isRefused ? undefined : acknowledgements[place],
      )
    return true
  }

  /** Ends a packet that the other chain had not received when its timeout was reached there. False: it had ended before. Throws ChainError. */
  timeout(packet: Packet, proof: Proof): boolean {
    const { sourceClient, destClient, sequence, timeoutTimestamp } = packet
    const client = this.#requireRoute(sourceClient, destClient)
    if (!this.#isInFlight(packet)) return false
    const path = merklePath(client.prefix, PACKET_KEY.receipt(destClient, sequence))
    const time = this.clients.verify(sourceClient, proof.height, proof.bytes, path, undefined, client) / BILLION
    if (time < timeoutTimestamp)
      throw reverted(`timeout ${timeoutTimestamp} is not reached at the proof's time ${time}`)
    this.store.delete(PACKET_KEY.commitment(sourceClient, sequence))
    for (const payload of packet.payloads) this.#module(payload.sourcePort).onTimeout(packet, payload)
    return true
  }

  /** Whether the packet was sent and has not ended. Throws ChainError if another packet has its place. */
  #isInFlight(packet: Packet): boolean {
    const commitment = this.store.get(PACKET_KEY.commitment(packet.sourceClient, packet.sequence))
    if (commitment === undefined) return false
    if (!equalBytes(commitment, packetCommitment(packet))) throw reverted('packet is not the one that was sent')
    return true
  }

  /** Our client. Throws ChainError unless the two clients are each other's counterparties. */
  #requireRoute(ours: string, theirs: string): Client {
    const client = this.clients.client(ours)
    if (client.counterparty === '' || client.counterparty !== theirs)
      throw reverted(`client ${theirs} is not the counterparty of ${ours}`)
    return client
  }

  #module(port: string): PortModule {
    const module = this.#ports.get(port)
    if (module === undefined) throw reverted(`no application at port ${port}`)
    return module()
  }
}

const isPort = (id: string): boolean => /^[a-zA-Z0-9._+\-#[\]<>]{2,128}$/.test(id)

function checkPayloads(payloads: readonly Payload[]): void {
  if (payloads.length === 0 || payloads.length > MOST_PAYLOADS) throw reverted('expected one payload')
  const size = payloads.reduce((sum, { value }) => sum + value.length, 0)
  if (size > LARGEST_PAYLOADS) throw reverted(`payloads of ${size} bytes, at most ${LARGEST_PAYLOADS} are allowed`)
  for (const { sourcePort, destPort, version, encoding, value } of payloads) {
    const isWhole = version.trim() !== '' && encoding.trim() !== '' && value.length > 0
    if (!isPort(sourcePort) || !isPort(destPort) || !isWhole) throw reverted('invalid payload')
  }
}
