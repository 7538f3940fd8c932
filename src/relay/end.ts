// One end of a relay: a chain as the relayer sees it. `kestrel.ts` implements it for this program's networks by JSON-RPC; a chain of
// another kind is a file of its own. What an end answers was written by others: the implementation bounds and parses it, and the
// relayer verifies headers and proofs before it pays for anything.
//
// Heights are those of the consensus engine. The app hash in the header of height h commits to the state after block h - 1, so what block n
// has written can be proven from height n + 1 on.
import type { ClientState } from '../ibc/comet/client-state.ts'
import type { ConsensusState, Height } from '../ibc/comet/light-client.ts'
import type { TreeName } from '../ibc/ics23/specs.ts'
import { ChainError } from '../lib/errors.ts'
import type { Packet } from '../modules/ibc/packets.ts'
import type { Commit, Header } from '../protobuf/generated/tendermint/types/types_pb.ts'
import type { ValidatorSet } from '../protobuf/generated/tendermint/types/validator_pb.ts'

/** An end cannot be asked now: the node is down, slow, behind, or answers in another form. The same question may succeed later. */
export class EndUnavailable extends ChainError {
  constructor(end: string, reason: string) {
    super('overloaded', `${end}: ${reason}`)
    this.name = 'EndUnavailable'
  }
}

/** What a client of the chain is made of, besides one of its headers. */
export type ChainTraits = {
  /** Text id in its headers. */
  readonly chainId: string
  /** Nanoseconds for which a validator that leaves can still be slashed. */
  readonly unbondingPeriod: bigint
  /** Trees of its proofs, from the innermost outwards. */
  readonly trees: readonly TreeName[]
  /** Keys of its stores above its packets; the last one begins each key. */
  readonly prefix: readonly Uint8Array[]
}

/** A signed header with the validators that sign it. */
export type LightBlock = { readonly header: Header; readonly commit: Commit; readonly validators: ValidatorSet }

/** A client on this chain, after its newest block. */
export type Client = {
  readonly clientId: string
  readonly state: ClientState
  readonly status: 'Active' | 'Expired' | 'Frozen'
  /** Client of this chain on the other one; empty until it is registered. */
  readonly counterparty: string
  /** Account that has made it. */
  readonly creator: string
}

/** What a block has done to packets that a client of the chain sends. */
export type PacketEvent = { readonly block: bigint; readonly sequence: bigint } & (
  | { readonly type: 'sent'; readonly packet: Packet }
  | { readonly type: 'ended' }
)

/** A header that a client has taken, by the height of the known one from which it was verified. */
export type TakenHeader = { readonly trustedHeight: Height; readonly height: Height }
/** An update of a client. `taken`: undefined if the chain does not show which header it was. */
export type ClientUpdate = { readonly block: bigint; readonly taken: TakenHeader | undefined }

/** The value at a key, and an encoded MerkleProof (ibc-go) of it, or that there is none, up to the app hash. */
export type ProvenValue = { readonly value: Uint8Array | undefined; readonly proof: Uint8Array }

type Proven = { readonly packet: Packet; readonly proof: Uint8Array; readonly height: Height }

/** What a relayer asks a chain to do; states, headers and proofs are ibc-go's protobuf. `height`: of the other chain's header. */
export type Message =
  | { readonly type: 'createClient'; readonly clientState: Uint8Array; readonly consensusState: Uint8Array }
  | {
      readonly type: 'registerCounterparty'
      readonly clientId: string
      readonly prefix: readonly Uint8Array[]
      readonly counterparty: string
    }
  /** `update`: Header or Misbehaviour, packed as google.protobuf.Any. */
  | { readonly type: 'updateClient'; readonly clientId: string; readonly update: Uint8Array }
  | ({ readonly type: 'receive' } & Proven)
  | ({ readonly type: 'acknowledge'; readonly acknowledgements: readonly Uint8Array[] } & Proven)
  | ({ readonly type: 'timeout' } & Proven)

/** What became of a message. `cost`: what the account has paid, in base units. */
export type Outcome = { readonly cost: bigint } & (
  | { readonly status: 'done' }
  /** `reason`: words of the chain, cut and printable. It has changed nothing, and may have cost nothing. */
  | { readonly status: 'refused'; readonly reason: string }
)

/** `address`: as the chain writes it. `balance`: base units of the coin that pays for gas. */
export type AccountState = { readonly address: string; readonly balance: bigint }

export type Covered<T> = { readonly events: readonly T[]; readonly to: bigint }

/** Every function throws EndUnavailable; a value that the chain does not have is said otherwise. */
export type ChainEnd = {
  /** Names it in logs and metrics. */
  readonly name: string
  /** Decimal places of the coin that pays for gas: a coin is 10^decimals base units. */
  readonly decimals: number
  traits(): Promise<ChainTraits>
  /** The newest height whose header and proofs can be had now, and the Unix nanoseconds of that header. */
  head(): Promise<{ readonly height: bigint; readonly time: bigint }>
  lightBlock(height: bigint): Promise<LightBlock>
  /** undefined: there is none. */
  client(clientId: string): Promise<Client | undefined>
  /** Clients that the relayer's own account has made, oldest first, at most 1,000. */
  ownClients(): Promise<readonly Client[]>
  /** What a client keeps of a height of the other chain; undefined: nothing. */
  consensusState(clientId: string, height: Height): Promise<ConsensusState | undefined>
  /**
   * Events of the packets that a client sends in the blocks `from` to `to`, in order, and the last block that they cover: an end may look
   * through fewer blocks than asked, but through one at least. Blocks that the node does not have any more are passed over.
   */
  events(clientId: string, from: bigint, to: bigint): Promise<Covered<PacketEvent>>
  /** Updates of a client in the blocks `from` to `to`, as `events`. */
  updates(clientId: string, from: bigint, to: bigint): Promise<Covered<ClientUpdate>>
  /** What the applications have answered to a packet that a client has received; undefined: no event says it. */
  acknowledgements(clientId: string, sequence: bigint): Promise<readonly Uint8Array[] | undefined>
  /** The value at a key of the provable store after the newest block, without a proof. */
  stored(key: Uint8Array): Promise<Uint8Array | undefined>
  /** `key`: inside the store, without the prefix. `height`: of the header whose app hash the proof leads to. */
  prove(key: Uint8Array, height: bigint): Promise<ProvenValue>
  /**
   * Does these in order, and returns the outcome of each when its block is made. A message that is refused does not stop later ones, but
   * for a refused update of a client: then the rest is not sent, and refused for that reason. Throws EndUnavailable when it is unknown what
   * became of them; it may then be asked again, because each message does nothing a second time.
   */
  submit(messages: readonly Message[]): Promise<readonly Outcome[]>
  /** The relayer's account now. */
  account(): Promise<AccountState>
}
