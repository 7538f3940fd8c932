// A proposal with more transactions than a block can hold is truncated before decoding; all other requests are unchanged.
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { boundBlockProposal } from '../../../src/consensus/abci/bounded-block-proposal.ts'
import {
  RequestProcessProposalSchema,
  RequestSchema,
} from '../../../src/protobuf/generated/tendermint/abci/types_pb.ts'

type Value = NonNullable<MessageInitShape<typeof RequestSchema>['value']>
const encode = (value: Value): Uint8Array => toBinary(RequestSchema, create(RequestSchema, { value }))
const proposal = (value: MessageInitShape<typeof RequestProcessProposalSchema>): Uint8Array =>
  encode({ case: 'processProposal', value: create(RequestProcessProposalSchema, value) })

const fields: MessageInitShape<typeof RequestProcessProposalSchema> = {
  height: 7n,
  time: { seconds: 1_700_000_000n, nanos: 5 },
  hash: new Uint8Array(32).fill(3),
  proposerAddress: new Uint8Array(20).fill(9),
  proposedLastCommit: { round: 2, votes: [{ blockIdFlag: 2 }] },
  misbehavior: [{ height: 6n }],
}
const txs = Array.from({ length: 30_000 }, (_, i) => Uint8Array.of(i, i >> 8))

it('boundBlockProposal keeps one transaction more than allowed, and all other fields', () => {
  const request = proposal({ ...fields, txs })
  const { value } = fromBinary(RequestSchema, boundBlockProposal(request, 1714))
  const expected = proposal({ ...fields, txs: txs.slice(0, 1715) })
  expect(value).toEqual(fromBinary(RequestSchema, expected).value)
})

it('boundBlockProposal drops excess transactions also when they are not contiguous', () => {
  const [head, tail] = [txs.slice(0, 10), txs.slice(10)].map((part) => bodyOf({ txs: part }))
  const rest = bodyOf(fields)
  const request = requestOf(Buffer.concat([head ?? '', rest, tail ?? ''].map((part) => Buffer.from(part))))
  const expected = proposal({ ...fields, txs: txs.slice(0, 13) })
  const bounded = boundBlockProposal(request, 12)
  expect(fromBinary(RequestSchema, bounded).value).toEqual(fromBinary(RequestSchema, expected).value)
})

it('boundBlockProposal returns other requests unchanged', () => {
  const whole = proposal({ ...fields, txs })
  const others = [
    proposal({ ...fields, txs: txs.slice(0, 1715) }),
    encode({ case: 'finalizeBlock', value: { txs, height: 7n } }),
    encode({ case: 'prepareProposal', value: { txs, height: 7n } }),
    new Uint8Array(100_000).fill(0x0a),
  ]
  for (const request of others) expect(boundBlockProposal(request, 1714)).toBe(request)
  expect(boundBlockProposal(whole, txs.length)).toBe(whole)
})

/** The encoded ProcessProposal without the enclosing request. */
function bodyOf(value: MessageInitShape<typeof RequestProcessProposalSchema>): Uint8Array {
  const request = proposal(value)
  // A tag of two bytes, then a length whose last byte is below 0x80.
  const length = request.subarray(2).findIndex((byte) => byte < 0x80)
  return request.subarray(3 + length)
}

function requestOf(body: Uint8Array): Uint8Array {
  const length = [body.length & 0x7f, (body.length >> 7) & 0x7f, body.length >> 14]
  return Uint8Array.of(0x8a, 1, (length[0] ?? 0) | 0x80, (length[1] ?? 0) | 0x80, length[2] ?? 0, ...body)
}
