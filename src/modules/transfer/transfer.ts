// Fungible tokens over channels (ICS-20). A coin sent away from its source chain goes into the channel's escrow account; a
// voucher sent back to its source is burnt. A packet carries the transfer; the receiving side mints a voucher or pays out
// of escrow. `invariants.ts` checks that escrow and vouchers balance.

import { fromBech32, readAddress, toBech32 } from '../../lib/bech32.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, equalBytes, type Hash } from '../../lib/hex.ts'
import { NATIVE_CONTRACT } from '../../spec/addresses.ts'
import type { SortedHashes } from '../../state/sorted-hashes.ts'
import { checkIdentifier } from '../authz/allocations.ts'
import type { Bank } from '../bank.ts'
import { isBlocked } from '../bank.ts'
import type { Erc20 } from '../erc20/erc20.ts'
import type { Ibc, PortModule } from '../ibc/ibc.ts'
import { clientIdOf } from '../ibc/layout.ts'
import type { Packet as ClientPacket, Payload } from '../ibc/packets.ts'
import type { ModuleContext, NativeModule } from '../module.ts'
import { reverted } from '../module.ts'
import { Channels } from './channels.ts'
import {
  checkDenom,
  checkTrace,
  type DenomTrace,
  fullPath,
  hopPrefix,
  isClientId,
  isVoucher,
  parseTrace,
  readHash,
  requireHops,
  requireWholeBase,
  traceHash,
  voucherAddress,
  voucherDenom,
  voucherMetadata,
} from './denoms.ts'
import { PORT, type TransferGenesis } from './genesis.ts'
import { transferInvariants } from './invariants.ts'
import { endName, type TransferState, transferLayout } from './layout.ts'
import {
  type ChannelId,
  decodePacketData,
  encodePacketData,
  errorAcknowledgement,
  errorCode,
  escrowAddress,
  isSuccess,
  type Packet,
  RECEIVE_DISABLED,
  SUCCESS,
  type Timeout,
} from './packets.ts'
import { relay } from './relayer.ts'

/** What a transfer sees of a packet, over a channel or over clients, whose ids then stand for channels. */
type Delivery = Pick<Packet, 'source' | 'destination' | 'data'>

export type Sending = {
  /** A channel, or a client of IBC version 2. */
  readonly source: ChannelId
  /** The bank's denomination: a native name, `ibc/…` or that of a token pair. */
  readonly denom: string
  readonly amount: bigint
  readonly sender: Address
  /** In the receiving chain's address format. */
  readonly receiver: string
  readonly timeout: Timeout
  readonly memo: string
}

/** Version and encoding of a transfer in packets of IBC version 2. */
const [VERSION, JSON_ENCODING] = ['ics20-1', 'application/json']
const LONGEST_RECEIVER = 2_048
const LONGEST_MEMO = 32_768

const byteLength = (text: string): number => Buffer.byteLength(text, 'utf8')

export class Transfer implements NativeModule<TransferGenesis> {
  readonly name = 'transfer'
  readonly channels: Channels
  readonly #context: ModuleContext
  readonly #bank: Bank
  readonly #erc20: Erc20
  readonly #state: TransferState
  readonly #ibc: Ibc | undefined

