// Proofs that a client accepts: of provable stores of several sizes below an app hash, and the vectors of Cosmos' own library for the three
// kinds of trees. A claim is a path with a value, or without one that nothing is there.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { absenceProof, appHashOf, presenceProof, storeProof } from '../../../src/ibc/ics23/prove.ts'
import type { TreeName } from '../../../src/ibc/ics23/specs.ts'
import { fromHex, toHash, toHex } from '../../../src/lib/hex.ts'
import { sha256 } from '../../../src/lib/sha256.ts'
import { Clients } from '../../../src/modules/ibc/clients.ts'
import { ibcLayout } from '../../../src/modules/ibc/layout.ts'
import { PACKET_KEY } from '../../../src/modules/ibc/packets.ts'
import { ProvableStore } from '../../../src/modules/ibc/provable-store.ts'
import { CommitmentProofSchema } from '../../../src/protobuf/generated/cosmos/ics23/v1/proofs_pb.ts'
import { MerkleProofSchema } from '../../../src/protobuf/generated/ibc/core/commitment/v1/commitment_pb.ts'
import { NATIVE_CONTRACT } from '../../../src/spec/addresses.ts'
import type { Random } from '../../evm/wasm/random-programs.ts'
import { alice, emptyView, moduleContext } from '../../support/native.ts'
import { canonical } from './model.ts'
import { Donors, mutateStructure } from './structure.ts'
import { mutateBytes, mutateWire } from './wire.ts'
import { clientState, consensusState, NOW, RULES, SETS } from './world.ts'

export type Claim = {
  /** Trees from the innermost outwards, and the root of the outermost. */
  readonly trees: readonly TreeName[]
  readonly root: Uint8Array
  readonly path: readonly Uint8Array[]
  readonly value: Uint8Array | undefined
  readonly proof: Uint8Array
}
export type Original = Claim & { readonly name: string }

const VECTORS = join(import.meta.dirname, '../vectors')
const TREE_NAMES: readonly TreeName[] = ['iavl', 'smt', 'tendermint']
const SIZES = [1, 2, 3, 10, 100, 1_000]
/** Unix milliseconds of the roots. */
const TIME = NOW - 60_000

function vectors(): Original[] {
  return TREE_NAMES.flatMap((tree) =>
    readdirSync(join(VECTORS, tree)).map((file) => {
      const read = JSON.parse(readFileSync(join(VECTORS, tree, file), 'utf8'))
      const bytes = (name: string) => fromHex(`0x${read[name]}`)
      const proof = create(MerkleProofSchema, { proofs: [fromBinary(CommitmentProofSchema, bytes('proof'))] })
      return {
        name: `${tree} ${file}`,
        trees: [tree],
        root: bytes('root'),
        path: [bytes('key')],
        value: read.value === '' ? undefined : bytes('value'),
        proof: toBinary(MerkleProofSchema, proof),
      }
    }),
  )
}

/** Presences and absences in a store of packets' entries. */
async function ofStore(size: number): Promise<Original[]> {
  const view = await emptyView()
  const store = new ProvableStore(ibcLayout.open(view.slots(NATIVE_CONTRACT.ibc, 'write')).store)
  const kinds = [PACKET_KEY.commitment, PACKET_KEY.receipt, PACKET_KEY.acknowledgement]
  const keyAt = (index: number) =>
    kinds[index % 3]?.(`07-tendermint-${index % 7}`, BigInt(index + 1)) ?? new Uint8Array(0)
  const valueAt = (index: number) => sha256(`value ${index}`)
  for (let index = 0; index < size; index++) store.set(keyAt(index), valueAt(index))
  store.endBlock()
  const evm = toHash(sha256(`block ${size}`))
  const original = (index: number): Original => {
    const key = keyAt(index)
    const proven = store.prove(key)
    const inner =
      'presence' in proven
        ? presenceProof(proven.presence)
        : absenceProof(key, proven.absence.left, proven.absence.right)
    return {
      name: `${index < size ? 'entry' : 'absence'} ${index} of ${size}`,
      trees: ['smt', 'tendermint'],
      root: fromHex(appHashOf({ evm, ibc: store.root })),
      path: [Buffer.from('ibc'), key],
      value: index < size ? valueAt(index) : undefined,
      proof: toBinary(MerkleProofSchema, create(MerkleProofSchema, { proofs: [inner, storeProof(evm, store.root)] })),
    }
  }
  const step = Math.ceil(size / 8)
  const present = Array.from({ length: Math.min(8, size) }, (_, index) => Math.min(index * step, size - 1))
  return [...present, ...present.map((index) => size + 7 * index)].map(original)
}

/** Clients that know the roots of the originals. */
export class Proofs {
  readonly originals: readonly Original[]
  /** The states that the clients were made with. */
  readonly clients: { readonly id: string; readonly clientState: Uint8Array; readonly consensusState: Uint8Array }[] =
    []
  readonly #clients: Clients
  readonly #ids = new Map<string, string>()
  readonly #donors = new Donors()

