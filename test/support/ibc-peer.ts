// Another chain with IBC, as far as this chain's light client sees it: signed headers of one validator, and a provable store.
import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema, type Duration, DurationSchema } from '@bufbuild/protobuf/wkt'
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
} from '../../src/protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import { CometChain, hashOf, Signer } from './comet-chain.ts'

const YEAR = 365n * 86_400n
const EVM = toHash(sha256('the block of the peer'))
const VALIDATORS = [new Signer(0, 10n)]
/** Time of the first header in Unix seconds: 2023-01-01. */
const START = 1_672_531_200n

const duration = (seconds: bigint): Duration => create(DurationSchema, { seconds })

export class IbcPeer {
  /** Height of the newest header. */
  height = 1
  #time = START
  readonly #chain: CometChain
  readonly #store: ProvableStore

  /** `chainId`: with its revision, `peer-1`. `entries`: what its store holds at its first height. */
  constructor(chainId: string, entries: readonly (readonly [Uint8Array, Uint8Array])[] = []) {
    this.#chain = new CometChain(chainId)
    const words = new Map<bigint, bigint>()
    const slots = { load: (slot: bigint) => words.get(slot) ?? 0n, store: words.set.bind(words) }
    this.#store = new ProvableStore(provableStore.open(slots))
    this.set(new Uint8Array(Buffer.from('ibc/version')), Uint8Array.of(2))
    for (const [key, value] of entries) this.set(key, value)
  }

  /** Changes the store; the next header commits to it. */
  set(key: Uint8Array, value: Uint8Array): void {
    this.#store.set(key, value)
    this.#store.endBlock()
  }

  get #root() {
    return fromHex(appHashOf({ evm: EVM, ibc: this.#store.root }))
  }

  /** What a client of the chain begins with: its states at the newest height. It trusts for a century and takes any time. */
  get states(): { readonly client: Uint8Array; readonly consensus: Uint8Array } {
    const { chainId, revision } = this.#chain
    const client = create(ClientStateSchema, {
      chainId,
      trustLevel: { numerator: 1n, denominator: 3n },
      trustingPeriod: duration(100n * YEAR),
      unbondingPeriod: duration(101n * YEAR),
      maxClockDrift: duration(100n * YEAR),
      frozenHeight: { revisionNumber: 0n, revisionHeight: 0n },
      latestHeight: { revisionNumber: revision, revisionHeight: BigInt(this.height) },
      proofSpecs: [proofSpec(TREES.smt), proofSpec(TREES.tendermint)],
    })
    const time = this.#time * 1_000_000_000n
    const consensus = { time, root: this.#root, nextValidatorsHash: hashOf(VALIDATORS) }
    return { client: toBinary(ClientStateSchema, client), consensus: writeConsensusState(consensus) }
  }

  /** The message that takes a client from the newest header to one more, `time` Unix seconds or a second later. */
  next(time = this.#time + 1n): Uint8Array {
    const trusted = { height: this.height, nextValidators: VALIDATORS }
    this.height += 1
    this.#time = time
    const sets = { validators: VALIDATORS, nextValidators: VALIDATORS }
    const block = { height: this.height, time: Number(time) * 1_000, appHash: this.#root, ...sets }
    const value = toBinary(HeaderSchema, this.#chain.update(block, trusted))
    return toBinary(AnySchema, create(AnySchema, { typeUrl: '/ibc.lightclients.tendermint.v1.Header', value }))
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
