// Cases for Cosmos' own verifiers (`go/`), with this program's verdicts: mutations of updates and proofs, packets and their keys, signatures of
// ZIP-215. As JSON with bytes in base64.
import { ed25519 } from '@noble/curves/ed25519.js'
import { isSigned } from '../../src/ibc/comet/ed25519.ts'
import { ChainError } from '../../src/lib/errors.ts'
import { acknowledgementCommitment, PACKET_KEY, packetCommitment } from '../../src/modules/ibc/packets.ts'
import { Random } from '../evm/wasm/random-programs.ts'
import { Signer } from '../support/comet-chain.ts'
import { Proofs } from './mutations/proofs.ts'
import { mutationsOf } from './mutations/run.ts'
import { NOW, RULES, START, World } from './mutations/world.ts'
import { smallPoints } from './small-points.ts'

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/**
 * Refusals that Cosmos leaves to the decoding of transactions, or bounds otherwise (signatures of another kind are longer). Go reads a time that
 * is left out as the year 1, and the kind of a vote as its lowest byte; no encoder of Cosmos writes either.
 */
const STRICT =
  /^malformed (Any|Header|Misbehaviour|MerkleProof|time|signature in the commit)$|are allowed$|names a validator twice|time is missing|unknown kind of vote/

function verdict(from: string, give: () => string) {
  try {
    return { from, verdict: give(), reason: '', isStrict: false }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return { from, verdict: 'refused', reason: error.message, isStrict: STRICT.test(error.message) }
  }
}

export async function goCases(count: number, seed: number): Promise<string> {
  const [world, proofs, random] = [await World.open(), await Proofs.open(), new Random(seed)]
  const mutate = mutationsOf(world, proofs, random)
  const mutations = Array.from({ length: count }, mutate)
  const updates = [
    ...world.originals.map(({ name, bytes }) => ({ name, bytes })),
    ...world.strange.map((bytes) => ({ name: 'a strange header', bytes })),
    ...mutations.filter((one) => 'bytes' in one),
  ]
  const claims = [...proofs.originals, ...mutations.filter((one) => 'proof' in one)]
  return JSON.stringify({
    revision: Number(RULES.revision),
    now: NOW / 1_000,
    clients: [
      {
        id: '07-tendermint-1000',
        clientState: base64(world.first.clientState),
        consensusState: base64(world.first.consensusState),
        time: START / 1_000 + 40,
        learned: world.learned.map(base64),
      },
      ...proofs.clients.map(({ id, clientState, consensusState }) => ({
        id,
        clientState: base64(clientState),
        consensusState: base64(consensusState),
        time: NOW / 1_000,
      })),
    ],
    updates: updates.map(({ name, bytes }) => ({
      ...verdict(name, () => world.give(bytes)),
      client: '07-tendermint-1000',
      message: base64(bytes),
    })),
    proofs: claims.map((claim) => ({
      ...verdict(claim.name, () => proofs.give(claim)),
      client: proofs.clientOf(claim),
      height: 1,
      path: claim.path.map(base64),
      value: base64(claim.value ?? new Uint8Array(0)),
      isAbsence: claim.value === undefined,
      proof: base64(claim.proof),
    })),
    packets: Array.from({ length: 200 }, () => packetCase(random)),
    signatures: signatureCases(random),
  })
}

function packetCase(random: Random) {
  const bytes = (size: number) => Uint8Array.from({ length: size }, () => random.below(256))
  const text = () => random.pick(['transfer', 'ics20-1', 'application/json', 'a', '', 'ü', 'x'.repeat(200)])
  const sequence = BigInt(random.below(2 ** 31)) * BigInt(random.below(2 ** 21)) + 1n
  const timeoutTimestamp = BigInt(random.below(2 ** 32))
  const [sourceClient, destClient] = [`07-tendermint-${random.below(1_000)}`, `client-${random.below(2 ** 31)}`]
  const payload = {
    sourcePort: text(),
    destPort: text(),
    version: text(),
    encoding: text(),
    value: bytes(random.below(300)),
  }
  const acknowledgements = Array.from({ length: random.below(3) + 1 }, () => bytes(random.below(60)))
  const packet = { sequence, sourceClient, destClient, timeoutTimestamp, payloads: [payload] }
  return {
    ...payload,
    ...{ sequence: Number(sequence), sourceClient, destClient, timeoutTimestamp: Number(timeoutTimestamp) },
    value: base64(payload.value),
    commitment: base64(packetCommitment(packet)),
    commitmentKey: base64(PACKET_KEY.commitment(sourceClient, sequence)),
    receiptKey: base64(PACKET_KEY.receipt(destClient, sequence)),
    ackKey: base64(PACKET_KEY.acknowledgement(destClient, sequence)),
    acknowledgements: acknowledgements.map(base64),
    ackCommitment: base64(acknowledgementCommitment(acknowledgements)),
  }
}

/** Keys and points of small order, honest signatures, and both with bits changed and with points of small order added. */
function signatureCases(random: Random) {
  const message = Buffer.from('Zcash')
  const small = smallPoints()
  const honest = Array.from({ length: 50 }, (_, number) => new Signer(number, 1n))
  const torsion = small.map((bytes) => ed25519.Point.fromBytes(bytes, true))
  const cases = [
    ...small.flatMap((key) =>
      small.map((point) => ({ key, message, signature: Buffer.concat([point, new Uint8Array(32)]) })),
    ),
    ...honest.map((signer) => ({ key: signer.key, message, signature: signer.sign(message) })),
    ...honest.map((signer) => {
      const key = ed25519.Point.fromBytes(signer.key).add(random.pick(torsion)).toBytes()
      return { key, message, signature: signer.sign(message) }
    }),
  ]
  const changed = cases.flatMap(({ key, message, signature }) => {
    const flip = (bytes: Uint8Array) => {
      const at = random.below(bytes.length)
      return Uint8Array.from(bytes, (byte, place) => (place === at ? byte ^ (1 << random.below(8)) : byte))
    }
    return [
      { key: flip(key), message, signature },
      { key, message, signature: flip(signature) },
      { key, message, signature: signature.subarray(0, random.below(64)) },
    ]
  })
  return [...cases, ...changed].map(({ key, message, signature }) => ({
    key: base64(key),
    message: base64(message),
    signature: base64(signature),
    isValid: isSigned(key, message, signature),
  }))
}
