// Payload attributes from a request of CometBFT. They depend on the request and the head only, never on the clock or flags of
// this machine, so that every node executes the same block.
import type { Chain } from '../../chain/types.ts'
import { fromHex, toAddress, ZERO_ADDRESS } from '../../lib/hex.ts'
import { keccakHash } from '../../lib/keccak.ts'
import { commitInfoHash } from '../../primitives/commit-info.ts'
import type { CommitInfo, Evidence, Vote } from '../../primitives/types.ts'
import type { PayloadAttributes } from '../../runtime/types.ts'

type Timestamp = { readonly seconds: bigint; readonly nanos: number }
type Validator = { readonly address: Uint8Array; readonly power: bigint }
type VoteInfo = { readonly validator?: Validator | undefined; readonly blockIdFlag: number }

/** The fields that PrepareProposal, ProcessProposal and FinalizeBlock share. */
export type BlockRequest = {
  readonly height: bigint
  readonly time?: Timestamp | undefined
  readonly proposerAddress: Uint8Array
  readonly lastCommit: { readonly round: number; readonly votes: readonly VoteInfo[] } | undefined
  readonly misbehavior: readonly {
    readonly type: number
    readonly validator?: Validator | undefined
    readonly height: bigint
    readonly time?: Timestamp | undefined
  }[]
}

const BILLION = 1_000_000_000n

/** Attributes of the block after the head. */
export function attributesOf(
  chain: Pick<Chain, 'head' | 'operatorOf'>,
  request: BlockRequest,
): Partial<PayloadAttributes> & { readonly commit: CommitInfo } {
  const { head } = chain
  const commit = commitInfoOf(request)
  const seconds = commit.time / BILLION
  return {
    timestamp: seconds > head.timestamp ? seconds : head.timestamp + 1n,
    coinbase: chain.operatorOf(toAddress(request.proposerAddress)) ?? ZERO_ADDRESS,
    gasLimit: head.gasLimit,
    extraData: '0x',
    prevRandao: keccakHash(fromHex(head.hash)),
    parentBeaconBlockRoot: commitInfoHash(commit),
    withdrawals: [],
    baseFeePerGas: undefined,
    commit,
  }
}

function commitInfoOf({ lastCommit, misbehavior, time }: BlockRequest): CommitInfo {
  return {
    round: BigInt(lastCommit?.round ?? 0),
    votes: (lastCommit?.votes ?? []).map(voteOf),
    evidence: misbehavior.map(evidenceOf),
    time: nanoseconds(time),
  }
}

const voteOf = ({ validator, blockIdFlag }: VoteInfo): Vote => ({ ...partyOf(validator), flag: blockIdFlag })

const evidenceOf = ({ type, validator, height, time }: BlockRequest['misbehavior'][number]): Evidence => ({
  type,
  ...partyOf(validator),
  height,
  time: nanoseconds(time),
})

const partyOf = (validator: Validator | undefined) => ({
  address: validator === undefined ? ZERO_ADDRESS : toAddress(validator.address),
  power: validator?.power ?? 0n,
})

/** Seconds of the last time that a protobuf Timestamp can hold, in the year 9999. */
const LAST_SECOND = 253_402_300_799n

/** Whether a block can have this time: one after 1970 that a protobuf Timestamp can hold. */
export const isTimestamp = ({ seconds, nanos }: Timestamp): boolean =>
  seconds >= 0n && seconds <= LAST_SECOND && nanos >= 0 && nanos < Number(BILLION)

/** Unix nanoseconds. Go's zero time, before 1970, is 0. */
function nanoseconds(time: Timestamp | undefined): bigint {
  const total = time === undefined ? 0n : time.seconds * BILLION + BigInt(time.nanos)
  return total > 0n ? total : 0n
}
