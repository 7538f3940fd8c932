// Invariants of clients, packets and the provable store at the end of every block, for tests, `dev_invariants` and `kestrel check`.
import { readClientState } from '../../ibc/comet/client-state.ts'
import { equalBytes } from '../../lib/hex.ts'
import { type Client, clientIdOf, type IbcState } from './layout.ts'
import { PACKET_KEY, RECEIPT, readPacketKey } from './packets.ts'
import { type Entry, FIRST_ENTRY, type ProvableStore } from './provable-store.ts'

/** The broken invariants in words; empty if there are none. */
export function* ibcInvariants(state: IbcState, store: ProvableStore): Generator<string> {
  yield* store.faults()
  const first = store.get(FIRST_ENTRY.key)
  if (first === undefined || !equalBytes(first, FIRST_ENTRY.value))
    yield 'the first entry of the provable store is missing'
  for (const entry of store.entries())
    if (!isExpected(state, store, entry)) yield `entry ${nameOf(entry)} belongs to no packet`
  for (const [place, [id, client]] of [...state.clients.entries()].entries()) {
    if (id !== clientIdOf(place)) yield `client ${id} has number ${place}`
    const { revisionNumber, revisionHeight } = readClientState(client.state).latest
    if (client.highest !== revisionHeight)
      yield `client ${id} has headers up to ${client.highest}, its state says ${revisionHeight}`
    yield* headerFaults(state, id, client, revisionNumber)
  }
}

/** Headers from the lowest to the highest: each names the one before it, and its time is later. */
function* headerFaults(state: IbcState, id: string, client: Client, revision: bigint): Generator<string> {
  let [before, time] = [0n, 0n]
  for (let height = client.lowest; ; ) {
    const header = state.headers.at(id).at(revision).at(height).get()
    const isNext = height > before && header.lower === before && header.time > time
    if (!isNext) return yield `header ${height} of client ${id} does not follow header ${before}`
    if (header.higher === 0n) {
      if (height !== client.highest) yield `headers of client ${id} end at ${height}, not at ${client.highest}`
      return
    }
    ;[before, time, height] = [height, header.time, header.higher]
  }
}

/** Whether an entry is the first one, of a packet that was sent, or one of the two of a packet that was received. */
function isExpected(state: IbcState, store: ProvableStore, { key, value }: Entry): boolean {
  if (equalBytes(key, FIRST_ENTRY.key)) return true
  const packet = readPacketKey(key)
  if (packet === undefined || packet.sequence === 0n) return false
  const { kind, client, sequence } = packet
  const hasRoute = (state.clients.get(client)?.counterparty ?? '') !== ''
  if (kind === 'commitment') return hasRoute && value.length === 32 && sequence <= state.sequences.at(client).get()
  const [other, is] =
    kind === 'receipt'
      ? [PACKET_KEY.acknowledgement, equalBytes(value, RECEIPT)]
      : [PACKET_KEY.receipt, value.length === 32]
  return hasRoute && is && store.get(other(client, sequence)) !== undefined
}

const nameOf = ({ key }: Entry): string => {
  const packet = readPacketKey(key)
  return packet === undefined
    ? Buffer.from(key).toString('hex')
    : `${packet.kind} ${packet.sequence} of ${packet.client}`
}
