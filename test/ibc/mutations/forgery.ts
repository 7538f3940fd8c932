// Forgeries by who has keys: a corrupt validator with a tenth of the power and strangers. They make the parts of a false header agree with
// each other, some or all, so that every check is the last one that stands in the way of some forgery.
import { clone, create, fromBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { headerHash, precommitBytes } from '../../../src/ibc/comet/hashes.ts'
import type { Header } from '../../../src/protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import {
  HeaderSchema,
  MisbehaviourSchema,
} from '../../../src/protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import { CommitSigSchema } from '../../../src/protobuf/generated/tendermint/types/types_pb.ts'
import { BlockIDFlag } from '../../../src/protobuf/generated/tendermint/types/validator_pb.ts'
import type { Random } from '../../evm/wasm/random-programs.ts'
import { hashOf, type Signer, validatorSet } from '../../support/comet-chain.ts'
import { blockAt, CORRUPT, packed, SETS, type World } from './world.ts'

const mostly = (random: Random) => !random.oneIn(4)

/** An update, or a misbehaviour of two, with false parts. */
export function forge(world: World, random: Random): Uint8Array {
  if (random.oneIn(3)) {
    const [header1, header2] = pairOf(world, random)
    const falsify = (header: Header) => (random.oneIn(2) ? falsified(world, header, random) : header)
    const pair = { clientId: world.id, header1: falsified(world, header1, random), header2: falsify(header2) }
    return packed(MisbehaviourSchema, create(MisbehaviourSchema, pair))
  }
  return packed(HeaderSchema, falsified(world, headerOf(world, random), random))
}

const messagesOf = (world: World) =>
  [...world.originals.map(({ bytes }) => bytes), ...world.strange].map((bytes) => fromBinary(AnySchema, bytes))

function headerOf(world: World, random: Random): Header {
  const headers = messagesOf(world).filter(({ typeUrl }) => typeUrl.endsWith('.Header'))
  return fromBinary(HeaderSchema, random.pick(headers).value)
}

/** Two headers that contradict each other, or would if one were changed. */
function pairOf(world: World, random: Random): readonly [Header, Header] {
  const forks = messagesOf(world).filter(({ typeUrl }) => typeUrl.endsWith('.Misbehaviour'))
  const { header1, header2 } = fromBinary(MisbehaviourSchema, random.pick(forks).value)
  if (header1 !== undefined && header2 !== undefined && random.oneIn(2)) return [header1, header2]
  const one = headerOf(world, random)
  return [one, random.oneIn(2) ? clone(HeaderSchema, one) : headerOf(world, random)]
}

function falsified(world: World, header: Header, random: Random): Header {
  if (random.oneIn(5)) return withOtherVote(header, random)
  return random.oneIn(6) ? withOtherTrust(world, header, random) : forgedHeader(world, header, random)
}

/** A header with a vote that says something else than its validator: for nil, or absent and yet with an address, a time or a signature. */
function withOtherVote(message: Header, random: Random): Header {
  const vote = random.pick(message.signedHeader?.commit?.signatures ?? [])
  vote.blockIdFlag = random.pick([BlockIDFlag.BLOCK_ID_FLAG_ABSENT, BlockIDFlag.BLOCK_ID_FLAG_NIL])
  if (random.oneIn(3)) vote.validatorAddress = new Uint8Array(0)
  if (random.oneIn(3)) vote.signature = new Uint8Array(0)
  if (random.oneIn(3)) delete vote.timestamp
  return message
}

/** A header that names another header as trusted, with the validators that follow it: also one that is not older. */
function withOtherTrust(world: World, message: Header, random: Random): Header {
  const height = random.pick([...world.known.keys()])
  if (message.trustedHeight) message.trustedHeight.revisionHeight = BigInt(height)
  message.trustedValidators = validatorSet(blockAt(height).nextValidators)
  return message
}

function forgedHeader(world: World, message: Header, random: Random): Header {
  const { header, commit } = message.signedHeader ?? {}
  if (header === undefined || commit === undefined) return message
  const places = [...(random.pick(SETS) ?? [])]
  const set = random.oneIn(3)
    ? random.pick([
        CORRUPT,
        [...CORRUPT.slice(1), ...places.slice(0, 2)],
        [...CORRUPT.slice(1), ...CORRUPT.slice(0, 1)],
      ])
    : undefined
  if (set !== undefined) {
    message.validatorSet = validatorSet(set)
    if (mostly(random)) header.validatorsHash = hashOf(set)
    world.recordSet(set)
  }
  if (random.oneIn(4)) {
    message.trustedValidators = validatorSet(random.pick([CORRUPT, ...SETS]))
  }
  if (random.oneIn(4) && message.trustedHeight)
    message.trustedHeight.revisionHeight = BigInt(random.pick([...world.known.keys()]))
  if (random.oneIn(2)) change(header, random)
  if (mostly(random)) commit.height = header.height
  if (mostly(random) && commit.blockId) commit.blockId.hash = headerHash(header)
  sign(world, message, set ?? signersOf(message), random)
  return message
}

type CometHeader = NonNullable<NonNullable<Header['signedHeader']>['header']>
function change(header: CometHeader, random: Random): void {
  const hash = (bytes: Uint8Array) => Uint8Array.from(bytes, (byte) => byte ^ 1)
  random.pick([
    () => (header.appHash = hash(header.appHash)),
    () => (header.nextValidatorsHash = hashOf(CORRUPT)),
    () => (header.height += BigInt(random.below(30))),
    () =>
      (header.time = {
        ...header.time,
        $typeName: 'google.protobuf.Timestamp',
        seconds: (header.time?.seconds ?? 0n) + BigInt(random.below(7_000) - 1_000),
        nanos: 0,
      }),
    () => (header.chainId = 'peer_7-3'),
    () => (header.lastCommitHash = hash(header.lastCommitHash)),
  ])()
}

/** Who has which place in the message's own set; undefined: nobody whose key is known here. */
function signersOf({ validatorSet: set }: Header): readonly (Signer | undefined)[] {
  const all = [...CORRUPT, ...SETS.flat()]
  return (set?.validators ?? []).map(({ address }) =>
    all.find((signer) => Buffer.compare(signer.address, address) === 0),
  )
}

/** Signs anew in the places of the corrupt and some others: by the corrupt in their own names or others', or not at all. */
function sign(world: World, message: Header, places: readonly (Signer | undefined)[], random: Random): void {
  const { header, commit } = message.signedHeader ?? {}
  if (header === undefined || commit === undefined) return
  const before = commit.signatures
  // The one with trusted power may sign in many places.
  const often = random.oneIn(3) ? CORRUPT[0] : undefined
  const anew: (Signer | undefined)[] = []
  commit.signatures = places.map((signer, place) => {
    const own = before[place] ?? create(CommitSigSchema)
    const corrupt = CORRUPT.find(({ address }) => signer && Buffer.compare(address, signer.address) === 0)
    const by =
      place > 0 && often !== undefined ? often : (corrupt ?? (random.oneIn(3) ? random.pick(CORRUPT) : undefined))
    const timestamp = own.timestamp ?? header.time
    if (by === undefined || timestamp === undefined)
      return random.oneIn(4) ? create(CommitSigSchema, { blockIdFlag: 1 }) : own
    anew[place] = by
    const { address: validatorAddress } = by === often || random.oneIn(4) ? by : (signer ?? by)
    const signature = by.sign(precommitBytes(header.chainId, commit, timestamp))
    return create(CommitSigSchema, { blockIdFlag: 2, validatorAddress, timestamp, signature })
  })
  world.record(message, anew)
}
