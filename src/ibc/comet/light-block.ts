// A light block of CometBFT: a header, the commit that signs it and its validators. Checks that depend on nothing else, with the
// rules of CometBFT's `ValidateBasic`; only ed25519 keys are known.
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { equalBytes } from '../../lib/hex.ts'
import { sha256 } from '../../lib/sha256.ts'
import type { BlockID, Commit, CommitSig, Header } from '../../protobuf/generated/tendermint/types/types_pb.ts'
import {
  BlockIDFlag,
  type Validator,
  type ValidatorSet,
} from '../../protobuf/generated/tendermint/types/validator_pb.ts'
import { refused } from '../wire.ts'
import { headerHash, validatorsHash } from './hashes.ts'

export const HASH_SIZE = 32
const ADDRESS_SIZE = 20
/** `version.block` of all blocks since Tendermint 0.33. */
const BLOCK_PROTOCOL = 11n
/** Characters of a chain's text id. */
export const LONGEST_CHAIN_ID = 50
/** Validators of a set: more than any chain has; bounds the work of a header. */
export const MOST_VALIDATORS = 300
/** The sum of all powers (CometBFT's MaxTotalVotingPower), so that products with small numbers stay in 64 bits there. */
const MOST_POWER = 2n ** 60n - 1n

const BILLION = 1_000_000_000n
/** Seconds of the first and the last time of a protobuf Timestamp: the years 1 and 9999. */
const [FIRST_SECOND, LAST_SECOND] = [-62_135_596_800n, 253_402_300_799n]

/**
 * Unix nanoseconds. Throws ChainError for a time that protobuf does not allow, and for none: Go takes that for the year 1, and writes it
 * always.
 */
export function nanosecondsOf(time: Timestamp | undefined): bigint {
  if (time === undefined) throw refused('time is missing')
  const { seconds, nanos } = time
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND || nanos < 0 || nanos >= Number(BILLION))
    throw refused('malformed time')
  return seconds * BILLION + BigInt(nanos)
}

/** A set of validators whose members are valid and different, with the hash that a header names it by. */
export type Validators = {
  readonly members: readonly Member[]
  readonly hash: Uint8Array
  /** The sum of all powers. */
  readonly power: bigint
}
export type Member = { readonly address: Uint8Array; readonly key: Uint8Array; readonly power: bigint }

/**
 * Throws ChainError for a set that no chain can have. The proposer is not used, but has to be a member, as CometBFT wants it. Priorities
 * and the total power are not used and not checked.
 */
export function validatorsOf(set: ValidatorSet | undefined): Validators {
  const listed = set?.validators ?? []
  if (listed.length === 0) throw refused('validator set is empty')
  if (listed.length > MOST_VALIDATORS)
    throw refused(`validator set has ${listed.length} members, at most ${MOST_VALIDATORS} are allowed`)
  const members = listed.map(memberOf)
  const power = members.reduce((sum, member) => sum + member.power, 0n)
  if (power <= 0n || power > MOST_POWER) throw refused('validator set has no valid power')
  const names = new Set(members.map(({ address }) => latin1(address)))
  if (names.size !== members.length) throw refused('validator set names a validator twice')
  if (set?.proposer === undefined || !names.has(latin1(memberOf(set.proposer).address)))
    throw refused('proposer of the validator set is not in it')
  return { members, hash: validatorsHash(listed), power }
}

function memberOf({ address, pubKey, votingPower }: Validator): Member {
  if (pubKey?.sum.case !== 'ed25519' || pubKey.sum.value.length !== 32) throw refused('validator has no ed25519 key')
  const { value: key } = pubKey.sum
  if (votingPower < 0n) throw refused('validator has negative power')
  if (!equalBytes(address, sha256(key).subarray(0, ADDRESS_SIZE)))
    throw refused('address of a validator is not that of its key')
  return { address, key, power: votingPower }
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const isHash = (bytes: Uint8Array): boolean => bytes.length === HASH_SIZE
const isHashOrEmpty = (bytes: Uint8Array): boolean => bytes.length === 0 || isHash(bytes)
const isBlockId = ({ hash, partSetHeader }: BlockID): boolean =>
  isHashOrEmpty(hash) && isHashOrEmpty(partSetHeader?.hash ?? new Uint8Array(0))

/** Throws ChainError unless the header is well formed and of this chain, and the commit is well formed and of this header. */
export function checkSignedHeader(chainId: string, header: Header, commit: Commit): void {
  checkHeader(header)
  if (header.chainId !== chainId) throw refused('header is of another chain')
  if (commit.height !== header.height) throw refused('commit is of another height than its header')
  if (commit.round < 0) throw refused('commit has a negative round')
  if (
    commit.blockId === undefined ||
    !isBlockId(commit.blockId) ||
    !equalBytes(commit.blockId.hash, headerHash(header))
  )
    throw refused('commit is of another header')
  if (commit.signatures.length === 0) throw refused('commit has no signatures')
  for (const signature of commit.signatures) checkSignatureForm(signature)
}

function checkHeader(header: Header): void {
  if (header.version?.block !== BLOCK_PROTOCOL) throw refused('header has another block protocol than 11')
  if (header.chainId.length > LONGEST_CHAIN_ID) throw refused('header has a chain id that is too long')
  if (header.height <= 0n) throw refused('header has no height')
  if (header.proposerAddress.length !== ADDRESS_SIZE) throw refused('header has a malformed proposer')
  if (header.lastBlockId !== undefined && !isBlockId(header.lastBlockId))
    throw refused('header has a malformed last block')
  const { lastCommitHash, dataHash, evidenceHash, consensusHash, lastResultsHash } = header
  const areHashes = [lastCommitHash, dataHash, evidenceHash, consensusHash, lastResultsHash].every(isHashOrEmpty)
  if (!areHashes || !isHash(header.validatorsHash) || !isHash(header.nextValidatorsHash))
    throw refused('header has a malformed hash')
}

function checkSignatureForm({ blockIdFlag, validatorAddress, timestamp, signature }: CommitSig): void {
  if (blockIdFlag === BlockIDFlag.BLOCK_ID_FLAG_ABSENT) {
    // Go's zero time, which it writes as that of the year 1.
    const isTimeless = timestamp === undefined || (timestamp.seconds === FIRST_SECOND && timestamp.nanos === 0)
    if (validatorAddress.length > 0 || signature.length > 0 || !isTimeless) throw refused('absent validator has signed')
    return
  }
  const isVote = blockIdFlag === BlockIDFlag.BLOCK_ID_FLAG_COMMIT || blockIdFlag === BlockIDFlag.BLOCK_ID_FLAG_NIL
  if (!isVote) throw refused('unknown kind of vote in the commit')
  if (validatorAddress.length !== ADDRESS_SIZE) throw refused('malformed vote in the commit')
  if (signature.length === 0 || signature.length > 64) throw refused('malformed signature in the commit')
  nanosecondsOf(timestamp)
}
