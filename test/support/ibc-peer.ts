// Another chain with IBC, as clients see it: headers that validators of the test have signed, whose app hashes commit to a
// provable store, with the states, updates and proofs that a relayer would bring.
import { create, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { absenceProof, appHashOf, presenceProof, storeProof } from '../../src/ibc/ics23/prove.ts'
import { proofSpec, TREES } from '../../src/ibc/ics23/specs.ts'
import { fromHex, type Hash, toHash, ZERO_HASH } from '../../src/lib/hex.ts'
import { sha256 } from '../../src/lib/sha256.ts'
import { ProvableStore, provableStore } from '../../src/modules/ibc/provable-store.ts'
import { MerkleProofSchema } from '../../src/protobuf/generated/ibc/core/commitment/v1/commitment_pb.ts'
import {
  ClientStateSchema,
  ConsensusStateSchema,
  HeaderSchema,
  MisbehaviourSchema,
} from '../../src/protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import { type CometBlock, CometChain, hashOf, Signer } from './comet-chain.ts'

const PACKAGE = '/ibc.lightclients.tendermint.v1'
const packed = (name: string, value: Uint8Array): Uint8Array =>
  toBinary(AnySchema, create(AnySchema, { typeUrl: `${PACKAGE}.${name}`, value } satisfies Partial<Any>))

export type Periods = { readonly trusting?: bigint; readonly unbonding?: bigint; readonly drift?: bigint }

/** Headers of a chain, all signed by the same validators. */
export class SignedHeaders {
  readonly #comet: CometChain
  readonly #signers: readonly Signer[]
  readonly #blocks = new Map<number, CometBlock>()

  /** `seed`: the number of the first validator's key. */
  constructor(chainId: string, seed = 0, powers: readonly bigint[] = [60n, 40n]) {
    this.#comet = new CometChain(chainId)
    this.#signers = powers.map((power, place) => new Signer(seed + place, power))
  }

  /** Makes the header of a height. `time`: Unix seconds. */
  add(height: number, time: bigint, appHash: Uint8Array): void {
    this.#blocks.set(height, this.#made(height, Number(time) * 1_000, appHash))
  }

  #made = (height: number, time: number, appHash: Uint8Array): CometBlock => ({
    height,
    time,
    appHash,
    validators: this.#signers,
    nextValidators: this.#signers,
  })

  #at(height: number): CometBlock {
    const block = this.#blocks.get(height)
    if (block === undefined) throw new Error(`there is no header of height ${height}`)
    return block
  }

  /** A height of this chain. */
  height = (height: number) => ({ revisionNumber: this.#comet.revision, revisionHeight: BigInt(height) })

  /** Periods in seconds. */
  clientState(height: number, { trusting = 200_000n, unbonding = 300_000n, drift = 10n }: Periods = {}): Uint8Array {
    const state = create(ClientStateSchema, {
      chainId: this.#comet.chainId,
      trustLevel: { numerator: 1n, denominator: 3n },
      trustingPeriod: { seconds: trusting },
      unbondingPeriod: { seconds: unbonding },
      maxClockDrift: { seconds: drift },
      frozenHeight: {},
      latestHeight: this.height(height),
      proofSpecs: [proofSpec(TREES.smt), proofSpec(TREES.tendermint)],
      upgradePath: ['upgrade', 'upgradedIBCState'],
    })
    return toBinary(ClientStateSchema, state)
  }

  consensusState(height: number): Uint8Array {
    const { time, appHash, nextValidators } = this.#at(height)
    const state = create(ConsensusStateSchema, {
      timestamp: { seconds: BigInt(time / 1_000) },
      root: { hash: appHash },
      nextValidatorsHash: hashOf(nextValidators),
    })
    return toBinary(ConsensusStateSchema, state)
  }

  /** The message that brings a header to a client which trusts another one. */
  update(height: number, trusted: number): Uint8Array {
    return packed('Header', toBinary(HeaderSchema, this.#message(this.#at(height), trusted)))
  }

  /** The message that shows a second header of a height beside the chain's own. */
  misbehaviour(height: number, trusted: number): Uint8Array {
    const block = this.#at(height)
    const other = { ...block, appHash: sha256('another block') }
    const [header1, header2] = [block, other].map((of) => this.#message(of, trusted))
    const value = create(MisbehaviourSchema, { ...(header1 && { header1 }), ...(header2 && { header2 }) })
    return packed('Misbehaviour', toBinary(MisbehaviourSchema, value))
  }

  #message = (block: CometBlock, trusted: number) =>
    this.#comet.update(block, { height: trusted, nextValidators: this.#signers })
}

/** A chain that consists of a provable store, with a header after each change of it. */
export class Peer extends SignedHeaders {
  readonly #store: ProvableStore
  /** The newest height; the header of a height commits to the store as it is then. */
  newest: number
  #block: Hash = ZERO_HASH

  constructor(chainId: string, { seed = 0, height = 0 }: { readonly seed?: number; readonly height?: number } = {}) {
    super(chainId, seed)
    this.newest = height
    const words = new Map<bigint, bigint>()
    const slots = {
      load: (slot: bigint) => words.get(slot) ?? 0n,
      store: (slot: bigint, word: bigint) => void words.set(slot, word),
    }
    this.#store = new ProvableStore(provableStore.open(slots))
    this.#store.set(Buffer.from('ibc/version'), Uint8Array.of(2))
  }

  /** Makes a block at a time in Unix seconds that sets entries of the store. Returns its height. */
  next(time: bigint, entries: readonly (readonly [key: Uint8Array, value: Uint8Array])[] = []): number {
    for (const [key, value] of entries) this.#store.set(key, value)
    this.#store.endBlock()
    this.newest++
    this.#block = toHash(sha256(`block ${this.newest}`))
    this.add(this.newest, time, fromHex(appHashOf({ evm: this.#block, ibc: this.#store.root })))
    return this.newest
  }

  /** What proves an entry, or that there is none, at the newest height. */
  prove(key: Uint8Array): Uint8Array {
    const proven = this.#store.prove(key)
    const entry =
      'presence' in proven
        ? presenceProof(proven.presence)
        : absenceProof(key, proven.absence.left, proven.absence.right)
    const proofs = [entry, storeProof(this.#block, this.#store.root)]
    return toBinary(MerkleProofSchema, create(MerkleProofSchema, { proofs }))
  }
}
