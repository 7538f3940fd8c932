// Another chain with IBC, as far as this chain's light client sees it: headers that its validators have signed, whose app hashes
// commit to a provable store, with the states, updates and proofs that a relayer would bring.
import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { parseAbi } from 'viem'
import { writeConsensusState } from '../../src/ibc/comet/client-state.ts'
import { absenceProof, appHashOf, presenceProof, storeProof } from '../../src/ibc/ics23/prove.ts'
import { proofSpec, TREES } from '../../src/ibc/ics23/specs.ts'
import { fromHex, toHash } from '../../src/lib/hex.ts'
import { sha256 } from '../../src/lib/sha256.ts'
import { ProvableStore, provableStore } from '../../src/modules/ibc/provable-store.ts'
import { MerkleProofSchema } from '../../src/protobuf/generated/ibc/core/commitment/v1/commitment_pb.ts'
import {
  ClientStateSchema,
  HeaderSchema,
  MisbehaviourSchema,
} from '../../src/protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import { type CometBlock, CometChain, hashOf, Signer } from './comet-chain.ts'

export const IBC = '0x0000000000000000000000000000000000000807'
export const ibcAbi = parseAbi([
  'struct Height { uint64 revisionNumber; uint64 revisionHeight; }',
  'struct Payload { string sourcePort; string destPort; string version; string encoding; bytes value; }',
  'struct Packet { uint64 sequence; string sourceClient; string destClient; uint64 timeoutTimestamp; Payload[] payloads; }',
  'function createClient(bytes clientState, bytes consensusState) returns (string clientId)',
  'function registerCounterparty(string clientId, bytes[] counterpartyPrefix, string counterpartyClientId) returns (bool success)',
  'function updateClient(string clientId, bytes updateMsg) returns (uint8 result)',
  'function recvPacket(Packet packet, bytes proof, Height proofHeight) returns (bool received)',
  'function acknowledgePacket(Packet packet, bytes[] acknowledgements, bytes proof, Height proofHeight) returns (bool ended)',
  'function timeoutPacket(Packet packet, bytes proof, Height proofHeight) returns (bool ended)',
  'event CreateClient(string clientId, address indexed creator, string chainId)',
  'event SendPacket(string indexed clientId, uint256 indexed sequence, Packet packet)',
  'event WriteAcknowledgement(string indexed clientId, uint256 indexed sequence, Packet packet, bytes[] acknowledgements)',
])
const YEAR = 365n * 86_400n
const EVM = toHash(sha256('the block of the peer'))
/** Time of the first header of a peer in Unix seconds: 2023-01-01. */
const START = 1_672_531_200n

const packed = (name: string, value: Uint8Array): Uint8Array =>
  toBinary(AnySchema, create(AnySchema, { typeUrl: `/ibc.lightclients.tendermint.v1.${name}`, value }))

/** In seconds. A client trusts for a century and takes any time, unless a test says otherwise. */
export type Periods = { readonly trusting?: bigint; readonly unbonding?: bigint }

/** Headers of a chain, all signed by the same validators. */
export class SignedHeaders {
  readonly #chain: CometChain
  readonly #validators: readonly Signer[]
  readonly #blocks = new Map<number, CometBlock>()

  /** `chainId`: with its revision, `peer-1`. `validators`: how many there are, all with the same power. */
  constructor(chainId: string, validators = 1) {
    this.#chain = new CometChain(chainId)
    this.#validators = Array.from({ length: validators }, (_, number) => new Signer(number, 10n))
  }

  /** Makes the header of a height. `time`: Unix milliseconds. */
  add(height: number, time: number, appHash: Uint8Array): void {
    const sets = { validators: this.#validators, nextValidators: this.#validators }
    this.#blocks.set(height, { height, time, appHash, ...sets })
  }

  #at(height: number): CometBlock {
    const block = this.#blocks.get(height)
    if (block === undefined) throw new Error(`there is no header of height ${height}`)
    return block
  }

