// Clients of other chains (ICS-02) that are light clients of CometBFT (ICS-07): anyone may create and update them; what a header
// says is believed only as far as the validators whom the client trusts have signed it.
import {
  type ClientState,
  changedClientState,
  isSubstitute,
  readClientMessage,
  readClientState,
  readConsensusState,
} from '../../ibc/comet/client-state.ts'
import {
  type ConsensusState,
  isExpired,
  isFork,
  type VerifiedHeader,
  verifyConflictingHeader,
  verifyHeader,
} from '../../ibc/comet/light-client.ts'
import { verifyPath } from '../../ibc/ics23/verify.ts'
import { decode } from '../../ibc/wire.ts'
import type { Address } from '../../lib/hex.ts'
import { equalBytes } from '../../lib/hex.ts'
import { MerkleProofSchema } from '../../protobuf/generated/ibc/core/commitment/v1/commitment_pb.ts'
import type { Header } from '../../protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import type { ModuleContext } from '../module.ts'
import { reverted } from '../module.ts'
import type { Client, IbcState, StoredHeader } from './layout.ts'

const BILLION = 1_000_000_000n
/** The id of a client by its number, from 0. */
export const clientIdOf = (number: number): string => `07-tendermint-${number}`
/** The number in the id of a client of this chain. */
export const clientNumber = (id: string): number => Number(id.slice(id.lastIndexOf('-') + 1))
/** Bytes of a proof. A proof of absence in a tree of 10^9 entries has below 5,000. */
const LARGEST_PROOF = 65_536
const LONGEST_KEY = 256
const MOST_PREFIXES = 4

export type ClientStatus = 'Active' | 'Expired' | 'Frozen'
/** Called before each verification of a signature, so that the caller can charge for it. */
export type BeforeSignature = () => void

export class Clients {
  readonly #context: ModuleContext
  readonly #state: IbcState

  constructor(context: ModuleContext, state: IbcState) {
    this.#context = context
    this.#state = state
  }

  /** Unix nanoseconds of the block. */
  get now(): bigint {
    return this.#context.block.timestamp * BILLION
  }

  /** Makes a client of the chain that the states describe, and returns its id. Throws ChainError. */
  create(creator: Address, clientState: Uint8Array, consensusState: Uint8Array): string {
    const { clients } = this.#state
    const state = readClientState(clientState)
    const consensus = readConsensusState(consensusState)
    if (state.isFrozen) throw reverted('a client cannot begin frozen')
    if (isExpired(state, consensus.time, this.now)) throw reverted('consensus state is older than the trusting period')
    const id = clientIdOf(clients.size)
    const height = state.latest.revisionHeight
    clients.set(id, { state: clientState, creator, counterparty: '', prefix: [], lowest: height, highest: height })
    this.#header(id, height).set({ ...consensus, lower: 0n, higher: 0n })
    return id
  }

  /** Names the client of this chain on the other chain, and the keys above its packets there, once. Throws ChainError. */
  registerCounterparty(sender: Address, id: string, prefix: readonly Uint8Array[], counterparty: string): void {
    const client = this.client(id)
    if (client.creator !== sender) throw reverted(`only the creator of client ${id} may register its counterparty`)
    if (client.counterparty !== '') throw reverted(`client ${id} has a counterparty`)
    if (!isClientId(counterparty)) throw reverted(`invalid client id of the counterparty: ${counterparty}`)
    const isPrefix =
      prefix.length >= 1 && prefix.length <= MOST_PREFIXES && prefix.every((key) => key.length <= LONGEST_KEY)
    if (!isPrefix) throw reverted('invalid prefix of the counterparty')
    this.#state.clients.set(id, { ...client, counterparty, prefix })
  }

  /** Throws ChainError for an unknown client. */
  client(id: string): Client {
    const client = this.#state.clients.get(id)
    if (client === undefined) throw reverted(`client ${id} not found`)
    return client
  }

  /** Number of clients. */
  get count(): number {
    return this.#state.clients.size
  }

  status(id: string): ClientStatus {
    const client = this.client(id)
    return this.#statusOf(id, client, readClientState(client.state))
  }

