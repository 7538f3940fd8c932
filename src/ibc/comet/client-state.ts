// States of a client as peers and relayers exchange them (ibc-go's protobuf of 07-tendermint), read strictly and within bounds.
import { create, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema, type Duration } from '@bufbuild/protobuf/wkt'
import { equalBytes } from '../../lib/hex.ts'
import { HeightSchema } from '../../protobuf/generated/ibc/core/client/v1/client_pb.ts'
import {
  ClientStateSchema,
  type ConsensusState as ConsensusStateMessage,
  ConsensusStateSchema,
  type Header,
  HeaderSchema,
  type ClientState as Message,
  type Misbehaviour,
  MisbehaviourSchema,
} from '../../protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import { type Tree, treeOf } from '../ics23/specs.ts'
import { decode, refused } from '../wire.ts'
import { HASH_SIZE, LONGEST_CHAIN_ID, nanosecondsOf } from './light-block.ts'
import type { ConsensusState, Height, TrustRules } from './light-client.ts'

/** Bytes of a client state, of a consensus state, and of an update with its validators. */
const LARGEST = { clientState: 2_048, consensusState: 512, message: 262_144 }
/** Go's periods are nanoseconds in 64 bits with a sign. */
const LONGEST_PERIOD = 2n ** 63n - 1n
const BILLION = 1_000_000_000n

export type ClientState = TrustRules & {
  readonly unbondingPeriod: bigint
  readonly isFrozen: boolean
  readonly latest: Height
  /** The peer's trees of proofs, from the innermost outwards. */
  readonly trees: readonly Tree[]
}

/** The revision in a chain's text id: 1 of `kestrel_125-1`; 0 if it has none. */
export const revisionOf = (chainId: string): bigint => BigInt(/[^\n-]-([1-9]\d{0,17})$/.exec(chainId)?.[1] ?? 0)

/** Reads a client state. Throws ChainError by ibc-go's rules of validity, and for trees of proofs that are not known here. */
export const readClientState = (bytes: Uint8Array): ClientState =>
  stateOf(decode(ClientStateSchema, bytes, LARGEST.clientState))

function stateOf(message: Message): ClientState {
  const { chainId, trustLevel, latestHeight, frozenHeight } = message
  if (chainId.trim() === '' || chainId.length > LONGEST_CHAIN_ID) throw refused('invalid chain id of the client')
  const { numerator = 0n, denominator = 0n } = trustLevel ?? {}
  const isLevel =
    denominator > 0n && denominator <= 2n ** 32n && numerator * 3n >= denominator && numerator <= denominator
  if (!isLevel) throw refused('trust level must be within [1/3, 1]')
  const trustingPeriod = periodOf(message.trustingPeriod, 'trusting period')
  const unbondingPeriod = periodOf(message.unbondingPeriod, 'unbonding period')
  if (trustingPeriod >= unbondingPeriod) throw refused('trusting period must be less than the unbonding period')
  const { revisionNumber = 0n, revisionHeight = 0n } = latestHeight ?? {}
  if (revisionNumber !== revisionOf(chainId)) throw refused('revision of the latest height is not that of the chain id')
  if (revisionHeight === 0n) throw refused('latest height must not be zero')
  if (message.proofSpecs.length < 1 || message.proofSpecs.length > 2)
    throw refused('expected one or two proof specifications')
  if (message.upgradePath.some((key) => key.trim() === '')) throw refused('empty key in the upgrade path')
  return {
    chainId,
    trustLevel: { numerator, denominator },
    trustingPeriod,
    unbondingPeriod,
    maxClockDrift: periodOf(message.maxClockDrift, 'max clock drift'),
    isFrozen: (frozenHeight?.revisionNumber ?? 0n) !== 0n || (frozenHeight?.revisionHeight ?? 0n) !== 0n,
    latest: { revisionNumber, revisionHeight },
    trees: message.proofSpecs.map(treeOf),
  }
}

