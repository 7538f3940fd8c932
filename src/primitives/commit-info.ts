// The consensus engine adds commit info to the transactions of a block: the votes for the previous block, and evidence of
// misbehaviour. The header of a network's block contains its hash, so the block contains all of its inputs.
import { bigToBytes, type Hash } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { asAddress, asList, asListOf, asUint, decodeRlp, encodeRlp, type RlpItem, reading } from './rlp.ts'
import type { CommitInfo, Evidence, Vote } from './types.ts'

/** CometBFT's BlockIDFlag of a validator whose vote was not in the commit. */
export const VOTE_ABSENT = 1
/** CometBFT's MisbehaviorType of two votes for one height and round. */
export const DUPLICATE_VOTE = 1
/** CometBFT's MisbehaviorType of a second header at one height, signed by validators to deceive light clients. */
export const LIGHT_CLIENT_ATTACK = 2

/** CometBFT's names of vote flags (`unknown` for others): absent, for the block, for nil. */
export const voteName = (flag: number): VoteName => VOTE_NAMES[flag] ?? 'unknown'
export type VoteName = 'unknown' | 'absent' | 'commit' | 'nil'
const VOTE_NAMES: readonly VoteName[] = ['unknown', 'absent', 'commit', 'nil']

/** CometBFT's names of kinds of misbehaviour (`unknown` for others). */
export const evidenceName = (type: number): EvidenceName => EVIDENCE_NAMES[type] ?? 'unknown'
export type EvidenceName = 'unknown' | 'duplicate_vote' | 'light_client_attack'
const EVIDENCE_NAMES: readonly EvidenceName[] = ['unknown', 'duplicate_vote', 'light_client_attack']

/** RLP: [round, [[address, power, flag] …], [[type, address, height, power, time] …], time]. */
export const encodeCommitInfo = ({ round, votes, evidence, time }: CommitInfo): Uint8Array =>
  encodeRlp([
    bigToBytes(round),
    votes.map(({ address, power, flag }) => [address, bigToBytes(power), bigToBytes(BigInt(flag))]),
    evidence.map(({ type, address, height, power, time: at }) => [
      bigToBytes(BigInt(type)),
      address,
      bigToBytes(height),
      bigToBytes(power),
      bigToBytes(at),
    ]),
    bigToBytes(time),
  ])

/** Throws ChainError `invalid-block`. */
export const decodeCommitInfo = (bytes: Uint8Array): CommitInfo =>
  reading('invalid-block', () => {
    const [round, votes, evidence, time] = asListOf(decodeRlp(bytes), [4], 'commit info')
    return {
      round: asUint(round, 'commit round', 8),
      votes: asList(votes, 'votes').map(readVote),
      evidence: asList(evidence, 'evidence').map(readEvidence),
      time: asUint(time, 'commit time', 16),
    }
  })

/** The value of `parentBeaconBlockRoot` in a network's header. */
export const commitInfoHash = (commit: CommitInfo): Hash => keccakHash(encodeCommitInfo(commit))

function readVote(item: RlpItem): Vote {
  const [address, power, flag] = asListOf(item, [3], 'vote')
  return {
    address: asAddress(address, 'voter'),
    power: asUint(power, 'power', 8),
    flag: Number(asUint(flag, 'vote flag', 1)),
  }
}

function readEvidence(item: RlpItem): Evidence {
  const [type, address, height, power, time] = asListOf(item, [5], 'evidence')
  return {
    type: Number(asUint(type, 'evidence type', 1)),
    address: asAddress(address, 'accused validator'),
    height: asUint(height, 'evidence height', 8),
    power: asUint(power, 'power', 8),
    time: asUint(time, 'evidence time', 16),
  }
}
