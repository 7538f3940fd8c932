// A light client of CometBFT (ICS-07): which headers follow from a trusted one, and which prove that a chain has forked. Pure
// functions of states and messages; the caller knows the time and keeps the states.
import { equalBytes } from '../../lib/hex.ts'
import type { Header as ClientHeader } from '../../protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import type { Commit, CommitSig } from '../../protobuf/generated/tendermint/types/types_pb.ts'
import { BlockIDFlag } from '../../protobuf/generated/tendermint/types/validator_pb.ts'
import { refused } from '../wire.ts'
import { isSigned } from './ed25519.ts'
import { precommitBytes } from './hashes.ts'
import { checkSignedHeader, type Member, nanosecondsOf, type Validators, validatorsOf } from './light-block.ts'

/** A height of another chain. The revision is the number at the end of its text id. */
export type Height = { readonly revisionNumber: bigint; readonly revisionHeight: bigint }
/** As ibc-go writes it: `1-7`. */
export const heightText = ({ revisionNumber, revisionHeight }: Height): string => `${revisionNumber}-${revisionHeight}`

/** What a client trusts, in nanoseconds. */
export type TrustRules = {
  readonly chainId: string
  /** Share of the trusted validators' power that must have signed a header that is not the next one: 1/3 to 1. */
  readonly trustLevel: { readonly numerator: bigint; readonly denominator: bigint }
  /** How long a header is trusted after its time. */
  readonly trustingPeriod: bigint
  /** How far the time of a header may be after now. */
  readonly maxClockDrift: bigint
}

/** What a client keeps of a header. */
export type ConsensusState = {
  /** Unix nanoseconds. */
  readonly time: bigint
  /** The application's hash. */
  readonly root: Uint8Array
  readonly nextValidatorsHash: Uint8Array
}

export const isSameState = (a: ConsensusState, b: ConsensusState): boolean =>
  a.time === b.time && equalBytes(a.root, b.root) && equalBytes(a.nextValidatorsHash, b.nextValidatorsHash)

/** A header that `verifyHeader` has accepted. */
export type VerifiedHeader = ConsensusState & { readonly height: bigint; readonly blockHash: Uint8Array }

export type Now = {
  /** Unix nanoseconds. */
  readonly now: bigint
  /** Called before each signature is verified, the only costly work; it may throw. */
  readonly beforeSignature?: () => void
}

/** Whether a state of this time is no longer trusted. */
export const isExpired = ({ trustingPeriod }: TrustRules, time: bigint, now: bigint): boolean =>
  time + trustingPeriod <= now

/**
 * The header of an update, verified from the trusted state of height `from` by CometBFT's `light.Verify`. Throws ChainError with the
 * reason.
 */
export function verifyHeader(
  rules: TrustRules,
  from: bigint,
  trusted: ConsensusState,
  message: ClientHeader,
  at: Now,
): VerifiedHeader {
  const { header, commit, validators } = wholeOf(rules.chainId, message)
  const time = nanosecondsOf(header.time)
  if (header.height <= from) throw refused('header is not newer than the trusted one')
  if (isExpired(rules, trusted.time, at.now)) throw refused('trusted header is older than the trusting period')
  if (time <= trusted.time) throw refused('time of the header is not after the trusted one')
  if (time >= at.now + rules.maxClockDrift) throw refused('header is from the future')
  const signatures = new Signatures(rules.chainId, commit, at)
  const trustedValidators = requireTrusted(message, trusted)
  if (header.height > from + 1n) requireShare(rules, trustedValidators, signatures)
  else if (!equalBytes(header.validatorsHash, trusted.nextValidatorsHash))
    throw refused('validators are not those that the trusted header names')
  requireTwoThirds(validators, signatures)
  const { appHash: root, nextValidatorsHash } = header
  return { height: header.height, time, root, nextValidatorsHash, blockHash: commit.blockId?.hash ?? root }
}

/**
 * A header of a message of misbehaviour: as in an update from the trusted state of height `from`, but its time may be any, because the
 * chain that made it is faulty, and it needs the share of the trusted power also if it is the next one. Throws ChainError.
 */