  #statusOf(id: string, { highest }: Client, state: ClientState): ClientStatus {
    if (state.isFrozen) return 'Frozen'
    const { time } = this.#header(id, highest).get()
    return isExpired(state, time, this.now) ? 'Expired' : 'Active'
  }

  /** The client's state, if it may be used. Throws ChainError. */
  #active(id: string): { readonly client: Client; readonly state: ClientState } {
    const client = this.client(id)
    const state = readClientState(client.state)
    const status = this.#statusOf(id, client, state)
    if (status !== 'Active') throw reverted(`client (${id}) status is ${status}`)
    return { client, state }
  }

  /** Throws ChainError unless the client may be used. */
  requireActive(id: string): void {
    this.#active(id)
  }

  /**
   * Takes a header, or a proof that the other chain has forked, which freezes the client. A header that contradicts a known one is such
   * a proof too. Throws ChainError if the message proves nothing.
   */
  update(id: string, bytes: Uint8Array, beforeSignature: BeforeSignature): 'update' | 'misbehaviour' {
    const { client, state } = this.#active(id)
    const at = { now: this.now, beforeSignature }
    const message = readClientMessage(bytes)
    if (message.type === 'misbehaviour') {
      const { header1, header2 } = message.misbehaviour
      const [first, second] = [header1, header2].map((header) => {
        const { trusted } = this.#trusted(id, state, header)
        return verifyConflictingHeader(state, trusted, requireHeader(header), at)
      })
      if (first === undefined || second === undefined || !isFork(first, second))
        throw reverted('the headers do not contradict each other')
      return this.#freeze(id, client)
    }
    const { height, trusted } = this.#trusted(id, state, message.header)
    return this.#take(id, client, height, verifyHeader(state, height, trusted, message.header, at))
  }

  /** The stored state that a header names as trusted. Throws ChainError. */
  #trusted(
    id: string,
    { latest }: ClientState,
    header: Header | undefined,
  ): { height: bigint; trusted: ConsensusState } {
    const { revisionNumber = 0n, revisionHeight: height = 0n } = header?.trustedHeight ?? {}
    if (revisionNumber !== latest.revisionNumber) throw reverted('trusted height is of another revision')
    return { height, trusted: this.consensusState(id, height) }
  }

  #take(id: string, client: Client, from: bigint, verified: VerifiedHeader): 'update' | 'misbehaviour' {
    const { height, time, root, nextValidatorsHash } = verified
    const known = this.#header(id, height).get()
    if (known.time !== 0n) return isSame(known, verified) ? 'update' : this.#freeze(id, client)
    // From the trusted header upwards to the neighbours of the new one.
    let lower = from
    let higher = this.#header(id, lower).member('higher')
    while (higher !== 0n && higher < height) [lower, higher] = [higher, this.#header(id, higher).member('higher')]
    const isOutOfOrder =
      this.#header(id, lower).member('time') >= time ||
      (higher !== 0n && this.#header(id, higher).member('time') <= time)
    if (isOutOfOrder) return this.#freeze(id, client)
    this.#header(id, height).set({ time, root, nextValidatorsHash, lower, higher })
    this.#header(id, lower).update({ higher: height })
    if (higher !== 0n) this.#header(id, higher).update({ lower: height })
    else {
      const latest = { revisionNumber: readClientState(client.state).latest.revisionNumber, revisionHeight: height }
      this.#state.clients.set(id, { ...client, state: changedClientState(client.state, { latest }), highest: height })
    }
    this.#pruneLowest(id)
    return 'update'
  }

  #freeze(id: string, client: Client): 'misbehaviour' {
    this.#state.clients.set(id, { ...client, state: changedClientState(client.state, { isFrozen: true }) })
    return 'misbehaviour'
  }

  /** Removes the lowest header if it is no longer trusted. */
  #pruneLowest(id: string): void {
    const client = this.client(id)
    const { time, higher } = this.#header(id, client.lowest).get()
    if (higher === 0n || !isExpired(readClientState(client.state), time, this.now)) return
    this.#header(id, client.lowest).clear()
    this.#header(id, higher).update({ lower: 0n })
    this.#state.clients.set(id, { ...client, lowest: higher })
  }

  /**
   * Gives an expired or frozen client the newest header of an active one of the same chain (ibc-go's MsgRecoverClient, by governance).
   * Throws ChainError.
   */
  recover(id: string, substituteId: string): void {
    const client = this.client(id)
    if (this.status(id) === 'Active') throw reverted(`client (${id}) is active`)
    const { client: substitute } = this.#active(substituteId)
    if (!isSubstitute(client.state, substitute.state))
      throw reverted(`client ${substituteId} cannot take the place of ${id}`)
    const height = substitute.highest
    if (height <= client.highest) throw reverted(`client ${substituteId} is not newer than ${id}`)
    const newest = this.consensusState(substituteId, height)
    this.#header(id, height).set({ ...newest, lower: client.highest, higher: 0n })
    this.#header(id, client.highest).update({ higher: height })
    // The substitute's state has its chain id, trusting period and latest height, and is not frozen.
    this.#state.clients.set(id, { ...client, state: substitute.state, highest: height })
  }

  /** What the client keeps of a header. Throws ChainError. */
  consensusState(id: string, height: bigint): ConsensusState {
    const { time, root, nextValidatorsHash } = this.#header(id, height).get()
    if (time === 0n) throw reverted(`client ${id} has no consensus state of height ${height}`)
    return { time, root, nextValidatorsHash }
  }

  /**
   * Verifies that the other chain has `value` at a path of keys at a height, or nothing if it is undefined. Returns the time of the
   * height in Unix nanoseconds. Throws ChainError.
   */
  verify(
    id: string,
    height: bigint,
    proof: Uint8Array,
    path: readonly Uint8Array[],
    value: Uint8Array | undefined,
  ): bigint {
    const { state } = this.#active(id)
    const { root, time } = this.consensusState(id, height)
    const { proofs } = decode(MerkleProofSchema, proof, LARGEST_PROOF)
    verifyPath({ trees: state.trees, root, path, proofs, value })
    return time
  }

  #header(id: string, height: bigint) {
    return this.#state.headers.at(id).at(height)
  }
}

const isClientId = (id: string): boolean => /^[a-z0-9][a-z0-9-]{2,56}-(0|[1-9]\d{0,18})$/.test(id)

function requireHeader(header: Header | undefined): Header {
  if (header === undefined) throw reverted('header is missing')
  return header
}

const isSame = (known: StoredHeader, { time, root, nextValidatorsHash }: VerifiedHeader): boolean =>
  known.time === time && equalBytes(known.root, root) && equalBytes(known.nextValidatorsHash, nextValidatorsHash)
