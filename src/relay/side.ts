// One chain of a relay with what the relayer knows of it: its client of the other chain, its packets in flight, its newest block.
import type { ChainEnd, Client } from './end.ts'
import { Flights } from './flights.ts'

/** What has become of messages to a chain, since the start. */
export type Counts = { readonly done: Map<string, number>; readonly refused: Map<string, number>; cost: bigint }

/** One chain of the two, with its client of the other one. */
export type Side = {
  readonly end: ChainEnd
  readonly clientId: string
  /** The packets that it sends. */
  readonly flights: Flights
  readonly counts: Counts
  head: { readonly height: bigint; readonly time: bigint } | undefined
  /** The newest header whose events were looked through, and since when the chain has fewer blocks. */
  seen: { readonly height: bigint; readonly hash: Uint8Array } | undefined
  regressedAt: number | undefined
  /** The client after the last look, and when it expires, in Unix nanoseconds. */
  client: Client | undefined
  expiresAt: bigint | undefined
}

export const newSide = (end: ChainEnd, clientId: string, from: bigint): Side => ({
  end,
  clientId,
  flights: new Flights(from),
  counts: { done: new Map(), refused: new Map(), cost: 0n },
  head: undefined,
  seen: undefined,
  regressedAt: undefined,
  client: undefined,
  expiresAt: undefined,
})
