// Headers as clients take them, made from light blocks: the states of a new client, and the updates that lead from what a client trusts to
// a height. All is verified here by the rules of the client before it is paid for.
import { create, type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { type ClientState, revisionOf, writeConsensusState } from '../ibc/comet/client-state.ts'
import { nanosecondsOf } from '../ibc/comet/light-block.ts'
import { type ConsensusState, verifyHeader } from '../ibc/comet/light-client.ts'
import { proofSpec, TREES } from '../ibc/ics23/specs.ts'
import { ChainError } from '../lib/errors.ts'
import {
  ClientStateSchema,
  type Header,
  HeaderSchema,
} from '../protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import type { ValidatorSet } from '../protobuf/generated/tendermint/types/validator_pb.ts'
import type { ChainTraits, LightBlock } from './end.ts'

const BILLION = 1_000_000_000n
/** Nanoseconds that a header may be ahead of the clock of the chain with the client. */
const CLOCK_DRIFT = 10n * BILLION
/** Headers of one way from a trusted one: each halves what is left, and no chain needs more. */
const MOST_HEADERS = 32

/** The clock, in Unix nanoseconds. */
export const nowNs = (): bigint => BigInt(Date.now()) * 1_000_000n

const duration = (nanoseconds: bigint) => ({
  seconds: nanoseconds / BILLION,
  nanos: Number(nanoseconds % BILLION),
})

/** What a client keeps of a light block. */
export const consensusStateOf = ({ header }: LightBlock): ConsensusState => ({
  time: nanosecondsOf(header.time),
  root: header.appHash,
  nextValidatorsHash: header.nextValidatorsHash,
})

/**
 * The states of a new client that begins with a light block. It trusts a header for two thirds of the time for which validators can be
 * slashed, and a header that is not the next one if a third of the trusted power has signed it (ICS-07's usual values).
 */
export function newClient({ chainId, unbondingPeriod, trees }: ChainTraits, block: LightBlock) {
  const clientState = create(ClientStateSchema, {
    chainId,
    trustLevel: { numerator: 1n, denominator: 3n },
    trustingPeriod: duration((unbondingPeriod * 2n) / 3n),
    unbondingPeriod: duration(unbondingPeriod),
    maxClockDrift: duration(CLOCK_DRIFT),
    frozenHeight: {},
    latestHeight: { revisionNumber: revisionOf(chainId), revisionHeight: block.header.height },
    proofSpecs: trees.map((name) => proofSpec(TREES[name])),
  })
  return {
    clientState: toBinary(ClientStateSchema, clientState),
    consensusState: writeConsensusState(consensusStateOf(block)),
  }
}

/** A header for a client that trusts `trustedHeight`. `trustedValidators`: those of the height after it. */
export const headerOf = (
  { header, commit, validators }: LightBlock,
  trustedHeight: bigint,
  trustedValidators: ValidatorSet,
): Header =>
  create(HeaderSchema, {
    signedHeader: { header, commit },
    validatorSet: validators,
    trustedHeight: { revisionNumber: revisionOf(header.chainId), revisionHeight: trustedHeight },
    trustedValidators,
  })

/** A header as `updateClient` takes it. */
export const packedHeader = (header: Header): Uint8Array => packed(HeaderSchema, header)

const packed = <D extends DescMessage>(schema: D, message: MessageShape<D>): Uint8Array =>
  toBinary(AnySchema, create(AnySchema, { typeUrl: `/${schema.typeName}`, value: toBinary(schema, message) }))

/** The way to a height, and what a client then keeps of it. */
export type Updates = { readonly headers: readonly Header[]; readonly state: ConsensusState }

/**
 * The headers that lead a client from what it trusts to `target`, verified at the Unix nanoseconds `now`: one, unless the validators have
 * changed too much in between. Throws ChainError if the chain's headers do not verify.
 */
export async function updatesTo(
  target: bigint,
  {
    rules,
    from,
    trusted,
    now,
    lightBlock,
  }: {
    readonly rules: ClientState
    readonly from: bigint
    readonly trusted: ConsensusState
    readonly now: bigint
    readonly lightBlock: (height: bigint) => Promise<LightBlock>
  },
): Promise<Updates> {
  const headers: Header[] = []
  let [height, state] = [from, trusted]
  /** Heights that are to be reached, the next one last. */
  const ahead = [target]
  for (let next = ahead.at(-1); next !== undefined; next = ahead.at(-1)) {
    const [block, { validators }] = await Promise.all([lightBlock(next), lightBlock(height + 1n)])
    const header = headerOf(block, height, validators)
    try {
      verifyHeader(rules, height, state, header, { now })
    } catch (error) {
      // A header in the middle may lead on where too few of the trusted validators have signed this one.
      if (!(error instanceof ChainError) || next <= height + 1n || ahead.length + headers.length >= MOST_HEADERS)
        throw error
      ahead.push((height + next) / 2n)
      continue
    }
    headers.push(header)
    ;[height, state] = [next, consensusStateOf(block)]
    ahead.pop()
  }
  return { headers, state }
}