function periodOf(duration: Duration | undefined, what: string): bigint {
  const { seconds = 0n, nanos = 0 } = duration ?? {}
  const period = seconds * BILLION + BigInt(nanos)
  if (nanos < 0 || nanos >= Number(BILLION) || period <= 0n || period > LONGEST_PERIOD) throw refused(`invalid ${what}`)
  return period
}

/** A client state with other values: `bytes` as given to `readClientState`. */
export function changedClientState(
  bytes: Uint8Array,
  change: { readonly latest?: Height; readonly isFrozen?: boolean },
): Uint8Array {
  const message = decode(ClientStateSchema, bytes, LARGEST.clientState)
  const { latest, isFrozen } = change
  return toBinary(ClientStateSchema, {
    ...message,
    ...(latest && { latestHeight: create(HeightSchema, latest) }),
    // ibc-go's mark of a frozen client, whatever the height of the misbehaviour.
    ...(isFrozen !== undefined && {
      frozenHeight: create(HeightSchema, { revisionNumber: 0n, revisionHeight: isFrozen ? 1n : 0n }),
    }),
  })
}

/**
 * Whether one client may take the place of another: all but heights, trusting period, chain id and the two flags without effect is
 * equal (ibc-go).
 */
export function isSubstitute(subject: Uint8Array, substitute: Uint8Array): boolean {
  const [a, b] = [subject, substitute].map((bytes) => {
    const { trustLevel, unbondingPeriod, maxClockDrift, proofSpecs, upgradePath } = decode(
      ClientStateSchema,
      bytes,
      LARGEST.clientState,
    )
    const compared = { trustLevel, unbondingPeriod, maxClockDrift, proofSpecs, upgradePath }
    return toBinary(ClientStateSchema, create(ClientStateSchema, compared))
  })
  return a !== undefined && b !== undefined && equalBytes(a, b)
}

/** Reads a consensus state. Throws ChainError. */
export function readConsensusState(bytes: Uint8Array): ConsensusState {
  const { timestamp, root, nextValidatorsHash } = decode(ConsensusStateSchema, bytes, LARGEST.consensusState)
  const time = nanosecondsOf(timestamp)
  if (time <= 0n) throw refused('consensus state has a time before 1970')
  if (root === undefined || root.hash.length === 0) throw refused('consensus state has no root')
  if (nextValidatorsHash.length !== HASH_SIZE) throw refused('consensus state has a malformed hash of validators')
  return { time, root: root.hash, nextValidatorsHash }
}

export function writeConsensusState({ time, root, nextValidatorsHash }: ConsensusState): Uint8Array {
  const message: ConsensusStateMessage = create(ConsensusStateSchema, {
    timestamp: { seconds: time / BILLION, nanos: Number(time % BILLION) },
    root: { hash: root },
    nextValidatorsHash,
  })
  return toBinary(ConsensusStateSchema, message)
}

export type ClientMessage =
  | { readonly type: 'header'; readonly header: Header }
  | { readonly type: 'misbehaviour'; readonly misbehaviour: Misbehaviour }

const PACKAGE = '/ibc.lightclients.tendermint.v1'

/** Reads a header or a misbehaviour, packed with its type (`google.protobuf.Any`), as ibc-go takes it. Throws ChainError. */
export function readClientMessage(bytes: Uint8Array): ClientMessage {
  const { typeUrl, value }: Any = decode(AnySchema, bytes, LARGEST.message)
  if (typeUrl === `${PACKAGE}.Header`) return { type: 'header', header: decode(HeaderSchema, value, LARGEST.message) }
  if (typeUrl === `${PACKAGE}.Misbehaviour`)
    return { type: 'misbehaviour', misbehaviour: decode(MisbehaviourSchema, value, LARGEST.message) }
  throw refused('expected a header or a misbehaviour of 07-tendermint')
}
