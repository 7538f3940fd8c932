// Storage of IBC's clients, packets and the provable store, at the contract of IBC. Only this folder writes it.
import type { Address } from '../../lib/hex.ts'
import { enumerable, layout, list, mapping, struct } from '../../state/layout.ts'
import { address, bytes, text, u64 } from '../../state/storage-types.ts'
import { provableStore } from './provable-store.ts'

/** The id of a client by its number, from 0. */
export const clientIdOf = (number: number): string => `07-tendermint-${number}`
/** The number in the id of a client of this chain. */
export const clientNumber = (id: string): number => Number(id.slice(id.lastIndexOf('-') + 1))

/** A client of another chain. */
export type Client = {
  /** ibc-go's protobuf. */
  readonly state: Uint8Array
  /** May register the counterparty. */
  readonly creator: Address
  /** The client of this chain on the other chain; empty until it is registered. */
  readonly counterparty: string
  /** Keys of the other chain's stores above those of packets. */
  readonly prefix: readonly Uint8Array[]
  /** The lowest and the highest height with a header, of the revision in the state. */
  readonly lowest: bigint
  readonly highest: bigint
}

/** A verified header of another chain, between its neighbours by height in its revision; 0: none. */
type StoredHeader = {
  /** Unix nanoseconds; 0: there is no header of this height. */
  readonly time: bigint
  readonly root: Uint8Array
  readonly nextValidatorsHash: Uint8Array
  readonly lower: bigint
  readonly higher: bigint
}

export const ibcLayout = layout({
  store: provableStore,
  clients: enumerable(
    text,
    struct<Client>({
      state: bytes,
      creator: address,
      counterparty: text,
      prefix: list(bytes),
      lowest: u64,
      highest: u64,
    }),
  ),
  /** By client, revision and height. */
  headers: mapping(
    text,
    mapping(
      u64,
      mapping(
        u64,
        struct<StoredHeader>({ time: u64, root: bytes, nextValidatorsHash: bytes, lower: u64, higher: u64 }),
      ),
    ),
  ),
  /** Sequence of the newest packet that a client has sent. */
  sequences: mapping(text, u64),
})
export type IbcState = ReturnType<typeof ibcLayout.open>
