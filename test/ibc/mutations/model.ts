// The verdict that a message must get, from the rules of ICS-07 and of CometBFT's light client, by what was really signed (`world.ts`)
// instead of by hashes and signatures. It shares no code with the verification that it judges, except the protobuf library.
import { type DescMessage, fromBinary, isMessage, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { AnySchema, type Timestamp } from '@bufbuild/protobuf/wkt'
import { toHex } from '../../../src/lib/hex.ts'
import { sha256 } from '../../../src/lib/sha256.ts'
import {
  type Header,
  HeaderSchema,
  MisbehaviourSchema,
} from '../../../src/protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import type {
  Header as CometHeader,
  Commit,
  CommitSig,
} from '../../../src/protobuf/generated/tendermint/types/types_pb.ts'
import type { Validator, ValidatorSet } from '../../../src/protobuf/generated/tendermint/types/validator_pb.ts'
import { CHAIN_ID, NOW, RULES, setText, type Verdict, voteText, type World } from './world.ts'

const LARGEST = 262_144
const [ABSENT, COMMIT, NIL] = [1, 2, 3]

/** What `updateClient` must answer; undefined: a refusal. */
export function verdictOf(world: World, bytes: Uint8Array): Verdict | undefined {
  const any = canonical(AnySchema, bytes)
  if (any?.typeUrl === `/${HeaderSchema.typeName}`) {
    const header = canonical(HeaderSchema, any.value)
    return header && verdictOfHeader(world, header)
  }
  if (any?.typeUrl !== `/${MisbehaviourSchema.typeName}`) return undefined
  const { header1, header2 } = canonical(MisbehaviourSchema, any.value) ?? {}
  const [a, b] = [header1, header2].map((header) => header && signedBlock(world, header, 'conflicting'))
  if (a === undefined || b === undefined) return undefined
  const isFork = a.height === b.height ? a.id !== b.id : a.height > b.height && a.time <= b.time
  return isFork ? 'misbehaviour' : undefined
}

/** The message, if these bytes are the usual encoding of it and it has no unknown fields. */
export function canonical<D extends DescMessage>(schema: D, bytes: Uint8Array): MessageShape<D> | undefined {
  if (bytes.length > LARGEST) return undefined
  try {
    const message = fromBinary(schema, bytes)
    return !hasUnknown(message) && Buffer.compare(toBinary(schema, message), bytes) === 0 ? message : undefined
  } catch {
    return undefined
  }
}

function hasUnknown(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasUnknown)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false
  if (isMessage(value) && (value.$unknown?.length ?? 0) > 0) return true
  return Object.values(value).some(hasUnknown)
}

function verdictOfHeader(world: World, message: Header): Verdict | undefined {
  const block = signedBlock(world, message, 'update')
  if (block === undefined) return undefined
  const { height, time, root, nextValidatorsHash } = block
  const known = world.known.get(height)
  if (known !== undefined) {
    const isSame =
      BigInt(known.time) * 1_000_000n === time &&
      toHex(known.root) === root &&
      toHex(known.nextValidatorsHash) === nextValidatorsHash
    return isSame ? 'update' : 'misbehaviour'
  }
  const isOrdered = [...world.known].every(
    ([at, { time: its }]) => at < height === BigInt(its) * 1_000_000n < time && BigInt(its) * 1_000_000n !== time,
  )
  return isOrdered ? 'update' : 'misbehaviour'
}

