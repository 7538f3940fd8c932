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
  type Height,
  heightText,
  isExpired,
  isFork,
  isSameState,
  type VerifiedHeader,
  verifyConflictingHeader,
  verifyHeader,
} from '../../ibc/comet/light-client.ts'
import { verifyPath } from '../../ibc/ics23/verify.ts'
import { decode } from '../../ibc/wire.ts'
import type { Address } from '../../lib/hex.ts'
import { MerkleProofSchema } from '../../protobuf/generated/ibc/core/commitment/v1/commitment_pb.ts'
import type { Header } from '../../protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import type { ModuleContext } from '../module.ts'
import { reverted } from '../module.ts'
import { type Client, clientIdOf, type IbcState } from './layout.ts'

const BILLION = 1_000_000_000n
/** Bytes of a proof. A proof of absence in a tree of 10^9 entries has below 5,000. */
const LARGEST_PROOF = 65_536
const LONGEST_KEY = 256
const MOST_PREFIXES = 4

export type ClientStatus = 'Active' | 'Expired' | 'Frozen'
/** Called before each verification of a signature, so that the caller can charge for it. */
export type BeforeSignature = () => void

/** What an update has done. Two headers that prove a fork have no heights: zeros. */
export type UpdateOutcome = {
  readonly result: 'update' | 'misbehaviour'
  /** Of the known header from which the new one was verified. */
  readonly trustedHeight: Height
  readonly height: Height
}

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
    this.#header(id, state.latest).set({ ...consensus, lower: 0n, higher: 0n })
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
    return this.#statusOf(id, readClientState(client.state))
  }

  #statusOf(id: string, state: ClientState): ClientStatus {
    if (state.isFrozen) return 'Frozen'
    const time = this.#header(id, state.latest).member('time')
    return isExpired(state, time, this.now) ? 'Expired' : 'Active'
  }

  /** The client's state. Throws ChainError unless the client may be used. */
  activeState(id: string, client: Client): ClientState {
    const state = readClientState(client.state)
    const status = this.#statusOf(id, state)
    if (status !== 'Active') throw reverted(`client (${id}) status is ${status}`)
    return state
  }

  /**
   * Takes a header, or a proof that the other chain has forked, which freezes the client. A header that contradicts a known one is such
   * a proof too. Throws ChainError if the message proves nothing.
   */
  update(id: string, bytes: Uint8Array, beforeSignature: BeforeSignature): UpdateOutcome {
    const client = this.client(id)
    const state = this.activeState(id, client)
    const at = { now: this.now, beforeSignature }
    const message = readClientMessage(bytes)
    if (message.type === 'misbehaviour') {
      const { header1, header2 } = message.misbehaviour
      const [first, second] = [header1, header2].map((header) => {
        const from = trustedHeight(state, header)
        const trusted = this.headerOf(id, client, state, from)
        return verifyConflictingHeader(state, from.revisionHeight, trusted, requireHeader(header), at)
      })
      if (first === undefined || second === undefined || !isFork(first, second))
        throw reverted('the headers do not contradict each other')
      return { result: this.#freeze(id, client), trustedHeight: NO_HEIGHT, height: NO_HEIGHT }
    }
    const from = trustedHeight(state, message.header)
    const trusted = this.headerOf(id, client, state, from)
    const verified = verifyHeader(state, from.revisionHeight, trusted, message.header, at)
    const height = { revisionNumber: from.revisionNumber, revisionHeight: verified.height }
    return { result: this.#take(id, client, from, verified), trustedHeight: from, height }
  }

  #take(id: string, client: Client, from: Height, verified: VerifiedHeader): UpdateOutcome['result'] {
    const { revisionNumber } = from
    const { height, time, root, nextValidatorsHash } = verified
    const at = (revisionHeight: bigint) => this.#header(id, { revisionNumber, revisionHeight })
    const known = at(height).get()
    if (known.time !== 0n) return isSameState(known, verified) ? 'update' : this.#freeze(id, client)
    // From the trusted header upwards to the neighbours of the new one.
    let lower = from.revisionHeight
    let higher = at(lower).member('higher')
    while (higher !== 0n && higher < height) [lower, higher] = [higher, at(higher).member('higher')]
    const isOutOfOrder = at(lower).member('time') >= time || (higher !== 0n && at(higher).member('time') <= time)
    if (isOutOfOrder) return this.#freeze(id, client)
    at(height).set({ time, root, nextValidatorsHash, lower, higher })
    at(lower).update({ higher: height })
    if (higher !== 0n) at(higher).update({ lower: height })
    else {
      const latest = { revisionNumber, revisionHeight: height }
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
    const state = readClientState(client.state)
    const { revisionNumber } = state.latest
    const lowest = this.#header(id, { revisionNumber, revisionHeight: client.lowest })
    const { time, higher } = lowest.get()
    if (higher === 0n || !isExpired(state, time, this.now)) return
    lowest.clear()
    this.#header(id, { revisionNumber, revisionHeight: higher }).update({ lower: 0n })
    this.#state.clients.set(id, { ...client, lowest: higher })
  }

  /**
   * Gives an expired or frozen client the newest header of an active one of the same chain, whose text id and trusting period may have
   * changed (ibc-go's MsgRecoverClient, by governance). A frozen client forgets all others, unlike ibc-go's: one of them may be what it was
   * deceived by, and would still prove packets, and be proof of the fork again. Throws ChainError with ibc-go's texts.
   */
  recover(id: string, substituteId: string): void {
    const client = this.client(id)
    const { latest: before } = readClientState(client.state)
    const status = this.status(id)
    if (status === 'Active')
      throw reverted(`cannot recover subject client (${id}) with status ${status}: invalid recovery client`)
    const { state: bytes } = this.client(substituteId)
    const { latest } = readClientState(bytes)
    const substituteStatus = this.status(substituteId)
    if (substituteStatus !== 'Active') {
      const what = `cannot recover client using substitute client (${substituteId}) with status ${substituteStatus}`
      throw reverted(`${what}: client state is not active`)
    }
    if (!isHigher(latest, before)) {
      const what = 'subject client state latest height is greater or equal to substitute client state latest height'
      throw reverted(`${what} (${heightText(before)} >= ${heightText(latest)}): invalid height`)
    }
    if (!isSubstitute(client.state, bytes))
      throw reverted('subject client state does not match substitute client state: invalid client state substitute')
    const isSameRevision = latest.revisionNumber === before.revisionNumber
    const { revisionHeight: height } = latest
    const keepsHeaders = isSameRevision && status !== 'Frozen'
    const lower = keepsHeaders ? client.highest : 0n
    this.#header(id, latest).set({ ...this.consensusState(substituteId, latest), lower, higher: 0n })
    if (keepsHeaders) this.#header(id, before).update({ higher: height })
    const lowest = keepsHeaders ? client.lowest : height
    // Nothing else of the substitute's state differs, and it is not frozen.
    this.#state.clients.set(id, { ...client, state: bytes, lowest, highest: height })
  }

  /** What the client keeps of a header. Throws ChainError. */
  consensusState(id: string, height: Height): ConsensusState {
    const client = this.client(id)
    return this.headerOf(id, client, readClientState(client.state), height)
  }

  /** The same of a client that was read: a header of the revision in its state, and not below its lowest one. Throws ChainError. */
  headerOf(id: string, { lowest }: Client, { latest }: ClientState, height: Height): ConsensusState {
    const isKept = height.revisionNumber === latest.revisionNumber && height.revisionHeight >= lowest
    const { time, root, nextValidatorsHash } = this.#header(id, height).get()
    if (!isKept || time === 0n) throw reverted(`client ${id} has no consensus state of height ${heightText(height)}`)
    return { time, root, nextValidatorsHash }
  }

  /**
   * Verifies that the other chain has `value` at a path of keys at a height, or nothing if it is undefined. Returns the time of the
   * height in Unix nanoseconds. Throws ChainError.
   */
  verify(
    id: string,
    height: Height,
    proof: Uint8Array,
    path: readonly Uint8Array[],
    value: Uint8Array | undefined,
    client: Client = this.client(id),
  ): bigint {
    const state = this.activeState(id, client)
    const { root, time } = this.headerOf(id, client, state, height)
    const { proofs } = decode(MerkleProofSchema, proof, LARGEST_PROOF)
    verifyPath({ trees: state.trees, root, path, proofs, value })
    return time
  }

  #header(id: string, { revisionNumber, revisionHeight }: Height) {
    return this.#state.headers.at(id).at(revisionNumber).at(revisionHeight)
  }
}

const NO_HEIGHT: Height = { revisionNumber: 0n, revisionHeight: 0n }

const isClientId = (id: string): boolean => /^[a-z0-9][a-z0-9-]{2,56}-(0|[1-9]\d{0,18})$/.test(id)

function requireHeader(header: Header | undefined): Header {
  if (header === undefined) throw reverted('header is missing')
  return header
}

/** The height of the stored state that a header names as trusted. Throws ChainError unless it is of the client's revision. */
function trustedHeight({ latest }: ClientState, header: Header | undefined): Height {
  const { revisionNumber = 0n, revisionHeight = 0n } = header?.trustedHeight ?? {}
  if (revisionNumber !== latest.revisionNumber) throw reverted('trusted height is of another revision')
  return { revisionNumber, revisionHeight }
}

const isHigher = (a: Height, b: Height): boolean =>
  a.revisionNumber === b.revisionNumber ? a.revisionHeight > b.revisionHeight : a.revisionNumber > b.revisionNumber
