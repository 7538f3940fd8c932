// The packets in flight, from events.
import { describe, expect, it } from 'vitest'
import type { PacketEvent } from '../../src/relay/end.ts'
import { Flights, MOST_FLIGHTS, postpone } from '../../src/relay/flights.ts'

const sent = (sequence: number, block: number): PacketEvent => ({
  type: 'sent',
  ...{ sequence: BigInt(sequence), block: BigInt(block) },
  packet: {
    sequence: BigInt(sequence),
    ...{ sourceClient: '07-tendermint-0', destClient: '07-tendermint-1', timeoutTimestamp: 9n, payloads: [] },
  },
})
const ended = (sequence: number, block: number): PacketEvent => ({
  type: 'ended',
  ...{ sequence: BigInt(sequence), block: BigInt(block) },
})
const sequences = (flights: Flights, now = 0) => flights.due(now, 100).map(({ packet }) => Number(packet.sequence))

describe('packets in flight', () => {
  it('are those that were sent and have not ended, and the cursor is the block of the oldest', () => {
    const flights = new Flights(0n)
    flights.take({ events: [sent(1, 3), sent(2, 4), ended(1, 6), sent(3, 8)], to: 10n })
    expect(sequences(flights)).toEqual([2, 3])
    expect(flights.next).toBe(11n)
    expect(flights.cursor).toBe(4n)
    // A start from the cursor finds the same.
    const again = new Flights(flights.cursor)
    again.take({ events: [sent(2, 4), ended(1, 6), sent(3, 8)], to: 10n })
    expect(sequences(again)).toEqual([2, 3])
    flights.take({ events: [ended(3, 11), ended(2, 11)], to: 11n })
    expect(flights.size).toBe(0)
    expect(flights.cursor).toBe(12n)
  })

  it('wait twice as long after each refusal, an hour at most, and three that cost something are the last', () => {
    const flights = new Flights(0n)
    flights.take({ events: [sent(1, 1), sent(2, 1)], to: 1n })
    const [first] = flights.due(0, 1)
    if (first === undefined) throw new Error('no packet is due')
    // 5 s, then 10 s and 20 s; the other packet does not wait.
    for (const pause of [5_000, 10_000, 20_000]) {
      postpone(first, 0, false)
      expect(sequences(flights, pause - 1)).toEqual([2])
      expect(sequences(flights, pause)).toEqual([1, 2])
    }
    for (let refusals = 0; refusals < 30; refusals++) postpone(first, 0, false)
    expect(sequences(flights, 3_600_000 - 1)).toEqual([2])
    expect(sequences(flights, 3_600_000)).toEqual([1, 2])
    for (let refusals = 0; refusals < 3; refusals++) postpone(first, 0, true)
    expect(sequences(flights, Number.MAX_SAFE_INTEGER)).toEqual([2])
  })

  it('are held up to a bound', () => {
    const flights = new Flights(0n)
    expect(MOST_FLIGHTS).toBe(10_000)
    flights.take({ events: Array.from({ length: 9_999 }, (_, i) => sent(i + 1, 1)), to: 1n })
    expect(flights.isFull).toBe(false)
    flights.take({ events: [sent(10_000, 2)], to: 2n })
    expect(flights.isFull).toBe(true)
    flights.restart(0n)
    expect([flights.size, flights.next]).toEqual([0, 0n])
  })
})
