// What the relayer may do for a packet now, and the message for it with a proof that is verified here first: what a node says of packets
// costs nothing unless the other chain's validators have signed it.
import type { ClientState } from '../ibc/comet/client-state.ts'
import type { ConsensusState } from '../ibc/comet/light-client.ts'
import { verifyPath } from '../ibc/ics23/verify.ts'
import { decode, refused } from '../ibc/wire.ts'
import { equalBytes } from '../lib/hex.ts'
import { acknowledgementCommitment, merklePath, PACKET_KEY, packetCommitment } from '../modules/ibc/packets.ts'
import { MerkleProofSchema } from '../protobuf/generated/ibc/core/commitment/v1/commitment_pb.ts'
import type { ChainEnd, Message } from './end.ts'
import type { Flight } from './flights.ts'

/** Bytes of an encoded proof that a chain takes. */
const LARGEST_PROOF = 65_536
const BILLION = 1_000_000_000n

/** `receive` goes to the packet's destination, the others to its source. */
export type Step = 'receive' | 'acknowledge' | 'timeout'
export type Work = { readonly flight: Flight; readonly step: Step; readonly acknowledgements: readonly Uint8Array[] }

/**
 * The step that a packet waits for; `ended`: the source has it no more; undefined: nothing can be done now. `time`: Unix nanoseconds of the
 * destination's newest header.
 */
export async function stepOf(
  flight: Flight,
  source: ChainEnd,
  destination: ChainEnd,
  time: bigint,
): Promise<Work | 'ended' | undefined> {
  const { sourceClient, destClient, sequence, timeoutTimestamp } = flight.packet
  const [commitment, receipt, answer] = await Promise.all([
    source.stored(PACKET_KEY.commitment(sourceClient, sequence)),
    destination.stored(PACKET_KEY.receipt(destClient, sequence)),
    destination.stored(PACKET_KEY.acknowledgement(destClient, sequence)),
  ])
  if (commitment === undefined) return 'ended'
  if (answer !== undefined) {
    const acknowledgements = await destination.acknowledgements(destClient, sequence)
    return acknowledgements && { flight, step: 'acknowledge', acknowledgements }
  }
  // An application may answer later.
  if (receipt !== undefined || flight.isReceived) return undefined
  const step = time / BILLION >= timeoutTimestamp ? 'timeout' : 'receive'
  return { flight, step, acknowledgements: [] }
}

/** What the other chain has to show for a step, and where. */
function claimOf({ flight: { packet }, step, acknowledgements }: Work) {
  const { sourceClient, destClient, sequence } = packet
  if (step === 'receive') return { key: PACKET_KEY.commitment(sourceClient, sequence), value: packetCommitment(packet) }
  if (step === 'timeout') return { key: PACKET_KEY.receipt(destClient, sequence), value: undefined }
  return { key: PACKET_KEY.acknowledgement(destClient, sequence), value: acknowledgementCommitment(acknowledgements) }
}

/** A height of the chain that proves, as a client of it keeps it. */
export type ProofBase = { readonly state: ClientState; readonly height: bigint; readonly consensus: ConsensusState }

/**
 * The message of a step, proven by `prover` at a height. undefined: the height is too early. Throws ChainError if what the prover says is
 * not true.
 */
export async function messageOf(
  work: Work,
  prover: ChainEnd,
  { state, height, consensus }: ProofBase,
): Promise<Message | undefined> {
  const { flight, step, acknowledgements } = work
  const { key, value } = claimOf(work)
  const found = await prover.prove(key, height)
  if (found.value === undefined && value !== undefined) return undefined
  const isTrue = found.value === undefined ? value === undefined : value !== undefined && equalBytes(found.value, value)
  if (!isTrue) throw refused('the other chain has stored something else')
  if (step === 'timeout' && consensus.time / BILLION < flight.packet.timeoutTimestamp) return undefined
  const { prefix } = await prover.traits()
  const { proofs } = decode(MerkleProofSchema, found.proof, LARGEST_PROOF)
  verifyPath({ trees: state.trees, root: consensus.root, path: merklePath(prefix, key), proofs, value })
  const at = { revisionNumber: state.latest.revisionNumber, revisionHeight: height }
  const proven = { packet: flight.packet, proof: found.proof, height: at }
  return step === 'acknowledge' ? { type: step, acknowledgements, ...proven } : { type: step, ...proven }
}