  heightOf = (height: number) => ({ revisionNumber: this.#chain.revision, revisionHeight: BigInt(height) })

  clientState(height: number, { trusting = 100n * YEAR, unbonding = 101n * YEAR }: Periods = {}) {
    const state = create(ClientStateSchema, {
      chainId: this.#chain.chainId,
      trustLevel: { numerator: 1n, denominator: 3n },
      trustingPeriod: { seconds: trusting },
      unbondingPeriod: { seconds: unbonding },
      maxClockDrift: { seconds: 100n * YEAR },
      frozenHeight: {},
      latestHeight: this.heightOf(height),
      proofSpecs: [proofSpec(TREES.smt), proofSpec(TREES.tendermint)],
    })
    return toBinary(ClientStateSchema, state)
  }

  consensusState(height: number): Uint8Array {
    const { time, appHash: root, nextValidators } = this.#at(height)
    return writeConsensusState({ time: BigInt(time) * 1_000_000n, root, nextValidatorsHash: hashOf(nextValidators) })
  }

  /** The message that brings a header to a client which trusts another one. */
  update = (height: number, trusted: number): Uint8Array =>
    packed('Header', toBinary(HeaderSchema, this.#message(this.#at(height), trusted)))

  /** The message that shows a second header of a height beside the chain's own. */
  misbehaviour(height: number, trusted: number): Uint8Array {
    const block = this.#at(height)
    const header1 = this.#message(block, trusted)
    const header2 = this.#message({ ...block, appHash: sha256('another block') }, trusted)
    return packed('Misbehaviour', toBinary(MisbehaviourSchema, create(MisbehaviourSchema, { header1, header2 })))
  }

  #message = (block: CometBlock, trusted: number) =>
    this.#chain.update(block, { height: trusted, nextValidators: this.#validators })
}

/** A chain that consists of a provable store, and has a header of its first height. */
export class IbcPeer extends SignedHeaders {
  /** Height of the newest header. */
  height: number
  #time = START
  readonly #store: ProvableStore

  /** `entries`: what its store holds at its first height, `height`. */
  constructor(chainId: string, entries: readonly (readonly [Uint8Array, Uint8Array])[] = [], height = 1) {
    super(chainId)
    this.height = height - 1
    const words = new Map<bigint, bigint>()
    const slots = { load: (slot: bigint) => words.get(slot) ?? 0n, store: words.set.bind(words) }
    this.#store = new ProvableStore(provableStore.open(slots))
    this.set(new Uint8Array(Buffer.from('ibc/version')), Uint8Array.of(2))
    for (const [key, value] of entries) this.set(key, value)
    this.block(START)
  }

  /** Changes the store; the next header commits to it. */
  set(key: Uint8Array, value: Uint8Array): void {
    this.#store.set(key, value)
    this.#store.endBlock()
  }

  /** Makes a header, `time` Unix seconds or a second after the last one. Returns its height. */
  block(time = this.#time + 1n): number {
    this.height += 1
    this.#time = time
    this.add(this.height, Number(time) * 1_000, fromHex(appHashOf({ evm: EVM, ibc: this.#store.root })))
    return this.height
  }

  /** The message that takes a client from the newest header to one more. */
  next(time?: bigint): Uint8Array {
    const height = this.block(time)
    return this.update(height, height - 1)
  }

  /** What a client of the chain begins with: its states at the newest height. */
  get states(): { readonly client: Uint8Array; readonly consensus: Uint8Array } {
    return { client: this.clientState(this.height), consensus: this.consensusState(this.height) }
  }

  /** Proof of an entry, or that there is none, at the newest height. */
  proof(key: Uint8Array): Uint8Array {
    const proven = this.#store.prove(key)
    const entry =
      'presence' in proven
        ? presenceProof(proven.presence)
        : absenceProof(key, proven.absence.left, proven.absence.right)
    const proofs = [entry, storeProof(EVM, this.#store.root)]
    return toBinary(MerkleProofSchema, create(MerkleProofSchema, { proofs }))
  }
}
