// The packets of one client that are in flight: sent by the chain, and neither acknowledged nor timed out there. They follow from the
// chain's events alone, so they can be found again at any time.
import type { Packet } from '../modules/ibc/packets.ts'
import type { Covered, PacketEvent } from './end.ts'

/** Packets that are held at most; those that come later are found when earlier ones have ended. */
export const MOST_FLIGHTS = 10_000
/** Milliseconds before a refused message is sent again; twice as long after each further refusal. */
const FIRST_PAUSE = 5_000
const LONGEST_PAUSE = 3_600_000
/** Refusals that have cost something after which a packet is left to a later start. */
const MOST_PAID_REFUSALS = 3

export type Flight = {
  readonly packet: Packet
  /** Block that has sent it. */
  readonly block: bigint
  /** Whether the other chain has taken it from this relayer. */
  isReceived: boolean
  refusals: number
  paidRefusals: number
  /** Unix milliseconds before which it is not tried again. */
  notBefore: number
}

export class Flights {
  readonly #flights = new Map<bigint, Flight>()
  #next: bigint

  /** `from`: the first block to look through. */
  constructor(from: bigint) {
    this.#next = from
  }

  /** The first block that has not been looked through. */
  get next(): bigint {
    return this.#next
  }

  get size(): number {
    return this.#flights.size
  }

  /** Whether no more packets fit. */
  get isFull(): boolean {
    return this.#flights.size >= MOST_FLIGHTS
  }

  /** The block from which on everything is found again: that of the oldest packet in flight. */
  get cursor(): bigint {
    let cursor = this.#next
    for (const { block } of this.#flights.values()) if (block < cursor) cursor = block
    return cursor
  }

  /** Takes the events of the blocks from `next` on. */
  take({ events, to }: Covered<PacketEvent>): void {
    for (const event of events) {
      if (event.type === 'ended') this.#flights.delete(event.sequence)
      else {
        const { packet, block } = event
        const fresh = { isReceived: false, refusals: 0, paidRefusals: 0, notBefore: 0 }
        this.#flights.set(event.sequence, { packet, block, ...fresh })
      }
    }
    this.#next = to + 1n
  }

  /** The packets to look at now, oldest first. `now`: Unix milliseconds. */
  due(now: number, most: number): readonly Flight[] {
    const due: Flight[] = []
    for (const flight of this.#flights.values()) {
      if (flight.notBefore > now || flight.paidRefusals >= MOST_PAID_REFUSALS) continue
      if (due.push(flight) === most) break
    }
    return due
  }

  ended({ packet }: Flight): void {
    this.#flights.delete(packet.sequence)
  }

  /** Begins anew at a block. */
  restart(from: bigint): void {
    this.#flights.clear()
    this.#next = from
  }
}

/** Notes that a message of a packet was refused at `now`; `isPaid`: in a transaction that has cost something. */
export function postpone(flight: Flight, now: number, isPaid: boolean): void {
  flight.notBefore = now + Math.min(FIRST_PAUSE * 2 ** Math.min(flight.refusals, 20), LONGEST_PAUSE)
  flight.refusals++
  if (isPaid) flight.paidRefusals++
}