export function verifyConflictingHeader(
  rules: TrustRules,
  from: bigint,
  trusted: ConsensusState,
  message: ClientHeader,
  at: Now,
): VerifiedHeader {
  const { header, commit, validators } = wholeOf(rules.chainId, message)
  if (header.height <= from) throw refused('header is not newer than the trusted one')
  if (isExpired(rules, trusted.time, at.now)) throw refused('trusted header is older than the trusting period')
  const signatures = new Signatures(rules.chainId, commit, at)
  requireShare(rules, requireTrusted(message, trusted), signatures)
  requireTwoThirds(validators, signatures)
  const { height, appHash: root, nextValidatorsHash } = header
  return { height, time: nanosecondsOf(header.time), root, nextValidatorsHash, blockHash: commit.blockId?.hash ?? root }
}

/**
 * Whether two verified headers cannot be of one correct chain: other blocks of one height, or a higher one whose time is not later. `a`: the
 * higher one, as ibc-go wants them.
 */
export const isFork = (a: VerifiedHeader, b: VerifiedHeader): boolean =>
  a.height === b.height ? !equalBytes(a.blockHash, b.blockHash) : a.height > b.height && a.time <= b.time

/** The parts of a message. Throws ChainError unless they belong together. */
function wholeOf(chainId: string, message: ClientHeader) {
  const { header, commit } = message.signedHeader ?? {}
  if (header === undefined || commit === undefined) throw refused('header or commit is missing')
  checkSignedHeader(chainId, header, commit)
  const validators = validatorsOf(message.validatorSet)
  if (!equalBytes(validators.hash, header.validatorsHash)) throw refused('validators are not those of the header')
  if (commit.signatures.length !== validators.members.length)
    throw refused('commit has another number of signatures than validators')
  return { header, commit, validators }
}

/** The validators that came with the message as the trusted state's next ones. Throws ChainError if they are not. */
function requireTrusted({ trustedValidators }: ClientHeader, trusted: ConsensusState): Validators {
  const validators = validatorsOf(trustedValidators)
  if (!equalBytes(validators.hash, trusted.nextValidatorsHash))
    throw refused('trusted validators are not those of the trusted header')
  return validators
}

/** The commit's signatures for its block. Each is verified once. */
class Signatures {
  readonly #chainId: string
  readonly #commit: Commit
  readonly #now: Now
  /** Places of the signatures that were verified, with the key. */
  readonly #verified = new Map<number, Uint8Array>()

  constructor(chainId: string, commit: Commit, now: Now) {
    this.#chainId = chainId
    this.#commit = commit
    this.#now = now
  }

  /** Those for the block, with their places. */
  *forBlock(): Generator<readonly [number, CommitSig]> {
    for (const entry of this.#commit.signatures.entries())
      if (entry[1].blockIdFlag === BlockIDFlag.BLOCK_ID_FLAG_COMMIT) yield entry
  }

  /** Throws ChainError unless the signature is one by this validator. */
  require(place: number, { signature, timestamp }: CommitSig, { key }: Member): void {
    const before = this.#verified.get(place)
    if (before !== undefined && equalBytes(before, key)) return
    this.#now.beforeSignature?.()
    if (timestamp === undefined || !isSigned(key, precommitBytes(this.#chainId, this.#commit, timestamp), signature))
      throw refused('wrong signature in the commit')
    this.#verified.set(place, key)
  }
}

/** Throws ChainError unless more than the trust level of the trusted power has signed. */
function requireShare({ trustLevel }: TrustRules, trusted: Validators, signatures: Signatures): void {
  const members = new Map(trusted.members.map((member) => [nameOf(member.address), member]))
  const needed = (trusted.power * trustLevel.numerator) / trustLevel.denominator
  const seen = new Set<Member>()
  let power = 0n
  for (const [place, signature] of signatures.forBlock()) {
    const member = members.get(nameOf(signature.validatorAddress))
    if (member === undefined) continue
    if (seen.has(member)) throw refused('a validator has signed twice')
    seen.add(member)
    signatures.require(place, signature, member)
    power += member.power
    if (power > needed) return
  }
  throw refused('too little of the trusted power has signed')
}

/** Throws ChainError unless more than two thirds of the header's own validators have signed, each in its place. */
function requireTwoThirds({ members, power: total }: Validators, signatures: Signatures): void {
  const needed = (total * 2n) / 3n
  let power = 0n
  for (const [place, signature] of signatures.forBlock()) {
    const member = members[place]
    if (member === undefined || !equalBytes(member.address, signature.validatorAddress))
      throw refused('signature is not in the place of its validator')
    signatures.require(place, signature, member)
    power += member.power
    if (power > needed) return
  }
  throw refused('less than two thirds of the power has signed')
}

const nameOf = (address: Uint8Array): string => Buffer.from(address).toString('latin1')