  private constructor(originals: readonly Original[], clients: Clients) {
    this.originals = originals
    this.#clients = clients
    for (const { trees, root, proof } of originals) {
      this.#donors.add(MerkleProofSchema, proof)
      const name = nameOf({ trees, root })
      if (this.#ids.has(name)) continue
      const [nextValidators = []] = SETS
      const states = {
        clientState: clientState(1n, trees),
        consensusState: consensusState({ time: TIME, appHash: root, nextValidators }),
      }
      const id = clients.create(alice, states.clientState, states.consensusState)
      this.clients.push({ id, ...states })
      this.#ids.set(name, id)
    }
  }

  static async open(): Promise<Proofs> {
    const view = await emptyView()
    const context = moduleContext(view)
    const block = { ...context.block, timestamp: BigInt(NOW) / 1_000n }
    const clients = new Clients({ ...context, block }, ibcLayout.open(view.slots(NATIVE_CONTRACT.ibc, 'write')))
    const stores = await Promise.all(SIZES.map(ofStore))
    return new Proofs([...vectors(), ...stores.flat()], clients)
  }

  /** The id of the client that knows the root of a claim. */
  clientOf = (claim: Claim): string => this.#ids.get(nameOf(claim)) ?? ''

  /** Throws what the client throws. */
  give(claim: Claim): 'proven' {
    this.#clients.verify(
      this.clientOf(claim),
      { revisionNumber: RULES.revision, revisionHeight: 1n },
      claim.proof,
      claim.path,
      claim.value,
    )
    return 'proven'
  }

  /**
   * Whether a claim may be accepted: its proof decodes to the same message as that of some original with the same root, except for the key
   * that a proof of absence names beside its neighbours, which no rule reads; and it claims the same path and value, or the absence of
   * another key between the same neighbours.
   */
  isTrue(claim: Claim): boolean {
    const text = meaningOf(claim)
    const isOriginal = text !== undefined && this.originals.some((original) => meaningOf(original) === text)
    return isOriginal && (claim.value !== undefined || isBetweenNeighbours(claim))
  }

  mutate(original: Original, random: Random): Original | undefined {
    const other = random.pick(this.originals)
    const kind = random.below(10)
    if (kind < 5) {
      const proof = mutateStructure(MerkleProofSchema, original.proof, this.#donors, random)
      return proof && { ...original, proof }
    }
    if (kind === 5) return { ...original, proof: mutateWire({ schema: MerkleProofSchema }, original.proof, random) }
    if (kind === 6) return { ...original, proof: mutateBytes(original.proof, random) }
    if (kind === 7) {
      const values = [undefined, other.value, mutateBytes(original.value ?? original.root, random)]
      return { ...original, value: values[random.below(3)] }
    }
    if (kind === 8) return { ...original, proof: other.proof }
    const at = random.below(original.path.length)
    const neighbour = neighbourOf(original, random)
    if (neighbour !== undefined && random.oneIn(2))
      return { ...original, path: original.path.with(-1, neighbour), value: undefined }
    const path = random.pick([
      original.path.with(at, mutateBytes(original.path[at] ?? original.root, random)),
      other.path,
      original.path.slice(at + 1),
      [...original.path, ...other.path],
      original.path.toReversed(),
    ])
    return { ...original, path, value: random.oneIn(2) ? original.value : other.value }
  }
}

const nameOf = ({ trees, root }: Pick<Claim, 'trees' | 'root'>) => `${trees.join()} ${toHex(root)}`

/** What a claim says; of the path of an absence only the outer part. */
function meaningOf({ trees, root, path, value, proof }: Claim): string | undefined {
  const message = canonical(MerkleProofSchema, proof)
  if (message === undefined) return undefined
  for (const { proof } of message.proofs) if (proof.case === 'nonexist') proof.value.key = new Uint8Array(0)
  const claimed = value === undefined ? [...path.slice(0, -1), Buffer.from('nothing')] : [...path, value]
  return [nameOf({ trees, root }), ...claimed.map(toHex), toHex(toBinary(MerkleProofSchema, message))].join(' ')
}

/** The key of a neighbour in a proof of absence: the nearest one that is not absent. */
function neighbourOf({ proof }: Claim, random: Random): Uint8Array | undefined {
  const [inner] = fromBinary(MerkleProofSchema, proof).proofs
  if (inner?.proof.case !== 'nonexist') return undefined
  const { left, right } = inner.proof.value
  return (random.oneIn(2) ? left : right)?.key
}

function isBetweenNeighbours({ trees, path, proof }: Claim): boolean {
  const [inner] = canonical(MerkleProofSchema, proof)?.proofs ?? []
  const key = path.at(-1)
  if (inner?.proof.case !== 'nonexist' || key === undefined) return false
  const order = (bytes: Uint8Array) => (trees[0] === 'smt' ? sha256(bytes) : bytes)
  const { left, right } = inner.proof.value
  const isRight = left === undefined || Buffer.compare(order(left.key), order(key)) < 0
  return isRight && (right === undefined || Buffer.compare(order(key), order(right.key)) < 0)
}
