// Invariants of escrow and vouchers at the end of every block, for tests and `dev_invariants`. Both ends of a loopback channel
// are here: the coins in escrow at one end equal the vouchers of the other end plus packets in flight. For a simulated channel
// and a client of another chain only the escrow can be checked.
import type { Bank } from '../bank.ts'
import type { Channels } from './channels.ts'
import { hopPrefix, isVoucher, readHash, traceHash, voucherDenom } from './denoms.ts'
import { endName, type TransferState } from './layout.ts'
import { type ChannelId, decodePacketData, escrowAddress, type Packet } from './packets.ts'

/** The broken invariants in words; empty if there are none. */
export function transferInvariants(
  state: TransferState,
  channels: Channels,
  clients: readonly ChannelId[],
  bank: Bank,
): string[] {
  const ends = [...channels.ends().map(([id]) => id), ...clients]
  return [...held(state, ends, bank), ...backed(state, channels, bank)]
}

/** An escrow account holds at least the escrowed coins. Anyone may send it more. */
function held(state: TransferState, ends: readonly ChannelId[], bank: Bank): string[] {
  return ends.flatMap((id) =>
    [...state.escrows.at(endName(id)).entries()].flatMap(([denom, amount]) => {
      const balance = bank.balance(escrowAddress(id), denom)
      return balance >= amount ? [] : [`escrow of ${endName(id)} holds ${balance}${denom}, should be ${amount}`]
    }),
  )
}

/** Coins in escrow at one end of a loopback equal the vouchers of the other end plus packets in flight. */
function backed(state: TransferState, channels: Channels, bank: Bank): string[] {
  const underway = [...state.outbox]
    .map(({ packet }) => packet)
    .concat([...state.waiting.entries()].map(([, of]) => of))
  return channels.ends().flatMap(([id, { peer, counterparty }]) => {
    if (peer !== 'loopback') return []
    const escrow = state.escrows.at(endName(id))
    const hop = hopPrefix(counterparty.port, counterparty.channel)
    const outside = [...state.traces.entries()].flatMap(([, full]) => (full.startsWith(hop) ? [full] : []))
    const fulls = new Set([...outside, ...[...escrow.keys()].map((denom) => hop + fullPathOf(state, denom))])
    return [...fulls].flatMap((full) => {
      const home = full.slice(hop.length)
      const denom = state.traces.has(traceHash(home)) ? voucherDenom(traceHash(home)) : home
      const vouchers = bank.supply(voucherDenom(traceHash(full)))
      const should = vouchers + sum(underway, id, home) + sum(underway, counterparty, full)
      const is = escrow.get(denom) ?? 0n
      return is === should ? [] : [`escrow of ${endName(id)} is ${is}${denom}, should be ${should}`]
    })
  })
}

const fullPathOf = (state: TransferState, denom: string): string =>
  isVoucher(denom) ? (state.traces.get(readHash(denom)) ?? denom) : denom

/** Units of a coin in the packets of a channel. */
function sum(packets: readonly Packet[], source: ChannelId, full: string): bigint {
  return packets.reduce((total, { source: from, data }) => {
    const { denom, amount } = decodePacketData(data)
    return endName(from) === endName(source) && denom === full ? total + amount : total
  }, 0n)
}