  /** `ibc`: undefined on chains without it. */
  constructor(context: ModuleContext, bank: Bank, erc20: Erc20, ibc: Ibc | undefined) {
    this.#ibc = ibc
    this.#context = context
    this.#bank = bank
    this.#erc20 = erc20
    this.#state = transferLayout.open(context.view.slots(NATIVE_CONTRACT.ics20, context.access))
    this.channels = new Channels(context, this.#state)
  }

  initGenesis({ sendEnabled, receiveEnabled, loopback, sinks, vouchers }: TransferGenesis): void {
    this.#state.sendEnabled.set(sendEnabled)
    this.#state.receiveEnabled.set(receiveEnabled)
    const id = (channel: string): ChannelId => ({ port: PORT, channel })
    for (const [one, other] of loopback) {
      this.channels.open(id(one), { counterparty: id(other), peer: 'loopback' })
      if (one !== other) this.channels.open(id(other), { counterparty: id(one), peer: 'loopback' })
    }
    for (const { channel, counterparty, behaviour } of sinks) {
      this.channels.open(id(channel), { counterparty: id(counterparty), peer: behaviour })
    }
    for (const { trace, balances } of vouchers) {
      for (const [holder, amount] of balances) this.#bank.mint(holder, amount, this.#remember(trace))
    }
  }

  /** Delivers the packets of earlier blocks. */
  endBlock(): void {
    relay(this.#context, this.#state, this.channels, this)
  }

  /** Throws ChainError for an invalid transfer or an unknown channel. */
  check({ source, denom, amount, receiver, memo }: Sending): void {
    checkIdentifier('source port ID', source.port, 2, 128)
    checkIdentifier('source channel ID', source.channel, 8, 64)
    checkDenom(denom)
    if (amount === 0n) throw reverted(`0${denom}: insufficient funds`)
    if (receiver.trim() === '') throw reverted('missing recipient address: invalid address')
    if (byteLength(receiver) > LONGEST_RECEIVER) {
      throw reverted(`recipient address must not exceed ${LONGEST_RECEIVER} bytes: invalid address`)
    }
    if (byteLength(memo) > LONGEST_MEMO) throw reverted(`memo must not exceed ${LONGEST_MEMO} bytes: invalid memo`)
    if (this.isClient(source)) this.#ibc?.clients.client(source.channel)
    else this.channels.end(source)
  }

  /** Whether coins are sent over a client of IBC version 2, not over a channel. */
  isClient({ channel }: ChannelId): boolean {
    return this.#ibc !== undefined && isClientId(channel)
  }

  /** Throws ChainError if sending is disabled. */
  requireSendEnabled(): void {
    if (!this.#state.sendEnabled.get()) throw reverted('fungible token transfers from this chain are disabled')
  }

  /**
   * Takes the sender's coins and sends the packet; returns its sequence, and the packet itself if it goes over a client. Throws
   * ChainError. The caller must have checked the authority.
   */
  send(sending: Sending): { readonly sequence: bigint; readonly packet?: ClientPacket } {
    const { source, denom, amount, sender, receiver, timeout, memo } = sending
    this.check(sending)
    this.requireSendEnabled()
    const full = this.#fullPathOf(denom)
    if (this.isClient(source)) requireWholeBase(this.#parse(full))
    if (full.startsWith(hopPrefix(source.port, source.channel))) this.#bank.burn(sender, amount, denom)
    else {
      if (!this.isClient(source)) {
        const { peer, counterparty } = this.channels.end(source)
        // The other end is this chain, and would refuse it by the same rule.
        if (peer === 'loopback') requireHops(this.#parse(hopPrefix(counterparty.port, counterparty.channel) + full))
      }
      this.#escrow(source, sender, denom, amount)
    }
    const text = toBech32(this.#context.spec.bech32Prefix, sender)
    const data = encodePacketData({ amount, denom: full, memo, receiver, sender: text })
    if (!this.isClient(source)) return { sequence: this.channels.send(source, timeout, data).sequence }
    const packet = this.#sendOverClient(source.channel, timeout, data)
    return { sequence: packet.sequence, packet }
  }

  /** `timeout`: Unix seconds, and no height, as ibc-go takes it for packets of version 2. */
  #sendOverClient(client: string, { height, timestamp }: Timeout, value: Uint8Array): ClientPacket {
    if (this.#ibc === undefined) throw reverted('this chain has no IBC')
    if (height.revisionNumber !== 0n || height.revisionHeight !== 0n)
      throw reverted('a packet over a client has no timeout height: invalid packet')
    const payload = { sourcePort: PORT, destPort: PORT, version: VERSION, encoding: JSON_ENCODING, value }
    return this.#ibc.send(client, timestamp, [payload])
  }

  /** The application of IBC version 2 at the port of transfers. */
  readonly port: PortModule = {
    onReceive: (packet, payload) => {
      this.#take(deliveryOf(packet, payload))
      return SUCCESS
    },
    onAcknowledgement: (packet, payload, acknowledgement) => {
      if (acknowledgement === undefined) this.#refund(deliveryOf(packet, payload))
      else if (!equalBytes(acknowledgement, SUCCESS))
        throw reverted('unknown acknowledgement of a transfer: invalid type')
    },
    onTimeout: (packet, payload) => this.#refund(deliveryOf(packet, payload)),
  }

  /** Credits a received packet at its destination and returns the acknowledgement. A refusal changes nothing. */
  onReceive(packet: Packet): Uint8Array {
    const { view } = this.#context
    view.checkpoint()
    try {
      this.#take(packet)
      view.commit()
      return SUCCESS
    } catch (error) {
      view.revert()
      if (!(error instanceof ChainError)) throw error
      return errorAcknowledgement(errorCode(error))
    }
  }

  onAcknowledgement(packet: Packet, acknowledgement: Uint8Array): void {
    if (!isSuccess(acknowledgement)) this.#refund(packet)
  }

  onTimeout(packet: Packet): void {
    this.#refund(packet)
  }

  /** The denomination trace of a voucher; undefined: unknown. */
  trace(hash: Hash): DenomTrace | undefined {
    const full = this.#state.traces.get(hash)
    return full === undefined ? undefined : this.#parse(full)
  }

  /** Hashes of all denomination traces, in ascending order; each is read on access. */
  traces(): Pick<SortedHashes, 'length' | 'at' | 'below'> {
    return this.#state.traceOrder
  }

  /** The hash of a full path; undefined: no such coin was received. Throws ChainError for an invalid path. */
  hashOf(full: string): Hash | undefined {
    const trace = this.#parse(full)
    checkTrace(trace)
    const hash = traceHash(fullPath(trace))
    return this.#state.traces.has(hash) ? hash : undefined
  }

  updateParams({ sendEnabled, receiveEnabled }: ReturnType<Transfer['params']>): void {
    this.#state.sendEnabled.set(sendEnabled)
    this.#state.receiveEnabled.set(receiveEnabled)
  }

  /** Whether sending and receiving are enabled. */
  params(): { readonly sendEnabled: boolean; readonly receiveEnabled: boolean } {
    return { sendEnabled: this.#state.sendEnabled.get(), receiveEnabled: this.#state.receiveEnabled.get() }
  }

  /** The amount in a channel's escrow. */
  escrowed(source: ChannelId, denom: string): bigint {
    return this.#state.escrows.at(endName(source)).get(denom) ?? 0n
  }

  /** The broken invariants in words; empty if there are none. */
  invariants(): string[] {
    const clients = Array.from({ length: this.#ibc?.clients.count ?? 0 }, (_, number) => clientIdOf(number))
    const ends = clients.map((channel): ChannelId => ({ port: PORT, channel }))
    return transferInvariants(this.#state, this.channels, ends, this.#bank)
  }

  #take(packet: Delivery): void {
    const { source, destination } = packet
    const { denom: full, amount, receiver: text } = decodePacketData(packet.data)
    if (this.isClient(destination)) requireWholeBase(this.#parse(full))
    if (!this.#state.receiveEnabled.get()) throw reverted(RECEIVE_DISABLED)
    const { bech32Prefix } = this.#context.spec
    const receiver = readAddress(bech32Prefix, text)
    if (isBlocked(receiver)) {
      throw reverted(`${toBech32(bech32Prefix, receiver)} is not allowed to receive funds: unauthorized`)
    }
    const hop = hopPrefix(source.port, source.channel)
    if (full.startsWith(hop)) this.#release(destination, receiver, this.#denomOf(full.slice(hop.length)), amount)
    else {
      const path = hopPrefix(destination.port, destination.channel) + full
      requireHops(this.#parse(path))
      this.#bank.mint(receiver, amount, this.#remember(path))
    }
  }

  /** Refunds the sender of a packet. */
  #refund({ source, data }: Delivery): void {
    const { denom: full, amount, sender: text } = decodePacketData(data)
    const sender = fromBech32(this.#context.spec.bech32Prefix, text)
    if (full.startsWith(hopPrefix(source.port, source.channel))) this.#bank.mint(sender, amount, this.#denomOf(full))
    else this.#release(source, sender, this.#denomOf(full), amount)
  }

  #escrow(source: ChannelId, sender: Address, denom: string, amount: bigint): void {
    this.#bank.transfer(sender, escrowAddress(source), amount, denom)
    const escrow = this.#state.escrows.at(endName(source))
    escrow.set(denom, this.escrowed(source, denom) + amount)
  }

  /**
   * Pays coins from escrow to an account. Coins of an external token pair are converted to tokens later, when a contract can be
   * called.
   */
  #release(from: ChannelId, to: Address, denom: string, amount: bigint): void {
    const left = this.escrowed(from, denom) - amount
    if (left < 0n) throw reverted(`unable to unescrow ${amount}${denom}: insufficient funds`)
    const escrow = this.#state.escrows.at(endName(from))
    if (left === 0n) escrow.delete(denom)
    else escrow.set(denom, left)
    this.#bank.transfer(escrowAddress(from), to, amount, denom)
    this.#erc20.returnTokens(denom, to, amount)
  }

  /** Stores a voucher's denomination trace, makes its ERC-20 contract, and returns its denomination. */
  #remember(full: string): string {
    const hash = traceHash(full)
    const denom = voucherDenom(hash)
    if (this.#state.traces.has(hash)) return denom
    this.#state.traces.set(hash, full)
    this.#state.traceOrder.add(hash)
    const { baseDenom } = this.#parse(full)
    const original = this.#erc20.pairOf(baseDenom)
    this.#erc20.createVoucherContract({
      token: voucherAddress(hash),
      denom,
      ...voucherMetadata(this.#context.spec, baseDenom, original),
    })
    return denom
  }

  #parse(full: string): DenomTrace {
    return parseTrace(full, this.#ibc === undefined ? 'channels' : 'clients')
  }

  /** The bank's denomination for a full path. */
  #denomOf(full: string): string {
    return this.#parse(full).path === '' ? full : voucherDenom(traceHash(full))
  }

  #fullPathOf(denom: string): string {
    if (!isVoucher(denom)) return denom
    const full = this.#state.traces.get(readHash(denom))
    if (full === undefined) throw reverted('denomination trace not found')
    return full
  }
}

/** A packet over clients as a transfer. Throws ChainError for another port, version or encoding than those of transfers. */
function deliveryOf({ sourceClient, destClient }: ClientPacket, payload: Payload): Delivery {
  const { sourcePort, destPort, version, encoding, value } = payload
  // The path of a denomination names the port of the receiving side only, so both must be the same.
  if (sourcePort !== PORT || destPort !== PORT) throw reverted(`expected the port ${PORT} at both ends: invalid packet`)
  if (version !== VERSION || encoding !== JSON_ENCODING)
    throw reverted('unknown version or encoding of a transfer: invalid type')
  return {
    source: { port: PORT, channel: sourceClient },
    destination: { port: PORT, channel: destClient },
    data: value,
  }
}