/** The block that a message shows, if it has been signed as the rules want it. */
function signedBlock(world: World, message: Header, kind: 'update' | 'conflicting') {
  const { header, commit } = message.signedHeader ?? {}
  const { trustedHeight } = message
  if (header?.time === undefined || commit?.blockId === undefined || trustedHeight?.revisionNumber !== RULES.revision)
    return undefined
  const trusted = world.known.get(Number(trustedHeight.revisionHeight))
  const isNewer = header.height > trustedHeight.revisionHeight && header.height === commit.height
  if (trusted === undefined || header.chainId !== CHAIN_ID || !isNewer || commit.round < 0) return undefined
  const time = nanoseconds(header.time)
  const isExpired = trusted.time + RULES.trustingPeriod <= NOW
  if (time === undefined || isExpired) return undefined
  const isTimely = BigInt(trusted.time) * 1_000_000n < time && time < BigInt(NOW + RULES.maxClockDrift) * 1_000_000n
  if (kind === 'update' && !isTimely) return undefined
  const own = membersOf(world, message.validatorSet, header.validatorsHash)
  const theirs = membersOf(world, message.trustedValidators, trusted.nextValidatorsHash)
  if (
    own === undefined ||
    theirs === undefined ||
    commit.signatures.length !== own.length ||
    !commit.signatures.every(isWellFormed)
  )
    return undefined
  const isAdjacent = kind === 'update' && header.height === trustedHeight.revisionHeight + 1n
  if (isAdjacent && toHex(header.validatorsHash) !== toHex(trusted.nextValidatorsHash)) return undefined
  const votes = { world, header, commit }
  const { numerator, denominator } = RULES.level
  if (!isAdjacent && !hasSigned(votes, theirs, (total) => (total * numerator) / denominator, 'by address'))
    return undefined
  if (!hasSigned(votes, own, (total) => (total * 2n) / 3n, 'by place')) return undefined
  return {
    height: Number(header.height),
    time,
    id: toHex(commit.blockId.hash),
    root: toHex(header.appHash),
    nextValidatorsHash: toHex(header.nextValidatorsHash),
  }
}

const nanoseconds = ({ seconds, nanos }: Timestamp): bigint | undefined =>
  nanos >= 0 && nanos < 1e9 && seconds >= -62_135_596_800n && seconds <= 253_402_300_799n
    ? seconds * 1_000_000_000n + BigInt(nanos)
    : undefined

const addressOf = ({ pubKey }: Validator) =>
  pubKey?.sum.case === 'ed25519' ? toHex(sha256(pubKey.sum.value).subarray(0, 20)) : undefined
/** Priorities and the total power are not read; the proposer has to be a member. */
function membersOf(world: World, set: ValidatorSet | undefined, hash: Uint8Array): readonly Validator[] | undefined {
  const proposer = set?.proposer
  if (set === undefined || proposer === undefined || world.sets.get(toHex(hash)) !== setText(set)) return undefined
  const all = [...set.validators, proposer]
  const areWhole = all.every((member) => addressOf(member) === toHex(member.address) && member.votingPower >= 0n)
  const addresses = set.validators.map(addressOf)
  const areMembers = new Set(addresses).size === addresses.length && addresses.includes(addressOf(proposer))
  return areWhole && areMembers ? set.validators : undefined
}

function isWellFormed({ blockIdFlag, validatorAddress, timestamp, signature }: CommitSig): boolean {
  if (blockIdFlag === ABSENT) {
    const isTimeless = timestamp === undefined || (timestamp.seconds === -62_135_596_800n && timestamp.nanos === 0)
    return validatorAddress.length === 0 && signature.length === 0 && isTimeless
  }
  const isVote = (blockIdFlag === COMMIT || blockIdFlag === NIL) && timestamp && nanoseconds(timestamp) !== undefined
  return Boolean(isVote) && validatorAddress.length === 20 && signature.length >= 1 && signature.length <= 64
}

type Votes = { readonly world: World; readonly header: CometHeader; readonly commit: Commit }
/**
 * Whether more than the needed power has signed. Votes are counted in order until it has: what follows is not looked at, and a wrong vote
 * before refuses the message.
 */
function hasSigned(
  { world, header, commit }: Votes,
  members: readonly Validator[],
  neededOf: (total: bigint) => bigint,
  how: 'by place' | 'by address',
): boolean {
  const needed = neededOf(members.reduce((sum, { votingPower }) => sum + votingPower, 0n))
  const seen = new Set<string>()
  let power = 0n
  for (const [place, { blockIdFlag, validatorAddress, timestamp, signature }] of commit.signatures.entries()) {
    if (blockIdFlag !== COMMIT) continue
    const name = toHex(validatorAddress)
    const member = how === 'by place' ? members[place] : members.find((one) => addressOf(one) === name)
    if (member === undefined && how === 'by address') continue
    const key = member?.pubKey?.sum
    if (member === undefined || key?.case !== 'ed25519' || addressOf(member) !== name || seen.has(name)) return false
    seen.add(name)
    if (!timestamp || !world.votes.has(`${toHex(signature)} ${voteText(key.value, header, commit, timestamp)}`))
      return false
    power += member.votingPower
    if (power > needed) return true
  }
  return false
}
